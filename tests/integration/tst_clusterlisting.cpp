#include "core/redis/resp/keyslot.h"
#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/jsonschema.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_clusterlisting {

using namespace latchkey;
using test::ClusterSetup;
using test::Outcome;

/// Tests of `latchkey-cli ls` on a real cluster.
class TestClusterListing final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<ClusterSetup> fixture;

    void makeFixture(ClusterSetup::Replicas replicas = ClusterSetup::Replicas::None, const QStringList &settings = {})
    {
        fixture = std::make_unique<ClusterSetup>(replicas, settings);
        use(0);
    }
    void use(int node) { environment.insert(QStringLiteral("LATCHKEY_URL"), fixture->url(node)); }
    Outcome run(const QByteArray &words) const { return CommandLineTest::run(words.constData()); }
    /// Creates this number of locks, and returns their names, sorted.
    QStringList makeLocks(int count)
    {
        QStringList names;
        for (int i = 0; i < count; ++i) {
            const QByteArray key = "lock:" + QByteArray::number(i);
            (void)fixture->askOwner(key, {"SET", key, QByteArray(32, 'a'), "PX", "600000"});
            names += QString::fromUtf8(key);
        }
        names.sort();
        return names;
    }
    static QStringList keysIn(const Outcome &listed)
    {
        QStringList names;
        for (const QJsonValue &row : QJsonDocument::fromJson(listed.output).array())
            names += row[QStringLiteral("key")].toString();
        names.sort();
        return names;
    }

