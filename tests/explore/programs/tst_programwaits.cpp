#include "core/explore/schedules/waiting.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <array>

namespace tst_programwaits {

using namespace latchkey;
using races::Verdict;
using resp::Command;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

namespace {

/// A model of tokenlist.py: the first client creates the token, and a client that waits for it can only die.
double tokensOnPaper(std::array<int, 2> at, bool isMade, int tokens, int crashes)
{
    constexpr int over = 6;
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const int now = at[i];
        if (now == over)
            continue;
        auto next = at;
        const auto to = [&](int place, int left) {
            next[i] = place;
            return tokensOnPaper(next, true, left, crashes);
        };
        if (now == 0) // SETNX
            sum += to(isMade ? 2 : 1, tokens);
        else if (now == 1 || now == 5) // RPUSH
            sum += to(now + 1, tokens + 1);
        else if (now == 2 && tokens > 0) // BLPOP
            sum += to(3, tokens - 1);
        else if (now > 2) // ECHO
            sum += to(now + 1, tokens);
        if (crashes > 0 && now > 0) {
            next[i] = over;
            sum += tokensOnPaper(next, isMade, tokens, crashes - 1);
        }
    }
    return sum > 0 ? sum : 1; // All clients are over or wait forever.
}

programs::Program tokenList(int crashes)
{
    programs::Program program = test::worker("tokenlist");
    program.limits.crashes = crashes;
    program.data = {"made", "tokens"};
    return program;
}

/// Steps of the story in which the worker leaves a key forever; empty if that never happens.
std::vector<ScheduleStep> stepsOf(const programs::Program &program)
{
    const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
    if (explored.error || !explored.results.front().counterexample)
        return {};
    return explored.results.front().counterexample->steps;
}

QStringList actionsOf(const std::vector<ScheduleStep> &steps)
{
    QStringList actions;
    for (const ScheduleStep &step : steps)
        actions += step.kind == ScheduleStep::Kind::Command ? step.client + u' ' + step.command.toText()
                                                            : QString::number(step.passed.count());
    return actions;
}

} // namespace

