#include "core/recipes/locks/redlock.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <csignal>

namespace tst_redlock {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Key;
using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::BlockingDriver;
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

/// Returns the replies of a batch from a short form: `+` yes, `0` another's (or nil), `-` no lock, `?` lost, `x` not
/// reached, `!` refused, `n` script unknown.
Answers answers(const char *votes)
{
    Answers result;
    for (const char vote : QByteArray(votes)) {
        switch (vote) {
        case '+':
            result.push_back(Reply::integer(1));
            break;
        case '0':
            result.push_back(Reply::integer(0));
            break;
        case '-':
            result.push_back(Reply::integer(-1));
            break;
        case '?':
            result.push_back(base::failure(ErrorKind::TimedOut, QStringLiteral("no answer in time")));
            break;
        case 'x':
            result.push_back(base::failure(ErrorKind::Unreachable, QStringLiteral("cannot connect")));
            break;
        case '!':
            result.push_back(base::failure(ErrorKind::OutOfMemory, QStringLiteral("out of memory")));
            break;
        case 'n':
            result.push_back(base::failure(ErrorKind::NoScript, QStringLiteral("unknown script")));
            break;
        default:
            Q_UNREACHABLE();
        }
    }
    return result;
}

/// Returns the same for SET … NX.
Answers attempts(const char *votes)
{
    Answers result = answers(votes);
    for (Answer &answer : result) {
        if (answer)
            answer = answer->isInteger(1) ? Reply::status("OK") : Reply::nil();
    }
    return result;
}

} // namespace

/// Votes step by step, and real servers that fail.
class TestRedlock final : public QObject
{
    Q_OBJECT

    const Key key {QByteArray("k")};
    const Lease lease = Lease::of(20s).value();
    const Lease shorter = Lease::of(8s).value(); ///< Lease of the tests with servers that do not reply.

    std::vector<std::unique_ptr<test::TestServer>> servers;
    std::vector<net::Endpoint> endpoints;

    void startServers(int count)
    {
        servers.clear();
        endpoints.clear();
        for (int i = 0; i < count; ++i) {
            servers.push_back(std::make_unique<test::TestServer>());
            endpoints.push_back(servers.back()->endpoint());
        }
    }
    [[nodiscard]] test::TestServer &server(int index) { return *servers[static_cast<std::size_t>(index)]; }
    void signal(int index, int number) { ::kill(static_cast<pid_t>(server(index).process().processId()), number); }
    /// Returns the number of running servers on which the key exists.
    [[nodiscard]] int holds()
    {
        int count = 0;
        for (const auto &each : servers) {
            if (each && (*each)({"EXISTS", "k"}).isInteger(1))
                ++count;
        }
        return count;
    }

    template<typename T>
    static QStringList asked(const Stepper<T> &stepper)
    {
        const auto *batch = std::get_if<Batch>(&stepper.step());
        QStringList texts;
        if (batch != nullptr) {
            for (const exchange::Request &request : batch->requests())
                texts += QStringLiteral("%1%2%3")
                             .arg(request.server())
                             .arg(QString::fromLatin1(request.command().name()),
                                  request.wantsNewConnection() ? QStringLiteral(" new") : QString());
        }
        return texts;
    }

private Q_SLOTS:
    void cleanup() { servers.clear(); }

    void attempt_isOneBatchToAll()
    {
        RedlockLock lock(key, lease, 3);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        QCOMPARE(exchange::toText(stepper.step()),
                 QStringLiteral("SET k t NX PX 20000 | #1 SET k t NX PX 20000 | #2 SET k t NX PX 20000"));
        QCOMPARE(std::get<Batch>(stepper.step()).timeout(), 2000ms);
        stepper.grant(Grant(attempts("++x")));
        stepper.grant(at(1s));
        const auto acquired = stepper.takeResult();
        QVERIFY(acquired && acquired->isAcquired());
        QCOMPARE(acquired->token, OwnerToken("t"));
        QCOMPARE(acquired->validUntil, start + 20s - lease.drift());
    }

