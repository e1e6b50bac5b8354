#include "core/explore/racesearch/racesearch.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/playground/scenarios/scenarioplayer.h"
#include "core/playground/scenarios/schedulescenario.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/testprogram.h"
#include "tests/support/workers.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace tst_programscenario {

using namespace latchkey;
using racesearch::ProgramToExplore;
using racesearch::RaceSearch;
using scenarios::Scenario;
using scenarios::ScenarioPlayer;
using scenarios::ScenarioVerdict;
using namespace std::chrono_literals;
using State = RaceSearch::State;
using Answer = RaceSearch::Answer;

namespace {

ProgramToExplore sought(const char *worker)
{
    ProgramToExplore program;
    program.words = test::workerCommand(QString::fromLatin1(worker));
    return program;
}

/// Returns a program that no machine can explore within the time of a test.
ProgramToExplore endless()
{
    ProgramToExplore program = sought("twoconversations");
    program.clients = 4;
    program.limits.lostReplies = 2;
    return program;
}

/// Role of this program that searches until it is killed. Prints the process id of its race finder.
int searchUntilKilled(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
    QObject::connect(&search, &RaceSearch::progressed, &search, [&] {
        std::printf("%lld\n", static_cast<long long>(search.processId()));
        std::fflush(stdout);
    });
    search.start(endless());
    return QCoreApplication::exec();
}

/// Returns the process and all its descendants.
QList<pid_t> familyOf(pid_t process)
{
    QList<pid_t> family {process};
    for (qsizetype i = 0; i < family.size(); ++i)
        family += test::childrenOf(family[i]);
    return family;
}

bool livesAny(const QList<pid_t> &processes)
{
    return std::ranges::any_of(processes, test::isAlive);
}

const Answer *answerTo(const RaceSearch &search, const char *promise)
{
    const auto found = std::ranges::find(search.answers(), QLatin1String(promise), &Answer::promise);
    return found == search.answers().end() ? nullptr : &*found;
}

/// Returns a program's story with these steps.
Scenario scenarioWith(const QByteArray &steps)
{
    const auto story = schedules::fromFile(R"({"format": "latchkey-story", "version": 1, "title": "T",
 "recipe": "worker.py", "clients": [{"name": "A", "lease_ms": 0}, {"name": "B", "lease_ms": 0}], "steps": [)"
                                           + steps + "]}");
    if (!story)
        qFatal("%s", qPrintable(story.error().message()));
    auto told = scenarios::scenarioFrom(*story);
    if (!told)
        qFatal("%s", qPrintable(told.error().message()));
    return *std::move(told);
}

/// A player at a speed far above reading speed.
class Played final
{
public:
    explicit Played(const Scenario &story)
    {
        player.setSpeed(50);
        player.load(story, 0);
        player.play();
    }

    /// Waits for the end of the story. Returns one line for each difference from the recorded story.
    [[nodiscard]] QString complaints()
    {
        if (!test::waitFor([this] { return player.state() == ScenarioPlayer::State::Over; }))
            return QStringLiteral("it does not end");
        QStringList lines;
        for (const scenarios::StepResult &result : player.results()) {
            for (const base::Text &difference : result.differences)
                lines += difference.toString();
        }
        if (player.error())
            lines += player.error()->message();
        return lines.join(u'\n');
    }

    ScenarioPlayer player {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(), base::SystemRandom::instance()};
};

} // namespace

