#include "core/playground/fleet.h"
#include "core/resp/dialer.h"
#include "tests/support/crewbench.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

namespace tst_fleet {

using namespace latchkey;
using playground::ClientProcess;
using playground::Fleet;
using State = Fleet::State;
using namespace std::chrono_literals;

/// Tests of several private servers and of clients that use all of them.
class TestFleet final : public QObject
{
    Q_OBJECT

    std::unique_ptr<server::PrivateServer> first;
    std::unique_ptr<Fleet> fleet;
    std::unique_ptr<playground::Crew> crew;

    const base::Key key {"lock:ledger"};

    void grow(int size)
    {
        fleet->setSize(size);
        LATCHKEY_AWAIT(fleet->size() == size);
        crew->share(fleet->endpoints());
    }
    [[nodiscard]] ClientProcess &client()
    {
        ClientProcess &added = crew->add();
        [&] { LATCHKEY_AWAIT(added.state() == ClientProcess::State::Idle); }();
        return added;
    }
    void kill(int server)
    {
        fleet->crash(server);
        LATCHKEY_AWAIT(fleet->state(server) == State::Gone);
    }
    /// Returns the number of servers with the key. Servers that do not answer this look are not counted, and a later
    /// look may find more.
    [[nodiscard]] int holding()
    {
        QSignalSpy looked(fleet.get(), &Fleet::looked);
        [&] { LATCHKEY_AWAIT((fleet->look({key}), looked.size() > 0)); }();
        int holding = 0;
        for (int server = 0; server < fleet->size(); ++server) {
            const auto seen = fleet->seen(server, key);
            holding += seen && seen->exists ? 1 : 0;
        }
        return holding;
    }

private Q_SLOTS:
    void init()
    {
        first = std::make_unique<server::PrivateServer>();
        LATCHKEY_VERIFY_RESULT(first->startAndWait());
        fleet = std::make_unique<Fleet>(base::SystemClock::instance(), base::SystemRandom::instance());
        fleet->setFirst(first.get());
        crew = std::make_unique<playground::Crew>(QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance());
        crew->setServer(first->endpoint());
    }
    void cleanup()
    {
        crew.reset();
        fleet.reset();
        first.reset();
    }

    void size_isThatOfServersThatCanBeUsed()
    {
        QCOMPARE(fleet->size(), 1);
        QSignalSpy changed(fleet.get(), &Fleet::sizeChanged);
        fleet->setSize(3);
        QCOMPARE(fleet->size(), 1); // The new servers are starting.
        LATCHKEY_AWAIT(changed.size() == 1);
        QCOMPARE(fleet->size(), 3);
        QCOMPARE(fleet->endpoints().size(), std::size_t(3));
        QCOMPARE(fleet->endpoints().front(), first->endpoint());
        fleet->setSize(2);
        QCOMPARE(fleet->size(), 2);
        fleet->setSize(17);
        LATCHKEY_AWAIT(fleet->size() == Fleet::most);
    }

    void killedServer_comesBackEmptyWhereItWas()
    {
        grow(3);
        ClientProcess &holder = client();
        test::CrewBench::acquire(holder, "redlock", key.bytes(), 60s);
        QCOMPARE(holder.state(), ClientProcess::State::Holding);
        LATCHKEY_AWAIT(holding() == 3);
        const resp::Endpoint where = fleet->endpoints()[1];
        kill(1);
        QVERIFY(!fleet->seen(1, key));
        LATCHKEY_AWAIT(holding() == 2);
        fleet->restart(1);
        LATCHKEY_AWAIT(fleet->state(1) == State::Up);
        QCOMPARE(fleet->endpoints()[1], where);
        LATCHKEY_AWAIT(holding() == 2 && fleet->seen(1, key) && !fleet->seen(1, key)->exists);
    }

    /// The reply may arrive before the notice of the server's end and be read after it.
    void answerOfAKilledServer_isNotTaken()
    {
        for (int round = 0; round < 20; ++round) {
            LATCHKEY_AWAIT(holding() == 0); // The connection is open.
            auto direct = resp::dialBlocking(first->endpoint(), 30s);
            LATCHKEY_VERIFY_RESULT(direct);
            LATCHKEY_VERIFY_RESULT(direct->connection->ask(resp::Command {"SET", key.bytes(), "somebody"}, 30s));
            QSignalSpy looked(fleet.get(), &Fleet::looked);
            fleet->look({key});
            QCoreApplication::sendPostedEvents();
            LATCHKEY_VERIFY_RESULT(
                direct->connection->ask(resp::Command {"PING"}, 30s)); // The server has answered the look.
            fleet->crash(0);
            LATCHKEY_AWAIT(fleet->state(0) == State::Gone && looked.size() > 0);
            QVERIFY(!fleet->seen(0, key));
            fleet->restart(0);
            LATCHKEY_AWAIT(fleet->state(0) == State::Up);
        }
    }

    void firstServer_canBeKilledAndStartedLikeTheOthers()
    {
        QSignalSpy ended(first.get(), &server::PrivateServer::ended);
        ClientProcess &holder = client();
        test::CrewBench::acquire(holder, "token", key.bytes(), 60s);
        kill(0);
        QCOMPARE(ended.size(), 0); // The end was requested.
        fleet->restart(0);
        LATCHKEY_AWAIT(fleet->state(0) == State::Up && holding() == 0);
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
        test::CrewBench::acquire(holder, "redlock", key.bytes(), 60s);
        QCOMPARE(holder.state(), ClientProcess::State::Holding);
        LATCHKEY_AWAIT(holding() == 3);
        ClientProcess &rival = client();
        test::CrewBench::acquire(rival, "redlock", key.bytes(), 60s);
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
        test::CrewBench::acquire(holder, "token", key.bytes(), 60s);
        QCOMPARE(holder.state(), ClientProcess::State::Holding);
        LATCHKEY_AWAIT(holding() == 1);
        QVERIFY(fleet->seen(0, key)->exists);
        // With fewer servers, the client restarts and its lock counts as a dead client's.
        const base::OwnerToken token = holder.hold()->token;
        grow(1);
        LATCHKEY_AWAIT(holder.state() == ClientProcess::State::Idle);
        QCOMPARE(crew->holderOf(key, token), (playground::Crew::Owner {holder.name(), false}));
    }

    void frozenServer_answersNobodyAndKeepsWhatItHas()
    {
        grow(3);
        ClientProcess &holder = client();
        test::CrewBench::acquire(holder, "redlock", key.bytes(), 60s);
        LATCHKEY_AWAIT(holding() == 3);
        fleet->freeze(2);
        QCOMPARE(fleet->state(2), State::Frozen);
        LATCHKEY_AWAIT(holding() == 2);
        QVERIFY(!fleet->seen(2, key));
        fleet->thaw(2);
        LATCHKEY_AWAIT(holding() == 3);
        fleet->freeze(2);
        kill(2); // A frozen server can be killed too.
    }
};

LATCHKEY_TEST(TestFleet)

} // namespace tst_fleet

#include "tst_fleet.moc"
