#include "core/explore/races/finder.h"
#include "core/explore/races/lockrun.h"
#include "core/explore/races/schedulereplay.h"
#include "core/explore/races/timeshare.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QElapsedTimer>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <map>

namespace tst_racefinder {

using namespace latchkey;
using namespace latchkey::races;
using base::ErrorKind;
using base::Lease;
using base::OwnerToken;
using exchange::Exchange;
using locks::AcquireOutcome;
using locks::Acquisition;
using locks::ExtendOutcome;
using locks::Extension;
using locks::ReleaseOutcome;
using resp::Command;
using resp::Reply;

namespace {

/// A token lock with one defect, which the finder must find.
class BrokenLock final : public locks::Lock
{
public:
    enum class Defect : quint8 { SetsWithoutNx, ExtendMakesAnew, ReleasesByDel, LoserRefreshes };

    BrokenLock(Defect defect, Lease lease)
        : m_defect(defect)
        , m_lease(lease)
    {}

    Exchange<Acquisition> acquire() & override
    {
        const OwnerToken token = co_await exchange::freshToken();
        const QByteArray milliseconds = QByteArray::number(qint64(m_lease.duration().count()));
        Command taking {"SET", "k", token.bytes(), "PX", milliseconds};
        if (m_defect == Defect::SetsWithoutNx) {
            Command looking {"EXISTS", "k"};
            const Reply held = co_await std::move(looking);
            if (held.isInteger(1))
                co_return Acquisition::busy();
        } else {
            taking << QByteArray("NX");
        }
        const Reply reply = co_await std::move(taking);
        if (!reply.isOk()) {
            if (m_defect == Defect::LoserRefreshes) {
                Command refreshing {"PEXPIRE", "k", milliseconds};
                (void)co_await std::move(refreshing);
            }
            co_return Acquisition::busy();
        }
        Acquisition acquired;
        acquired.outcome = AcquireOutcome::Acquired;
        acquired.token = token;
        co_return acquired;
    }

    Exchange<ReleaseOutcome> release(OwnerToken token) & override
    {
        Command command {"DEL", "k"};
        if (m_defect != Defect::ReleasesByDel)
            command = Command {"EVAL", compareAndDelete, "1", "k", token.bytes()};
        const Reply reply = co_await std::move(command);
        co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
    }

    Exchange<Extension> extend(OwnerToken token, Lease lease) & override
    {
        // The defect: the holder is not compared.
        Command command {"SET", "k", token.bytes(), "PX", QByteArray::number(qint64(lease.duration().count()))};
        (void)co_await std::move(command);
        Extension extension;
        extension.outcome = ExtendOutcome::Extended;
        co_return extension;
    }

private:
    static constexpr const char *compareAndDelete =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

