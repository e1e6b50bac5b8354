#include "core/redis/net/slotroutes.h"
#include "core/redis/resp/keyslot.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_slotroutes {

using namespace latchkey;
using net::Endpoint;
using net::SlotRoutes;
using resp::Command;
using resp::Reply;
using namespace std::chrono_literals;

/// Tests of the routes of commands by the replies of nodes, without a server.
class TestSlotRoutes final : public QObject
{
    Q_OBJECT

    const Endpoint entry = *Endpoint::fromUrl(QStringLiteral("rediss://me:secret@node1:7000"));
    const Command get {"GET", "k"};

    static Reply moved(const char *key, const QByteArray &to)
    {
        return Reply::error("MOVED " + QByteArray::number(resp::slotOf(key)) + ' ' + to);
    }

private Q_SLOTS:
    void unknownSlot_isAskedAtTheEntry()
    {
        SlotRoutes routes(entry);
        QCOMPARE(routes.endpointFor(get), entry);
        QVERIFY(!routes.take(get, entry, Reply::nil()));
        QVERIFY(!routes.take(get, entry, Reply::error("ERR no")));
    }

    void movedSlot_isRemembered_andCommandsWithoutKeysFollow()
    {
        SlotRoutes routes(entry);
        const auto detour = routes.take(get, entry, moved("k", "10.0.0.2:7001"));
        QVERIFY(detour && !detour->isAsking && detour->pause == 0ms);
        QCOMPARE(detour->endpoint.toUrlWithPassword(), QStringLiteral("rediss://me:secret@10.0.0.2:7001"));
        QCOMPARE(routes.endpointFor({"SCRIPT", "LOAD", "s"}), detour->endpoint);
        QCOMPARE(routes.endpointFor({"GET", "other"}), entry);
        QCOMPARE(routes.endpointFor({"MULTI"}), entry); // Belongs to the last command with a key.
        QCOMPARE(routes.endpointFor(get), detour->endpoint);
        QCOMPARE(routes.endpointOfKey("k"), detour->endpoint);
        QVERIFY(routes.forget(detour->endpoint));
        QCOMPARE(routes.endpointFor(get), entry);
    }

    void migratingKey_isRequestedOnce_withoutARoute()
    {
        SlotRoutes routes(entry);
        const auto detour = routes.take(get, entry, Reply::error("ASK 7629 :7001"));
        QVERIFY(detour && detour->isAsking);
        QCOMPARE(detour->endpoint.host, QStringLiteral("node1")); // A node without a name is at the same host.
        QCOMPARE(detour->endpoint.port, quint16(7001));
        QCOMPARE(routes.endpointFor(get), entry);
        const auto again = routes.take(get, detour->endpoint, Reply::error("TRYAGAIN Multiple keys request"));
        QVERIFY(again && !again->isAsking && again->pause > 0ms);
        QCOMPARE(again->endpoint, entry); // Another try begins anew.
    }

    void keysInDifferentSlots_areRefusedForAClusterOnly()
    {
        SlotRoutes routes(entry);
        const Command command {"EVALSHA", "0123", "2", "a", "b"};
        QVERIFY(!routes.refusal(command));
        routes.setCluster(true);
        QCOMPARE(routes.refusal(command).value().kind, base::ErrorKind::CrossSlot);
        QVERIFY(!routes.refusal({"EVALSHA", "0123", "2", "{a}1", "{a}2"}));
        QVERIFY(!routes.refusal({"PING"}));
    }

    void slots_areLearned()
    {
        SlotRoutes routes(entry);
        const Reply node = Reply::array({Reply::bulk("10.0.0.3"), Reply::integer(7002), Reply::bulk("id")});
        routes.learn(*resp::ClusterSlots::fromReply(
            Reply::array({Reply::array({Reply::integer(0), Reply::integer(16383), node})})));
        QCOMPARE(routes.endpointFor(get).host, QStringLiteral("10.0.0.3"));
    }

    void announcedAddresses_areMapped()
    {
        const Endpoint mapping =
            *Endpoint::fromUrl(QStringLiteral("redis://out:1?map=10.0.0.2:7001=out:2,10.0.0.3=other,out:9=out:3"));
        SlotRoutes routes(mapping);
        const auto moved1 = routes.take(get, mapping, moved("k", "10.0.0.2:7001"));
        QCOMPARE(moved1->endpoint.display(), QStringLiteral("redis://out:2"));
        QCOMPARE(routes.endpointFor(get), moved1->endpoint);
        const auto next = routes.take(get, moved1->endpoint, moved("k", "10.0.0.3:7002"));
        QCOMPARE(next->endpoint.display(), QStringLiteral("redis://other:7002"));
        QCOMPARE(routes.take(get, mapping, Reply::error("ASK 7629 10.0.0.2:7001"))->endpoint, moved1->endpoint);
        QCOMPARE(routes.take(get, mapping, Reply::error("ASK 7629 :9"))->endpoint.display(),
                 QStringLiteral("redis://out:3"));
        const Reply node = Reply::array({Reply::bulk("10.0.0.2"), Reply::integer(7001), Reply::bulk("id")});
        routes.learn(*resp::ClusterSlots::fromReply(
            Reply::array({Reply::array({Reply::integer(0), Reply::integer(16383), node})})));
        QCOMPARE(routes.endpointFor(get), moved1->endpoint);
    }
};

LATCHKEY_TEST(TestSlotRoutes)

} // namespace tst_slotroutes

#include "tst_slotroutes.moc"