/// Tests of a user's program under the race finder, and of playing its counterexamples.
class TestProgramStory final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void program_isSearchedAndAnswered()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(sought("setnxexpire"));
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY2(!search.error(), search.error() ? qPrintable(search.error()->message()) : "");
        QCOMPARE(search.answers().size(), std::size_t(5));
        QCOMPARE(answerTo(search, "mutual-exclusion")->verdict, schedules::Verdict::Holds);
        QCOMPARE(answerTo(search, "lost-update")->verdict, schedules::Verdict::NotApplicable);
        QCOMPARE(answerTo(search, "no-immortal-key")->verdict, schedules::Verdict::Broken);
        QVERIFY(search.progress().starts > 0);
        const auto &conditions = search.conditions();
        QVERIFY(conditions && conditions->starts > 0 && conditions->steps > 0 && !conditions->isStopped);
        QVERIFY(conditions->unanswered.isEmpty());
    }

    /// The counterexample of each fault of a server is played with client processes.
    void serverFault_isPlayed_data()
    {
        QTest::addColumn<QString>("promise");
        QTest::addColumn<QString>("program");
        QTest::addColumn<schedules::Persistence>("persistence");
        const auto row = [](const char *promise, const char *program, schedules::Persistence persistence) {
            QTest::addRow("%s, %s, %d", promise, program, int(persistence))
                << QString::fromLatin1(promise) << QString::fromLatin1(program) << persistence;
        };
        row("failover-safe", "tries_once", schedules::Persistence::None);
        row("failover-safe", "ignores_count_of_replicas", schedules::Persistence::None);
        row("restart-safe", "tries_once", schedules::Persistence::None);
        row("restart-safe", "tries_once", schedules::Persistence::EverySec);
        row("server-clock-safe", "tries_once", schedules::Persistence::None);
        row("partition-safe", "enters_after_lost_reply", schedules::Persistence::None);
    }
    void serverFault_isPlayed()
    {
        QFETCH(const QString, promise);
        QFETCH(const QString, program);
        ProgramToExplore faulty = sought("everyday");
        faulty.words += program;
        faulty.promises = {promise};
        QFETCH(const schedules::Persistence, persistence);
        faulty.serverFaults.persistence = persistence;
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(faulty);
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY2(!search.error(), search.error() ? qPrintable(search.error()->message()) : "");
        QCOMPARE(search.answers().size(), std::size_t(1));
        const Answer &answer = search.answers().front();
        QCOMPARE(answer.promise, promise);
        QCOMPARE(answer.verdict, schedules::Verdict::Broken);
        const auto story = scenarios::scenarioFrom(*answer.schedule);
        LATCHKEY_VERIFY_RESULT(story);
        Played played(*story);
        QCOMPARE(played.complaints(), QString());
        QCOMPARE(played.player.verdict(), ScenarioVerdict::Passed);
        QCOMPARE(played.player.results().back().inside.size(), 2);
    }

    /// The reason arrives as a text that can be translated.
    void promiseThatDoesNotApply_hasAReason()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(sought("unlocked"));
        LATCHKEY_AWAIT(search.state() == State::Over);
        QCOMPARE(answerTo(search, "owner-only-release")->verdict, schedules::Verdict::NotApplicable);
        QVERIFY(answerTo(search, "owner-only-release")->reason
                == base::Text(QT_TRANSLATE_NOOP("core", "no key is a lock")));
    }

    /// Each option reaches the command line.
    void arguments_areThoseOfTheCommandLine()
    {
        ProgramToExplore program;
        program.words = {QStringLiteral("worker"), QStringLiteral("--clients"), QStringLiteral("9")};
        program.resource = QStringLiteral("-order:1");
        program.data = QStringList {QStringLiteral("cart:*"), QStringLiteral("user:*")};
        program.fixedPort = 6379;
        program.limits.preemptions = 0;
        program.promises = {QStringLiteral("restart-safe"), QStringLiteral("partition-safe")};
        program.serverFaults.restarts = 2;
        program.serverFaults.persistence = schedules::Persistence::EverySec;
        program.longest = std::chrono::seconds(60);
        const QString line = program.arguments().join(u' ');
        QCOMPARE(line,
                 QStringLiteral(
                     "--clients 2 --crashes 1 --expirations 1 --timer-steps 3 --lost-replies 0 --resource=-order:1 "
                     "--data=cart:* --data=user:* --fixed-port 6379 --preemptions 0 --promise restart-safe --promise "
                     "partition-safe --restarts 2 "
                     "--persistence everysec --lost-writes 1 --partitions 1 --for 60s -- worker --clients 9"));
    }

    void counterexample_isPlayedAsTheProgramWasSeen_data()
    {
        QTest::addColumn<QString>("worker");
        QTest::addColumn<QString>("resource");
        QTest::addColumn<int>("lostReplies");
        QTest::addColumn<int>("broken");
        const auto row = [](const char *worker, const char *resource, int lostReplies, int broken) {
            QTest::addRow("%s %d", worker, lostReplies)
                << QString::fromLatin1(worker) << QString::fromLatin1(resource) << lostReplies << broken;
        };
        row("setnxexpire", "", 0, 3);
        row("setnxexpire", "", 1, 3); // With a lost reply.
        row("getdel", "", 0, 1);
        row("readwrite", "order:1", 0, 1);
        row("handover", "", 0, 2);
        row("jsontoken", "", 0, 2);     // With values that the clients choose.
        row("patient", "", 0, 1);       // With passing time.
        row("tokenlist", "", 0, 2);     // With waits in the server, also without a timeout.
        row("impatient", "", 0, 1);     // With waits until a timeout.
        row("signalchannel", "", 0, 2); // With messages.
    }
    void counterexample_isPlayedAsTheProgramWasSeen()
    {
        QFETCH(QString, worker);
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        ProgramToExplore program = sought(worker.toLatin1().constData());
        QFETCH(QString, resource);
        QFETCH(int, lostReplies);
        program.resource = resource;
        program.limits.lostReplies = lostReplies;
        search.start(program);
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY2(!search.error(), search.error() ? qPrintable(search.error()->message()) : "");
        int played = 0;
        for (const Answer &answer : search.answers()) {
            if (!answer.schedule)
                continue;
            const auto told = scenarios::scenarioFrom(*answer.schedule);
            LATCHKEY_VERIFY_RESULT(told);
            QVERIFY(told->summary.contains(QStringLiteral("The program itself does not run")));
            Played performance(*told);
            QCOMPARE(performance.complaints(), QString());
            QCOMPARE(performance.player.verdict(), ScenarioVerdict::Passed);
            QCOMPARE(performance.player.results().size(), answer.schedule->steps.size());
            ++played;
        }
        QTEST(played, "broken");
        const bool isForEver = worker == u"tokenlist" || worker == u"signalchannel";
        QCOMPARE(!search.conditions()->deadlockStep.isEmpty(), isForEver);
    }

    void recordThatIsWrong_differs()
    {
        const auto complaintsOf = [](const QByteArray &reply) {
            Played performance(
                scenarioWith(R"({"client": "A", "command": ["SET", "k", "v", "NX"], "reply": )" + reply + "}"));
            return performance.complaints();
        };
        QCOMPARE(complaintsOf(R"({"status": "OK"})"), QString());
        QVERIFY(complaintsOf("null").startsWith(QStringLiteral("steps[0]: expected ")));
    }

    /// A reader is slower than real leases.
    void keys_expireOnlyAtStepsOfTheStory()
    {
        Scenario scenario = scenarioWith(R"(
 {"client": "A", "command": ["SET", "k", "v", "EX", "10"], "reply": {"status": "OK"}},
 {"client": "A", "command": ["EVAL", "return redis.call('TTL', 'k') ", "0"], "reply": 10},
 {"fault": "lapse", "key": "k"},
 {"client": "A", "command": ["GET", "k"], "reply": null})");
        scenarios::ScenarioStep reading;
        reading.action = scenarios::Work {80s};
        auto &steps = scenario.alternatives.front().steps;
        steps.insert(steps.begin() + 1, reading); // 1.6 seconds at this speed.
        Played performance(scenario);
        QCOMPARE(performance.complaints(), QString());
    }

    /// A wait shortens all lifetimes by its duration.
    void elapsedTime_shortensLifetimes()
    {
        Played performance(scenarioWith(R"(
 {"client": "A", "command": ["SET", "k", "v", "EX", "100"], "reply": {"status": "OK"}},
 {"client": "A", "does": "wait", "passed_ms": 40000, "note": "40 s go by"},
 {"client": "A", "command": ["EVAL", "return redis.call('TTL', 'k') ", "0"], "reply": 60},
 {"does": "wait", "passed_ms": 20000, "note": "20 s go by"},
 {"client": "A", "command": ["EVAL", "return redis.call('TTL', 'k') ", "0"], "reply": 40})"));
        QCOMPARE(performance.complaints(), QString());
    }

    /// Setting another lifetime of a watched key would modify the key.
    void watchedKey_isUnchanged()
    {
        Played performance(scenarioWith(R"(
 {"client": "B", "command": ["SET", "k", "v", "EX", "10"], "reply": {"status": "OK"}},
 {"client": "A", "command": ["WATCH", "k"], "reply": {"status": "OK"}},
 {"client": "B", "command": ["GET", "k"], "reply": "v"},
 {"client": "A", "command": ["MULTI"], "reply": {"status": "OK"}},
 {"client": "A", "command": ["DEL", "k"], "reply": {"status": "QUEUED"}},
 {"client": "A", "command": ["EXEC"], "reply": [1]})"));
        QCOMPARE(performance.complaints(), QString());
    }

    void reportedEntry_marksTheClientInside()
    {
        const Scenario scenario = scenarioWith(R"(
 {"client": "A", "command": ["ECHO", "latchkey:inside:lock"], "reply": "latchkey:inside:lock", "inside": true},
 {"client": "B", "command": ["ECHO", "latchkey:inside:lock"], "reply": "latchkey:inside:lock", "inside": true},
 {"client": "A", "command": ["ECHO", "latchkey:outside:lock"], "reply": "latchkey:outside:lock", "inside": false},
 {"client": "B", "fault": "crash"})");
        QVERIFY(scenario.alternatives.front().steps[1].say.endsWith(QStringLiteral(" B and A are both inside!")));
        Played performance(scenario);
        QCOMPARE(performance.complaints(), QString());
        const auto &results = performance.player.results();
        QCOMPARE(results[1].inside, (QStringList {QStringLiteral("A"), QStringLiteral("B")}));
        QCOMPARE(results[3].inside, QStringList());
        const sequence::Sequence &sequence = *performance.player.sequence();
        QCOMPARE(sequence.beliefs().size(), std::size_t(2));
        QCOMPARE(sequence.overlaps().size(), std::size_t(1));
        QCOMPARE(sequence.overlaps().front().key, base::Key("lock"));
        QVERIFY(sequence.overlaps().front().until.has_value());
    }

    void cancel_endsTheRunAndReportsItsProgress()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(endless());
        LATCHKEY_AWAIT(search.progress().states > 0);
        const QList<pid_t> family = familyOf(static_cast<pid_t>(search.processId()));
        QVERIFY(family.size() > 1);
        search.cancel();
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(search.isCancelled() && !search.error());
        QVERIFY(std::ranges::any_of(search.answers(), [](const Answer &answer) { return !answer.isComplete; }));
        QVERIFY(search.conditions() && search.conditions()->isStopped);
        QCOMPARE(static_cast<qsizetype>(search.answers().size()) + search.conditions()->unanswered.size(), 5);
        LATCHKEY_AWAIT(!livesAny(family));
    }

    /// A cancellation takes effect even while the finder waits for a program.
    void cancel_whileAProgramIsWaitedFor_keepsWhatWasSearched()
    {
        const QTemporaryDir folder;
        const QString sleeping = folder.filePath(QStringLiteral("sleeping"));
        ProgramToExplore program = sought("plainredis");
        const QString workers = QFileInfo(program.words.takeLast()).path();
        program.words += {QStringLiteral("-c"), QStringLiteral("import sys, time; sys.path.insert(0, '%1')\n"
                                                               "from plainredis import Redis\n"
                                                               "redis = Redis()\n"
                                                               "if not redis('SET', 'lock', 1, 'NX', 'PX', 10000):\n"
                                                               "    open('%2', 'w').close()\n"
                                                               "    time.sleep(600)\n")
                                                    .arg(workers, sleeping)};
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(program);
        LATCHKEY_AWAIT(QFileInfo::exists(sleeping));
        search.cancel();
        LATCHKEY_AWAIT(search.state() == State::Over);
        const Answer *answer = answerTo(search, "no-immortal-key");
        QVERIFY(answer != nullptr && !answer->isComplete);
        QCOMPARE(answer->verdict, schedules::Verdict::Holds);
        // A promise that does not apply is answered before the search for the others.
        QCOMPARE(search.conditions()->unanswered, QStringList());
        QCOMPARE(answerTo(search, "crash-release")->verdict, schedules::Verdict::NotApplicable);
    }

    void exit_leavesNoProcess()
    {
        QProcess program;
        program.start(QCoreApplication::applicationFilePath(), {QStringLiteral("search-programscenario")});
        QByteArray said;
        QList<pid_t> family;
        // The processes of the explored program start and end. Waits until one is seen.
        LATCHKEY_AWAIT((said += program.readAllStandardOutput()).contains('\n')
                       && (family = familyOf(said.split('\n').front().toInt())).size() > 2);
        program.kill();
        LATCHKEY_AWAIT(program.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(!livesAny(family));
    }
};

const test::ProgramRole searcher(
    [](int argc, char **argv) { return argc > 1 && qstrcmp(argv[1], "search-programscenario") == 0; },
    &searchUntilKilled);

LATCHKEY_TEST(TestProgramStory)

} // namespace tst_programscenario

#include "tst_programscenario.moc"
