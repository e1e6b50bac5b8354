#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/jsonschema.h"
#include "tests/support/testprogram.h"

#include <QProcess>
#include <QTest>

namespace tst_clusteraddresses {

using namespace latchkey;
using test::ClusterSetup;
using test::Outcome;

/// Tests of the command line on a cluster whose nodes announce addresses that only the nodes reach.
class TestClusterAddresses final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<ClusterSetup> fixture;

    Outcome run(const QByteArray &words) const { return CommandLineTest::run(words.constData()); }
    /// Uses node 0, with a map of these nodes.
    void use(const QList<int> &mapped)
    {
        QStringList entries;
        for (const int node : mapped)
            entries += ClusterSetup::innerAddress(node) + u'=' + fixture->address(node);
        environment.insert(QStringLiteral("LATCHKEY_URL"),
                           fixture->url(0) + (entries.isEmpty() ? QString() : QStringLiteral("?map="))
                               + entries.join(u','));
    }
    static QByteArray advice(int node)
    {
        const QByteArray inner = ClusterSetup::innerAddress(node).toUtf8();
        return "if this machine reaches the announced address " + inner + " elsewhere, add ?map=" + inner
             + "=HOST:PORT to the URL";
    }

private Q_SLOTS:
    void initTestCase()
    {
        fixture =
            std::make_unique<ClusterSetup>(ClusterSetup::Replicas::None, QStringList(), ClusterSetup::Announced::Inner);
    }
    void cleanupTestCase() { fixture.reset(); }
    void init()
    {
        CommandLineTest::init();
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            (void)fixture->ask(node, {"FLUSHALL"});
        use({0, 1, 2});
    }

    void everyKey_isListed()
    {
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QCOMPARE(run("acquire token " + ClusterSetup::keyOf(node) + " --lease 1m").exitCode, 0);
        const Outcome listed = run("ls --locks --json");
        QCOMPARE(listed.errors, QByteArray());
        QCOMPARE(listed.exitCode, 0);
        QCOMPARE(QJsonDocument::fromJson(listed.output).array().size(), ClusterSetup::primaryCount);
        for (int node = 0; node < ClusterSetup::primaryCount; ++node) {
            const Outcome explained = run("why " + ClusterSetup::keyOf(node));
            QVERIFY2(explained.exitCode == 0, explained.errors.constData());
        }
    }

    void changesOnEveryNode_areWatched()
    {
        QProcess watch;
        watch.setProcessEnvironment(environment);
        watch.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("watch"), QStringLiteral("lock:*")});
        QByteArray printed;
        for (int node = 0; node < ClusterSetup::primaryCount; ++node) {
            const QByteArray key = ClusterSetup::keyOf(node);
            LATCHKEY_AWAIT([&] {
                (void)fixture->ask(node, {"SET", key, QByteArray(32, 'a'), "PX", "60000"});
                printed += watch.readAllStandardOutput();
                (void)fixture->ask(node, {"DEL", key});
                return printed.contains(key);
            }());
        }
        QCOMPARE(watch.readAllStandardError(), QByteArray());
        watch.terminate();
        LATCHKEY_AWAIT(watch.state() == QProcess::NotRunning);
    }

    void unmappedNode_isNamedWithTheOptionToAdd()
    {
        use({});
        const QByteArray key = ClusterSetup::keyOf(2);
        const Outcome acquired = run("acquire token " + key);
        QCOMPARE(acquired.exitCode, 3);
        QVERIFY2(acquired.errors.contains(advice(2)), acquired.errors.constData());
        const Outcome explained = run("why " + key);
        QCOMPARE(explained.exitCode, 3);
        QVERIFY2(explained.errors.contains(advice(2)), explained.errors.constData());
        const Outcome listed = run("ls");
        QCOMPARE(listed.exitCode, 3);
        QVERIFY2(listed.errors.contains(advice(1)) && listed.errors.contains(advice(2)), listed.errors.constData());
        use({0, 1});
        const Outcome partly = run("ls");
        QCOMPARE(partly.exitCode, 3);
        QVERIFY2(!partly.errors.contains(advice(1)) && partly.errors.contains(advice(2)), partly.errors.constData());
    }

    void wrongEntry_isNamedWithItsAnnouncedAddress()
    {
        environment.insert(QStringLiteral("LATCHKEY_URL"),
                           fixture->url(0) + QStringLiteral("?map=127.0.0.2:3=127.0.0.1:1"));
        const Outcome acquired = run("acquire token " + ClusterSetup::keyOf(2));
        QCOMPARE(acquired.exitCode, 3);
        QVERIFY2(acquired.errors.contains("?map= in the URL gives this address for the announced 127.0.0.2:3"),
                 acquired.errors.constData());
    }

    void fullStatus_showsTheAddresses()
    {
        use({0, 1});
        const Outcome text = run("status --full");
        QCOMPARE(text.exitCode, 1);
        for (const QByteArray &line : {"node       127.0.0.2:1, reached at " + fixture->address(0).toUtf8(),
                                       "node       127.0.0.2:2, reached at " + fixture->address(1).toUtf8(),
                                       QByteArray("node       127.0.0.2:3, not used: cannot connect to ")})
            QVERIFY2(text.output.contains(line), text.output.constData());
        QVERIFY2(text.output.contains(advice(2)), text.output.constData());
        const Outcome json = run("status --full --json");
        const QJsonArray nodes =
            QJsonDocument::fromJson(json.output)[QStringLiteral("full")][QStringLiteral("nodes")].toArray();
        QCOMPARE(nodes.size(), ClusterSetup::primaryCount);
        QCOMPARE(nodes[1][QStringLiteral("announced")].toString(), ClusterSetup::innerAddress(1));
        QCOMPARE(nodes[1][QStringLiteral("reached_at")].toString(), fixture->address(1));
        QVERIFY(nodes[1][QStringLiteral("why")].isNull());
        QVERIFY(nodes[2][QStringLiteral("why")].toString().contains(QString::fromUtf8(advice(2))));
        use({0, 1, 2});
        QCOMPARE(run("status --full").exitCode, 0);
    }
};

LATCHKEY_TEST(TestClusterAddresses)

} // namespace tst_clusteraddresses

#include "tst_clusteraddresses.moc"
