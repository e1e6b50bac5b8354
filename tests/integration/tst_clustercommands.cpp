#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_clustercommands {

using namespace latchkey;
using test::ClusterSetup;
using test::Outcome;

/// Tests of latchkey-cli with the URL of one node of a real cluster.
class TestClusterCommands final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<ClusterSetup> fixture;

    void use(int node) { environment.insert(QStringLiteral("LATCHKEY_URL"), fixture->url(node)); }
    Outcome run(const QByteArray &words) const { return CommandLineTest::run(words.constData()); }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        fixture = std::make_unique<ClusterSetup>();
        use(0);
    }
    void cleanup()
    {
        fixture.reset();
        CommandLineTest::cleanup();
    }

    void everyCommand_reachesTheNodeOfItsKey()
    {
        for (int node = 0; node < ClusterSetup::primaryCount; ++node) {
            const QByteArray key = ClusterSetup::keyOf(node);
            const Outcome acquired = run("acquire token " + key + " --lease 1m");
            QVERIFY2(acquired.exitCode == 0, acquired.errors.constData());
            const QByteArray token = acquired.output.trimmed();
            QCOMPARE(fixture->ask(node, {"GET", key}).bytes(), token);
            QCOMPARE(run("extend token " + key + " --lease 2m --token " + token).exitCode, 0);
            QVERIFY(fixture->ask(node, {"PTTL", key}).toInteger() > 60'000);
            const Outcome why = run("why " + key);
            QVERIFY2(why.exitCode == 0, why.errors.constData());
            QCOMPARE(run("release token " + key + " --token " + token).exitCode, 0);
            QVERIFY(fixture->ask(node, {"EXISTS", key}).isInteger(0));
            const QByteArray page = ClusterSetup::keyOf(node, "page:");
            QCOMPARE(run("put set-ex " + page + " text --ttl 1m").exitCode, 0);
            QCOMPARE(fixture->ask(node, {"GET", page}).bytes(), QByteArray("text"));
            QCOMPARE(run("get set-ex " + page).output.trimmed(), QByteArray("text"));
        }
    }

    void recipeWithSeveralKeys_keepsThemOnOneNode()
    {
        for (int node = 0; node < ClusterSetup::primaryCount; ++node) {
            const QByteArray key = ClusterSetup::keyOf(node);
            const Outcome acquired = run("acquire fenced " + key + " --lease 1m");
            QVERIFY2(acquired.exitCode == 0, acquired.errors.constData());
            QVERIFY(fixture->ask(node, {"DBSIZE"}).isInteger(2));
        }
    }

    /// A key with a closing brace and no hash tag: no other name shares its slot.
    void keysInDifferentSlots_areRefusedBeforeAnythingIsSent()
    {
        const Outcome refused = run("acquire fenced a}b --lease 1m");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("are in different slots; nothing was sent"), refused.errors.constData());
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QVERIFY(fixture->ask(node, {"DBSIZE"}).isInteger(0));
    }

    void slotUnderWay_isAskedAtBothNodes()
    {
        const QByteArray key = ClusterSetup::keyOf(1);
        const Outcome acquired = run("acquire token " + key + " --lease 1m");
        fixture->beginMove(key, 1, 2);
        QCOMPARE(run("acquire token " + key).exitCode, 1); // Still here.
        fixture->migrate(key, 1, 2);
        QCOMPARE(run("acquire token " + key).exitCode, 1); // There, by ASK.
        const QByteArray token = acquired.output.trimmed();
        const Outcome released = run("release token " + key + " --token " + token);
        QVERIFY2(released.exitCode == 0, released.errors.constData());
        const Outcome again =
            run("acquire token " + key + " --lease 1m"); // A new key is created at the importing node.
        QVERIFY2(again.exitCode == 0, again.errors.constData());
        fixture->endMove(key, 2);
        QCOMPARE(fixture->ask(2, {"GET", key}).bytes(), again.output.trimmed());
        QCOMPARE(run("release token " + key + " --token " + again.output.trimmed()).exitCode, 0);
    }

    /// Two keys of one script, one on each node: TRYAGAIN until the other key has moved too.
    void keysOnTwoNodes_areTriedAgain()
    {
        const QByteArray key = ClusterSetup::keyOf(1);
        const QByteArray counter = [&] {
            (void)run("acquire fenced " + key + " --lease 1m");
            QByteArray other;
            const resp::Reply keys = fixture->ask(1, {"KEYS", "*"});
            for (const resp::Reply &each : keys.elements())
                other = each.bytes() == key ? other : each.bytes();
            return other;
        }();
        QVERIFY(!counter.isEmpty());
        fixture->beginMove(key, 1, 2);
        fixture->migrate(key, 1, 2);
        QProcess contender;
        contender.setProcessEnvironment(environment);
        contender.start(QStringLiteral(LATCHKEY_CLI),
                        {QStringLiteral("acquire"), QStringLiteral("fenced"), QString::fromUtf8(key)});
        const auto refusals = [&] {
            return fixture->ask(1, {"INFO", "errorstats"}).bytes().contains("errorstat_TRYAGAIN")
                || fixture->ask(2, {"INFO", "errorstats"}).bytes().contains("errorstat_TRYAGAIN");
        };
        LATCHKEY_AWAIT(refusals());
        QCOMPARE(contender.state(), QProcess::Running);
        fixture->migrate(counter, 1, 2);
        fixture->endMove(key, 2);
        LATCHKEY_AWAIT(contender.state() == QProcess::NotRunning);
        QCOMPARE(contender.exitCode(), 1); // Busy.
    }

    void heldLock_isRenewedWhereItsSlotIs()
    {
        const QByteArray key = ClusterSetup::keyOf(1);
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("run"), QStringLiteral("renewing"), QString::fromUtf8(key),
                       QStringLiteral("--lease"), QStringLiteral("3s"), QStringLiteral("--"), QStringLiteral("sh"),
                       QStringLiteral("-c"), QStringLiteral("echo held; read line")});
        LATCHKEY_AWAIT(program.canReadLine());
        fixture->moveSlot({key}, 1, 2);
        const auto timeLeft = [&] { return fixture->ask(2, {"PTTL", key}).toInteger(); };
        for (int renewal = 0; renewal < 2; ++renewal) {
            LATCHKEY_AWAIT(timeLeft() < 2500);
            LATCHKEY_AWAIT(timeLeft() > 2600 || program.state() == QProcess::NotRunning);
        }
        program.write("\n");
        LATCHKEY_AWAIT(program.state() == QProcess::NotRunning);
        QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
        QCOMPARE(program.readAllStandardError(), QByteArray());
        QVERIFY(fixture->ask(2, {"EXISTS", key}).isInteger(0)); // Released.
    }

    /// The server of the URL is the one that dies; a replica takes over.
    void heldLock_survivesTheEndOfItsPrimary()
    {
        fixture = std::make_unique<ClusterSetup>(ClusterSetup::Replicas::OneEach);
        use(1);
        const QByteArray key = ClusterSetup::keyOf(1);
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("run"), QStringLiteral("renewing"), QString::fromUtf8(key),
                       QStringLiteral("--lease"), QStringLiteral("15s"), QStringLiteral("--"), QStringLiteral("sh"),
                       QStringLiteral("-c"), QStringLiteral("echo held; read line")});
        LATCHKEY_AWAIT(program.canReadLine());
        const int replica = ClusterSetup::primaryCount + 1;
        const auto timeLeft = [&] { return fixture->ask(replica, {"PTTL", key}).toInteger(); };
        QVERIFY(fixture->ask(replica, {"READONLY"}).isOk());
        LATCHKEY_AWAIT(timeLeft() > 0 && timeLeft() < 11'000); // After the connections for renewals were made.
        LATCHKEY_AWAIT(timeLeft() > 12'000);
        fixture->kill(1);
        LATCHKEY_AWAIT(timeLeft() < 9'900);
        LATCHKEY_AWAIT(timeLeft() > 12'000 || program.state() == QProcess::NotRunning);
        program.write("\n");
        LATCHKEY_AWAIT(program.state() == QProcess::NotRunning);
        QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
    }

    void unreachableNode_isNamedWithItsAddress()
    {
        const QByteArray key = ClusterSetup::keyOf(2);
        fixture->kill(2);
        const Outcome failed = run("acquire token " + key);
        QCOMPARE(failed.exitCode, 3);
        QVERIFY2(failed.errors.contains("the cluster names the node redis://" + fixture->address(2).toUtf8())
                     || failed.errors.contains("the server's cluster is down"),
                 failed.errors.constData());
    }

    /// A cluster is without slots until it is created, and no event or lock can be seen.
    void clusterThatIsNotCreated_isAnError_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("reason");
        const QByteArray unserved = "slots of the cluster that no node serves: 16384;";
        const QByteArray down = "the server's cluster is down (\"CLUSTERDOWN";
        QTest::addRow("watch") << QByteArray("watch --once --for 200ms") << unserved;
        QTest::addRow("ls") << QByteArray("ls") << unserved;
        QTest::addRow("why") << QByteArray("why lock:a") << down;
        QTest::addRow("status") << QByteArray("status") << down;
    }
    void clusterThatIsNotCreated_isAnError()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, reason);
        test::TestServer node(test::listeningAt(test::freeClusterPort())
                              + QStringList {QStringLiteral("--cluster-enabled"), QStringLiteral("yes")});
        environment.insert(QStringLiteral("LATCHKEY_URL"), node.url());
        const Outcome outcome = run(words);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains(reason), outcome.errors.constData());
        QVERIFY2(outcome.errors.count('\n') == 1, outcome.errors.constData());
    }
};

LATCHKEY_TEST(TestClusterCommands)

} // namespace tst_clustercommands

#include "tst_clustercommands.moc"
