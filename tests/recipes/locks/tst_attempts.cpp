#include "core/recipes/locks/autorelease.h"
#include "core/recipes/locks/basic.h"
#include "core/recipes/locks/fenced.h"
#include "core/recipes/locks/luasetnxexpire.h"
#include "core/recipes/locks/multisetnxexpire.h"
#include "core/recipes/locks/setnxthenexpire.h"
#include "core/recipes/locks/timestampgetset.h"
#include "core/recipes/locks/timestampnaive.h"
#include "core/recipes/locks/token.h"
#include "core/recipes/locks/tokencheckthendelete.h"
#include "core/recipes/locks/tokenwatch.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_attempts {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using exchange::Answer;
using exchange::Grant;
using exchange::Instant;
using exchange::Request;
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

Grant refused(const char *reply)
{
    return exchange::answerFrom(Reply::error(reply));
}

/// Returns the replies of a batch.
Grant all(const std::vector<Reply> &replies)
{
    exchange::Answers answers;
    for (const Reply &reply : replies)
        answers.push_back(exchange::answerFrom(reply));
    return answers;
}

template<typename T>
QString next(const Stepper<T> &stepper)
{
    return exchange::toText(stepper.step());
}

template<typename T>
bool wantsNewConnection(const Stepper<T> &stepper)
{
    const auto *ask = std::get_if<Request>(&stepper.step());
    return ask != nullptr && ask->wantsNewConnection();
}

} // namespace

