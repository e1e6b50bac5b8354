#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_programfindings {

using namespace latchkey;
using races::Verdict;

/// Tests which races are found in programs, and which are not.
class TestProgramFindings final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Verdicts of one exploration on several promises, such as `lost-update=broken`.
    void promises_areBrokenOrHold_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("verdicts");
        QTest::addColumn<int>("crashes");
        QTest::addColumn<int>("passes");
        QTest::addColumn<int>("losses");
        const auto row = [](const char *name, const char *verdicts, int crashes, int passes, int losses) {
            QTest::addRow("%s, %d crashes, %d passes, %d losses", name, crashes, passes, losses)
                << QString::fromLatin1(name) << QString::fromLatin1(verdicts) << crashes << passes << losses;
        };
        row("setnxexpire", "no-immortal-key=broken crash-release=broken", 1, 0, 0);
        row("setnxexpire", "no-immortal-key=holds", 0, 1, 0);
        row("getdel", "crash-release=holds owner-only-release=holds", 1, 0, 0);
        row("getdel", "mutual-exclusion=holds lost-update=not-applicable", 1, 1, 0);
        row("readwrite", "lost-update=broken mutual-exclusion=not-applicable", 0, 0, 0);
        row("watchmulti", "lost-update=holds", 1, 1, 0);
        row("incr", "lost-update=holds", 1, 0, 0);
        row("retrying", "no-immortal-key=broken", 0, 0, 1);
        row("retrying", "no-immortal-key=holds", 0, 1, 0);
        row("spinning", "mutual-exclusion=holds", 1, 1, 0);
        row("nested", "owner-only-release=broken mutual-exclusion=holds", 0, 0, 0);
        row("handover", "owner-only-release=broken", 0, 0, 0);
        row("twoconversations", "crash-release=holds", 1, 0, 0);
        row("jsontoken", "no-immortal-key=broken", 0, 0, 0);
        row("jsonscript", "owner-only-release=holds no-immortal-key=holds crash-release=holds", 1, 1, 0);
        row("onlyleaving", "mutual-exclusion=not-applicable", 0, 0, 0);
    }
    void promises_areBrokenOrHold()
    {
        QFETCH(const QString, name);
        QFETCH(const QString, verdicts);
        QFETCH(const int, crashes);
        QFETCH(const int, passes);
        QFETCH(const int, losses);
        const bool hasResource = name == u"readwrite" || name == u"watchmulti" || name == u"incr";
        programs::Program program = test::worker(name.toLatin1().constData(), hasResource ? "order:1" : "");
        program.limits = {crashes, passes, losses, 3, {}};
        const auto explored = test::explore(program, test::promisesIn(verdicts));
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(test::verdictsOf(explored, test::promisesIn(verdicts)), verdicts);
        for (const races::PromiseResult &result : explored.results)
            QCOMPARE(result.counterexample.has_value(), result.verdict == Verdict::Broken);
    }

    void promiseThatDoesNotApply_isAnsweredBeforeASearchIsStopped()
    {
        races::Finder::Options options;
        options.promises = {QStringLiteral("mutual-exclusion"), QStringLiteral("lost-update")};
        auto created = races::Finder::create(programs::subjectFor(test::worker("getdel"), 2), options);
        QVERIFY(created);
        races::Finder &finder = **created;
        while (finder.states() == 0)
            QVERIFY(finder.step(QDeadlineTimer(1)));
        finder.cancel();
        const auto result =
            std::ranges::find(finder.results(), QStringLiteral("lost-update"), &races::PromiseResult::promise);
        QVERIFY(result != finder.results().end());
        QCOMPARE(result->verdict, Verdict::NotApplicable);
    }

    /// A new process that finds the work done, and does not try to acquire, shows nothing about the lock.
    void workThatIsDone_isNoLockThatStays_data()
    {
        QTest::addColumn<bool>("isBroken");
        QTest::addRow("expiring") << false;
        QTest::addRow("twice") << false;
        QTest::addRow("counting") << false;
        QTest::addRow("checked") << true;
        QTest::addRow("failing") << true;
    }
    void workThatIsDone_isNoLockThatStays()
    {
        QFETCH(const bool, isBroken);
        programs::Program program = test::worker("onlyonce", {}, {QTest::currentDataTag()});
        program.limits.crashes = 1;
        const auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, isBroken ? Verdict::Broken : Verdict::Holds);
    }

    /// The story contains no random tokens, so it is equal in every run.
    void repeatedSearch_givesTheSameStory()
    {
        programs::Program program = test::worker("getdel");
        program.limits = {0, 1, 0, 3, {}};
        std::vector<schedules::RecordedSchedule> told;
        for (int i = 0; i < 5; ++i) {
            const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
            QVERIFY2(!explored.error, qPrintable(explored.errorText()));
            QCOMPARE(explored.results.front().verdict, Verdict::Broken);
            QVERIFY(explored.results.front().complete);
            told.push_back(explored.results.front().counterexample.value());
        }
        for (const schedules::RecordedSchedule &story : told)
            QVERIFY(story == told.front());
        QCOMPARE(told.front().steps.front().command.toText(), QStringLiteral("SET lock token-of-A NX PX 10000"));
    }

    /// The part of a key's name that all processes have in common is shown, and --lock can name it.
    void keyWithAnOwnPart_isReportedWithTheCommonPart()
    {
        programs::Program program = test::worker("ownkeys");
        program.limits = {0, 1, 0, 3, {}};
        program.locks = {"lock:user:*"};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.front().command.toText(),
                 QStringLiteral("SET lock:user:7:token-of-A 1"));
        QCOMPARE(explored.lockKeys.front().key, QByteArray("lock:user:7:token-of-A"));
    }

    /// The order in which its threads start depends on the machine.
    void threads_makeOneTreeEveryTime()
    {
        programs::Program program = test::worker("twoconversations");
        program.limits.crashes = 1;
        std::vector<double> schedules;
        for (int i = 0; i < 3; ++i) {
            const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
            QVERIFY2(!explored.error, qPrintable(explored.errorText()));
            QVERIFY(explored.results.front().complete);
            schedules.push_back(explored.results.front().schedules);
        }
        QCOMPARE(schedules, std::vector<double>(3, schedules.front()));
    }

    /// The last step names the keys that are left.
    void keyThatStays_isNamed()
    {
        programs::Program program = test::worker("setnxexpire");
        program.limits.crashes = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().counterexample->steps.back().note.english(),
                 QStringLiteral("lock left without an expiry"));
    }

    /// Data without a token is no lock, also if a client has written them before it enters the next critical section.
    void dataBesideALock_areNoLock()
    {
        programs::Program program = test::worker("items");
        program.limits = {1, 1, 0, 0, {}};
        const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        for (const races::LockKey &key : explored.lockKeys)
            QCOMPARE(key.isLock(), key.key.startsWith("lock:"));
        QCOMPARE(explored.lockKeys.size(), 3U);
    }

    void randomDifference_givesNoVerdict()
    {
        const auto explored = test::explore(test::worker("chance"), {QStringLiteral("no-immortal-key")});
        QVERIFY(explored.error);
        QCOMPARE(explored.error->kind, base::ErrorKind::Protocol);
        QVERIFY(explored.error->message().contains(QStringLiteral("is not deterministic")));
    }

    /// Without a virtual clock, a program that compares times of another client's clock gets no verdict.
    void timesOfDay_areNoVerdict()
    {
        programs::Program program = test::worker("deadline");
        program.clockLibrary.clear();
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
        QVERIFY(explored.error);
        QVERIFY2(explored.errorText().contains(QStringLiteral("is not deterministic")),
                 qPrintable(explored.errorText()));
    }

    void clientWithRetryLimit_isExploredUpToTheLimit()
    {
        programs::Program program = test::worker("givingup", {}, {"12"});
        program.limits.crashes = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.size(), 15U); // SET, a crash, 12 tries, the note.
        QVERIFY(!explored.livelockRepetitions);
    }
    void endlessRetry_isReportedAsLivelock()
    {
        const auto explored = test::explore(test::worker("spinning"), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.results.front().complete);
        QVERIFY(explored.livelockRepetitions.value_or(0) > 4);
        if (explored.isClockControlled) // Then no load of the machine changes the result.
            QCOMPARE(explored.livelockRepetitions, 102);
        QVERIFY(explored.soloLivelockCommand.isEmpty()); // The client waits for another, and succeeds alone.
        QVERIFY(explored.hasEndedClient);
    }
    void clientThatNeverEnds_isReported()
    {
        const auto explored = test::explore(test::worker("neverending"), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.deadlock);
        QVERIFY(!explored.hasEndedClient);
    }
    void soloClientThatNeverEnds_isReported()
    {
        const auto explored = test::explore(test::worker("reentrant"), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.soloLivelockCommand, QStringLiteral("SET lock held NX"));
    }

    /// Data need no expiry. That says nothing about the time for which a client relies on a key, nor about its holder.
    void dataThatIsALock_isJudgedLikeAnyLock_data()
    {
        QTest::addColumn<QByteArray>("mistake");
        QTest::addColumn<bool>("isBroken");
        QTest::addRow("owner") << QByteArray("owner") << false;
        QTest::addRow("renewal without a comparison") << QByteArray("pexpire") << true;
    }
    void dataThatIsALock_isJudgedLikeAnyLock()
    {
        QFETCH(const QByteArray, mistake);
        QFETCH(const bool, isBroken);
        programs::Program program = test::worker("renewing", {}, {mistake});
        program.limits.expirations = 1;
        program.data = {"*"};
        const auto explored =
            test::explore(program, {QStringLiteral("mutual-exclusion"), QStringLiteral("owner-only-release"),
                                    QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results[0].verdict, Verdict::Holds);
        QCOMPARE(explored.results[1].verdict, isBroken ? Verdict::Broken : Verdict::Holds);
        QCOMPARE(explored.results[2].verdict, Verdict::Holds);
    }

    /// A client that retries without success yields its turn, which is no preemption.
    void failedAttempt_yieldsToOtherClients()
    {
        programs::Program program = test::worker("noticing");
        program.limits.preemptions = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
    }

    void endsThatFail_areReported()
    {
        const auto explored = test::explore(test::worker("dying"), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.failedEnds.size(), 1U);
        QCOMPARE(explored.failedEnds.front().exitCode, 1);
        QCOMPARE(explored.failedEnds.front().words, QStringLiteral("the lock is another's"));
    }
    void programFailureWithoutFaults_givesNoVerdict()
    {
        const auto explored = test::explore(test::worker("failing"), {QStringLiteral("no-immortal-key")});
        QVERIFY(explored.error);
        QVERIFY2(explored.errorText().contains(QStringLiteral("it cannot be done")), qPrintable(explored.errorText()));
    }

    /// The next client has the same command limit as all others.
    void clientThatNeverEnters_givesNoVerdict()
    {
        programs::Program program = test::worker("endless");
        program.maxCommands = 20;
        program.limits.crashes = 1;
        const auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QVERIFY(!explored.results.front().complete);
    }

    void clientAtItsCommandLimit_isNotExploredFurther()
    {
        programs::Program program = test::worker("readwrite", "order:1");
        program.maxCommands = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QVERIFY(!explored.results.front().complete);
    }
};

LATCHKEY_TEST(TestProgramFindings)

} // namespace tst_programfindings

#include "tst_programfindings.moc"