    const Defect m_defect;
    const Lease m_lease;
};

Subject brokenSubject(BrokenLock::Defect defect, int clients)
{
    Subject subject = subjectFor(QStringLiteral("token"), clients).value();
    subject.client = [defect](ClientIndex client, const Faults &faults) -> RunFactory {
        const bool extends = faults.extendsInside && defect == BrokenLock::Defect::ExtendMakesAnew;
        return [defect, client, extends] {
            LockRun::OptionalOperations optionalOperations;
            if (extends)
                optionalOperations.extension = Subject::extensionOf(client);
            return std::make_unique<LockRun>(std::make_unique<BrokenLock>(defect, Subject::leaseOf(client)),
                                             optionalOperations);
        };
    };
    return subject;
}

std::vector<PromiseResult> answersFor(const Subject &subject, const Finder::Options &options = {})
{
    auto finder = Finder::create(subject, options);
    if (!finder)
        qFatal("%s", qPrintable(finder.error().message()));
    const auto done = (*finder)->step(QDeadlineTimer(QDeadlineTimer::Forever));
    if (!done)
        qFatal("%s", qPrintable(done.error().message()));
    return (*finder)->results();
}

const PromiseResult &answerOn(const std::vector<PromiseResult> &answers, const char *promise)
{
    for (const PromiseResult &answer : answers) {
        if (answer.promise == QLatin1String(promise))
            return answer;
    }
    qFatal("no answer on %s", promise);
}

QStringList linesOf(const PromiseResult &answer)
{
    QStringList lines;
    for (const schedules::ScheduleStep &step : answer.counterexample->steps)
        lines += step.client + QLatin1Char(' ') + step.action().toString();
    return lines;
}

} // namespace

/// Tests the finder with locks that have a known defect, and its reports.
class TestRaceFinder final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void defects_areFound_data()
    {
        using Defect = BrokenLock::Defect;
        QTest::addColumn<int>("defect");
        QTest::addColumn<QByteArray>("broken");
        QTest::addRow("EXISTS, then SET") << int(Defect::SetsWithoutNx) << QByteArray("mutual-exclusion");
        QTest::addRow("extend makes the lock anew") << int(Defect::ExtendMakesAnew) << QByteArray("owner-only-release");
        QTest::addRow("release by DEL") << int(Defect::ReleasesByDel) << QByteArray("owner-only-release");
        QTest::addRow("a loser refreshes the lease") << int(Defect::LoserRefreshes) << QByteArray("contender-neutral");
    }
    void defects_areFound()
    {
        QFETCH(int, defect);
        QFETCH(QByteArray, broken);
        const auto answers = answersFor(brokenSubject(static_cast<BrokenLock::Defect>(defect), 2));
        const PromiseResult &answer = answerOn(answers, broken.constData());
        QCOMPARE(answer.verdict, Verdict::Broken);
        QVERIFY(answer.isRefuted());
        QVERIFY(!answer.violation.isEmpty());
        QVERIFY(answer.counterexample);
        QVERIFY(answer.counterexample->steps.size() >= 2);
    }

