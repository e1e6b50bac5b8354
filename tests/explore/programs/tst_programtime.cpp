#include "core/explore/programs/timesofday.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/await.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_programtime {

using namespace latchkey;
using races::Verdict;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

/// Tests programs with a virtual clock.
class TestProgramTime final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
    }

    /// Verdicts of one exploration on several promises, such as `lost-update=broken`.
    void promises_areBrokenOrHold_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("verdicts");
        QTest::addColumn<int>("passes");
        const auto row = [](const char *name, const char *verdicts, int passes) {
            QTest::addRow("%s, %d passes", name, passes)
                << QString::fromLatin1(name) << QString::fromLatin1(verdicts) << passes;
        };
        row("getset", "owner-only-release=broken", 1);
        // The next client begins a day later, when the deadline has passed.
        row("getset", "owner-only-release=holds crash-release=holds", 0);
        row("semaphore", "mutual-exclusion=broken", 0);
        row("limiter", "no-immortal-key=broken", 0);
        row("stampede", "owner-only-release=broken mutual-exclusion=holds", 1);
        row("building", "mutual-exclusion=holds owner-only-release=holds", 1);
        row("awaitingsignal", "mutual-exclusion=holds crash-release=holds", 1);
        row("waiting", "mutual-exclusion=holds owner-only-release=holds crash-release=holds", 1);
    }
    void promises_areBrokenOrHold()
    {
        QFETCH(const QString, name);
        QFETCH(const QString, verdicts);
        QFETCH(const int, passes);
        programs::Program program = test::worker(name.toLatin1().constData());
        program.limits.crashes = 1;
        program.limits.expirations = passes;
        const auto explored = test::explore(program, test::promisesIn(verdicts));
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.isClockControlled);
        QCOMPARE(test::verdictsOf(explored, test::promisesIn(verdicts)), verdicts);
    }

    /// The lock of redis-py promises nothing to a client that outlasts its lease.
    void redisPysLock_holdsUnlessAHolderOutstaysIt()
    {
        if (!test::redisPy().absence.isEmpty())
            QSKIP(qPrintable(test::redisPy().absence));
        for (const auto &[passes, verdict] : {std::pair(0, Verdict::Holds), std::pair(1, Verdict::Broken)}) {
            programs::Program program = test::worker("redispywaiting", "order:1");
            program.limits.expirations = passes;
            const auto explored = test::explore(program, {QStringLiteral("lost-update")});
            QVERIFY2(!explored.error, qPrintable(explored.errorText()));
            QCOMPARE(explored.results.front().verdict, verdict);
        }
    }

    /// The holder's own pause is longer than its lease, so no limit of expirations excludes the end of the lease.
    void leaseShorterThanAPause_isNotAMatterOfTheSchedule()
    {
        programs::Program program = test::worker("tooshort", "order:1");
        program.limits.expirations = 0;
        const QString verdicts = QStringLiteral("mutual-exclusion=broken lost-update=broken owner-only-release=holds");
        const auto explored = test::explore(program, test::promisesIn(verdicts));
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(test::verdictsOf(explored, test::promisesIn(verdicts)), verdicts);
        const auto &steps = explored.results.front().counterexample.value().steps;
        const auto lapse =
            std::ranges::find(steps, schedules::ScheduleStep::Kind::Lapse, &schedules::ScheduleStep::kind);
        QVERIFY(lapse != steps.end());
        QCOMPARE(lapse->note.english(), QStringLiteral("the lifetime of lock ends while A sleeps"));
    }

    /// A sleep of one hour takes no real time, and one hour passes for the server, exact to the millisecond.
    void waits_areTimeThatGoesBy()
    {
        programs::Program program = test::worker("patient");
        const auto story = savedScenarioOf(program);
        QVERIFY(story);
        QCOMPARE(story->steps.at(2).kind, ScheduleStep::Kind::Wait);
        QCOMPARE(story->steps.at(2).passed, 3'600'001ms); // A wait is over once the clock shows a later time.
        const auto told = std::ranges::find_if(
            story->steps, [](const ScheduleStep &step) { return step.command.toText() == u"PTTL other"; });
        QVERIFY(told != story->steps.end());
        QVERIFY2(told->reply.isInteger(7'200'000 - 3'600'001), qPrintable(told->reply.toText()));

        program.limits.timerSteps = 0; // Without timers, the wait never ends.
        QVERIFY(!savedScenarioOf(program));
    }

    /// The expiry of a field is a moment like that of a key, and the rest of the hash remains.
    void fieldsThatEnd_areMoments()
    {
        if (!test::hasHsetex())
            QSKIP("this server has no lifetimes of fields (Redis 8.0, Valkey 9.0)");
        programs::Program program = test::worker("fieldlock");
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion"),
                                                      QStringLiteral("crash-release"), QStringLiteral("lost-update")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        for (const races::PromiseResult &result : explored.results)
            QVERIFY2(result.verdict != Verdict::Broken, qPrintable(result.promise));
        const auto broken = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!broken.error, qPrintable(broken.errorText()));
        QCOMPARE(broken.results.front().verdict, Verdict::Broken);
        const auto &steps = broken.results.front().counterexample->steps;
        const auto end = std::ranges::find_if(steps, [](const ScheduleStep &step) {
            return step.note.english().endsWith(QStringLiteral("the lifetime of the field order of locks ends"));
        });
        QVERIFY(end != steps.end());
        QCOMPARE(end->passed, 10'001ms);
        QCOMPARE(steps.back().command.toText(), QStringLiteral("HDEL locks order")); // The client that is too late.
    }

    void nextClient_comesADayLater()
    {
        programs::Program program = test::worker("setnxexpire");
        program.limits.crashes = 1;
        const auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        const auto &steps = explored.results.front().counterexample->steps;
        QCOMPARE(steps.size(), 6U); // SETNX, a crash, a day, and three failed tries.
        QCOMPARE(steps.at(2).kind, ScheduleStep::Kind::Wait);
        QCOMPARE(steps.at(2).passed, 24h);
        QCOMPARE(steps.at(2).toText(1).english(), QStringLiteral("-  (time passes)    — a day goes by"));
        QCOMPARE(steps.at(3).client, QStringLiteral("C"));
    }

    /// Clients that send times are distinguished, because their clocks differ.
    void clientsOwnTimes_areDistinguished()
    {
        programs::Program program = test::worker("getset");
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QSet<QByteArray> deadlines;
        for (const ScheduleStep &step : explored.results.front().counterexample->steps) {
            if (step.command.name() == "SETNX")
                deadlines += step.command.words().back();
        }
        QCOMPARE(deadlines.size(), 2);
        // 2026-01-01, or a day later: the client that replaces an ended deadline begins after it.
        for (const QByteArray &deadline : deadlines)
            QVERIFY2(deadline.startsWith("17672256") || deadline.startsWith("17673120"), deadline.constData());
    }

    /// The sent times are detected during the search, which then restarts.
    void timesThatAreSentLater_areDistinguishedAsWell()
    {
        const auto explored = test::explore(
            test::worker("latertimes"), {QStringLiteral("owner-only-release"), QStringLiteral("no-immortal-key")}, 3);
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.size(), 2U);
        QCOMPARE(explored.results.back().verdict, Verdict::Broken);
        const auto &steps = explored.results.back().counterexample->steps;
        const auto sent = std::ranges::find_if(steps, [](const ScheduleStep &step) {
            return step.command.words().size() == 3 && step.command.words()[1] == "seen-at";
        });
        QVERIFY(sent != steps.end());
        QVERIFY2(sent->command.words()[2].startsWith("1767225600.0"), sent->command.words()[2].constData());
    }

    /// The worker has a thread that wakes up every second. Which client is faster depends on the machine.
    void threadsThatWait_makeOneTreeEveryTime()
    {
        programs::Program program = test::worker("watchdog");
        program.limits.timerSteps = 1;
        program.limits.crashes = 1;
        std::vector<std::pair<double, std::size_t>> trees;
        for (int i = 0; i < 3; ++i) {
            const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
            QVERIFY2(!explored.error, qPrintable(explored.errorText()));
            QVERIFY(explored.results.front().complete);
            trees.emplace_back(explored.results.front().schedules, explored.results.front().states);
        }
        QVERIFY(trees.front().second > 50);
        QCOMPARE(trees, (std::vector(3, trees.front())));
    }

    /// After a crash, only the next client waits for the lock. A client that has never begun does not, and the day
    /// before is a fault, which belongs to no client.
    void waitsAfterACrash_areThoseOfTheNextClient()
    {
        programs::Program program = test::worker("polling");
        program.limits = {1, 0, 0, 0, {}};
        const auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        int waits = 0;
        for (const ScheduleStep &step : explored.results.front().counterexample->steps) {
            if (step.kind != ScheduleStep::Kind::Wait)
                continue;
            QCOMPARE(step.client, step.passed == 24h ? QString() : QStringLiteral("C"));
            ++waits;
        }
        QCOMPARE(waits, 6); // A day, and one second five times.
    }

    /// Two threads that wake up together take the connections of a pool in random order. The observed behaviour does
    /// not depend on it.
    void poolOfConnections_isNoMatterOfChance()
    {
        programs::Program program = test::worker("pooled");
        program.limits = {1, 0, 0, 1, {}};
        std::vector<double> schedules;
        for (int i = 0; i < 2; ++i) {
            const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
            QVERIFY2(!explored.error, qPrintable(explored.errorText()));
            QCOMPARE(explored.results.front().verdict, Verdict::Holds);
            QVERIFY(explored.results.front().complete);
            schedules.push_back(explored.results.front().schedules);
        }
        QCOMPARE(schedules.back(), schedules.front());
    }

    /// Commands that differ only in long words have one order too.
    void threadsWithLongNames_haveOneOrder()
    {
        programs::Program program = test::worker("sidebyside");
        for (int i = 0; i < 3; ++i) { // The threads arrive in either order.
            const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
            QVERIFY2(!explored.error, qPrintable(explored.errorText()));
            QCOMPARE(explored.results.front().verdict, Verdict::Holds);
            QCOMPARE(explored.results.front().schedules, 6.0); // Two pairs of commands, in any order.
        }
    }

    /// A thread that extends the lock while the main thread waits for its reply is no livelock.
    void watchdogBesideAnOpenCommand_isNoLivelock()
    {
        programs::Program program = test::worker("watchdog");
        program.limits = {0, 0, 0, 6, {}};
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")}, 1);
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.livelockRepetitions);
    }

    /// A document that contains a time keeps its form, so that a script in the server can read it.
    void timeInADocument_isNoToken_data()
    {
        QTest::addColumn<QByteArray>("time");
        for (const char *time : {"seconds", "whole", "since", "date", "zone"})
            QTest::newRow(time) << QByteArray(time);
    }
    void timeInADocument_isNoToken()
    {
        QFETCH(const QByteArray, time);
        programs::Program program = test::worker("jsonscript", {}, {time});
        program.limits = {1, 1, 0, 1, {}};
        const auto explored =
            test::explore(program, {QStringLiteral("owner-only-release"), QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.failedEnds.empty());
        for (const races::PromiseResult &result : explored.results) {
            QCOMPARE(result.verdict, Verdict::Holds);
            QVERIFY(result.complete);
        }
    }

    /// If a program does not use its clock, the moment of passing time has no effect. This is known without new
    /// processes.
    void programWithoutClockReads_isNotObservedAgain()
    {
        programs::Program program = test::worker("getdel");
        program.data = {"lock"};
        const auto without = test::explore(program, {QStringLiteral("no-immortal-key")});
        program.limits.expirations = 3;
        const auto with = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!with.error, qPrintable(with.errorText()));
        QVERIFY(with.results.front().states > 3 * without.results.front().states);
        QVERIFY2(with.starts < 2 * without.starts + 10, qPrintable(QString::number(with.starts)));
    }

    /// A watchdog has a timer at each step. Clients that begin later need no processes of their own.
    void laterBegin_needsNoNewProcesses()
    {
        programs::Program program = test::worker("watchdog");
        program.limits = {1, 1, 0, 1, {}};
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QVERIFY2(explored.starts < 80, qPrintable(QString::number(explored.starts)));
    }

    /// The behaviour of a process that begins at another time of day is not that of the first.
    void programThatComparesTimesOfDay_isObservedForEachStartTime_data()
    {
        QTest::addColumn<double>("schedules"); // Verified by observing each process that begins later.
        QTest::addRow("skewed") << 900.0;
        QTest::addRow("fullminute") << 1812.0;
    }
    void programThatComparesTimesOfDay_isObservedForEachStartTime()
    {
        QFETCH(double, schedules);
        programs::Program program = test::worker(QTest::currentDataTag());
        program.limits = {1, 1, 0, 2, {}};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.results.front().schedules, schedules);
    }

    void timesOfDay_areRecognised()
    {
        using resp::Reply;
        for (const Reply &time : {Reply::integer(1767225605), Reply::integer(1767225605123),
                                  Reply::bulk("1767225605.5"), Reply::bulk("{\"until\": 1767225605123456}"),
                                  Reply::array({Reply::bulk("1767225605"), Reply::bulk("123")})})
            QVERIFY2(programs::containsTimeOfDay(time), qPrintable(time.toText()));
        for (const Reply &other : {Reply::integer(5000), Reply::nil(), Reply::bulk("0123456789"), Reply::status("OK"),
                                   Reply::bulk("176722560"), Reply::integer(-1)})
            QVERIFY2(!programs::containsTimeOfDay(other), qPrintable(other.toText()));
        for (const char *word :
             {"1767225605", "job-1767225605123", "2026-01-01T00:00:07", "{\"at\": \"2025-12-31 23:00\"}"})
            QVERIFY2(programs::containsTimeOfDay(QByteArray(word)), word);
        for (const char *word : {"1234567890", "2025-06-01", "6fa459ea-ee8a-3ca4-894e-db77e160355e"})
            QVERIFY2(!programs::containsTimeOfDay(QByteArray(word)), word);
    }

    /// The search needs the oldest processes first.
    void oldestProcesses_areKept()
    {
        const programs::Program program = test::worker("setnxexpire");
        programs::ProcessPool processes(program, programs::ProcessPool::Clock());
        LATCHKEY_VERIFY_RESULT(processes.open());
        for (programs::TreeNodeId node = 0; node <= programs::ProcessPool::maxKept(1); ++node) {
            auto process = processes.start(false, 0ms);
            QVERIFY(process);
            processes.keep(node, std::move(*process));
        }
        QVERIFY(processes.takeFrom(0, false) != nullptr);
        QVERIFY(processes.takeFrom(programs::ProcessPool::maxKept(1), false) == nullptr);
    }

    void uncontrolledClock_isReported()
    {
        programs::Program program = test::worker("getdel");
        program.words = QList<QByteArray> {"env", "-u", "LD_PRELOAD"} + program.words;
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.isClockControlled);
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QVERIFY(!test::explore(test::worker("alarmed"), {QStringLiteral("no-immortal-key")}).isClockControlled);
    }
    void laterUseOfAnotherClock_isReported()
    {
        const auto explored =
            test::explore(test::worker("alarmed", {}, {"later"}), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.isClockControlled);
        QVERIFY(explored.hasOtherClocks);
        QVERIFY(!test::explore(test::worker("getdel"), {QStringLiteral("no-immortal-key")}).hasOtherClocks);
    }

private:
    /// The counterexample in which the note remains; empty if that never happens.
    static std::optional<schedules::RecordedSchedule> savedScenarioOf(const programs::Program &program)
    {
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        if (explored.error)
            qFatal("%s", qPrintable(explored.errorText()));
        return explored.results.front().counterexample;
    }
};

LATCHKEY_TEST(TestProgramTime)

} // namespace tst_programtime

#include "tst_programtime.moc"
