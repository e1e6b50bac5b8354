#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/runningcommand.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QJsonArray>
#include <QLocalSocket>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <memory>

namespace tst_groupwatch {

using namespace latchkey;
using test::Outcome;

/// Tests of watch with several servers, as a process, with real servers.
class TestGroupWatch final : public test::CommandLineTest
{
    Q_OBJECT

    static constexpr std::size_t groupSize = 5;

    enum class Mechanism : quint8 { Notifications, Tracking, Polling };

    std::vector<std::unique_ptr<test::TestServer>> servers;
    QStringList addresses;
    std::unique_ptr<test::RunningCommand> process;

    [[nodiscard]] QStringList urls() const
    {
        QStringList all;
        for (const QString &address : addresses)
            all << QStringLiteral("--url") << address;
        return all;
    }
    void use(Mechanism mechanism)
    {
        for (const auto &one : servers) {
            if (mechanism == Mechanism::Notifications)
                QVERIFY((*one)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
            else if (mechanism == Mechanism::Polling)
                QVERIFY((*one)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        }
    }
    /// Starts `watch`, and waits until it sees all servers: a lock of each is seen, and their changes are reported.
    void start(const QStringList &options = {}, Mechanism mechanism = Mechanism::Notifications)
    {
        use(mechanism);
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:early-" + QByteArray::number(i), token(100));
        process = std::make_unique<test::RunningCommand>(environment);
        process->start(QStringList {QStringLiteral("watch"), QStringLiteral("--json")} + urls() + options);
        const auto areSeen = [this] { return process->keysOf(QStringLiteral("seen")).size() == qsizetype(groupSize); };
        QVERIFY2(test::waitFor(areSeen), (process->output() + process->errors()).constData());
        if (mechanism != Mechanism::Polling)
            awaitTracking();
    }
    /// Redirected tracking, which reports flushes, is the last request before all changes count as reported.
    void awaitTracking()
    {
        const auto isTracked = [](test::TestServer &one) {
            return !one({"INFO", "clients"}).bytes().contains("tracking_clients:0");
        };
        for (const auto &one : servers)
            LATCHKEY_AWAIT(isTracked(*one));
    }
    void set(std::size_t index, const QByteArray &key, const QByteArray &holder)
    {
        QVERIFY((*servers[index])({"SET", key, holder, "PX", "600000"}).isOk());
    }
    void remove(std::size_t index, const QByteArray &key) { QVERIFY((*servers[index])({"DEL", key}).isInteger(1)); }
    void signal(std::size_t index, int number)
    {
        ::kill(static_cast<pid_t>(servers[index]->process().processId()), number);
    }

    static bool isVote(const QJsonObject &line) { return line.contains(QStringLiteral("votes")); }
    /// Returns the lines about the votes for this key, such as "majority 1": the event, and the number of the holder.
    [[nodiscard]] QString votesOf(const QByteArray &key) const
    {
        QStringList events;
        const QList<QJsonObject> lines = process->lines();
        for (const QJsonObject &line : lines) {
            if (isVote(line) && line[QStringLiteral("key")].toString().toUtf8() == key)
                events += line[QStringLiteral("event")].toString() + u' '
                        + line[QStringLiteral("holder")].toString().remove(u'a');
        }
        return events.join(u' ');
    }
    /// Returns the events of this key on one server.
    [[nodiscard]] QString eventsOf(std::size_t index, const QByteArray &key) const
    {
        QStringList events;
        const QList<QJsonObject> lines = process->lines();
        for (const QJsonObject &line : lines) {
            if (line[QStringLiteral("server")].toString() == addresses[qsizetype(index)]
                && line[QStringLiteral("key")].toString().toUtf8() == key)
                events += line[QStringLiteral("event")].toString();
        }
        return events.join(u' ');
    }
    /// Returns the number of the holder of a lock on one server by the last event; 0: no lock.
    [[nodiscard]] int holderOf(std::size_t index, const QByteArray &key) const
    {
        int holder = 0;
        const QList<QJsonObject> lines = process->lines();
        for (const QJsonObject &line : lines) {
            if (isVote(line) || line[QStringLiteral("server")].toString() != addresses[qsizetype(index)]
                || line[QStringLiteral("key")].toString().toUtf8() != key)
                continue;
            const QString event = line[QStringLiteral("event")].toString();
            const bool isEnd = event == u"released" || event == u"ended" || event == u"expired";
            holder = isEnd ? 0 : std::max(line[QStringLiteral("holder")].toString().remove(u'a').toInt(), -1);
            if (!isEnd && holder == 0)
                holder = -1; // It is unknown.
        }
        return holder;
    }
    [[nodiscard]] bool isReported(std::size_t index, const char *event) const
    {
        const QList<QJsonObject> lines = process->lines();
        return std::ranges::any_of(lines, [&](const QJsonObject &line) {
            return line[QStringLiteral("server")].toString() == addresses[qsizetype(index)]
                && line[QStringLiteral("event")].toString() == QLatin1String(event);
        });
    }
    void awaitVotes(const QByteArray &key, const char *votes)
    {
        const auto areAsExpected = [&] { return votesOf(key) == QLatin1String(votes); };
        QVERIFY2(test::waitFor(areAsExpected), (process->output() + process->errors()).constData());
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        for (std::size_t i = 0; i < groupSize; ++i)
            servers.push_back(std::make_unique<test::TestServer>());
        for (const auto &one : servers)
            addresses += one->url();
    }
    void cleanup()
    {
        if (process && QTest::currentTestFailed())
            qInfo("%s%s", process->output().constData(), process->errors().constData());
        process.reset();
        servers.clear();
        addresses.clear();
        CommandLineTest::cleanup();
    }

    void lock_isReportedByEachServerAndOnceByItsVotes_data()
    {
        QTest::addColumn<int>("means");
        QTest::addRow("notifications") << int(Mechanism::Notifications);
        QTest::addRow("tracking") << int(Mechanism::Tracking);
        QTest::addRow("polling alone") << int(Mechanism::Polling);
    }
    void lock_isReportedByEachServerAndOnceByItsVotes()
    {
        QFETCH(int, means);
        start({}, Mechanism(means));
        const QByteArray taken =
            run(urls()
                + QStringList {QStringLiteral("acquire"), QStringLiteral("redlock"), QStringLiteral("lock:a"),
                               QStringLiteral("--lease"), QStringLiteral("10m")})
                .output.trimmed();
        QVERIFY(!taken.isEmpty());
        const auto isReportedByAll = [&](const QString &events) {
            for (std::size_t i = 0; i < groupSize; ++i) {
                if (eventsOf(i, "lock:a") != events)
                    return false;
            }
            return true;
        };
        LATCHKEY_AWAIT(isReportedByAll(QStringLiteral("acquired")));
        QList<QJsonObject> lines = process->lines();
        lines.removeIf([](const QJsonObject &line) { return line[QStringLiteral("key")].toString() != u"lock:a"; });
        QCOMPARE(lines.size(), 6); // Five servers, and the votes after the third.
        QCOMPARE(lines[3][QStringLiteral("event")].toString(), QStringLiteral("majority"));
        QCOMPARE(lines[3][QStringLiteral("holder")].toString().toLatin1(), taken);
        const QJsonObject votes = lines[3][QStringLiteral("votes")].toObject();
        QCOMPARE(votes[QStringLiteral("votes")].toInt(), 3);
        QCOMPARE(votes[QStringLiteral("majority")], QJsonValue(true));
        // The lease is 10 min; a hundredth of it and two milliseconds are not reliable.
        const qint64 valid = votes[QStringLiteral("valid_ms")].toInteger();
        QVERIFY2(valid > 0 && valid < 600'000 - 6'000, qPrintable(QString::number(valid)));
        QCOMPARE(run(urls()
                     + QStringList {QStringLiteral("release"), QStringLiteral("redlock"), QStringLiteral("lock:a"),
                                    QStringLiteral("--token"), QString::fromLatin1(taken)})
                     .exitCode,
                 0);
        LATCHKEY_AWAIT(process->eventsOf("lock:a").count(QStringLiteral("released")) == 5
                       || (means != int(Mechanism::Notifications) && process->eventsOf("lock:a").size() == 12));
        QCOMPARE(process->eventsOf("lock:a").count(QStringLiteral("no-majority")), 1);
        QCOMPARE(process->stop(), 0);
    }

    /// The other servers are watched while one is frozen and one is lost, and no key of these ends.
    void silentServers_voteNeitherForNorAgainst()
    {
        start();
        for (std::size_t i = 0; i < 3; ++i)
            set(i, "lock:a", token(1));
        awaitVotes("lock:a", "majority 1");
        signal(0, SIGSTOP);
        awaitVotes("lock:a", "majority 1 uncertain 1");
        QVERIFY(isReported(0, "blind"));
        const QJsonObject uncertain = process->lines().last();
        const QJsonArray each = uncertain[QStringLiteral("servers")].toArray();
        QCOMPARE(uncertain[QStringLiteral("votes")][QStringLiteral("votes")].toInt(), 2);
        QVERIFY(uncertain[QStringLiteral("votes")][QStringLiteral("majority")].isNull());
        QCOMPARE(each[0][QStringLiteral("vote")].toString(), QStringLiteral("unknown"));
        QVERIFY(!each[0][QStringLiteral("why")].toString().isEmpty());
        const qint64 since = each[0][QStringLiteral("since_ms")].toInteger();
        QVERIFY(since > 0 && since < uncertain[QStringLiteral("at_ms")].toInteger());
        QVERIFY(each[1][QStringLiteral("since_ms")].isNull());
        for (std::size_t i = 1; i < 4; ++i)
            set(i, "lock:b", token(2));
        awaitVotes("lock:b", "majority 2");

        signal(0, SIGCONT);
        awaitVotes("lock:a", "majority 1 uncertain 1 majority 1");
        QVERIFY(isReported(0, "sees"));
        QCOMPARE(eventsOf(0, "lock:a"), QStringLiteral("acquired"));

        servers[1]->kill();
        awaitVotes("lock:a", "majority 1 uncertain 1 majority 1 uncertain 1");
        awaitVotes("lock:b", "majority 2 uncertain 2");
        QVERIFY(isReported(1, "blind"));
        remove(2, "lock:a");
        awaitVotes("lock:a", "majority 1 uncertain 1 majority 1 uncertain 1 no-majority 1");
        QCOMPARE(eventsOf(1, "lock:a"), QStringLiteral("acquired"));
        QCOMPARE(process->stop(), 3);
        const QByteArray url = addresses[1].toUtf8();
        const QByteArrayList errors = process->errors().trimmed().split('\n');
        QVERIFY2(std::ranges::any_of(
                     errors,
                     [&](const QByteArray &line) { return line.contains("\"complete\":false") && line.contains(url); }),
                 process->errors().constData());
    }

    /// The lock of a lost server was released meanwhile: the last known state is no vote.
    void reconnectedServer_votesByWhatIsReadAgain()
    {
        start({QStringLiteral("--timeout"), QStringLiteral("500ms")});
        for (std::size_t i = 0; i < 3; ++i)
            set(i, "lock:a", token(1));
        awaitVotes("lock:a", "majority 1");
        signal(0, SIGSTOP);
        QLocalSocket other; // Its request waits in the frozen server, before those of the watch.
        other.connectToServer(QUrl(servers[0]->url()).path());
        QVERIFY(other.waitForConnected());
        other.write("DEL lock:a\r\n");
        QVERIFY(other.waitForBytesWritten());
        awaitVotes("lock:a", "majority 1 uncertain 1");
        signal(0, SIGCONT);
        awaitVotes("lock:a", "majority 1 uncertain 1 no-majority 1");
        (void)process->stop();
        QCOMPARE(votesOf("lock:a"), QStringLiteral("majority 1 uncertain 1 no-majority 1"));
    }

    void anotherHolder_takesTheMajority()
    {
        start();
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", token(1));
        awaitVotes("lock:a", "majority 1");
        for (std::size_t i = 0; i < 3; ++i)
            set(i, "lock:a", token(2));
        awaitVotes("lock:a", "majority 1 majority 2");
        remove(0, "lock:a");
        awaitVotes("lock:a", "majority 1 majority 2 no-majority 2");
        QCOMPARE(process->stop(), 0);
    }

    /// Equal values that name no holder are no votes: different clients may have written them.
    void unnamedHolders_haveNoVotes()
    {
        start();
        for (std::size_t i = 0; i < groupSize; ++i)
            QVERIFY((*servers[i])({"SET", "lock:plain", "1", "PX", "600000"}).isOk());
        for (std::size_t i = 0; i < groupSize; ++i)
            LATCHKEY_AWAIT(eventsOf(i, "lock:plain") == QLatin1String("acquired"));
        QCOMPARE(votesOf("lock:plain"), QString());
        QCOMPARE(process->stop(), 0);
    }

    /// Random changes on random servers, of which one is frozen for a while: the last event of each lock on each
    /// server, and the last event of the votes, agree with what was written.
    void manyChanges_endWithTheHoldersAndVotesOfTheOracle_data()
    {
        QTest::addColumn<int>("means");
        QTest::addRow("notifications") << int(Mechanism::Notifications);
        QTest::addRow("tracking") << int(Mechanism::Tracking);
    }
    void manyChanges_endWithTheHoldersAndVotesOfTheOracle()
    {
        QFETCH(int, means);
        start({}, Mechanism(means));
        constexpr int locks = 60;
        std::map<QByteArray, std::array<int, groupSize>> expected; ///< Holders of each lock; 0: no key.
        QRandomGenerator random(28);
        for (int change = 0; change < 1'500; ++change) {
            const QByteArray key = "lock:" + QByteArray::number(random.bounded(locks));
            const std::size_t index = random.bounded(quint32(groupSize));
            if (change == 500)
                signal(4, SIGSTOP);
            if (change == 1'000)
                signal(4, SIGCONT);
            if (index == 4 && change >= 500 && change < 1'000)
                continue;
            int &holder = expected[key][index];
            holder = random.bounded(3) == 0 ? 0 : 1 + static_cast<int>(random.bounded(2));
            const resp::Command command =
                holder == 0 ? resp::Command {"DEL", key} : resp::Command {"SET", key, token(holder), "PX", "600000"};
            QVERIFY(!(*servers[index])(command).isError());
        }
        for (const auto &[key, holders] : expected) {
            int majority = 0;
            for (const int holder : {1, 2}) {
                if (std::ranges::count(holders, holder) >= 3)
                    majority = holder;
            }
            QByteArray wrong;
            const auto areHolders = [&] {
                wrong.clear();
                for (std::size_t i = 0; i < groupSize; ++i) {
                    if (holderOf(i, key) != holders[i])
                        wrong += ' ' + addresses[qsizetype(i)].toUtf8() + ' ' + QByteArray::number(holders[i]);
                }
                return wrong.isEmpty();
            };
            const auto isLast = [&] {
                const QString votes = votesOf(key);
                return majority == 0 ? votes.isEmpty() || votes.section(u' ', -2, -2) == u"no-majority"
                                     : votes.endsWith(QStringLiteral("majority %1").arg(majority))
                                           && votes.section(u' ', -2, -2) == u"majority";
            };
            QVERIFY2(test::waitFor(areHolders), (key + " has other holders:" + wrong).constData());
            QVERIFY2(test::waitFor(isLast), (key + ": " + votesOf(key).toUtf8()).constData());
        }
        (void)process->stop();
    }

    void once_waitsForTheEndOfTheMajority()
    {
        use(Mechanism::Notifications);
        process = std::make_unique<test::RunningCommand>(environment);
        process->start(urls()
                       + QStringList {QStringLiteral("watch"), QStringLiteral("lock:a"), QStringLiteral("--once"),
                                      QStringLiteral("--event"), QStringLiteral("majority")});
        awaitTracking(); // A server that is not seen yet at the end would make the answer incomplete.
        for (std::size_t i = 0; i < 3; ++i)
            set(i, "lock:a", token(1));
        LATCHKEY_AWAIT(process->hasEnded());
        QCOMPARE(process->exitCode(), 0);
        QVERIFY2(process->output().contains("  3 of 5") && process->output().contains("  majority     ")
                     && process->output().contains("  lock:a  (valid for "),
                 process->output().constData());
        QCOMPARE(process->output().count('\n'), 1);
    }

    void text_hasAColumnForTheServer()
    {
        set(0, "lock:a", token(1));
        process = std::make_unique<test::RunningCommand>(environment);
        process->start(urls() + QStringList {QStringLiteral("watch")});
        const auto url = [&](std::size_t index) { return "  " + addresses[qsizetype(index)].toUtf8() + "  "; };
        LATCHKEY_AWAIT(process->output().contains(url(0) + "seen         " + token(1)));
        servers[1]->kill();
        LATCHKEY_AWAIT(process->output().contains(url(1) + "blind  "));
        QCOMPARE(process->stop(), 3);
        QVERIFY2(process->errors().contains("watch " + addresses[1].toUtf8() + ": "), process->errors().constData());
    }

    /// A server that cannot be reached at first is blind; if none can be reached, the watch ends.
    void serverThatIsDeadFromTheStart_isNamed()
    {
        servers[0]->kill();
        set(1, "lock:a", token(1));
        process = std::make_unique<test::RunningCommand>(environment);
        process->start(urls() + QStringList {QStringLiteral("watch"), QStringLiteral("--json")});
        LATCHKEY_AWAIT(isReported(0, "blind"));
        LATCHKEY_AWAIT(isReported(1, "seen"));
        QCOMPARE(process->stop(), 3);
        const Outcome none = run("watch -u unix:///nonexistent/a -u unix:///nonexistent/b");
        QCOMPARE(none.exitCode, 3);
        QCOMPARE(none.errors.count('\n'), 1);
    }

    /// Two addresses of one server would count one vote twice.
    void dependentServers_areRefused()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(QUrl(server->url()).path(), link));
        const Outcome twice = run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(),
                                   QStringLiteral("--url"), QStringLiteral("unix://") + link});
        QCOMPARE(twice.exitCode, 2);
        QVERIFY2(twice.errors.contains("are the same server"), twice.errors.constData());
        const test::TestServer node(test::clusterNode());
        const Outcome cluster =
            run({QStringLiteral("watch"), QStringLiteral("--url"), server->url(), QStringLiteral("--url"), node.url()});
        QCOMPARE(cluster.exitCode, 2);
        QVERIFY2(cluster.errors.contains("is a node of a cluster"), cluster.errors.constData());
    }
};

LATCHKEY_TEST(TestGroupWatch)

} // namespace tst_groupwatch

#include "tst_groupwatch.moc"
