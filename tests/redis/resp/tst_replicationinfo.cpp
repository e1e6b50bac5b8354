#include "core/redis/resp/replicationinfo.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_replicationinfo {

using namespace latchkey::resp;
using namespace std::chrono_literals;

class TestReplicationInfo final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fromInfo_readsTheReplicas()
    {
        const auto info = ReplicationInfo::fromInfo("# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
                                                    "slave0:ip=127.0.0.1,port=7001,state=online,offset=1400,lag=1\r\n"
                                                    "slave1:ip=::1,port=7002,state=wait_bgsave,offset=0,lag=0\r\n"
                                                    "slave_read_only:1\r\nmaster_repl_offset:1414\r\n");
        QVERIFY(info);
        QVERIFY(!info->isReplica);
        const std::vector<ReplicationInfo::Replica> expected {
            {QStringLiteral("127.0.0.1:7001"), QStringLiteral("online"), 14, 1s},
            {QStringLiteral("::1:7002"), QStringLiteral("wait_bgsave"), 1414, 0s}};
        QCOMPARE(info->replicas, expected);
    }

    void fromInfo_readsTheLinkToThePrimary()
    {
        const auto replica = [](const QByteArray &link) {
            return ReplicationInfo::fromInfo("role:slave\r\nmaster_host:db.example\r\nmaster_port:7001\r\n"
                                             "master_link_status:"
                                             + link + "\r\n");
        };
        const std::optional<ReplicationInfo::PrimaryLink> down {{QStringLiteral("db.example:7001"), false}};
        QCOMPARE(replica("down")->primary, down);
        QVERIFY(replica("up")->primary->isUp);
        QVERIFY(!replica("up")->staleness());
        QCOMPARE(replica("down")->staleness()->message(),
                 QStringLiteral("the server is a replica, and its link to the primary db.example:7001 is down"));
        QVERIFY(!ReplicationInfo::fromInfo("role:master\r\n")->primary);
        QVERIFY(!ReplicationInfo::fromInfo("role:master\r\n")->staleness());
    }

    void fromInfo_isAbsentWithoutARole()
    {
        QVERIFY(!ReplicationInfo::fromInfo("redis_version:7.0.15\r\n"));
        QVERIFY(ReplicationInfo::fromInfo("role:slave\r\n")->isReplica);
    }
};

LATCHKEY_TEST(TestReplicationInfo)

} // namespace tst_replicationinfo

#include "tst_replicationinfo.moc"
