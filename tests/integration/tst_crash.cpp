#include "core/playground/crew.h"
#include "tests/support/await.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

using namespace latchkey;
using playground::ClientProcess;
using playground::ClientReport;
using playground::Crew;
using State = ClientProcess::State;
using namespace std::chrono_literals;

/// What the whole is about: a holder's process is killed, and its lock ends, or does not.
class TestCrash final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Crew> crew;

    ClientProcess *client()
    {
        ClientProcess *added = &crew->add();
        if (!QTest::qWaitFor([&] { return added->state() == State::Idle; }, 30'000))
            qFatal("a client did not start");
        return added;
    }
    static void acquire(ClientProcess &client, const QString &recipe, std::optional<std::chrono::milliseconds> lease)
    {
        locks::LockOptions options;
        options.key = base::Key("lock");
        if (lease)
            options.lease = base::Lease::of(*lease).value();
        client.acquire(recipe, options);
        LATCHKEY_AWAIT(client.state() != State::Working);
    }
    qint64 pttl() { return (*server)({"PTTL", "lock"}).toInteger(); }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        crew = std::make_unique<Crew>(QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance());
        crew->setServer(server->endpoint());
    }
    void cleanup()
    {
        crew.reset();
        server.reset();
    }

    void autoRelease_isWonByTheFirstAttemptAfterTheServerSaysThatItIsGone()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        acquire(holder, QStringLiteral("auto-release"), 700ms);
        QCOMPARE(holder.state(), State::Holding);
        holder.crash();
        LATCHKEY_AWAIT(holder.state() == State::Dead);

        acquire(next, QStringLiteral("auto-release"), 20s);
        QVERIFY2(next.state() == State::Idle && next.lastReport()->event == ClientReport::Event::Busy,
                 "its lease still runs");
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, QStringLiteral("auto-release"), 20s);
        QCOMPARE(next.state(), State::Holding);
    }

    void basic_isStillHeldAfterThreeSuchLeases()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        acquire(holder, QStringLiteral("basic"), {});
        QCOMPARE(holder.state(), State::Holding);
        holder.crash();
        LATCHKEY_AWAIT(holder.state() == State::Dead);
        const auto start = base::SystemClock::instance().now();
        LATCHKEY_AWAIT(base::SystemClock::instance().now() > start + 3 * 700ms);
        QCOMPARE(pttl(), qint64(-1));
        acquire(next, QStringLiteral("basic"), {});
        QCOMPARE(next.lastReport()->event, ClientReport::Event::Busy);
    }

    void token_isWonAfterTheLeaseOfADeadHolderToo()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        acquire(holder, QStringLiteral("token"), 500ms);
        holder.crash();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, QStringLiteral("token"), 20s);
        QCOMPARE(next.state(), State::Holding);
    }

    void stoppedHolder_losesItsLockAndReleasesNobodyElses()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        acquire(holder, QStringLiteral("token"), 500ms);
        holder.pause();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, QStringLiteral("token"), 20s);
        QCOMPARE(next.state(), State::Holding);
        holder.resume();
        QCOMPARE(holder.state(), State::Holding); // As far as it knows.
        holder.release();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::NotOwner);
        QVERIFY((*server)({"GET", "lock"}).isBulk(next.hold()->token.bytes()));
    }

    /// The flaw that the recipe is there to teach: the late DEL frees somebody else's lock.
    void stoppedAutoReleaseHolder_freesSomebodyElsesLock()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        acquire(holder, QStringLiteral("auto-release"), 500ms);
        holder.pause();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, QStringLiteral("auto-release"), 20s);
        QCOMPARE(next.state(), State::Holding);
        holder.resume();
        holder.release();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Released);
        QCOMPARE(pttl(), qint64(-2));
        QCOMPARE(next.state(), State::Holding); // It believes so.
    }

    void renewingHolder_outlivesItsLeaseAndDeadItDoesNot()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        int renewals = 0;
        connect(&holder, &ClientProcess::reported, this,
                [&](const ClientReport &report) { renewals += report.event == ClientReport::Event::Renewed ? 1 : 0; });
        acquire(holder, QStringLiteral("renewing"), 400ms);
        const auto token = holder.hold()->token;
        const auto end = base::SystemClock::instance().now() + 5 * 400ms;
        bool wasFree = false;
        LATCHKEY_AWAIT((wasFree = wasFree || !(*server)({"GET", "lock"}).isBulk(token.bytes()),
                        base::SystemClock::instance().now() > end));
        QVERIFY(!wasFree);
        QVERIFY(renewals >= 5);
        QCOMPARE(holder.state(), State::Holding);
        QVERIFY2(holder.hold()->validUntil > end - 400ms, "its belief has kept up");
        acquire(next, QStringLiteral("renewing"), 20s);
        QCOMPARE(next.lastReport()->event, ClientReport::Event::Busy);

        holder.crash();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, QStringLiteral("renewing"), 20s);
        QCOMPARE(next.state(), State::Holding);
    }

    void stoppedRenewingHolder_losesItsLockAndLearnsItWhenItIsContinued()
    {
        ClientProcess &holder = *client();
        ClientProcess &next = *client();
        acquire(holder, QStringLiteral("renewing"), 500ms);
        holder.pause();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, QStringLiteral("renewing"), 20s);
        QCOMPARE(next.state(), State::Holding);
        QCOMPARE(holder.state(), State::Holding); // As far as it knows.
        holder.resume();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Lost);
        QCOMPARE(holder.state(), State::Idle);
        QVERIFY(!holder.hold());
        QVERIFY((*server)({"GET", "lock"}).isBulk(next.hold()->token.bytes()));

        // It is as good as new.
        next.release();
        LATCHKEY_AWAIT(next.state() == State::Idle);
        acquire(holder, QStringLiteral("renewing"), 20s);
        QCOMPARE(holder.state(), State::Holding);
    }

    void renewingHolder_isToldWhenItsLockIsTakenAway()
    {
        ClientProcess &holder = *client();
        acquire(holder, QStringLiteral("renewing"), 600ms);
        QVERIFY((*server)({"SET", "lock", "other"}).isOk());
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Lost);
        QCOMPARE(holder.lastReport()->message, QStringLiteral("the lock is another's by now"));
        QVERIFY((*server)({"GET", "lock"}).isBulk("other"));
    }

    void releaseAndExtend_goWithRenewing()
    {
        ClientProcess &holder = *client();
        acquire(holder, QStringLiteral("renewing"), 400ms);
        holder.extend(base::Lease::of(20s).value());
        LATCHKEY_AWAIT(holder.state() == State::Holding);
        QVERIFY(pttl() > 10'000);
        // Renewing the old lease would shorten it again.
        const auto end = base::SystemClock::instance().now() + 500ms;
        LATCHKEY_AWAIT(base::SystemClock::instance().now() > end);
        QVERIFY(pttl() > 10'000);
        holder.release();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Released);
        QCOMPARE(pttl(), qint64(-2));
    }

    void serverThatGoesAway_leavesTheClientWithAnHonestAnswer()
    {
        ClientProcess &holder = *client();
        acquire(holder, QStringLiteral("token"), 20s);
        server->kill();
        holder.release();
        LATCHKEY_AWAIT(holder.state() == State::Holding);
        const auto event = holder.lastReport()->event;
        QVERIFY(event == ClientReport::Event::Unknown || event == ClientReport::Event::Error);
        QVERIFY(!holder.lastReport()->message.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestCrash)
#include "tst_crash.moc"
