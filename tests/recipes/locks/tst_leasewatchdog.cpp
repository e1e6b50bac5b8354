#include "core/recipes/locks/leasewatchdog.h"
#include "core/recipes/locks/token.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_leasewatchdog {

using namespace latchkey;
using namespace latchkey::locks;
using namespace std::chrono_literals;

/// Tests of the watchdog on a real server, with the real clock: what it reports when the lock changes under its holder.
class TestLeaseWatchdog final : public QObject
{
    Q_OBJECT

    const base::Key key {"k"};
    const base::OwnerToken token {"t"};
    const base::Lease lease = base::Lease::of(1min).value();
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<net::Session> session;
    std::unique_ptr<exchange::LoopDriver> driver;
    std::unique_ptr<LeaseWatchdog> watchdog;

    [[nodiscard]] HeldLease hold(LockValue value) const
    {
        return {key, value, token, lease, lease.validUntil(base::SystemClock::instance().now())};
    }
    [[nodiscard]] quint64 sent() const { return session->commandsSent(); }

private Q_SLOTS:
    void initTestCase() { qRegisterMetaType<Loss>(); }
    void init()
    {
        server = std::make_unique<test::TestServer>();
        session = std::make_unique<net::Session>(server->endpoint(), base::SystemClock::instance(),
                                                 base::SystemRandom::instance());
        session->start();
        driver = std::make_unique<exchange::LoopDriver>(std::vector {session.get()}, base::SystemClock::instance(),
                                                        base::SystemRandom::instance());
        LATCHKEY_AWAIT(session->state() == net::Session::State::Ready);
        QVERIFY((*server)({"SET", "k", "t", "PX", "60000"}).isOk());
        watchdog = std::make_unique<LeaseWatchdog>(*driver);
    }
    void cleanup()
    {
        watchdog.reset();
        driver.reset();
        session.reset();
        server.reset();
    }

    void changedValueOfAWatchedLock_isALoss()
    {
        QSignalSpy lost(watchdog.get(), &LeaseWatchdog::lost);
        watchdog->watch(hold(LockValue::Token), 5ms);
        const quint64 before = sent();
        LATCHKEY_AWAIT(sent() > before + 10);
        QCOMPARE(lost.size(), 0);
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        LATCHKEY_AWAIT(!lost.isEmpty());
        QCOMPARE(lost.front().front().value<Loss>(), (Loss {Loss::Kind::NotOwner, {}}));
        LATCHKEY_AWAIT(driver->running() == 0);
        QCOMPARE(lost.size(), 1);
    }

    /// Only a change of the end is reported, not each read.
    void changedExpiryOfAWatchedLock_isReportedOnce()
    {
        QSignalSpy moved(watchdog.get(), &LeaseWatchdog::expiryChanged);
        QSignalSpy lost(watchdog.get(), &LeaseWatchdog::lost);
        watchdog->watch(hold(LockValue::Token), 5ms);
        const base::MonotonicTime granted = watchdog->validUntil();
        const quint64 before = sent();
        LATCHKEY_AWAIT(sent() > before + 10);
        QCOMPARE(moved.size(), 0);
        QCOMPARE(watchdog->validUntil(), granted);
        QVERIFY((*server)({"PEXPIRE", "k", "40000"}).isInteger(1));
        LATCHKEY_AWAIT(!moved.isEmpty());
        QVERIFY(watchdog->validUntil() < granted);
        QVERIFY(lost.isEmpty());
    }

    void heldLock_isRenewedAndItsLossIsReported()
    {
        TokenLock lock(key, lease);
        QSignalSpy renewed(watchdog.get(), &LeaseWatchdog::renewed);
        QSignalSpy lost(watchdog.get(), &LeaseWatchdog::lost);
        const base::Lease shorter = base::Lease::of(300ms).value();
        watchdog->keep(lock, token, shorter, shorter.validUntil(base::SystemClock::instance().now()));
        LATCHKEY_AWAIT(renewed.size() >= 2);
        QVERIFY(lost.isEmpty());
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        LATCHKEY_AWAIT(!lost.isEmpty());
        QCOMPARE(lost.front().front().value<Loss>(), (Loss {Loss::Kind::Gone, {}}));
    }

    void stoppedWatchdog_runsNothing()
    {
        watchdog->watch(hold(LockValue::Token), 5ms);
        const quint64 before = sent();
        LATCHKEY_AWAIT(sent() > before);
        watchdog->stop();
        QCOMPARE(driver->running(), std::size_t {0});
    }
};

LATCHKEY_TEST(TestLeaseWatchdog)

} // namespace tst_leasewatchdog

#include "tst_leasewatchdog.moc"
