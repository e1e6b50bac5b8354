#include "core/explore/schedules/schedulefile.h"
#include "core/playground/scenarios/replicarelay.h"
#include "core/playground/scenarios/schedulescenario.h"
#include "core/playground/sequence/sequencetexts.h"
#include "core/redis/privateserver/privateserver.h"
#include "tests/support/childprocesses.h"
#include "tests/support/scenariofixture.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QNetworkProxy>
#include <QProcess>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <unistd.h>

namespace tst_serverreplacement {

using namespace latchkey;
using namespace std::chrono_literals;
using scenarios::ScenarioVerdict;
using sequence::Mark;
using test::ScenarioFixture;

namespace {

/// Returns a story with Ann, Bob and these steps. `more`: further members of the file.
QByteArray storyWith(const QByteArray &steps, const QByteArray &more = R"("replicas": 1, )")
{
    return R"({"format": "latchkey-story", "version": 2, "title": "T", "clients": ["Ann", "Bob"], "key": "k", )" + more
         + "\"steps\": [" + steps + "]}";
}

/// Returns a step in which the client sends the command and gets the reply.
QByteArray sends(const QByteArray &client, const QByteArray &command, const QByteArray &reply)
{
    return "{\"say\": \"s\", \"client\": \"" + client + "\", \"command\": " + command
         + ", \"expect\": {\"reply\": " + reply + "}}";
}

const QByteArray cut = R"({"say": "s", "cut_replica": {}})";
const QByteArray failover = R"({"say": "s", "failover": {}})";
const QByteArray restart = R"({"say": "s", "restart_server": 0})";
const QByteArray annSets = sends("Ann", R"(["SET", "a", "1"])", R"({"status": "OK"})");

QList<pid_t> servers()
{
    return test::childrenOf(::getpid(), "redis-server");
}

/// Returns the texts of the marks in the lanes of servers.
QStringList serverMarks(const sequence::Sequence &sequence)
{
    QStringList texts;
    for (const sequence::Row &row : sequence.rows()) {
        if (const auto *mark = std::get_if<Mark>(&row);
            mark != nullptr && sequence.lanes()[mark->lane].kind == sequence::Lane::Kind::Server)
            texts += sequence::markText(*mark).toString();
    }
    return texts;
}

} // namespace

class TestServerReplacement final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void play_reachesTheServerOfTheStory_data()
    {
        QTest::addColumn<QByteArray>("story");
        const QByteArray isReplicated = sends("Ann", R"(["WAIT", "1", "20000"])", "1");
        const QByteArray isLost = sends("Bob", R"(["GET", "b"])", "null");
        const QByteArray cutAndSet = cut + ", " + sends("Ann", R"(["SET", "b", "1"])", R"({"status": "OK"})");
        // Both clients send after the failover without an error, so both have connected to the promoted replica.
        QTest::addRow("a failover loses the writes after the cut")
            << storyWith(annSets + ", " + isReplicated + ", " + cutAndSet + ", " + failover + ", "
                         + sends("Ann", R"(["GET", "a"])", R"("1")") + ", " + isLost);
        QTest::addRow("the server keeps them without a failover")
            << storyWith(cutAndSet + ", " + sends("Bob", R"(["GET", "b"])", R"("1")"));
        QTest::addRow("a cut replica confirms nothing") << storyWith(
            annSets + ", " + isReplicated + ", " + cutAndSet + ", " + sends("Ann", R"(["WAIT", "1", "50"])", "0"));
        QTest::addRow("the other replica follows the promoted one")
            << storyWith(failover + ", " + annSets + ", " + isReplicated
                             + R"(, {"say": "s", "expect": {"keys": {"a": {"replica": 1, "value": "1"}}}})",
                         R"("replicas": 2, )");
        QTest::addRow("a restarted server is empty")
            << storyWith(annSets + ", " + restart + ", " + sends("Ann", R"(["DBSIZE"])", "0") + ", "
                             + sends("Bob", R"(["DBSIZE"])", "0"),
                         "");
        QTest::addRow("a restarted server empties its replica")
            << storyWith(annSets + ", " + isReplicated + ", " + restart
                         + R"(, {"say": "s", "expect": {"keys": {"a": {"replica": 0, "exists": false}}}})");
        QTest::addRow("a promoted replica restarts empty")
            << storyWith(annSets + ", " + isReplicated + ", " + failover + ", " + restart + ", "
                         + sends("Bob", R"(["DBSIZE"])", "0"));
        QTest::addRow("a client that was paused meanwhile") << storyWith(
            annSets + R"(, {"say": "s", "client": "Bob", "signal": "pause"}, )" + restart
                + R"(, {"say": "s", "client": "Bob", "signal": "resume"}, )" + sends("Bob", R"(["DBSIZE"])", "0"),
            "");
        QTest::addRow("several servers") << storyWith(
            R"({"say": "s", "client": "Ann", "acquire": {"recipe": "redlock", "lease": "5m"},
                             "expect": {"outcome": "acquired"}}, {"say": "s", "restart_server": 1},
                            {"say": "s", "client": "Bob", "acquire": {"recipe": "redlock", "lease": "5m"},
                             "expect": {"outcome": "busy", "keys": {"k": {"server": 1, "exists": false}}}})",
            R"("servers": 3, )");
    }
    void play_reachesTheServerOfTheStory()
    {
        QFETCH(QByteArray, story);
        ScenarioFixture run(story);
        QVERIFY(run.play());
        QCOMPARE(run.complaints(), QString());
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Passed);
        QCOMPARE(servers(), QList<pid_t>());
    }

    /// A story file is untrusted input; see confinement.h.
    void replacedServer_refusesAdministration_data()
    {
        QTest::addColumn<QByteArray>("step");
        QTest::addRow("failover") << failover;
        QTest::addRow("restart") << restart;
    }
    void replacedServer_refusesAdministration()
    {
        QFETCH(QByteArray, step);
        ScenarioFixture run(
            storyWith(step + R"(, {"say": "s", "client": "Ann", "command": ["REPLICAOF", "127.0.0.1", "1"]})"));
        QVERIFY(run.play());
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Differs);
        QVERIFY2(run.complaints().contains(QStringLiteral("NOPERM")), qPrintable(run.complaints()));
    }

    void processesOfTheServers_areNew()
    {
        ScenarioFixture run(storyWith(failover + ", " + restart));
        LATCHKEY_AWAIT(run.player.state() == scenarios::ScenarioPlayer::State::Resting);
        const QList<pid_t> before = servers();
        QCOMPARE(before.size(), 2);
        run.player.step();
        LATCHKEY_AWAIT(run.player.position() == 1);
        const QList<pid_t> promoted = servers();
        QCOMPARE(promoted.size(), 1); // The replica; the server was killed.
        QVERIFY(before.contains(promoted.front()));
        QVERIFY(run.play());
        QCOMPARE(run.complaints(), QString());
        QCOMPARE(serverMarks(*run.player.sequence()),
                 (QStringList {QStringLiteral("killed"), QStringLiteral("failover"), QStringLiteral("killed"),
                               QStringLiteral("started, empty")}));
    }

    void servers_areCountedFromOne()
    {
        ScenarioFixture run(storyWith(R"({"say": "s", "restart_server": 1})", R"("servers": 2, )"));
        QVERIFY(run.play());
        QStringList names;
        for (const sequence::Lane &lane : run.player.sequence()->lanes()) {
            if (lane.kind == sequence::Lane::Kind::Server)
                names += lane.name;
        }
        QCOMPARE(names, (QStringList {QStringLiteral("server 1"), QStringLiteral("server 2")}));
    }

    /// Another process of the machine reaches the port of the relay, but not the server.
    void relay_admitsOnlyTheReplica_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addRow("a command") << QByteArray("*1\r\n$6\r\nDBSIZE\r\n");
        QTest::addRow("inline") << QByteArray("DBSIZE\r\n");
        QTest::addRow("a wrong password")
            << QByteArray("*3\r\n$4\r\nAUTH\r\n$7\r\nreplica\r\n$6\r\nsecreT\r\n*1\r\n$6\r\nDBSIZE\r\n");
        QTest::addRow("after PING") << QByteArray("*1\r\n$4\r\nPING\r\n*1\r\n$6\r\nDBSIZE\r\n");
    }
    void relay_admitsOnlyTheReplica()
    {
        QFETCH(QByteArray, request);
        privateserver::PrivateServer server;
        LATCHKEY_VERIFY_RESULT(server.startAndWait());
        scenarios::ReplicaRelay relay(server.endpoint().path, "replica", "secret");
        LATCHKEY_VERIFY_RESULT(relay.listen());
        const auto repliesTo = [&](const QByteArray &bytes) {
            QTcpSocket socket;
            socket.setProxy(QNetworkProxy::NoProxy);
            socket.connectToHost(QHostAddress::LocalHost, relay.port());
            socket.write(bytes);
            QByteArray replies;
            const bool isOver = test::waitFor([&] {
                replies += socket.readAll();
                return socket.state() == QAbstractSocket::UnconnectedState || replies.contains("unknown-command");
            });
            return isOver ? replies : QByteArray("open");
        };
        QVERIFY2(!repliesTo(request).contains(':'), "DBSIZE was answered");
        // The exact login reaches the server, which does not know this user.
        const QByteArray login =
            "*3\r\n$4\r\nAUTH\r\n$7\r\nreplica\r\n$6\r\nsecret\r\n*1\r\n$15\r\nunknown-command\r\n";
        QVERIFY(repliesTo(login).contains("WRONGPASS"));
        relay.cutOff();
        QCOMPARE(relay.port(), quint16(0));
    }

    void replacement_thatIsImpossible_isRefusedWhenRead_data()
    {
        QTest::addColumn<QByteArray>("story");
        QTest::addColumn<QString>("complaint");
        QTest::addRow("no replica") << storyWith(failover, "")
                                    << QStringLiteral("steps[0].failover: the servers of the story have no replicas");
        QTest::addRow("an unknown replica") << storyWith(R"({"say": "s", "failover": {"replica": 1}})")
                                            << QStringLiteral("steps[0].failover.replica: 1 is not from 0 to 0");
        QTest::addRow("promoted twice") << storyWith(failover + ", " + failover)
                                        << QStringLiteral("steps[1].failover: replica 0 has been promoted already");
        QTest::addRow("cut twice") << storyWith(
            cut + ", " + cut) << QStringLiteral("steps[1].cut_replica: replica 0 does not follow its server any more");
        QTest::addRow("a killed server") << storyWith(R"({"say": "s", "kill_server": 0}, )" + restart)
                                         << QStringLiteral("steps[1]: server 0 has been killed");
        QTest::addRow("too many") << storyWith(failover, R"("servers": 5, "replicas": 1, )")
                                  << QStringLiteral("replicas: more than 9 servers, with their replicas");
    }
    void replacement_thatIsImpossible_isRefusedWhenRead()
    {
        QFETCH(QByteArray, story);
        QFETCH(QString, complaint);
        const auto read = scenarios::readScenario(QStringLiteral("my.json"), story);
        QVERIFY(!read);
        QVERIFY2(read.error().message().contains(complaint), qPrintable(read.error().message()));
    }

    /// The servers, the replica, the relay's port and the clients end with the player, also after SIGKILL.
    void nothing_survivesAKilledPlayer()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("story.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(storyWith(annSets + ", " + failover + R"(, {"say": "s", "work": "1h"})", R"("replicas": 2, )"));
        file.close();
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("story"), file.fileName()});
        QByteArray told;
        LATCHKEY_AWAIT((told += process.readAllStandardOutput()).contains("  2  "));
        const QList<pid_t> children = test::childrenOf(process.processId());
        QCOMPARE(children.size(), 4); // The promoted replica, the other one, and two clients.
        process.kill();
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(std::ranges::none_of(children, test::isAlive));
    }

    /// Faults of a counterexample are marks in the lane of their server.
    void faultOfACounterexample_isMarked_data()
    {
        QTest::addColumn<QByteArray>("fault");
        QTest::addColumn<QString>("mark");
        QTest::addRow("failover") << QByteArray(R"({"fault": "failover", "lost_steps": [0]})")
                                  << QStringLiteral("failover");
        QTest::addRow("failover without a loss")
            << QByteArray(R"({"fault": "failover"})") << QStringLiteral("failover");
        QTest::addRow("restart without data")
            << QByteArray(R"({"fault": "restart", "empty": true})") << QStringLiteral("started, empty");
        QTest::addRow("restart with saved data")
            << QByteArray(R"({"fault": "restart", "lost_steps": [0]})") << QStringLiteral("restarted");
        QTest::addRow("clock jump") << QByteArray(R"({"fault": "clock-jump"})") << QStringLiteral("clock jump");
    }
    void faultOfACounterexample_isMarked()
    {
        QFETCH(QByteArray, fault);
        QFETCH(QString, mark);
        const auto schedule = schedules::fromFile(
            R"({"format": "latchkey-story", "version": 1, "title": "T", "recipe": "auto-release", "key": "k",
                "clients": [{"name": "A", "lease_ms": 36000000}], "steps": [
                 {"client": "A", "begins": "acquire", "command": ["SET", "k", "locking", "NX", "PX", "36000000"],
                  "reply": {"status": "OK"}, "inside": true}, )"
            + fault + "]}");
        LATCHKEY_VERIFY_RESULT(schedule);
        scenarios::ScenarioPlayer player {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                                          base::SystemRandom::instance()};
        const auto scenario = scenarios::scenarioFrom(*schedule);
        LATCHKEY_VERIFY_RESULT(scenario);
        player.load(*scenario, 0);
        player.play();
        LATCHKEY_AWAIT(player.state() == scenarios::ScenarioPlayer::State::Over);
        QCOMPARE(player.verdict(), ScenarioVerdict::Passed);
        QCOMPARE(serverMarks(*player.sequence()), QStringList {mark});
    }
};

LATCHKEY_TEST(TestServerReplacement)

} // namespace tst_serverreplacement

#include "tst_serverreplacement.moc"