private Q_SLOTS:
    void cleanup()
    {
        fixture.reset();
        CommandLineTest::cleanup();
    }

    /// The key of a question may be at another node, which is no refusal. A right that is missing still is one.
    void ping_isOkOnEveryNode()
    {
        makeFixture();
        for (int node = 0; node < 3; ++node) {
            use(node);
            for (const char *words : {"status", "status --full"}) {
                const Outcome pinged = run(words);
                QVERIFY2(pinged.exitCode == 0, (pinged.output + pinged.errors).constData());
            }
            (void)fixture->ask(node, {"ACL", "SETUSER", "default", "-pttl"});
            QCOMPARE(run("status").exitCode, 1);
        }
    }

    void keysOfAllPrimaries_areListedFromAnyNode()
    {
        makeFixture(ClusterSetup::Replicas::OneEach);
        const QStringList names = makeLocks(60);
        for (const int node : {0, 1, 2, 4}) { // The last one is a replica.
            use(node);
            for (const char *words : {"ls --json", "ls --locks --json", "ls --json --limit 100000/s",
                                      "ls --json lock:*", "ls --all-databases --json"}) {
                const Outcome listed = run(words);
                QCOMPARE(listed.errors, QByteArray());
                QCOMPARE(listed.exitCode, 0);
                QCOMPARE(keysIn(listed), names);
            }
        }
        const Outcome listed = run("ls --json lock:0 lock:1");
        QCOMPARE(keysIn(listed), (QStringList {QStringLiteral("lock:0"), QStringLiteral("lock:1")}));
    }

    void otherNameOfANode_leadsToTheOthers()
    {
        makeFixture();
        const QStringList names = makeLocks(20);
        environment.insert(QStringLiteral("LATCHKEY_URL"),
                           QStringLiteral("redis://localhost:%1").arg(fixture->port(1)));
        const Outcome listed = run("ls --json");
        QCOMPARE(listed.errors, QByteArray());
        QCOMPARE(keysIn(listed), names); // The node counts once, although it has another name here.
    }

    /// The counter of a fenced lock is read from the node of the lock.
    void companions_areReadFromTheirNode()
    {
        makeFixture();
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QCOMPARE(run("acquire fenced " + ClusterSetup::keyOf(node) + " --lease 1m").exitCode, 0);
        const Outcome listed = run("ls --locks --json");
        QCOMPARE(listed.exitCode, 0);
        int withNumber = 0;
        for (const QJsonValue &row : QJsonDocument::fromJson(listed.output).array())
            withNumber += row[QStringLiteral("fencing")].toInt() == 1 ? 1 : 0;
        QVERIFY2(withNumber == ClusterSetup::primaryCount, listed.output.constData());
    }

    void lostPrimary_isNamed_andTheOthersAreListed()
    {
        makeFixture(ClusterSetup::Replicas::None,
                    {QStringLiteral("--cluster-require-full-coverage"), QStringLiteral("no")});
        const QStringList names = makeLocks(60);
        fixture->kill(2);
        const Outcome listed = run("ls --json");
        QCOMPARE(listed.exitCode, 3);
        QStringList left;
        for (const QString &name : names) {
            if (ClusterSetup::ownerOf(name.toUtf8()) != 2)
                left += name;
        }
        QCOMPARE(keysIn(listed), left);
        const QJsonObject coverage = QJsonDocument::fromJson(listed.errors).object();
        QCOMPARE(coverage[QStringLiteral("complete")].toBool(true), false);
        QFile schema(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/manual/schemas/coverage.json"));
        QVERIFY(schema.open(QIODevice::ReadOnly));
        QCOMPARE(test::JsonSchema(QJsonDocument::fromJson(schema.readAll()).object()).violationsIn(coverage),
                 QStringList());
        const QJsonArray nodes = coverage[QStringLiteral("cluster")][QStringLiteral("nodes")].toArray();
        QCOMPARE(nodes.size(), 3);
        for (int node = 0; node < 3; ++node) {
            QCOMPARE(nodes[node][QStringLiteral("node")].toString(), fixture->url(node));
            QCOMPARE(nodes[node][QStringLiteral("why")].isNull(), node != 2);
        }
        const QByteArray said = run("ls").errors;
        QVERIFY2(said.contains("ls: keys of the cluster node " + fixture->url(2).toUtf8() + " are missing: "),
                 said.constData());
    }

    void migratingSlot_isReported_andItsKeysCountOnce()
    {
        makeFixture();
        const QStringList names = makeLocks(60);
        const QByteArray key = ClusterSetup::keyOf(0);
        fixture->beginMove(key, 0, 1);
        const Outcome moving = run("ls --json");
        QCOMPARE(moving.exitCode, 3);
        QCOMPARE(keysIn(moving), names);
        QVERIFY2(
            QJsonDocument::fromJson(moving.errors)[QStringLiteral("cluster")][QStringLiteral("slots_moved")].toBool(),
            moving.errors.constData());
        fixture->migrate(key, 0, 1);
        const Outcome moved = run("ls"); // The key is served by ASK.
        QCOMPARE(moved.exitCode, 3);
        QVERIFY2(moved.errors.contains("ls: slots moved between nodes of the cluster"), moved.errors.constData());
        fixture->endMove(key, 1);
        LATCHKEY_AWAIT(run("ls --json").exitCode == 0);
        QCOMPARE(keysIn(run("ls --json")), names);
    }

    /// A list with exit code 0 has every key once, whatever slots moved meanwhile.
    void slotsThatMove_neitherHideNorDoubleAKey()
    {
        makeFixture();
        const QStringList names = makeLocks(300);
        QByteArrayList moving;
        for (const QString &name : names) {
            const QByteArray key = name.toUtf8();
            const bool isAlone =
                std::ranges::count_if(
                    names, [&](const QString &other) { return resp::slotOf(other.toUtf8()) == resp::slotOf(key); })
                == 1;
            if (ClusterSetup::ownerOf(key) == 0 && isAlone)
                moving += key;
        }
        int from = 0;
        for (int round = 0; round < 6; ++round) {
            QProcess program;
            program.setProcessEnvironment(environment);
            program.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("ls"), QStringLiteral("--json")});
            const int to = (from + 1) % ClusterSetup::primaryCount;
            for (const QByteArray &key : moving) {
                fixture->moveSlot({key}, from, to);
                QCoreApplication::processEvents();
            }
            from = to;
            LATCHKEY_AWAIT(program.state() == QProcess::NotRunning);
            const Outcome listed {program.exitCode(), program.readAllStandardOutput(), program.readAllStandardError()};
            QStringList keys = keysIn(listed);
            const qsizetype all = keys.size();
            QCOMPARE(keys.removeDuplicates(), 0);
            QVERIFY2(listed.exitCode == 3 || all == names.size(), listed.errors.constData());
        }
        LATCHKEY_AWAIT(run("ls --json").exitCode == 0);
        QCOMPARE(keysIn(run("ls --json")), names);
    }

    void halfCreatedCluster_isReported()
    {
        makeFixture();
        const QByteArray slot = QByteArray::number(resp::slotOf(ClusterSetup::keyOf(1)));
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QVERIFY(fixture->ask(node, {"CLUSTER", "DELSLOTS", slot}).isOk());
        const Outcome listed = run("ls");
        QCOMPARE(listed.exitCode, 3);
        QVERIFY2(listed.errors.contains("ls: slots of the cluster that no node serves: 1; "),
                 listed.errors.constData());
    }

    void refusedQuestion_leavesTheOtherNodesUnknown()
    {
        makeFixture();
        QVERIFY(fixture->ask(0, {"ACL", "SETUSER", "default", "-cluster"}).isOk());
        const Outcome listed = run("ls");
        QCOMPARE(listed.exitCode, 3);
        QVERIFY2(
            listed.errors.contains("ls: the server is a cluster node, and the keys of the other nodes are missing"),
            listed.errors.constData());
    }
};

LATCHKEY_TEST(TestClusterListing)

} // namespace tst_clusterlisting

#include "tst_clusterlisting.moc"