    /// If the server supports the single command, that form is explored; otherwise the refused command followed by the
    /// script.
    void everyForm_keepsWhatTheRecipePromises_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<locks::CompareForm>("form");
        for (const char *recipe : {"token", "fenced", "renewing"}) {
            for (const locks::CompareForm form : {locks::CompareForm::DelIfEq, locks::CompareForm::DelEx})
                QTest::addRow("%s, %s", recipe, qPrintable(locks::compareFormId(form)))
                    << QString::fromLatin1(recipe) << form;
        }
    }
    void everyForm_keepsWhatTheRecipePromises()
    {
        QFETCH(const QString, recipe);
        QFETCH(const locks::CompareForm, form);
        const auto answers = answersFor(subjectFor(**locks::findRecipe(recipe), 2, form).value());
        QVERIFY(!answers.empty());
        for (const PromiseResult &answer : answers) {
            if (answer.claimed)
                QVERIFY2(answer.verdict == Verdict::Holds, qPrintable(answer.promise));
        }
    }

    void counterexample_isTheShortestAndReadsLikeAStory()
    {
        const auto answers = answersFor(subjectFor(QStringLiteral("auto-release"), 2).value());
        const PromiseResult &answer = answerOn(answers, "owner-only-release");
        QCOMPARE(linesOf(answer),
                 (QStringList {QStringLiteral("A SET k locking NX PX 36000000"), QStringLiteral(" lapse"),
                               QStringLiteral("B SET k locking NX PX 72420000"), QStringLiteral("A DEL k")}));
        const schedules::RecordedSchedule &story = *answer.counterexample;
        QCOMPARE(story.steps[2].inside, std::optional(true));
        QCOMPARE(story.steps[3].inside, std::optional(false));
        QCOMPARE(story.recipe, QStringLiteral("auto-release"));
        QCOMPARE(story.promise, answer.promise);
        QCOMPARE(story.verdict, answer.violation);
        QCOMPARE(story.clients.size(), std::size_t(2));
        QCOMPARE(story.clients[0].lease, Subject::leaseOf(0).duration());
    }

    /// A loser with a shorter lease ends the lock of a winner with a longer lease, without a crash or a wrong clock.
    void shorterLeaseOfALoser_letsTwoIn()
    {
        const auto result = answersFor(subjectFor(QStringLiteral("multi-setnx-expire"), 3).value());
        const PromiseResult &exclusion = answerOn(result, "mutual-exclusion");
        QCOMPARE(exclusion.verdict, Verdict::Broken);
        QVERIFY(!exclusion.claimed);
        const schedules::RecordedSchedule &story = *exclusion.counterexample;
        QCOMPARE(std::ranges::count(story.steps, schedules::ScheduleStep::Kind::Crash, &schedules::ScheduleStep::kind),
                 0);
        QCOMPARE(std::ranges::count(story.steps, schedules::ScheduleStep::Kind::Lapse, &schedules::ScheduleStep::kind),
                 1);
        QCOMPARE(std::ranges::count(story.steps, std::optional(true), &schedules::ScheduleStep::inside), 2);
        QCOMPARE(std::ranges::count(story.steps, std::optional(false), &schedules::ScheduleStep::inside), 0);
    }

    void longerLeaseOfALoser_letsNoOtherClientIn()
    {
        // With two clients, the only loser has either the shorter lease, without a client after it, or the longer
        // lease.
        const auto result = answersFor(subjectFor(QStringLiteral("multi-setnx-expire"), 2).value());
        QCOMPARE(answerOn(result, "mutual-exclusion").verdict, Verdict::Holds);
    }

    void winnerByGetset_holdsFromItsReplyOn()
    {
        const auto result = answersFor(subjectFor(QStringLiteral("timestamp-getset"), 2).value());
        const PromiseResult &release = answerOn(result, "owner-only-release");
        QCOMPARE(release.verdict, Verdict::Broken);
        const QStringList lines = linesOf(release);
        QCOMPARE(lines.size(), 10);
        QVERIFY2(lines[8].startsWith(QLatin1String("B GETSET k ")), qPrintable(lines[8]));
        QCOMPARE(lines[9], QStringLiteral("A DEL k"));
    }

    void moreClients_areTakenAsLongAsThatIsCheap()
    {
        auto finder = Finder::create(subjectsFor(QStringLiteral("timestamp-getset")).value(), {}).value();
        QVERIFY(finder->step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(finder->isComplete());
        // Broken promises are shown with the fewest clients; kept promises are reported for the most.
        const std::map<QString, std::pair<int, Verdict>> expected {
            {QStringLiteral("mutual-exclusion"), {4, Verdict::Broken}},
            {QStringLiteral("crash-release"), {4, Verdict::Holds}},
            {QStringLiteral("owner-only-release"), {2, Verdict::Broken}},
            {QStringLiteral("contender-neutral"), {3, Verdict::Broken}},
            {QStringLiteral("clock-free"), {2, Verdict::Broken}},
            {QStringLiteral("fenced"), {2, Verdict::Broken}},
        };
        for (const auto &[promise, outcome] : expected) {
            const PromiseResult &result = answerOn(finder->results(), qPrintable(promise));
            QVERIFY2(result.clients == outcome.first && result.verdict == outcome.second, qPrintable(promise));
        }
    }

    void expensivePromise_isReportedForFewerClients()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("owner-only-release")};
        options.cheap.states = 1000; // Enough for three clients, not for four.
        auto finder = Finder::create(subjectsFor(QStringLiteral("token")).value(), options).value();
        QVERIFY(finder->step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(finder->isComplete());
        QCOMPARE(finder->results().size(), std::size_t(1));
        QCOMPARE(finder->results().front().clients, 3);
        QVERIFY(finder->results().front().complete);
    }

    void cancel_keepsWhatHoldsForFewerClients()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("owner-only-release")};
        auto finder = Finder::create(subjectsFor(QStringLiteral("token")).value(), options).value();
        while (finder->subject().clients < 4)
            QVERIFY(!finder->step(QDeadlineTimer(0)).value());
        finder->cancel();
        QCOMPARE(finder->results().front().clients, 3);
        QVERIFY(finder->results().front().complete);
        QVERIFY(!finder->isComplete()); // Four clients were not finished.
    }

    void promisesOfTheOtherFamily_doNotApply()
    {
        const auto lock = answersFor(subjectFor(QStringLiteral("basic"), 2).value());
        QCOMPARE(answerOn(lock, "no-immortal-data").verdict, Verdict::NotApplicable);
        const auto cache = answersFor(subjectFor(QStringLiteral("set-ex"), 2).value());
        QCOMPARE(answerOn(cache, "mutual-exclusion").verdict, Verdict::NotApplicable);
        QCOMPARE(answerOn(cache, "one-recompute").verdict, Verdict::NotApplicable);
        QCOMPARE(answerOn(cache, "no-immortal-key").verdict, Verdict::Holds);
    }

    void onlyTheWantedPromises_areAnswered()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("fenced")};
        const auto answers = answersFor(subjectFor(QStringLiteral("token"), 2).value(), options);
        QCOMPARE(answers.size(), std::size_t(1));
        QCOMPARE(answers.front().verdict, Verdict::Broken);
        QVERIFY(!answers.front().isRefuted());
    }

    void bound_makesAnAnswerIncomplete()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("owner-only-release")};
        options.bounds.states = 50;
        const auto answers = answersFor(subjectFor(QStringLiteral("token"), 3).value(), options);
        QCOMPARE(answers.front().verdict, Verdict::Holds);
        QVERIFY(!answers.front().complete);
    }

    void cancel_answersWithWhatWasSeen()
    {
        auto finder = Finder::create(subjectFor(QStringLiteral("token"), 4).value(), {}).value();
        QVERIFY(!finder->step(QDeadlineTimer(0)).value());
        const QString under = finder->promise();
        finder->cancel();
        QVERIFY(!finder->results().empty());
        QCOMPARE(finder->results().back().promise, under);
        QVERIFY(!finder->results().back().complete);
        QVERIFY(!finder->isComplete());
        QVERIFY(finder->step(QDeadlineTimer(0)).value());
    }

    void timeLimit_isSharedByThePromises()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("mutual-exclusion"), QStringLiteral("crash-release"),
                            QStringLiteral("fenced"), QStringLiteral("one-recompute")};
        options.deadline = QDeadlineTimer(std::chrono::seconds(2));
        auto finder = Finder::create(subjectFor(QStringLiteral("redlock"), 4).value(), options).value();
        QVERIFY(finder->step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(finder->isOutOfTime() && !finder->isComplete());
        const PromiseResult &first = answerOn(finder->results(), "mutual-exclusion");
        QVERIFY(first.verdict == Verdict::Holds && !first.complete && first.states > 1);
        // The first promise has left time for the others. What they find in it depends on the machine.
        QVERIFY(answerOn(finder->results(), "crash-release").states > 1);
        QVERIFY(answerOn(finder->results(), "fenced").states > 1);
        QCOMPARE(answerOn(finder->results(), "one-recompute").verdict, Verdict::NotApplicable);
    }

    /// The second promise is broken soon. The first one needs more than all the time, and gets the rest of it.
    void timeThatIsLeft_goesToTheSuspendedSearches()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("mutual-exclusion"), QStringLiteral("restart-safe")};
        options.deadline = QDeadlineTimer(std::chrono::seconds(2));
        auto finder = Finder::create(subjectFor(QStringLiteral("redlock"), 4).value(), options).value();
        QStringList begun;
        while (!finder->step(QDeadlineTimer(20)).value()) {
            if (begun.isEmpty() || begun.back() != finder->promise())
                begun += finder->promise();
        }
        QCOMPARE(begun, (QStringList {QStringLiteral("mutual-exclusion"), QStringLiteral("restart-safe"),
                                      QStringLiteral("mutual-exclusion")}));
        QVERIFY(!finder->hasTimeLeft() && finder->isOutOfTime());
        QCOMPARE(finder->results().size(), std::size_t(2));
        QCOMPARE(finder->results().front().promise, QStringLiteral("mutual-exclusion"));
        QVERIFY(!finder->results().front().complete);
        QCOMPARE(finder->results().back().verdict, Verdict::Broken);
    }

    void timeLimit_keepsWhatHoldsForFewerClients()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("crash-release")};
        // Long enough for two clients on this machine, and too short for four: those need more than ten times as long.
        QElapsedTimer needed;
        needed.start();
        QVERIFY(answersFor(subjectFor(QStringLiteral("redlock"), 2).value(), options).front().complete);
        options.deadline = QDeadlineTimer(std::max<qint64>(2000, 3 * needed.elapsed()));
        options.bounds.states = options.cheap.states = 12'000'000;
        auto finder = Finder::create(subjectsFor(QStringLiteral("redlock")).value(), options).value();
        QVERIFY(finder->step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QCOMPARE(finder->results().size(), std::size_t(1));
        QVERIFY(finder->results().front().complete && finder->results().front().clients < 4);
    }

    /// Without a time limit, a promise with a large search must not keep the others waiting.
    void withoutADeadline_promisesTakeTurns()
    {
        Finder::Options options;
        options.promises = {QStringLiteral("owner-only-release"), QStringLiteral("fenced")};
        options.bounds.states = 100'000'000; // The first promise has more than three million states.
        auto finder = Finder::create(subjectFor(QStringLiteral("redlock"), 4).value(), options).value();
        QCOMPARE(finder->promises().front(), QStringLiteral("owner-only-release"));
        while (finder->results().empty())
            QVERIFY(!finder->step(QDeadlineTimer(100)).value());
        QCOMPARE(finder->results().front().promise, QStringLiteral("fenced"));
        QCOMPARE(finder->results().front().verdict, Verdict::Broken);
        QCOMPARE(finder->promise(), QStringLiteral("owner-only-release"));
        finder->cancel();
        QCOMPARE(finder->results().size(), std::size_t(2));
        QVERIFY(!finder->results().front().complete && finder->results().front().states > 0);
    }
    void timeLimitOfRound_doubles()
    {
        using namespace std::chrono_literals;
        QVERIFY(timeLimitOfRound(0) < QDeadlineTimer(5s) && timeLimitOfRound(3) < QDeadlineTimer(33s));
        QVERIFY(timeLimitOfRound(3) > QDeadlineTimer(16s) && timeLimitOfRound(1000) > QDeadlineTimer(1h));
    }

    void share_isThatOfTheRemainingTime()
    {
        QVERIFY(shareOf(QDeadlineTimer(QDeadlineTimer::Forever), 4).isForever());
        const QDeadlineTimer hour(std::chrono::hours(1));
        QVERIFY(shareOf(hour, 1) <= hour);
        QVERIFY(shareOf(hour, 4) < QDeadlineTimer(std::chrono::minutes(16))
                && shareOf(hour, 4) > QDeadlineTimer(std::chrono::minutes(10)));
    }

    void badRequests_areOneSentence()
    {
        QCOMPARE(subjectFor(QStringLiteral("nonsense"), 2).error().kind, ErrorKind::Usage);
        QVERIFY(subjectFor(QStringLiteral("nonsense"), 2).error().message().contains(QLatin1String("set-ex")));
        QCOMPARE(subjectFor(QStringLiteral("token"), 9).error().kind, ErrorKind::Usage);
        Finder::Options options;
        options.promises = {QStringLiteral("eternal-youth")};
        const auto finder = Finder::create(subjectFor(QStringLiteral("token"), 2).value(), options);
        QCOMPARE(finder.error().kind, ErrorKind::Usage);
        QVERIFY(finder.error().message().contains(QLatin1String("eternal-youth")));
    }

    void replay_noticesWhatDoesNotFit()
    {
        // A client that does not depend only on its input: every run writes another value.
        Subject subject = subjectFor(QStringLiteral("basic"), 2).value();
        int made = 0;
        subject.client = [&made](ClientIndex, const Faults &) -> RunFactory {
            return [&made] {
                locks::LockOptions options;
                options.key = base::Key("k");
                options.value = QByteArray::number(++made);
                return std::make_unique<LockRun>(locks::makeLock(*locks::findRecipe(u"basic").value(), options).value(),
                                                 LockRun::OptionalOperations());
            };
        };
        auto finder = Finder::create(subject, {}).value();
        const auto done = finder->step(QDeadlineTimer(QDeadlineTimer::Forever));
        QVERIFY(!done);
        QCOMPARE(done.error().kind, ErrorKind::Protocol);
        QVERIFY2(done.error().message().contains(QLatin1String("replay")), qPrintable(done.error().message()));
    }
};

LATCHKEY_TEST(TestRaceFinder)

} // namespace tst_racefinder

#include "tst_racefinder.moc"
