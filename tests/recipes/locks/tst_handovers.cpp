#include "core/recipes/locks/autorelease.h"
#include "core/recipes/locks/fenced.h"
#include "core/recipes/locks/luasetnxexpire.h"
#include "core/recipes/locks/multisetnxexpire.h"
#include "core/recipes/locks/setnxthenexpire.h"
#include "core/recipes/locks/timestampgetset.h"
#include "core/recipes/locks/timestampnaive.h"
#include "core/recipes/locks/tokencheckthendelete.h"
#include "core/recipes/locks/tokenwatch.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/manualclock.h"
#include "tests/support/steppedclient.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_handovers {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Key;
using base::Lease;
using base::OwnerToken;
using exchange::Exchange;
using namespace std::chrono_literals;

/// The known races of the recipes, on a real server and in the order that shows them. One client is stopped at the
/// critical command while other clients continue.
class TestHandovers final : public QObject
{
    Q_OBJECT

    const Key key {QByteArray("k")};
    const Lease lease = Lease::of(20s).value();
    std::unique_ptr<test::TestServer> server;
    test::ManualClock clock;

    template<typename T>
    test::SteppedClient<T> client(Exchange<T> exchange)
    {
        return test::SteppedClient<T>(server->endpoint(), std::move(exchange), clock);
    }

    template<typename T>
    base::Result<T> run(Exchange<T> exchange)
    {
        return client(std::move(exchange)).finish();
    }

    qint64 pttl() { return (*server)({"PTTL", "k"}).toInteger(); }
    QByteArray value() { return (*server)({"GET", "k"}).bytes(); }
    qint64 unixNow() { return std::chrono::floor<std::chrono::seconds>(clock.wallNow()).time_since_epoch().count(); }

    /// Creates the lock of a dead holder with a deadline in the past.
    void leavePastDeadline() { QVERIFY((*server)({"SET", "k", QByteArray::number(unixNow() - 100)}).isOk()); }

private Q_SLOTS:
    void initTestCase() { server = std::make_unique<test::TestServer>(); }
    void cleanup() { QVERIFY((*server)({"FLUSHALL"}).isOk()); }

    void setnxThenExpire_crashInTheGapLeavesALockForever()
    {
        SetnxThenExpireLock lock(key, "locking", lease);
        {
            auto dying = client(lock.acquire());
            QVERIFY(dying.stepUntil(QLatin1String("EXPIRE k 20")));
        }
        QCOMPARE(pttl(), qint64(-1));
        QCOMPARE(run(lock.acquire())->outcome, AcquireOutcome::Busy);
    }

