#include "core/playground/playground/serverpool.h"
#include "core/redis/net/dialer.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

namespace tst_serverpool {

using namespace latchkey;
using playground::ClientProcess;
using playground::ServerPool;
using State = ServerPool::State;
using namespace std::chrono_literals;

/// Tests of several private servers and of clients that use all of them.
class TestServerPool final : public QObject
{
    Q_OBJECT

    std::unique_ptr<privateserver::PrivateServer> first;
    std::unique_ptr<ServerPool> serverPool;
    std::unique_ptr<playground::ClientPool> clientPool;

    const base::Key key {"lock:ledger"};

    void grow(int size)
    {
        serverPool->setSize(size);
        LATCHKEY_AWAIT(serverPool->size() == size);
        clientPool->share(serverPool->endpoints());
    }
    [[nodiscard]] ClientProcess &client()
    {
        ClientProcess &added = clientPool->add();
        [&] { LATCHKEY_AWAIT(added.state() == ClientProcess::State::Idle); }();
        return added;
    }
    void kill(int server)
    {
        serverPool->crash(server);
        LATCHKEY_AWAIT(serverPool->state(server) == State::Gone);
    }
    /// Returns the number of servers with the key. Servers that do not answer this readKeys are not counted, and a
    /// later readKeys may find more.
    [[nodiscard]] int holding()
    {
        QSignalSpy looked(serverPool.get(), &ServerPool::keysRead);
        [&] { LATCHKEY_AWAIT((serverPool->readKeys({key}), looked.size() > 0)); }();
        int holding = 0;
        for (int server = 0; server < serverPool->size(); ++server) {
            const auto seen = serverPool->contentOf(server, key);
            holding += seen && seen->exists ? 1 : 0;
        }
        return holding;
    }

private Q_SLOTS:
    void init()
    {
        first = std::make_unique<privateserver::PrivateServer>();
        LATCHKEY_VERIFY_RESULT(first->startAndWait());
        serverPool = std::make_unique<ServerPool>(base::SystemClock::instance(), base::SystemRandom::instance());
        serverPool->setFirst(first.get());
        clientPool =
            std::make_unique<playground::ClientPool>(QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance());
        clientPool->setServer(first->endpoint());
    }
    void cleanup()
    {
        clientPool.reset();
        serverPool.reset();
        first.reset();
    }

    void size_isThatOfServersThatCanBeUsed()
    {
        QCOMPARE(serverPool->size(), 1);
        QSignalSpy changed(serverPool.get(), &ServerPool::sizeChanged);
        serverPool->setSize(3);
        QCOMPARE(serverPool->size(), 1); // The new servers are starting.
        LATCHKEY_AWAIT(changed.size() == 1);
        QCOMPARE(serverPool->size(), 3);
        QCOMPARE(serverPool->endpoints().size(), std::size_t(3));
        QCOMPARE(serverPool->endpoints().front(), first->endpoint());
        serverPool->setSize(2);
        QCOMPARE(serverPool->size(), 2);
        serverPool->setSize(17);
        LATCHKEY_AWAIT(serverPool->size() == ServerPool::maxServers);
    }

    void killedServer_comesBackEmptyWhereItWas()
    {
        grow(3);
        ClientProcess &holder = client();
        test::ClientPoolFixture::acquire(holder, "redlock", key.bytes(), 60s);
        QCOMPARE(holder.state(), ClientProcess::State::Holding);
        LATCHKEY_AWAIT(holding() == 3);
        const net::Endpoint where = serverPool->endpoints()[1];
        kill(1);
        QVERIFY(!serverPool->contentOf(1, key));
        LATCHKEY_AWAIT(holding() == 2);
        serverPool->restart(1);
        LATCHKEY_AWAIT(serverPool->state(1) == State::Up);
        QCOMPARE(serverPool->endpoints()[1], where);
        LATCHKEY_AWAIT(holding() == 2 && serverPool->contentOf(1, key) && !serverPool->contentOf(1, key)->exists);
    }

    /// The reply may arrive before the notice of the server's end and be read after it.
    void answerOfAKilledServer_isNotTaken()
    {
        for (int round = 0; round < 20; ++round) {
            LATCHKEY_AWAIT(holding() == 0); // The connection is open.
            auto direct = net::dialBlocking(first->endpoint(), 30s);
            LATCHKEY_VERIFY_RESULT(direct);
            LATCHKEY_VERIFY_RESULT(direct->connection->execute(resp::Command {"SET", key.bytes(), "another"}, 30s));
            QSignalSpy looked(serverPool.get(), &ServerPool::keysRead);
            serverPool->readKeys({key});
            QCoreApplication::sendPostedEvents();
            LATCHKEY_VERIFY_RESULT(
                direct->connection->execute(resp::Command {"PING"}, 30s)); // The server has answered the readKeys.
            serverPool->crash(0);
            LATCHKEY_AWAIT(serverPool->state(0) == State::Gone && looked.size() > 0);
            QVERIFY(!serverPool->contentOf(0, key));
            serverPool->restart(0);
            LATCHKEY_AWAIT(serverPool->state(0) == State::Up);
        }
    }

