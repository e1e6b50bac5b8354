#include "tests/support/await.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_crash {

using namespace latchkey;
using playground::ClientProcess;
using playground::ClientReport;
using State = ClientProcess::State;
using namespace std::chrono_literals;

/// Tests of the central case: the process of a holder is killed, and its lock ends or stays.
class TestCrash final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::ClientPoolFixture> fixture;

    static void acquire(ClientProcess &client, const char *recipe, std::optional<std::chrono::milliseconds> lease)
    {
        test::ClientPoolFixture::acquire(client, recipe, "lock", lease);
    }
    qint64 pttl() { return fixture->server({"PTTL", "lock"}).toInteger(); }

private Q_SLOTS:
    void init() { fixture = std::make_unique<test::ClientPoolFixture>(); }
    void cleanup() { fixture.reset(); }

    void autoRelease_isWonByTheFirstAttemptAfterTheReportedEnd()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        acquire(holder, "auto-release", 700ms);
        QCOMPARE(holder.state(), State::Holding);
        holder.crash();
        LATCHKEY_AWAIT(holder.state() == State::Dead);

        acquire(next, "auto-release", 20s);
        QVERIFY2(next.state() == State::Idle && next.lastReport()->event == ClientReport::Event::Busy,
                 "its lease still runs");
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, "auto-release", 20s);
        QCOMPARE(next.state(), State::Holding);
    }

    void basic_isStillHeldAfterThreeSuchLeases()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        acquire(holder, "basic", {});
        QCOMPARE(holder.state(), State::Holding);
        holder.crash();
        LATCHKEY_AWAIT(holder.state() == State::Dead);
        const auto start = base::SystemClock::instance().now();
        LATCHKEY_AWAIT(base::SystemClock::instance().now() > start + 3 * 700ms);
        QCOMPARE(pttl(), qint64(-1));
        acquire(next, "basic", {});
        QCOMPARE(next.lastReport()->event, ClientReport::Event::Busy);
    }

    void token_isWonAfterTheLeaseOfADeadHolderToo()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        acquire(holder, "token", 500ms);
        holder.crash();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, "token", 20s);
        QCOMPARE(next.state(), State::Holding);
    }

    void stoppedHolder_losesItsLockAndReleasesNoOtherLock()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        acquire(holder, "token", 500ms);
        holder.pause();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, "token", 20s);
        QCOMPARE(next.state(), State::Holding);
        holder.resume();
        QCOMPARE(holder.state(), State::Holding); // Its own belief.
        holder.release();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::NotOwner);
        QVERIFY(fixture->server({"GET", "lock"}).isBulk(next.hold()->token.bytes()));
    }

    /// The flaw of the recipe: the late DEL releases the lock of another client.
    void stoppedAutoReleaseHolder_freesAnotherClientsLock()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        acquire(holder, "auto-release", 500ms);
        holder.pause();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, "auto-release", 20s);
        QCOMPARE(next.state(), State::Holding);
        holder.resume();
        holder.release();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Released);
        QCOMPARE(pttl(), qint64(-2));
        QCOMPARE(next.state(), State::Holding); // Its own belief.
    }

    void renewingHolder_outlivesItsLeaseAndDeadItDoesNot()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        int renewals = 0;
        connect(&holder, &ClientProcess::reported, this,
                [&](const ClientReport &report) { renewals += report.event == ClientReport::Event::Renewed ? 1 : 0; });
        acquire(holder, "renewing", 400ms);
        const auto token = holder.hold()->token;
        const auto end = base::SystemClock::instance().now() + 5 * 400ms;
        bool wasFree = false;
        LATCHKEY_AWAIT((wasFree = wasFree || !fixture->server({"GET", "lock"}).isBulk(token.bytes()),
                        base::SystemClock::instance().now() > end));
        QVERIFY(!wasFree);
        QVERIFY(renewals >= 5);
        QCOMPARE(holder.state(), State::Holding);
        QVERIFY2(holder.hold()->validUntil > end - 400ms, "its belief has kept up");
        acquire(next, "renewing", 20s);
        QCOMPARE(next.lastReport()->event, ClientReport::Event::Busy);

        holder.crash();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, "renewing", 20s);
        QCOMPARE(next.state(), State::Holding);
    }

    void stoppedRenewingHolder_losesItsLockAndLearnsItWhenItIsContinued()
    {
        ClientProcess &holder = fixture->client();
        ClientProcess &next = fixture->client();
        acquire(holder, "renewing", 500ms);
        holder.pause();
        LATCHKEY_AWAIT(pttl() == -2);
        acquire(next, "renewing", 20s);
        QCOMPARE(next.state(), State::Holding);
        QCOMPARE(holder.state(), State::Holding); // Its own belief.
        holder.resume();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Lost);
        QCOMPARE(holder.state(), State::Idle);
        QVERIFY(!holder.hold());
        QVERIFY(fixture->server({"GET", "lock"}).isBulk(next.hold()->token.bytes()));

        // The client works normally again.
        next.release();
        LATCHKEY_AWAIT(next.state() == State::Idle);
        acquire(holder, "renewing", 20s);
        QCOMPARE(holder.state(), State::Holding);
    }

    void renewingHolder_getsAnErrorWhenItsLockIsTakenAway()
    {
        ClientProcess &holder = fixture->client();
        acquire(holder, "renewing", 600ms);
        QVERIFY(fixture->server({"SET", "lock", "other"}).isOk());
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Lost);
        QCOMPARE(holder.lastReport()->message.toString(), QStringLiteral("another client holds it"));
        QVERIFY(fixture->server({"GET", "lock"}).isBulk("other"));
    }

    void releaseAndExtend_goWithRenewing()
    {
        ClientProcess &holder = fixture->client();
        acquire(holder, "renewing", 400ms);
        holder.extend(base::Lease::of(20s).value());
        LATCHKEY_AWAIT(holder.state() == State::Holding);
        QVERIFY(pttl() > 10'000);
        // Renewing the old lease would shorten it.
        const auto end = base::SystemClock::instance().now() + 500ms;
        LATCHKEY_AWAIT(base::SystemClock::instance().now() > end);
        QVERIFY(pttl() > 10'000);
        holder.release();
        LATCHKEY_AWAIT(holder.lastReport()->event == ClientReport::Event::Released);
        QCOMPARE(pttl(), qint64(-2));
    }

    void serverThatGoesAway_leavesTheClientWithAnHonestAnswer()
    {
        ClientProcess &holder = fixture->client();
        acquire(holder, "token", 20s);
        fixture->server.kill();
        holder.release();
        LATCHKEY_AWAIT(holder.state() == State::Holding);
        const auto event = holder.lastReport()->event;
        QVERIFY(event == ClientReport::Event::Unknown || event == ClientReport::Event::Error);
        QVERIFY(!holder.lastReport()->message.isEmpty());
    }
};

LATCHKEY_TEST(TestCrash)

} // namespace tst_crash

#include "tst_crash.moc"