/// Tests programs that block in the server until an element arrives or their timeout ends.
class TestProgramWaits final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Two clients that hold one lock each, and retry the other's, with or without a pause.
    void locksInOppositeOrder_areALivelock_data()
    {
        QTest::addColumn<bool>("isLivelock");
        QTest::addRow("opposite") << true;
        QTest::addRow("opposite pausing") << true;
        QTest::addRow("leased") << false;
        QTest::addRow("same") << false;
    }
    void locksInOppositeOrder_areALivelock()
    {
        QFETCH(const bool, isLivelock);
        const auto explored =
            test::explore(test::worker("crossinglocks", {}, QByteArray(QTest::currentDataTag()).split(' ')),
                          {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.deadlock);
        QCOMPARE(explored.livelock.has_value(), isLivelock);
        QStringList repeated;
        for (const schedules::ScheduleStep &step :
             explored.livelock ? explored.livelock->steps : std::vector<schedules::ScheduleStep>()) {
            if (step.note.english().endsWith(u" repeats this for ever"))
                repeated += step.client + u' ' + step.command.toText();
        }
        repeated.sort();
        QCOMPARE(repeated.join(u'|'),
                 isLivelock ? QStringLiteral("A SET right token-of-A NX|B SET left token-of-B NX") : QString());
    }

    void schedules_areAsManyAsThereAre_data()
    {
        QTest::addColumn<int>("crashes");
        QTest::addColumn<int>("preemptions");
        QTest::addColumn<double>("known");
        for (const int crashes : {0, 1})
            QTest::addRow("%d crashes", crashes) << crashes << -1 << tokensOnPaper({0, 0}, false, 0, crashes);
        // If a client waits, a switch to the other one is no preemption. One client finishes first, and then the other
        // one.
        QTest::addRow("no turn is taken away") << 0 << 0 << 2.0;
    }
    void schedules_areAsManyAsThereAre()
    {
        QFETCH(const int, crashes);
        QFETCH(const int, preemptions);
        QFETCH(const double, known);
        programs::Program program = tokenList(crashes);
        if (preemptions >= 0)
            program.limits.preemptions = preemptions;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QVERIFY(explored.results.front().complete);
        QCOMPARE(explored.results.front().schedules, known);
    }

    /// A client that waits yields its turn without a preemption: the other client finishes, and then the waiting one.
    void blockedClient_doesNotBlockOthers()
    {
        programs::Program program = test::worker("impatient");
        program.data = {"first"};
        program.limits.timerSteps = 0;
        program.limits.preemptions = 0;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().states, std::size_t(1 + 2 * (2 + 3 + 1)));
    }

    void crashWithTheElement_leavesTheNextClientWaitingForever()
    {
        const auto explored =
            test::explore(tokenList(1), {QStringLiteral("mutual-exclusion"), QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.results.back().verdict, Verdict::Broken);
        const ScheduleStep &last = explored.results.back().counterexample->steps.back();
        QCOMPARE(last.command.toText(), QStringLiteral("BLPOP tokens 0"));
        QVERIFY(last.reply.isNil());
        QCOMPARE(last.note.english(), QStringLiteral("C waits for ever"));
        QVERIFY(explored.deadlock);
        QCOMPARE(explored.deadlock->steps.back().note.english(), QStringLiteral("B waits for ever"));
    }
    /// A client that dies with a token makes another wait in fewer moves, but no client has to die.
    void deadlockWithoutACrash_isShownFirst()
    {
        programs::Program program = test::worker("crossing");
        program.data = {"clients", "left", "right"};
        program.limits.crashes = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.deadlock);
        QStringList waiting;
        for (const ScheduleStep &step : explored.deadlock->steps) {
            QVERIFY(step.kind != ScheduleStep::Kind::Crash);
            if (step.note.english().endsWith(u" waits for ever"))
                waiting += step.note.english();
        }
        QCOMPARE(waiting, (QStringList {QStringLiteral("A waits for ever"), QStringLiteral("B waits for ever")}));
    }
    void withoutCrashes_theElementIsReturned()
    {
        const auto explored = test::explore(tokenList(0), {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.deadlock);
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
    }

    void crashWithTheElement_makesTheNextClientTimeOut()
    {
        programs::Program program = tokenList(1);
        if (program.clockLibrary.isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        program.words += "7";
        const auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        const auto &steps = explored.results.front().counterexample->steps;
        QCOMPARE(steps.at(steps.size() - 2).passed, 7001ms);
        QCOMPARE(steps.back().note.english(), QStringLiteral("C: ends"));
    }
    /// Without a virtual clock, the behaviour after the timeout is unknown, so there is no verdict.
    void withoutAClock_nothingIsReportedAboutTimeouts()
    {
        programs::Program program = tokenList(1);
        program.clockLibrary.clear();
        program.words += "7";
        auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.isClockControlled);
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        program.words.back() = "0";
        explored = test::explore(program, {QStringLiteral("crash-release")});
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
    }

    /// A client that waits for a signal with a timeout gets the lock even after the holder has died.
    void pollingClient_isNotBlocked()
    {
        programs::Program program = test::worker("signalled");
        program.limits.crashes = 1;
        const auto explored =
            test::explore(program, {QStringLiteral("mutual-exclusion"), QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        for (const races::PromiseResult &result : explored.results)
            QCOMPARE(result.verdict, Verdict::Holds);
    }

    void waitsAreOver_whenTheirTimeIsUp()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        programs::Program program = test::worker("impatient");
        program.data = {"first", "jobs"};
        program.limits.expirations = 1;
        QCOMPARE(actionsOf(stepsOf(program)),
                 QStringList({QStringLiteral("A SET busy 1 PX 3000"), QStringLiteral("A SETNX first 1"),
                              QStringLiteral("3001"), QStringLiteral("2000"), QStringLiteral("A BLPOP jobs 5"),
                              QStringLiteral("A SET in-vain 1")}));
        program.limits.timerSteps = 0; // The other client then delivers in time.
        QVERIFY(stepsOf(program).empty());
    }

    /// The client has begun although it has sent nothing else.
    void clientThatBlocksFirst_reachesItsTimeout()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        programs::Program program = test::worker("waitingfirst");
        QCOMPARE(actionsOf(stepsOf(program)), QStringList({QStringLiteral("5001"), QStringLiteral("A BLPOP jobs 5"),
                                                           QStringLiteral("A SET in-vain 1")}));
        program.limits.timerSteps = 0;
        QVERIFY(stepsOf(program).empty());
    }

    /// The server executes the command although the client has closed the connection. But the client does not wait any
    /// more.
    void disconnectedClient_receivesNoElement()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        programs::Program program = test::worker("hangingup");
        program.data = {"first", "jobs"};
        QCOMPARE(actionsOf(stepsOf(program)),
                 QStringList({QStringLiteral("A SETNX first 1"), QStringLiteral("2001"), QStringLiteral("A LLEN jobs"),
                              QStringLiteral("A SET hung-up 0")}));
    }

    /// A wait has its full length even if time passes in several steps, for another thread.
    void waitBesideOthers_isAsLongAsItIs()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        const auto steps = stepsOf(test::worker("listening"));
        QCOMPARE(actionsOf(steps).mid(0, 4),
                 QStringList({QStringLiteral("6001"), QStringLiteral("A SET slept 1 PX 100000"), QStringLiteral("4000"),
                              QStringLiteral("A BLPOP words 10")}));
        QCOMPARE(steps.at(2).note.english(), QStringLiteral("3999 ms go by while BLPOP words 10 waits in the server"));
    }

    void threeOfThem_areNoDifferent()
    {
        const auto explored = test::explore(tokenList(1), {QStringLiteral("crash-release")}, 3);
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.back().note.english(),
                 QStringLiteral("D waits for ever"));
    }

    void everyCommand_isAnsweredAsByTheServer()
    {
        programs::Program program = test::worker("everywait");
        program.data = {"stream", "some", "to"};
        program.limits.timerSteps = 40;
        const auto steps = stepsOf(program);
        QVERIFY(!steps.empty());
        QCOMPARE(steps.back().command.toText(), QStringLiteral("SET done 1"));
    }

    void copies_areThoseOfEachKind()
    {
        const auto isTimeoutReply = [](const Command &command, const resp::Reply &reply) {
            return schedules::waitingOf(command)->isTimeoutReply(reply);
        };
        const auto counts = [](qint64 local, qint64 replicas) {
            return resp::Reply::array({resp::Reply::integer(local), resp::Reply::integer(replicas)});
        };
        QVERIFY(isTimeoutReply({"WAIT", "1", "0"}, resp::Reply::integer(0)));
        QVERIFY(!isTimeoutReply({"WAIT", "0", "0"}, resp::Reply::integer(0)));
        QVERIFY(!isTimeoutReply({"WAIT", "1", "0"}, resp::Reply::integer(2)));
        QVERIFY(isTimeoutReply({"WAITAOF", "0", "1", "0"}, counts(1, 0)));
        QVERIFY(!isTimeoutReply({"WAITAOF", "1", "0", "0"}, counts(1, 0)));
        QVERIFY(isTimeoutReply({"WAITAOF", "1", "1", "0"}, counts(0, 1)));
        QVERIFY(!isTimeoutReply({"WAITAOF", "1", "0", "0"}, resp::Reply::error("ERR no append-only file")));
        QVERIFY(isTimeoutReply({"BLPOP", "k", "0"}, resp::Reply::nil()));
        QVERIFY(!schedules::waitingOf(schedules::withoutWaiting({"BLPOP", "k", "0"})));
    }

    void timeouts_areRead_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<int>("milliseconds"); // -1: not blocking; 0: no timeout.
        const auto row = [](const char *words, int milliseconds) {
            QTest::addRow("%s", words) << QByteArray(words) << milliseconds;
        };
        row("blpop a b 1.5", 1500);
        row("BRPOP a 0", 0);
        row("BLPOP 3", 3000); // The server refuses it.
        row("BLPOP", -1);
        row("BLPOP a nonsense", 0);
        row("BLPOP a 0.0001", 1);
        row("BLMPOP 2 1 a LEFT", 2000);
        row("BZMPOP 2 1 a MIN", 2000);
        row("WAIT 1 250", 250);
        row("WAITAOF 0 1 250", 250);
        row("XREAD COUNT 2 BLOCK 20 STREAMS s 0", 20);
        row("XREAD COUNT 2 STREAMS BLOCK 0", -1);
        row("XREADGROUP GROUP BLOCK 7 STREAMS s >", -1); // A group named BLOCK.
        row("XREADGROUP GROUP g c NOACK BLOCK 0 STREAMS s >", 0);
        row("LPOP a", -1);
    }
    void timeouts_areRead()
    {
        QFETCH(const QByteArray, words);
        QFETCH(const int, milliseconds);
        Command command;
        for (const QByteArray &word : words.split(' '))
            command << word;
        const auto waiting = schedules::waitingOf(command);
        QCOMPARE(waiting.has_value(), milliseconds >= 0);
        if (waiting)
            QCOMPARE(waiting->timeout.value_or(0ms), std::chrono::milliseconds(milliseconds));
    }
};

LATCHKEY_TEST(TestProgramWaits)

} // namespace tst_programwaits

#include "tst_programwaits.moc"