    void votes_decideTheAttempt_data()
    {
        QTest::addColumn<QByteArray>("votes");
        QTest::addColumn<QString>("outcome");
        const auto row = [](const char *votes, const char *outcome) {
            QTest::addRow("%s", votes) << QByteArray(votes) << QString::fromLatin1(outcome);
        };
        row("+", "acquired");
        row("0", "busy");
        row("+++", "acquired");
        row("+0+", "acquired");
        row("+x+", "acquired");
        row("+?+", "acquired");
        row("!++", "acquired");
        row("+00", "busy");
        row("+0?", "busy"); // A lost reply counts as not won.
        row("+0!", "busy");
        row("++00", "busy"); // Half is no majority.
        row("++x0", "busy");
        row("+++00", "acquired");
        row("++0??", "busy");
        row("+xx", "only 1 of 3 servers answered, fewer than the 2 that decide; cannot connect");
        row("xxx", "only 0 of 3 servers answered, fewer than the 2 that decide; cannot connect");
        row("!!0", "only 1 of 3 servers answered, fewer than the 2 that decide; out of memory");
        row("0?x", "only 1 of 3 servers answered, fewer than the 2 that decide; no answer in time");
        row("++xx", "only 2 of 4 servers answered, fewer than the 3 that decide; cannot connect");
        row("x??", "only 0 of 3 servers answered, fewer than the 2 that decide; no answer in time (unknown)");
        row("+x?", "only 1 of 3 servers answered, fewer than the 2 that decide; no answer in time (unknown)");
    }
    void votes_decideTheAttempt()
    {
        QFETCH(QByteArray, votes);
        RedlockLock lock(key, lease, static_cast<int>(votes.size()));
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(Grant(attempts(votes.constData())));
        stepper.grant(at(1s));
        if (!stepper.isFinished()) {
            // Not won: the lock is withdrawn on all servers, even where the attempt seems to have failed.
            QStringList expected;
            for (qsizetype i = 0; i < votes.size(); ++i)
                expected +=
                    QStringLiteral("%1EVALSHA%2").arg(i).arg(votes[i] == '?' ? QStringLiteral(" new") : QString());
            QCOMPARE(asked(stepper), expected);
            for (const exchange::Request &request : std::get<Batch>(stepper.step()).requests()) {
                const auto &words = request.command().words();
                QCOMPARE(QByteArrayList(words.begin() + 2, words.end()), (QByteArrayList {"1", "k", "t"}));
            }
            stepper.grant(Grant(answers(QByteArray(votes.size(), '-').constData())));
        }
        const auto result = stepper.takeResult();
        const bool isUnknown = !result && base::leavesOutcomeUnknown(result.error().kind);
        QTEST(!result                ? result.error().message() + (isUnknown ? QStringLiteral(" (unknown)") : QString())
              : result->isAcquired() ? QStringLiteral("acquired")
                                     : QStringLiteral("busy"),
              "outcome");
    }

    void password_isRemovedOnlyIfThisAttemptWroteIt()
    {
        RedlockLock lock(key, lease, 4, OwnerToken("password"));
        Stepper stepper(lock.acquire());
        stepper.grant(at(0s));
        stepper.grant(Grant(attempts("+0?0"))); // Elsewhere the key may be an earlier hold of the same user.
        stepper.grant(at(1s));
        QCOMPARE(asked(stepper), QStringList {QStringLiteral("0EVALSHA")});
        stepper.grant(Grant(answers("+")));
        QCOMPARE(stepper.takeResult()->outcome, AcquireOutcome::Busy);

        RedlockLock busy(key, lease, 1, OwnerToken("password"));
        Stepper losing(busy.acquire());
        losing.grant(at(0s));
        losing.grant(Grant(attempts("0")));
        losing.grant(at(1s));
        QVERIFY2(losing.isFinished(), "there is nothing to take back");
    }

