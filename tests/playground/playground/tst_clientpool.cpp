#include "tests/support/await.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_clientpool {

using namespace latchkey;
using playground::ClientPool;
using playground::ClientProcess;
using State = ClientProcess::State;
using namespace std::chrono_literals;

class TestClientPool final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::ClientPoolFixture> fixture;

    [[nodiscard]] std::optional<ClientPool::Owner> ownerOf(const ClientProcess::Hold &hold) const
    {
        return fixture->clientPool.holderOf(hold.key, hold.token);
    }

private Q_SLOTS:
    void init() { fixture = std::make_unique<test::ClientPoolFixture>(); }
    void cleanup() { fixture.reset(); }

    void owner_isKnownAliveDeadAndRemoved()
    {
        ClientProcess *client = &fixture->holder("k", 20s);
        const auto hold = *client->hold();
        const QString name = client->name();
        QCOMPARE(ownerOf(hold), (ClientPool::Owner {name, true}));
        QVERIFY(!fixture->clientPool.holderOf(hold.key, base::OwnerToken("of no client")));
        QVERIFY(!fixture->clientPool.holderOf(base::Key("other"), hold.token));

        client->crash();
        LATCHKEY_AWAIT(client->state() == State::Dead);
        QCOMPARE(ownerOf(hold), (ClientPool::Owner {name, false}));
        fixture->clientPool.remove(*client);
        QCOMPARE(fixture->clientPool.size(), std::size_t(0));
        QCOMPARE(ownerOf(hold), (ClientPool::Owner {name, false}));
    }

    void removedHolder_isDeadToo()
    {
        ClientProcess *client = &fixture->holder("k", 20s);
        const auto hold = *client->hold();
        const QString name = client->name();
        fixture->clientPool.remove(*client);
        QCOMPARE(ownerOf(hold), (ClientPool::Owner {name, false}));
    }

    void releasedLock_hasNoOwner()
    {
        ClientProcess *client = &fixture->holder("k", 20s);
        const auto hold = *client->hold();
        client->release();
        LATCHKEY_AWAIT(client->state() == State::Idle);
        QVERIFY(!ownerOf(hold));
        fixture->clientPool.remove(*client);
        QVERIFY(!ownerOf(hold));
    }

    void movedClientPool_restartsOnTheOtherServer()
    {
        ClientProcess *client = &fixture->holder("k", 20s);
        ClientProcess *gone = &fixture->holder("other", 20s);
        const auto hold = *client->hold();
        const auto goneHold = *gone->hold();
        fixture->clientPool.remove(*gone);
        const qint64 process = client->processId();
        test::TestServer next;
        fixture->server.kill();
        fixture->clientPool.moveTo(next.endpoint());
        QVERIFY2(!ownerOf(hold) && !ownerOf(goneHold), "it has gone with its server");
        LATCHKEY_AWAIT(client->state() == State::Idle);
        QVERIFY(client->processId() != process);
        QVERIFY(!client->hold());
        client->acquire(client->attempt()->recipe, client->attempt()->options);
        LATCHKEY_AWAIT(client->state() == State::Holding);
        QVERIFY(next({"GET", "k"}).isBulk(client->hold()->token.bytes()));
    }

    void belief_countsFromWhenTheClientWroteItAndNotFromWhenItIsRead()
    {
        ClientProcess *client = &fixture->holder("k", 20s);
        // The client has written its reply. This process runs no event loop meanwhile, so it reads the reply late.
        client->extend(base::Lease::of(30s).value());
        const auto asked = base::SystemClock::instance().now();
        qint64 left = 0;
        while (left <= 20'000 || base::SystemClock::instance().now() < asked + 900ms)
            left = fixture->server({"PTTL", "k"}).toInteger();
        const auto ofTheServer = base::SystemClock::instance().now() + std::chrono::milliseconds(left);
        LATCHKEY_AWAIT(client->state() == State::Holding);
        QVERIFY2(client->hold()->validUntil <= ofTheServer, "no longer than the server grants it");
    }
};

LATCHKEY_TEST(TestClientPool)

} // namespace tst_clientpool

#include "tst_clientpool.moc"