/// Failures during an attempt to acquire a lock, step by step and without a server.
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
        stepper.grant(at(1s)); // A slow reply does not prolong the holder's lease.
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

    /// A reply that is neither OK nor nil may hide an acquired lock: it is not "busy".
    void unexpectedReply_leavesTheOutcomeUnknown()
    {
        TokenLock token(base::Key("k"), lease);
        TokenCheckThenDeleteLock checked(base::Key("k"), lease, LeaseUnit::Seconds);
        TokenWatchLock watched(base::Key("k"), lease);
        for (Lock *lock : {static_cast<Lock *>(&token), static_cast<Lock *>(&checked), static_cast<Lock *>(&watched)}) {
            Stepper stepper(lock->acquire());
            stepper.grant(Grant(OwnerToken("t")));
            stepper.grant(at(0s));
            stepper.grant(Reply::status("0K"));
            QVERIFY2(next(stepper).contains(QStringLiteral(" 1 k t")), qPrintable(next(stepper)));
            stepper.grant(Reply::integer(1));
            QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Protocol);
        }
        BasicLock basic(base::Key("k"), "v");
        Stepper withoutToken(basic.acquire());
        withoutToken.grant(Reply::integer(1));
        QCOMPARE(withoutToken.takeResult().error().kind, ErrorKind::Protocol);
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
        // The password may guard an earlier hold of the same user.
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
        QCOMPARE(result.error().message(), QStringLiteral("the lease of 50ms is too short for a server 60ms away"));
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

    // The flawed recipes must handle failures correctly as well.

    void setnxThenExpire_expiresInSecondsOrMilliseconds()
    {
        for (const auto &[length, command] :
             {std::pair(10'000ms, "EXPIRE k 10"), std::pair(1500ms, "PEXPIRE k 1500")}) {
            SetnxThenExpireLock lock(base::Key("k"), "v", Lease::of(length).value());
            Stepper stepper(lock.acquire());
            stepper.grant(at(0s));
            QCOMPARE(next(stepper), QStringLiteral("SETNX k v"));
            stepper.grant(Reply::integer(1));
            QCOMPARE(next(stepper), QLatin1String(command));
        }
    }

    void setnxThenExpire_givesALockBackThatGetsNoLease()
    {
        SetnxThenExpireLock lock(base::Key("k"), "v", lease);
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        stepper.grant(Reply::integer(1));
        stepper.grant(refused("NOPERM this user has no permissions to run the 'expire' command"));
        QCOMPARE(next(stepper), QStringLiteral("DEL k"));
        stepper.grant(Reply::integer(1));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::PermissionDenied);
    }

    void setnxThenExpire_touchesNothingOnceItCannotKnow()
    {
        SetnxThenExpireLock lock(base::Key("k"), "v", lease);
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        stepper.grant(Reply::integer(1));
        stepper.grant(lost());
        QVERIFY2(stepper.isFinished(), "the lease may have begun and ended: a DEL could hit somebody else");
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::ConnectionLost);
    }

    void multi_isOnePipeline()
    {
        MultiSetnxExpireLock lock(base::Key("k"), "v", lease);
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        QCOMPARE(next(stepper), QStringLiteral("MULTI | SETNX k v | EXPIRE k 10 | EXEC"));
        stepper.grant(all({Reply::status("OK"), Reply::status("QUEUED"), Reply::status("QUEUED"),
                           Reply::array({Reply::integer(1), Reply::integer(1)})}));
        stepper.grant(at(1s));
        const auto acquired = stepper.takeResult();
        QVERIFY(acquired && acquired->isAcquired());
        QCOMPARE(acquired->validUntil, start + 10s - lease.drift());
    }

    void multi_reportsTheCommandThatMadeExecRefuse()
    {
        MultiSetnxExpireLock lock(base::Key("k"), "v", lease);
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        stepper.grant(all({Reply::status("OK"), Reply::error("OOM command not allowed when used memory > 'maxmemory'."),
                           Reply::status("QUEUED"),
                           Reply::error("EXECABORT Transaction discarded because of previous errors.")}));
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::OutOfMemory);
    }

    void multi_takesBackWhatARefusedMultiLetThrough()
    {
        MultiSetnxExpireLock lock(base::Key("k"), "v", lease);
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        stepper.grant(all({Reply::error("NOPERM this user has no permissions to run the 'multi' command"),
                           Reply::integer(1), Reply::integer(1), Reply::error("ERR EXEC without MULTI")}));
        QCOMPARE(next(stepper), QStringLiteral("DEL k"));
        stepper.grant(Reply::integer(1));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::PermissionDenied);
    }

    void leasesThatTheRoundTripUsedUp_areRefused()
    {
        const Lease brief = Lease::of(1s).value();
        const auto refusedAfter = [](Lock &lock, const std::vector<Grant> &grants) {
            Stepper stepper(lock.acquire());
            stepper.grant(at(0s));
            for (const Grant &grant : grants)
                stepper.grant(grant);
            stepper.grant(at(2s));
            const auto result = stepper.takeResult();
            return !result && result.error().kind == ErrorKind::Usage;
        };
        const Grant one = Answer(Reply::integer(1));
        SetnxThenExpireLock setnxThenExpire(base::Key("k"), "v", brief);
        QVERIFY(refusedAfter(setnxThenExpire, {one, one}));
        MultiSetnxExpireLock multi(base::Key("k"), "v", brief);
        QVERIFY(refusedAfter(multi, {all({Reply::status("OK"), Reply::status("QUEUED"), Reply::status("QUEUED"),
                                          Reply::array({Reply::integer(1), Reply::integer(1)})})}));
        LuaSetnxExpireLock lua(base::Key("k"), "v", brief);
        QVERIFY(refusedAfter(lua, {one}));
        TimestampNaiveLock naive(base::Key("k"), brief);
        QVERIFY(refusedAfter(naive, {one}));
        TimestampGetsetLock getset(base::Key("k"), brief);
        QVERIFY(refusedAfter(getset, {one}));
    }

    void timestamps_writeTheSecondAfterTheLease()
    {
        TimestampGetsetLock lock(base::Key("k"), lease);
        Stepper stepper(lock.acquire());
        const base::WallTime wall {1'750'000'000'999ms};
        stepper.grant(Grant(Instant {start, wall}));
        QCOMPARE(next(stepper), QStringLiteral("SETNX k 1750000011"));
        stepper.grant(Reply::integer(0));
        QCOMPARE(next(stepper), QStringLiteral("GET k"));
        stepper.grant(Reply::bulk("1749999999"));
        QCOMPARE(next(stepper), QStringLiteral("GETSET k 1750000011"));
        stepper.grant(Reply::nil()); // Deleted meanwhile: no holder was replaced.
        stepper.grant(at(0s));
        QCOMPARE(stepper.takeResult()->token, OwnerToken("1750000011"));
    }

    void timestamps_areBusyIfTheLockEndsBetweenTwoReads()
    {
        TimestampNaiveLock naive(base::Key("k"), lease);
        TimestampGetsetLock getset(base::Key("k"), lease);
        for (Lock *lock : {static_cast<Lock *>(&naive), static_cast<Lock *>(&getset)}) {
            Stepper stepper(lock->acquire());
            stepper.grant(at(0s));
            stepper.grant(Reply::integer(0));
            stepper.grant(Reply::nil());
            QVERIFY(stepper.isFinished());
            QCOMPARE(stepper.takeResult()->outcome, AcquireOutcome::Busy);
        }
    }

    void tokens_areWithdrawnByTheWholeFamily()
    {
        TokenCheckThenDeleteLock checked(base::Key("k"), lease, LeaseUnit::Seconds);
        TokenWatchLock watched(base::Key("k"), lease);
        FencedLock fenced(base::Key("k"), lease);
        for (Lock *lock :
             {static_cast<Lock *>(&checked), static_cast<Lock *>(&watched), static_cast<Lock *>(&fenced)}) {
            Stepper stepper(lock->acquire());
            stepper.grant(Grant(OwnerToken("t")));
            stepper.grant(at(0s));
            stepper.grant(lost());
            QVERIFY2(next(stepper).contains(QStringLiteral(" 1 k t")), qPrintable(next(stepper)));
            QVERIFY(wantsNewConnection(stepper));
            stepper.grant(Reply::integer(1));
            QCOMPARE(stepper.takeResult().error().kind, ErrorKind::ConnectionLost);
        }
    }

    void checkThenDelete_sendsItsLeaseInTheUnitAskedFor()
    {
        TokenCheckThenDeleteLock lock(base::Key("k"), lease, LeaseUnit::Seconds, OwnerToken("password"));
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        QCOMPARE(next(stepper), QStringLiteral("SET k password NX EX 10"));
    }

    void checkThenDelete_deletesOnlyWhatItHasRead()
    {
        TokenCheckThenDeleteLock lock(base::Key("k"), lease, LeaseUnit::Seconds);
        Stepper another(lock.release(OwnerToken("t")));
        QCOMPARE(next(another), QStringLiteral("GET k"));
        another.grant(Reply::bulk("u"));
        QCOMPARE(another.takeResult().value(), ReleaseOutcome::NotOwner);
        Stepper gone(lock.release(OwnerToken("t")));
        gone.grant(Reply::nil());
        QCOMPARE(gone.takeResult().value(), ReleaseOutcome::Gone);
        Stepper late(lock.release(OwnerToken("t")));
        late.grant(Reply::bulk("t"));
        QCOMPARE(next(late), QStringLiteral("DEL k"));
        late.grant(Reply::integer(0));
        QCOMPARE(late.takeResult().value(), ReleaseOutcome::Gone);
    }

    void watch_leavesTheConnectionAsItWas_data()
    {
        QTest::addColumn<QList<QByteArray>>("replies"); // +status, $bulk, :integer, empty for nil, else an error.
        QTest::addColumn<QString>("cleanUp");
        QTest::addColumn<int>("error"); // -1: none.
        using Replies = QList<QByteArray>;
        const auto kind = [](ErrorKind errorKind) { return static_cast<int>(errorKind); };
        QTest::addRow("another's") << Replies {"+OK", "$u"} << QStringLiteral("UNWATCH") << -1;
        QTest::addRow("gone") << Replies {"+OK", ""} << QStringLiteral("UNWATCH") << -1;
        QTest::addRow("a list") << Replies {"+OK", "WRONGTYPE Operation against a key"} << QStringLiteral("UNWATCH")
                                << kind(ErrorKind::WrongType);
        QTest::addRow("MULTI refused") << Replies {"+OK", "$t", "NOPERM this user has no permissions"}
                                       << QStringLiteral("UNWATCH") << kind(ErrorKind::PermissionDenied);
        QTest::addRow("WATCH refused") << Replies {"NOPERM this user has no permissions"} << QString()
                                       << kind(ErrorKind::PermissionDenied);
    }
    void watch_leavesTheConnectionAsItWas()
    {
        QFETCH(QList<QByteArray>, replies);
        QFETCH(QString, cleanUp);
        QFETCH(int, error);
        TokenWatchLock lock(base::Key("k"), lease);
        Stepper stepper(lock.release(OwnerToken("t")));
        QCOMPARE(next(stepper), QStringLiteral("WATCH k"));
        for (const QByteArray &reply : replies)
            stepper.grant(reply.isEmpty()         ? Reply::nil()
                          : reply.startsWith('+') ? Reply::status(reply.mid(1))
                          : reply.startsWith('$') ? Reply::bulk(reply.mid(1))
                                                  : Reply::error(reply));
        if (!cleanUp.isEmpty()) {
            QCOMPARE(next(stepper), cleanUp);
            stepper.grant(Reply::status("OK"));
        }
        QVERIFY(stepper.isFinished());
        const auto result = stepper.takeResult();
        QCOMPARE(result ? -1 : static_cast<int>(result.error().kind), error);
    }

    void watch_discardsWhatExecDidNotEnd()
    {
        TokenWatchLock lock(base::Key("k"), lease);
        Stepper stepper(lock.release(OwnerToken("t")));
        stepper.grant(Reply::status("OK"));
        stepper.grant(Reply::bulk("t"));
        stepper.grant(Reply::status("OK"));
        QCOMPARE(next(stepper), QStringLiteral("DEL k | EXEC"));
        stepper.grant(all({Reply::error("BUSY Redis is busy running a script."),
                           Reply::error("BUSY Redis is busy running a script.")}));
        QCOMPARE(next(stepper), QStringLiteral("DISCARD"));
        stepper.grant(Reply::status("OK"));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Busy);
    }

    void watch_reportsTheDelThatMadeExecRefuse()
    {
        TokenWatchLock lock(base::Key("k"), lease);
        Stepper stepper(lock.release(OwnerToken("t")));
        stepper.grant(Reply::status("OK"));
        stepper.grant(Reply::bulk("t"));
        stepper.grant(Reply::status("OK"));
        stepper.grant(all({Reply::error("NOPERM this user has no permissions to run the 'del' command"),
                           Reply::error("EXECABORT Transaction discarded because of previous errors.")}));
        QVERIFY2(stepper.isFinished(), "EXEC has ended the transaction");
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::PermissionDenied);
    }

    void fenced_givesTheNumberWithTheLock()
    {
        FencedLock lock(base::Key("k"), lease, OwnerToken("t"));
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        QVERIFY2(next(stepper).endsWith(QStringLiteral(" 2 k {k}:fence t 10000")), qPrintable(next(stepper)));
        stepper.grant(Reply::integer(7));
        stepper.grant(at(1s));
        const auto acquired = stepper.takeResult();
        QVERIFY(acquired && acquired->isAcquired());
        QCOMPARE(acquired->fencing->value, qint64(7));

        Stepper losing(lock.acquire());
        losing.grant(at(0s));
        losing.grant(Reply::nil());
        QCOMPARE(losing.takeResult()->outcome, AcquireOutcome::Busy);
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

LATCHKEY_TEST(TestAttempts)

} // namespace tst_attempts

#include "tst_attempts.moc"