    void majority_thatCameTooLateIsTakenBack()
    {
        RedlockLock lock(key, Lease::of(1s).value(), 3);
        Stepper stepper(lock.acquire());
        stepper.grant(Grant(OwnerToken("t")));
        stepper.grant(at(0s));
        stepper.grant(Grant(attempts("+++")));
        stepper.grant(at(990ms)); // Within the lease, but not within the lease less the drift.
        QCOMPARE(asked(stepper).size(), 3);
        stepper.grant(Grant(answers("+++")));
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Usage);
    }

    void scripts_areTaughtToThoseServersThatDoNotKnowThem()
    {
        RedlockLock lock(key, lease, 3);
        Stepper stepper(lock.release(OwnerToken("t")));
        QCOMPARE(asked(stepper),
                 (QStringList {QStringLiteral("0EVALSHA"), QStringLiteral("1EVALSHA"), QStringLiteral("2EVALSHA")}));
        stepper.grant(Grant(answers("n+n")));
        QCOMPARE(asked(stepper), (QStringList {QStringLiteral("0EVAL"), QStringLiteral("2EVAL")}));
        stepper.grant(Grant(answers("-+")));
        QCOMPARE(stepper.takeResult().value(), ReleaseOutcome::Released);
    }

    void votes_decideTheRelease_data()
    {
        QTest::addColumn<QByteArray>("votes");
        QTest::addColumn<QString>("outcome");
        const auto row = [](const char *votes, const char *outcome) {
            QTest::addRow("%s", votes) << QByteArray(votes) << QString::fromLatin1(outcome);
        };
        row("+++", "released");
        row("++-", "released");
        row("++?", "released");
        row("+-x", "released"); // Held on two servers, of which one is down: the remaining one is no majority.
        row("+0-", "released");
        row("+00", "not-owner");
        row("000", "not-owner");
        row("0-x", "not-owner");
        row("---", "gone");
        row("--+", "gone"); // It had expired on the majority.
        row("+xx", "only 1 of 3 servers answered, fewer than the 2 that decide; cannot connect");
        row("+?x", "only 1 of 3 servers answered, fewer than the 2 that decide; no answer in time (unknown)");
    }
    void votes_decideTheRelease()
    {
        QFETCH(QByteArray, votes);
        RedlockLock lock(key, lease, static_cast<int>(votes.size()));
        Stepper stepper(lock.release(OwnerToken("t")));
        stepper.grant(Grant(answers(votes.constData())));
        const auto result = stepper.takeResult();
        const bool isUnknown = !result && base::leavesOutcomeUnknown(result.error().kind);
        QTEST(!result ? result.error().message() + (isUnknown ? QStringLiteral(" (unknown)") : QString())
              : *result == ReleaseOutcome::Released ? QStringLiteral("released")
              : *result == ReleaseOutcome::NotOwner ? QStringLiteral("not-owner")
                                                    : QStringLiteral("gone"),
              "outcome");
    }

    void votes_decideTheExtension_data()
    {
        QTest::addColumn<QByteArray>("votes");
        QTest::addColumn<int>("milliseconds");
        QTest::addColumn<QString>("outcome");
        const auto row = [](const char *votes, int milliseconds, const char *outcome) {
            QTest::addRow("%s after %d ms", votes, milliseconds)
                << QByteArray(votes) << milliseconds << QString::fromLatin1(outcome);
        };
        row("+++", 1, "extended");
        row("+-+", 1, "extended");
        row("+x+", 1, "extended");
        row("+--", 1, "gone");
        row("+0-", 1, "not-owner");
        row("++--", 1, "gone");
        row("+-x", 1, "gone");
        row("+xx", 1, "only 1 of 3 servers answered, fewer than the 2 that decide; cannot connect");
        row("+++", 987, "extended");
        row("+++", 988, "the lease of 1s is too short for a server 988ms away");
    }
    void votes_decideTheExtension()
    {
        QFETCH(QByteArray, votes);
        QFETCH(int, milliseconds);
        RedlockLock lock(key, lease, static_cast<int>(votes.size()));
        Stepper stepper(lock.extend(OwnerToken("t"), Lease::of(1s).value()));
        stepper.grant(at(0s));
        stepper.grant(Grant(answers(votes.constData())));
        stepper.grant(at(std::chrono::milliseconds(milliseconds)));
        const auto result = stepper.takeResult();
        QTEST(!result                                      ? result.error().message()
              : result->outcome == ExtendOutcome::Extended ? QStringLiteral("extended")
              : result->outcome == ExtendOutcome::NotOwner ? QStringLiteral("not-owner")
                                                           : QStringLiteral("gone"),
              "outcome");
    }

    void patience_isLittleOfTheLease()
    {
        QCOMPARE(RedlockLock::timeoutFor(Lease::of(10s).value()), 1000ms);
        QCOMPARE(RedlockLock::timeoutFor(Lease::of(1h).value()), 2000ms);
        QCOMPARE(RedlockLock::timeoutFor(Lease::of(10ms).value()), 50ms);
    }

    void minorityOfServers_mayBeLost_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("lost");
        QTest::addColumn<bool>("wins");
        for (const auto &[count, lost, wins] :
             {std::tuple(1, 0, true), std::tuple(2, 0, true), std::tuple(2, 1, false), std::tuple(3, 0, true),
              std::tuple(3, 1, true), std::tuple(3, 2, false), std::tuple(3, 3, false), std::tuple(4, 1, true),
              std::tuple(4, 2, false), std::tuple(5, 1, true), std::tuple(5, 2, true), std::tuple(5, 3, false)})
            QTest::addRow("%d of %d down", lost, count) << count << lost << wins;
    }
    void minorityOfServers_mayBeLost()
    {
        QFETCH(int, count);
        QFETCH(int, lost);
        QFETCH(bool, wins);
        startServers(count);
        for (int i = 0; i < lost; ++i)
            servers[static_cast<std::size_t>(i)].reset();
        BlockingDriver driver(endpoints);
        RedlockLock lock(key, lease, count);
        const auto acquired = driver.run(lock.acquire());
        if (!wins) {
            QVERIFY(!acquired);
            QCOMPARE(acquired.error().kind, ErrorKind::Unreachable);
            QVERIFY2(acquired.error().message().startsWith(
                         QStringLiteral("only %1 of %2 servers answered").arg(count - lost).arg(count)),
                     qPrintable(acquired.error().message()));
            QCOMPARE(holds(), 0);
            return;
        }
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY(acquired->isAcquired());
        QCOMPARE(holds(), count - lost);
        RedlockLock second(key, lease, count);
        QCOMPARE(driver.run(second.acquire())->outcome, AcquireOutcome::Busy);
        QCOMPARE(driver.run(lock.extend(acquired->token, Lease::of(90s).value()))->outcome, ExtendOutcome::Extended);
        QCOMPARE(driver.run(lock.release(acquired->token)).value(), ReleaseOutcome::Released);
        QCOMPARE(holds(), 0);
    }

    void lossWhileHolding_isSurvivedByTheRelease()
    {
        startServers(3);
        BlockingDriver driver(endpoints);
        RedlockLock lock(key, lease, 3);
        const auto acquired = driver.run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        servers[1].reset();
        QCOMPARE(driver.run(lock.extend(acquired->token, Lease::of(90s).value()))->outcome, ExtendOutcome::Extended);
        QCOMPARE(driver.run(lock.release(acquired->token)).value(), ReleaseOutcome::Released);
        QCOMPARE(holds(), 0);
    }

    void half_isNoMajority()
    {
        startServers(4);
        QVERIFY(server(0)({"SET", "k", "another's"}).isOk());
        QVERIFY(server(1)({"SET", "k", "another's"}).isOk());
        BlockingDriver driver(endpoints);
        RedlockLock lock(key, lease, 4);
        QCOMPARE(driver.run(lock.acquire())->outcome, AcquireOutcome::Busy);
        // The other client's half is unchanged, and this client's half was withdrawn.
        QVERIFY(server(0)({"GET", "k"}).isBulk("another's"));
        QVERIFY(server(1)({"GET", "k"}).isBulk("another's"));
        QCOMPARE(holds(), 2);
    }

    void stoppedServer_takesNothingFromTheOthers()
    {
        startServers(5);
        // With only the driver's own timeout, a server that does not reply would use up the lease and the attempt would
        // fail.
        BlockingDriver driver(endpoints, 60s);
        LATCHKEY_VERIFY_RESULT(driver.connect());
        signal(1, SIGSTOP);
        signal(3, SIGSTOP);
        RedlockLock lock(key, shorter, 5);
        const auto acquired = driver.run(lock.acquire());
        const auto again =
            driver.run(lock.extend(acquired ? acquired->token : OwnerToken(), shorter)); // Dials them again.
        signal(1, SIGCONT);
        signal(3, SIGCONT);
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY(acquired->isAcquired());
        LATCHKEY_VERIFY_RESULT(again);
        QCOMPARE(again->outcome, ExtendOutcome::Extended);

        // The stopped servers execute the received commands after they continue. The release then deletes the key there
        // as well.
        LATCHKEY_AWAIT(holds() == 5);
        QCOMPARE(driver.run(lock.release(acquired->token)).value(), ReleaseOutcome::Released);
        QCOMPARE(holds(), 0);
    }

    void stoppedMajority_leavesTheOutcomeUnknownAndNothingWithTheOthers()
    {
        startServers(3);
        BlockingDriver driver(endpoints, 60s);
        LATCHKEY_VERIFY_RESULT(driver.connect());
        signal(0, SIGSTOP);
        signal(1, SIGSTOP);
        RedlockLock lock(key, shorter, 3);
        const auto acquired = driver.run(lock.acquire());
        const bool isGivenBack = server(2)({"EXISTS", "k"}).isInteger(0);
        signal(0, SIGCONT);
        signal(1, SIGCONT);
        QVERIFY(!acquired);
        QCOMPARE(acquired.error().kind, ErrorKind::TimedOut);
        QVERIFY(isGivenBack);
        // The stopped servers received SET before it could be withdrawn. The key expires there with its lease.
        for (const int stopped : {0, 1}) {
            LATCHKEY_AWAIT(server(stopped)({"EXISTS", "k"}).isInteger(1));
            QVERIFY(server(stopped)({"PTTL", "k"}).toInteger() > 0);
        }
    }
};

LATCHKEY_TEST(TestRedlock)

} // namespace tst_redlock

#include "tst_redlock.moc"