    void setnxThenExpire_isLostIfALateDelComesBetween()
    {
        SetnxThenExpireLock lock(key, "locking", lease);
        auto slow = client(lock.acquire());
        QVERIFY(slow.stepUntil(QLatin1String("EXPIRE")));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(slow.finish()->outcome, AcquireOutcome::Busy);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void multi_everyLoserRefreshesTheHoldersLease()
    {
        MultiSetnxExpireLock holder(key, "locking", lease);
        MultiSetnxExpireLock loser(key, "locking", Lease::of(1h).value());
        QVERIFY(run(holder.acquire())->isAcquired());
        QCOMPARE(run(loser.acquire())->outcome, AcquireOutcome::Busy);
        QVERIFY(pttl() > 20'000);
    }

    void lua_aLoserLeavesTheHoldersLeaseAlone()
    {
        LuaSetnxExpireLock holder(key, "locking", lease);
        LuaSetnxExpireLock loser(key, "locking", Lease::of(1h).value());
        QVERIFY(run(holder.acquire())->isAcquired());
        QCOMPARE(run(loser.acquire())->outcome, AcquireOutcome::Busy);
        QVERIFY(pttl() <= 20'000);
        QVERIFY(pttl() > 0);
    }

    void timestampNaive_letsBothIn()
    {
        leavePastDeadline();
        TimestampNaiveLock one(key, lease);
        TimestampNaiveLock other(key, lease);
        auto first = client(one.acquire());
        auto second = client(other.acquire());
        QVERIFY(first.stepUntil(QLatin1String("DEL k")));
        QVERIFY(second.stepUntil(QLatin1String("DEL k")));
        QVERIFY(first.finish()->isAcquired());
        QVERIFY(second.finish()->isAcquired());
    }

    void timestampGetset_letsOneIn()
    {
        leavePastDeadline();
        TimestampGetsetLock one(key, lease);
        TimestampGetsetLock other(key, Lease::of(60s).value());
        auto first = client(one.acquire());
        auto second = client(other.acquire());
        QVERIFY(first.stepUntil(QLatin1String("GETSET k")));
        QVERIFY(second.stepUntil(QLatin1String("GETSET k")));
        const auto won = second.finish();
        QVERIFY(won->isAcquired());
        QCOMPARE(won->token.bytes(), QByteArray::number(unixNow() + 61));
        QCOMPARE(first.finish()->outcome, AcquireOutcome::Busy);
        // The loser's GETSET has overwritten the winner's deadline.
        QCOMPARE(value(), QByteArray::number(unixNow() + 21));
    }

    void timestampGetset_winsALockThatIsReleasedMeanwhile()
    {
        leavePastDeadline();
        TimestampGetsetLock lock(key, lease);
        auto taking = client(lock.acquire());
        QVERIFY(taking.stepUntil(QLatin1String("GETSET k")));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QVERIFY(taking.finish()->isAcquired());
    }

    void timestamps_leaveALockAloneAtItsDeadline()
    {
        QVERIFY((*server)({"SET", "k", QByteArray::number(unixNow())}).isOk());
        TimestampNaiveLock naive(key, lease);
        TimestampGetsetLock getset(key, lease);
        QCOMPARE(run(naive.acquire())->outcome, AcquireOutcome::Busy);
        QCOMPARE(run(getset.acquire())->outcome, AcquireOutcome::Busy);
        QCOMPARE(value(), QByteArray::number(unixNow()));
    }

    void timestamps_doNotTouchWhatIsNoDeadline()
    {
        QVERIFY((*server)({"SET", "k", "locking"}).isOk());
        TimestampNaiveLock naive(key, lease);
        TimestampGetsetLock getset(key, lease);
        for (Lock *lock : {static_cast<Lock *>(&naive), static_cast<Lock *>(&getset)}) {
            const auto result = run(lock->acquire());
            QVERIFY(!result);
            QCOMPARE(result.error().kind, ErrorKind::WrongType);
            QCOMPARE(result.error().message(),
                     QStringLiteral("the key \"k\" holds \"locking\", which is not a deadline in Unix seconds"));
            QCOMPARE(value(), QByteArray("locking"));
        }
    }

    void timestampGetset_isBusyIfSomethingElseStandsThereByThen()
    {
        leavePastDeadline();
        TimestampGetsetLock lock(key, lease);
        auto taking = client(lock.acquire());
        QVERIFY(taking.stepUntil(QLatin1String("GETSET k")));
        QVERIFY((*server)({"SET", "k", "locking"}).isOk());
        QCOMPARE(taking.finish()->outcome, AcquireOutcome::Busy);
    }

    void timestampGetset_releasesOnlyWhileItsDeadlineHasNotPassed()
    {
        TimestampGetsetLock lock(key, lease);
        const auto acquired = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        clock.advance(22s);
        auto late = client(lock.release(acquired->token));
        late.step();
        QVERIFY2(late.isFinished(), "nothing is sent");
        QCOMPARE(late.finish().value(), ReleaseOutcome::NotOwner);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));

        TimestampGetsetLock next(key, lease);
        const auto taken = run(next.acquire());
        QVERIFY(taken && taken->isAcquired());
        QCOMPARE(run(next.release(taken->token)).value(), ReleaseOutcome::Released);
        QCOMPARE(run(next.release(OwnerToken("guess"))).error().kind, ErrorKind::Usage);
    }

    void checkThenDelete_freesAnothersLock()
    {
        TokenCheckThenDeleteLock lock(key, lease, LeaseUnit::Seconds);
        const auto acquired = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        auto releasing = client(lock.release(acquired->token));
        QVERIFY(releasing.stepUntil(QLatin1String("DEL k")));
        QVERIFY((*server)({"SET", "k", "another's"}).isOk()); // The lease has expired, and another client has the lock.
        QCOMPARE(releasing.finish().value(), ReleaseOutcome::Released);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void watch_leavesALockAloneThatChangedHandsAfterTheCheck()
    {
        TokenWatchLock lock(key, lease);
        const auto acquired = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        for (const char *critical : {"MULTI", "DEL k", "EXEC"}) {
            QVERIFY((*server)({"SET", "k", acquired->token.bytes()}).isOk());
            auto releasing = client(lock.release(acquired->token));
            QVERIFY(releasing.stepUntil(QLatin1String(critical)));
            QVERIFY((*server)({"SET", "k", "another's"}).isOk());
            QCOMPARE(releasing.finish().value(), ReleaseOutcome::NotOwner);
            QCOMPARE(value(), QByteArray("another's"));
        }
    }

    void watch_reportsGoneIfTheLockEndsAfterTheCheck()
    {
        TokenWatchLock lock(key, lease);
        const auto acquired = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        auto releasing = client(lock.release(acquired->token));
        QVERIFY(releasing.stepUntil(QLatin1String("MULTI")));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(releasing.finish().value(), ReleaseOutcome::Gone);
    }

    void watch_releasesALockThatWasExtendedAfterTheCheck()
    {
        TokenWatchLock lock(key, lease);
        const auto acquired = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        auto releasing = client(lock.release(acquired->token));
        QVERIFY(releasing.stepUntil(QLatin1String("MULTI")));
        QCOMPARE(run(lock.extend(acquired->token, Lease::of(1h).value()))->outcome, ExtendOutcome::Extended);
        QCOMPARE(releasing.finish().value(), ReleaseOutcome::Released);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void watch_givesUpOnALockThatKeepsChanging()
    {
        TokenWatchLock lock(key, lease);
        const auto acquired = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        auto releasing = client(lock.release(acquired->token));
        while (releasing.stepUntil(QLatin1String("MULTI"))) {
            QVERIFY((*server)({"PEXPIRE", "k", "30000"}).isInteger(1));
            releasing.step();
        }
        QCOMPARE(releasing.finish().error().kind, ErrorKind::TransactionAborted);
        QCOMPARE(value(), acquired->token.bytes());
    }

    void watch_triesToReleaseEightTimes()
    {
        TokenWatchLock lock(key, lease);
        exchange::Stepper stepper(lock.release(OwnerToken("t")));
        int tries = 0;
        for (; !stepper.isFinished(); ++tries) {
            stepper.grant(resp::Reply::status("OK")); // WATCH
            stepper.grant(resp::Reply::bulk("t"));
            stepper.grant(resp::Reply::status("OK")); // MULTI
            stepper.grant(exchange::Grant(exchange::Answers {resp::Reply::status("QUEUED"), resp::Reply::nil()}));
        }
        QCOMPARE(tries, 8);
        QVERIFY(stepper.takeResult().error().message().contains(u'8'));
    }

    /// As of a server before 6.0.9.
    void watch_reportsGoneIfTheTransactionFoundNothing()
    {
        TokenWatchLock lock(key, lease);
        for (const auto &[removed, outcome] :
             {std::pair(0, ReleaseOutcome::Gone), std::pair(1, ReleaseOutcome::Released)}) {
            exchange::Stepper stepper(lock.release(OwnerToken("t")));
            stepper.grant(resp::Reply::status("OK")); // WATCH
            stepper.grant(resp::Reply::bulk("t"));
            stepper.grant(resp::Reply::status("OK")); // MULTI
            stepper.grant(exchange::Grant(exchange::Answers {resp::Reply::status("QUEUED"),
                                                             resp::Reply::array({resp::Reply::integer(removed)})}));
            QVERIFY(stepper.isFinished());
            QCOMPARE(stepper.takeResult().value(), outcome);
        }
    }

    void multi_thatIsRefusedRemovesNoLockOfAnother()
    {
        MultiSetnxExpireLock lock(key, "locking", lease);
        QVERIFY((*server)({"SET", "k", "another's"}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-multi"}).isOk());
        const auto held = run(lock.acquire());
        const QByteArray left = value();
        const auto free = (*server)({"DEL", "k"}).isInteger(1) ? run(lock.acquire()) : held;
        const bool isLeft = (*server)({"EXISTS", "k"}).isInteger(1);
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+multi"}).isOk());
        QCOMPARE(held.error().kind, ErrorKind::PermissionDenied);
        QCOMPARE(left, QByteArray("another's"));
        QCOMPARE(free.error().kind, ErrorKind::PermissionDenied);
        QVERIFY2(!isLeft, "the lock that was made without its transaction");
    }

    void fenced_numbersGrowAndSurviveExpiry()
    {
        FencedLock lock(key, lease);
        qint64 last = 0;
        for (int i = 0; i < 3; ++i) {
            const auto acquired = run(lock.acquire());
            LATCHKEY_VERIFY_RESULT(acquired);
            QVERIFY(acquired->isAcquired() && acquired->fencing.has_value());
            QVERIFY(acquired->fencing->value > last);
            last = acquired->fencing->value;
            QCOMPARE(run(lock.acquire())->outcome, AcquireOutcome::Busy);
            QVERIFY((*server)({"GET", "{k}:fence"}).isBulk(QByteArray::number(last))); // A busy lock does not count.
            QVERIFY((*server)({"PTTL", "{k}:fence"}).isInteger(-1));
            QVERIFY((*server)({"PEXPIRE", "k", "0"}).isInteger(1)); // The lease expires.
        }
    }

    void fenced_aLockThatCannotBeMadeIsNotCounted()
    {
        FencedLock lock(key, lease);
        const auto first = run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(first);
        QVERIFY((*server)({"DEL", "k"}).isInteger(1)); // The lease expires.
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-set"}).isOk());
        const auto denied = run(lock.acquire());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+set"}).isOk());
        QVERIFY(!denied);
        QCOMPARE(denied.error().kind, ErrorKind::PermissionDenied);
        QVERIFY((*server)({"GET", "{k}:fence"}).isBulk(QByteArray::number(first->fencing->value)));
        QCOMPARE(run(lock.acquire())->fencing->value, first->fencing->value + 1);
    }

    void fenced_aCounterThatCannotCountMakesNoLock()
    {
        FencedLock lock(key, lease);
        QVERIFY((*server)({"RPUSH", "{k}:fence", "x"}).isInteger(1));
        const auto wrongType = run(lock.acquire());
        QVERIFY(!wrongType);
        QCOMPARE(wrongType.error().kind, ErrorKind::WrongType);
        QVERIFY2(wrongType.error().message().startsWith(QStringLiteral("the counter \"{k}:fence\": ")),
                 qPrintable(wrongType.error().message()));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));

        QVERIFY((*server)({"SET", "{k}:fence", "many"}).isOk());
        const auto noNumber = run(lock.acquire());
        QVERIFY(!noNumber);
        QCOMPARE(noNumber.error().kind, ErrorKind::OtherServerError);
        QVERIFY2(noNumber.error().message().startsWith(QStringLiteral("the counter \"{k}:fence\": ")),
                 qPrintable(noNumber.error().message()));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void fenced_countsInTheLocksOwnSlot_data()
    {
        QTest::addColumn<QByteArray>("lock");
        QTest::addColumn<QByteArray>("counter");
        QTest::addRow("plain") << QByteArray("lock:orders") << QByteArray("{lock:orders}:fence");
        QTest::addRow("hash tag") << QByteArray("lock:{orders}:7") << QByteArray("lock:{orders}:7:fence");
        QTest::addRow("brace without tag") << QByteArray("a{b") << QByteArray("{a{b}:fence");
    }
    void fenced_countsInTheLocksOwnSlot()
    {
        QFETCH(QByteArray, lock);
        QFETCH(QByteArray, counter);
        QTEST(FencedLock::counterKey(Key(lock)).bytes(), "counter");
        test::TestServer node(test::clusterNode());
        const resp::Reply slot = node({"CLUSTER", "KEYSLOT", lock});
        QVERIFY2(slot.isInteger(), qPrintable(slot.toText()));
        QCOMPARE(node({"CLUSTER", "KEYSLOT", counter}), slot);
    }
};

LATCHKEY_TEST(TestHandovers)

} // namespace tst_handovers

#include "tst_handovers.moc"
