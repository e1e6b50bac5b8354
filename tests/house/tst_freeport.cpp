#include "tests/support/clustersetup.h"
#include "tests/support/freeport.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QSet>
#include <QTcpServer>
#include <QTest>

namespace tst_freeport {

using namespace latchkey;

/// Tests of the ports that the tests give their servers.
class TestFreePort final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void port_isNeverGivenTwice()
    {
        // Two thousand random ports repeat an earlier one more than a hundred times.
        constexpr int count = 2000;
        QSet<quint16> ports;
        for (int i = 0; i < count; ++i)
            ports.insert(test::freePort());
        QCOMPARE(ports.size(), count);
    }

    void clusterPort_hasAFreeBusPort()
    {
        const quint16 port = test::freeClusterPort();
        QTcpServer clients;
        QVERIFY2(clients.listen(QHostAddress::LocalHost, port), qPrintable(clients.errorString()));
        QTcpServer bus;
        QVERIFY2(bus.listen(QHostAddress::LocalHost, static_cast<quint16>(port + 10'000)),
                 qPrintable(bus.errorString()));
    }

    /// A port of that range may become the local port of a connection before the server listens.
    void ports_areNotInTheRangeOfTheSystem()
    {
        QFile range(QStringLiteral("/proc/sys/net/ipv4/ip_local_port_range"));
        QVERIFY2(range.open(QIODevice::ReadOnly), qPrintable(range.errorString()));
        const int first = range.readAll().simplified().split(' ').first().toInt();
        for (int i = 0; i < 50; ++i) {
            QVERIFY(test::freePort() < first);
            QVERIFY(test::freeClusterPort() + 10'000 < first);
        }
    }

    void nodesWithoutATcpPort_runSideBySide()
    {
        test::TestServer first(test::clusterNode());
        test::TestServer second(test::clusterNode());
        QCOMPARE(first({"PING"}).toText(), QStringLiteral("PONG"));
        QCOMPARE(second({"PING"}).toText(), QStringLiteral("PONG"));
    }
};

LATCHKEY_TEST(TestFreePort)

} // namespace tst_freeport

#include "tst_freeport.moc"
