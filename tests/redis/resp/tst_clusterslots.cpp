#include "core/redis/resp/clusterslots.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_clusterslots {

using namespace latchkey;
using namespace latchkey::resp;

namespace {

Reply range(int first, int last, const Reply &host, int port, const QByteArray &id)
{
    return Reply::array({Reply::integer(first), Reply::integer(last),
                         Reply::array({host, Reply::integer(port), Reply::bulk(id), Reply::array({})}),
                         Reply::array({Reply::bulk("10.0.0.9"), Reply::integer(9), Reply::bulk("replica")})});
}

} // namespace

/// Tests of the slots of a cluster, and of its redirects.
class TestClusterSlots final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void primaries_areInTheOrderOfTheirFirstSlots()
    {
        const auto found = ClusterSlots::fromReply(Reply::array(
            {range(8000, 16383, Reply::bulk("10.0.0.2"), 7001, "bb"),
             range(4000, 7000, Reply::bulk("10.0.0.1"), 7000, "aa"), range(0, 99, Reply::bulk("10.0.0.1"), 7000, "aa"),
             range(100, 200, Reply::nil(), 7002, "cc")}));
        QVERIFY(found.has_value());
        QCOMPARE(found->primaries().size(), std::size_t(3));
        QCOMPARE(found->primaries()[0],
                 (ClusterSlots::Primary {{QStringLiteral("10.0.0.1"), 7000}, "aa", {{0, 99}, {4000, 7000}}}));
        QCOMPARE(found->primaries()[1].address, (NodeAddress {QString(), 7002}));
        QCOMPARE(found->primaries()[2].id, QByteArray("bb"));
        QCOMPARE(found->unserved(), 3799 + 999);
        QCOMPARE(found->nodes().size(), std::size_t(4)); // The replica is the same in all ranges.
    }

    void otherReply_isAnError()
    {
        QCOMPARE(ClusterSlots::fromReply(Reply::error("NOPERM no")).error().kind, base::ErrorKind::PermissionDenied);
        QCOMPARE(ClusterSlots::fromReply(Reply::bulk("what")).error().kind, base::ErrorKind::Protocol);
        QCOMPARE(ClusterSlots::fromReply(Reply::array({Reply::integer(1)})).error().kind, base::ErrorKind::Protocol);
        QCOMPARE(ClusterSlots::fromReply(Reply::array({}))->unserved(), 16384);
    }

    void redirect_isRead_data()
    {
        QTest::addColumn<QByteArray>("error");
        QTest::addColumn<QString>("read");
        QTest::addRow("moved") << QByteArray("MOVED 12182 127.0.0.1:7002") << QStringLiteral("0 12182 127.0.0.1 7002");
        QTest::addRow("ask") << QByteArray("ASK 0 host.example:7002") << QStringLiteral("1 0 host.example 7002");
        QTest::addRow("IPv6") << QByteArray("MOVED 3 ::1:7002") << QStringLiteral("0 3 ::1 7002");
        QTest::addRow("the same host") << QByteArray("MOVED 1 :7002") << QStringLiteral("0 1  7002");
        QTest::addRow("both nodes") << QByteArray("TRYAGAIN Multiple keys request during rehashing of slot")
                                    << QStringLiteral("2 -1  0");
        QTest::addRow("no port") << QByteArray("MOVED 1 host") << QString();
        QTest::addRow("no slot") << QByteArray("MOVED x host:1") << QString();
        QTest::addRow("another error") << QByteArray("ERR MOVED 1 host:1") << QString();
        QTest::addRow("a longer word") << QByteArray("MOVEDTO 1 host:1") << QString();
    }
    void redirect_isRead()
    {
        QFETCH(QByteArray, error);
        QFETCH(QString, read);
        const auto found = Redirect::fromReply(Reply::error(error));
        const QString text = found ? QStringLiteral("%1 %2 %3 %4")
                                         .arg(static_cast<int>(found->kind))
                                         .arg(found->slot)
                                         .arg(found->address.host)
                                         .arg(found->address.port)
                                   : QString();
        QCOMPARE(text, read);
        QVERIFY(!Redirect::fromReply(Reply::bulk(error)));
    }
};

LATCHKEY_TEST(TestClusterSlots)

} // namespace tst_clusterslots

#include "tst_clusterslots.moc"