    void firstServer_canBeKilledAndStartedLikeTheOthers()
    {
        QSignalSpy ended(first.get(), &privateserver::PrivateServer::ended);
        ClientProcess &holder = client();
        test::ClientPoolFixture::acquire(holder, "token", key.bytes(), 60s);
        kill(0);
        QCOMPARE(ended.size(), 0); // The end was requested.
        serverPool->restart(0);
        LATCHKEY_AWAIT(serverPool->state(0) == State::Up && holding() == 0);
        // The client has reconnected at the server's address.
        LATCHKEY_AWAIT(holder.state() == ClientProcess::State::Holding);
        holder.extend(base::Lease::of(60s).value());
        LATCHKEY_AWAIT(holder.state() != ClientProcess::State::Working);
    }

    void redlock_survivesTheLossOfAMinorityAndNotOfAMajority()
    {
        grow(5);
        ClientProcess &holder = client();
        kill(4);
        kill(3);
        test::ClientPoolFixture::acquire(holder, "redlock", key.bytes(), 60s);
        QCOMPARE(holder.state(), ClientProcess::State::Holding);
        LATCHKEY_AWAIT(holding() == 3);
        ClientProcess &rival = client();
        test::ClientPoolFixture::acquire(rival, "redlock", key.bytes(), 60s);
        QCOMPARE(rival.lastReport()->event, playground::ClientReport::Event::Busy);
        kill(2);
        holder.extend(base::Lease::of(60s).value());
        LATCHKEY_AWAIT(holder.state() != ClientProcess::State::Working);
        QVERIFY(holder.lastReport()->event != playground::ClientReport::Event::Extended);
    }

    void recipeForOneServer_hasTheFirst()
    {
        grow(3);
        ClientProcess &holder = client();
        test::ClientPoolFixture::acquire(holder, "token", key.bytes(), 60s);
        QCOMPARE(holder.state(), ClientProcess::State::Holding);
        LATCHKEY_AWAIT(holding() == 1);
        QVERIFY(serverPool->contentOf(0, key)->exists);
        // With fewer servers, the client restarts and its lock counts as a dead client's.
        const base::OwnerToken token = holder.hold()->token;
        grow(1);
        LATCHKEY_AWAIT(holder.state() == ClientProcess::State::Idle);
        QCOMPARE(clientPool->holderOf(key, token), (playground::ClientPool::Owner {holder.name(), false}));
    }

    /// A key of another type is no refusal: its value holds no token.
    void valueThatMayNotBeRead_isNoEmptyValue()
    {
        auto direct = net::dialBlocking(first->endpoint(), 30s);
        LATCHKEY_VERIFY_RESULT(direct);
        const auto send = [&](const resp::Command &command) {
            LATCHKEY_VERIFY_RESULT(direct->connection->execute(command, 30s));
        };
        send({"RPUSH", key.bytes(), "element"});
        LATCHKEY_AWAIT(holding() == 1);
        QVERIFY(!serverPool->contentOf(0, key)->valueRefusal);
        send({"SET", key.bytes(), "token"});
        send({"ACL", "SETUSER", "default", "-get"});
        LATCHKEY_AWAIT(holding() == 1 && serverPool->contentOf(0, key)->valueRefusal);
        QVERIFY(serverPool->contentOf(0, key)->value.isEmpty());
        QCOMPARE(serverPool->contentOf(0, key)->valueRefusal->kind, base::ErrorKind::PermissionDenied);
    }

    void frozenServer_answersNoClientAndKeepsWhatItHas()
    {
        grow(3);
        ClientProcess &holder = client();
        test::ClientPoolFixture::acquire(holder, "redlock", key.bytes(), 60s);
        LATCHKEY_AWAIT(holding() == 3);
        serverPool->suspend(2);
        QCOMPARE(serverPool->state(2), State::Suspended);
        LATCHKEY_AWAIT(holding() == 2);
        QVERIFY(!serverPool->contentOf(2, key));
        serverPool->resume(2);
        LATCHKEY_AWAIT(holding() == 3);
        serverPool->suspend(2);
        kill(2); // A frozen server can be killed too.
    }
};

LATCHKEY_TEST(TestServerPool)

} // namespace tst_serverpool

#include "tst_serverpool.moc"
