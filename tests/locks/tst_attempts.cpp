#include "core/exchange/stepper.h"
#include "core/locks/autorelease.h"
#include "core/locks/token.h"

#include <QTest>

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using exchange::Answer;
using exchange::Ask;
using exchange::Grant;
using exchange::Instant;
using exchange::Stepper;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

const MonotonicTime start {1h};

Grant at(std::chrono::nanoseconds time)
{
    return Instant {start + time, {}};
}

Grant lost()
{
    return Answer(base::failure(ErrorKind::ConnectionLost, QStringLiteral("the connection was lost")));
}

template<typename T>
QString next(const Stepper<T> &stepper)
{
    return exchange::toText(stepper.step());
}

template<typename T>
bool wantsNewConnection(const Stepper<T> &stepper)
{
    const auto *ask = std::get_if<Ask>(&stepper.step());
    return ask != nullptr && ask->wantsNewConnection();
}

} // namespace

/// What becomes of an attempt to acquire when things go wrong on the way, step by step and without a server.
class TestAttempts final : public QObject
{
    Q_OBJECT

    const Lease lease = Lease::of(10s).value();

private Q_SLOTS:
    void token_readsTheClockBeforeItSends()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        QCOMPARE(next(stepper), QStringLiteral("(draw a token)"));
        stepper.grant(Grant(OwnerToken("t")));
        QCOMPARE(next(stepper), QStringLiteral("(read the clock)"));
        stepper.grant(at(0s));
        QCOMPARE(next(stepper), QStringLiteral("SET k t NX PX 10000"));
        stepper.grant(Reply::status("OK"));
        stepper.grant(at(1s)); // A slow answer does not prolong what the holder may rely on.
        const auto acquired = stepper.takeResult();
        QVERIFY(acquired && acquired->isAcquired());
        QCOMPARE(acquired->token, OwnerToken("t"));
        QCOMPARE(acquired->validUntil, start + 10s - lease.drift());
    }

    void token_losingLeavesTheHolderAlone()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(Reply::nil());
        QVERIFY2(stepper.isFinished(), "no further command");
        QCOMPARE(stepper.takeResult()->outcome, AcquireOutcome::Busy);
    }

    void token_withdrawsAnUnclearAttemptOnANewConnectionAndReportsUnknown()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(lost());
        QVERIFY2(next(stepper).startsWith(QStringLiteral("EVALSHA "))
                     && next(stepper).contains(QStringLiteral(" 1 k t")),
                 qPrintable(next(stepper)));
        QVERIFY(wantsNewConnection(stepper));
        stepper.grant(Reply::integer(1));
        const auto result = stepper.takeResult();
        QVERIFY(!result);
        QVERIFY(base::leavesOutcomeUnknown(result.error().kind));
    }

    void token_teachesTheNewConnectionTheScript()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(lost());
        stepper.grant(Reply::error("NOSCRIPT No matching script."));
        QVERIFY(next(stepper).startsWith(QStringLiteral("EVAL ")));
        QVERIFY(wantsNewConnection(stepper));
    }

    void token_reportsTheFirstErrorWhenWithdrawingFailsToo()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(lost());
        stepper.grant(Grant(Answer(base::failure(ErrorKind::Unreachable, QStringLiteral("refused")))));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::ConnectionLost);
    }

    void token_neverWithdrawsAPassword()
    {
        // It may guard an earlier hold of the same user.
        TokenLock lock(base::Key("k"), lease, OwnerToken("password"));
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        QCOMPARE(next(stepper), QStringLiteral("SET k password NX PX 10000"));
        stepper.grant(lost());
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::ConnectionLost);
    }

    void token_givesBackALeaseThatTheRoundTripUsedUp()
    {
        TokenLock lock(base::Key("k"), Lease::of(50ms).value());
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(Reply::status("OK"));
        stepper.grant(at(60ms));
        QVERIFY(next(stepper).startsWith(QStringLiteral("EVALSHA ")));
        stepper.grant(Reply::integer(1));
        const auto result = stepper.takeResult();
        QCOMPARE(result.error().kind, ErrorKind::Usage);
        QCOMPARE(result.error().message, QStringLiteral("the lease of 50ms is too short for a server 60ms away"));
    }

    void autoRelease_refusesALeaseThatTheRoundTripUsedUp()
    {
        AutoReleaseLock lock(base::Key("k"), "locking", Lease::of(50ms).value(), LeaseUnit::Milliseconds);
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        stepper.grant(Reply::status("OK"));
        stepper.grant(at(60ms));
        QVERIFY2(stepper.isFinished(), "without a token a DEL could hit somebody else");
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Usage);
    }

    void autoRelease_sendsItsLeaseInTheUnitAskedFor()
    {
        AutoReleaseLock seconds(base::Key("k"), "v", lease, LeaseUnit::Seconds);
        Stepper bySeconds(seconds.acquire());
        bySeconds.grant(at(0s));
        QCOMPARE(next(bySeconds), QStringLiteral("SET k v NX EX 10"));

        AutoReleaseLock milliseconds(base::Key("k"), "v", lease, LeaseUnit::Milliseconds);
        Stepper byMilliseconds(milliseconds.acquire());
        byMilliseconds.grant(at(0s));
        QCOMPARE(next(byMilliseconds), QStringLiteral("SET k v NX PX 10000"));
    }

    void serverError_isTheAttemptsError()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(Reply::error("OOM command not allowed when used memory > 'maxmemory'."));
        QVERIFY2(stepper.isFinished(), "nothing was written, nothing is to be withdrawn");
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::OutOfMemory);
    }

    void extend_isNotValidOnceItsOwnRoundTripUsedItUp()
    {
        TokenLock lock(base::Key("k"), lease);
        Stepper stepper(lock.extend(OwnerToken("t"), Lease::of(50ms).value()));
        stepper.grant(at(0s));
        stepper.grant(Reply::integer(1));
        stepper.grant(at(60ms));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Usage);
    }
};

QTEST_GUILESS_MAIN(TestAttempts)
#include "tst_attempts.moc"
