#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_programverdicts {

using namespace latchkey;
using races::Verdict;

/// Tests of verdicts on everyday programs, each with a reason for which it once had a wrong verdict.
class TestProgramVerdicts final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void program_getsItsVerdict_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<bool>("holds");
        const auto row = [](const char *program, const char *promise, bool holds) {
            QTest::addRow("%s: %s", program, promise) << QByteArray(program) << QString::fromLatin1(promise) << holds;
        };
        // More retries than the limit of timer steps.
        row("enters_after_retries", "mutual-exclusion", false);
        row("stops_after_retries", "mutual-exclusion", true);
        // Two processes wait for different times.
        row("retries_at_random_times", "owner-only-release", true);
        row("retries_at_random_times", "crash-release", true);
        row("waits_in_steps", "mutual-exclusion", false);
        row("waits_in_server", "mutual-exclusion", false);
        // Retries without a sleep that the clock ends.
        row("waits_busily", "mutual-exclusion", false);
        row("waits_busily_for_an_odd_time", "mutual-exclusion", false);
        row("gives_up_busy_wait", "mutual-exclusion", true);
        row("gives_up_busy_wait", "owner-only-release", true);
        row("reads_in_busy_wait", "mutual-exclusion", false);
        // Timers of the system: timerfd, timer_create() and alarm().
        row("waits_for_ticks", "mutual-exclusion", false);
        row("works_with_time_limit", "mutual-exclusion", false);
        row("stops_at_time_limit", "mutual-exclusion", true);
        row("gives_up_at_alarm", "mutual-exclusion", true);
        row("enters_at_alarm", "mutual-exclusion", false);
        row("marks_in_transaction", "mutual-exclusion", false);
        // The next client enters the second section, but never again the first.
        row("two_locks", "crash-release", false);
        // One id, with and without a prefix.
        row("prefixed_id", "no-immortal-key", true);
        row("steals_from_the_living", "mutual-exclusion", false);
        row("connection_id", "owner-only-release", true);
        row("registers_first", "owner-only-release", true);
        row("minute_in_key", "no-immortal-key", true);
        row("reads_in_script", "lost-update", false);
        row("searches", "lost-update", false);
        row("creates_once", "lost-update", true);
        // A client that waits in the server again and again, and reads no clock.
        row("polls_in_server", "crash-release", false);
        // Critical sections with the name of a job: one of the client's own, and one that another client has sent.
        row("works_on_its_own_job", "mutual-exclusion", true);
        row("works_on_the_first_job", "mutual-exclusion", false);
        // Function libraries are part of the state of a server.
        row("loads_library_once", "mutual-exclusion", true);
        row("loads_library_if_absent", "mutual-exclusion", false);
        // The reply of a script that only compares does not replace an earlier read.
        row("overwrites_after_comparison", "lost-update", false);
        row("repeats_comparison", "lost-update", true);
        // Two clients that start in the same second have the same token.
        row("seeds_with_the_second", "owner-only-release", false);
        // IDs of processes and threads are tokens.
        row("own_process", "owner-only-release", true);
        row("own_process_of_child", "owner-only-release", true);
        row("own_process_checked_first", "owner-only-release", false);
        row("own_thread", "owner-only-release", true);
        row("own_address", "owner-only-release", true);
        // Each field of a hash can be a lock.
        row("locks_in_one_hash", "owner-only-release", true);
        row("locks_in_one_hash_released_by_all", "owner-only-release", false);
        row("lock_of_two_fields", "owner-only-release", false);
        // So can each member of a set or a sorted set. A member whose score is a past time is a lease that has ended.
        row("semaphore_of_two", "owner-only-release", true);
        row("semaphore_of_two_oldest_released", "owner-only-release", false);
        row("semaphore_with_leases", "owner-only-release", true);
        row("semaphore_with_leases_cleared", "owner-only-release", false);
        row("set_of_locks", "owner-only-release", true);
        row("set_of_locks_released_by_all", "owner-only-release", false);
        // A list of jobs is no lock, although it contains tokens.
        row("works_on_listed_job", "owner-only-release", true);
        // A story has one connection of each client, on which the watch would have an effect.
        row("watches_on_another_connection", "lost-update", false);
    }
    void program_getsItsVerdict()
    {
        QFETCH(const QByteArray, program);
        QFETCH(const QString, promise);
        QFETCH(const bool, holds);
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        const QByteArray resource = promise == QLatin1String("lost-update") ? "order:1" : "";
        programs::Program explored = test::worker("everyday", resource, {program});
        explored.limits.crashes = promise == QLatin1String("crash-release") ? 1 : 0;
        explored.limits.expirations = 1;
        const auto result = test::explore(explored, {promise});
        QVERIFY2(!result.error, qPrintable(result.errorText()));
        QCOMPARE(result.results.front().verdict, holds ? Verdict::Holds : Verdict::Broken);
        QVERIFY(result.results.front().complete);
    }

    /// A living client relies on a lease that it has set, also if its key is the resource.
    void leaseOfResource_isReliedOn()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        programs::Program program = test::worker("everyday", "lock", {"registers_first"});
        program.limits.crashes = 0;
        program.limits.expirations = 1;
        const auto result = test::explore(program, {QStringLiteral("mutual-exclusion")});
        QVERIFY2(!result.error, qPrintable(result.errorText()));
        QCOMPARE(result.results.front().verdict, Verdict::Holds);
        QVERIFY(result.results.front().complete);
    }

    /// A client that does something else after many retries is not fully explored. One that ends then is.
    void lateEndOfRetries_isReported_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<bool>("isReported");
        QTest::addRow("continues") << QByteArray("continues_after_many_retries") << true;
        QTest::addRow("ends") << QByteArray("ends_after_many_retries") << false;
    }
    void lateEndOfRetries_isReported()
    {
        QFETCH(const QByteArray, program);
        QFETCH(const bool, isReported);
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        programs::Program explored = test::worker("everyday", "", {program});
        explored.limits.crashes = 1;
        const auto result = test::explore(explored, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!result.error, qPrintable(result.errorText()));
        QCOMPARE(result.lateRetries.has_value(), isReported);
        QCOMPARE(result.results.front().complete, !isReported);
    }
};

LATCHKEY_TEST(TestProgramVerdicts)

} // namespace tst_programverdicts

#include "tst_programverdicts.moc"
