#include "core/explore/racesearch/racesearch.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/playground/scenarios/schedulescenario.h"
#include "tests/support/scenariofixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_schedulescenario {

using namespace latchkey;
using namespace std::chrono_literals;
using racesearch::RaceSearch;
using scenarios::ScenarioVerdict;
using test::ScenarioFixture;

namespace {

/// Returns the race finder's answers for a recipe, with the smallest number of clients that break it.
std::vector<RaceSearch::Answer> answersFor(const QString &recipe, std::optional<int> clients)
{
    RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
    search.start(recipe, clients);
    if (!test::waitFor([&] { return search.state() == RaceSearch::State::Over; }) || search.error())
        qFatal("%s cannot be explored", qPrintable(recipe));
    return search.answers();
}

/// Returns a recorded story of a plain lock with a lapsing lease. `reply` is the first reply.
schedules::RecordedSchedule lapsing(const QByteArray &reply = R"({"status": "OK"})",
                                    const QByteArray &more = R"("key": "k", )")
{
    const QByteArray file = R"({"format": "latchkey-story", "version": 1, "title": "T", "recipe": "auto-release", )"
                          + more
                          + R"("clients": [{"name": "A", "lease_ms": 36000000}, {"name": "B", "lease_ms": 72420000}],
 "steps": [
  {"client": "A", "begins": "acquire", "command": ["SET", "k", "locking", "NX", "PX", "36000000"],
   "reply": )" + reply + R"(, "inside": true},
  {"fault": "lapse", "key": "k"},
  {"client": "B", "begins": "acquire", "command": ["SET", "k", "locking", "NX", "PX", "72420000"],
   "reply": {"status": "OK"}, "inside": true},
  {"client": "A", "begins": "release", "command": ["DEL", "k"], "reply": 1, "inside": false, "note": "A: released"}]})";
    auto schedule = schedules::fromFile(file);
    if (!schedule)
        qFatal("%s", qPrintable(schedule.error().message()));
    return *std::move(schedule);
}

} // namespace

class TestRecordedStory final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Each counterexample of the race finder is reproduced with real processes. Only the order of the recipes'
    /// commands is controlled.
    void counterexample_isPlayedByTheRecipesThemselves_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<int>("clients");
        QTest::addColumn<int>("broken");
        const auto row = [](const char *recipe, int clients, int broken) {
            QTest::addRow("%s", recipe) << QString::fromLatin1(recipe) << clients << broken;
        };
        row("basic", 2, 1);
        row("auto-release", 2, 2);
        row("setnx-then-expire", 2, 3);
        row("multi-setnx-expire", 3, 5); // Within a transaction.
        row("lua-setnx-expire", 2, 2);   // By script.
        row("timestamp-naive", 3, 4);    // With moved or wrong clocks.
        row("timestamp-getset", 4, 5);
        row("token-check-then-delete", 2, 2);
        row("redlock", 2, 1); // On several servers.
        row("set-then-expire", 2, 3);
        row("hash-multi", 2, 1);
        row("hash-placeholder", 2, 2);
    }
    void counterexample_isPlayedByTheRecipesThemselves()
    {
        QFETCH(QString, recipe);
        QFETCH(int, clients);
        QFETCH(int, broken);
        int played = 0;
        std::vector<std::unique_ptr<scenarios::ScenarioPlayer>> players; // In parallel, because leases take time.
        for (const RaceSearch::Answer &answer : answersFor(recipe, clients)) {
            if (!answer.schedule)
                continue;
            const auto told = scenarios::scenarioFrom(*answer.schedule);
            LATCHKEY_VERIFY_RESULT(told);
            QCOMPARE(told->alternatives.front().steps.size(), answer.schedule->steps.size());
            auto &player = players.emplace_back(std::make_unique<scenarios::ScenarioPlayer>(
                QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(), base::SystemRandom::instance()));
            player->setSpeed(50);
            player->load(*told, 0);
            player->play();
            ++played;
        }
        QCOMPARE(played, broken);
        for (const auto &player : players) {
            LATCHKEY_AWAIT(player->state() == scenarios::ScenarioPlayer::State::Over);
            QStringList complaints;
            for (const scenarios::StepResult &result : player->results()) {
                for (const base::Text &difference : result.differences)
                    complaints += difference.toString();
            }
            QCOMPARE(complaints.join(u'\n'), QString());
            QVERIFY2(!player->error(), player->error() ? qPrintable(player->error()->message()) : "");
            QCOMPARE(player->verdict(), ScenarioVerdict::Passed);
        }
    }

    void recordThatIsWrong_differs()
    {
        const auto verdictOf = [](const schedules::RecordedSchedule &schedule) {
            scenarios::ScenarioPlayer player {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                                              base::SystemRandom::instance()};
            player.setSpeed(50);
            player.load(scenarios::scenarioFrom(schedule).value(), 0);
            player.play();
            return test::waitFor([&] { return player.state() == scenarios::ScenarioPlayer::State::Over; })
                     ? player.verdict()
                     : ScenarioVerdict::Unknown;
        };
        QCOMPARE(verdictOf(lapsing()), ScenarioVerdict::Passed);
        QCOMPARE(verdictOf(lapsing("null")), ScenarioVerdict::Differs); // Another reply.
        schedules::RecordedSchedule other = lapsing();
        other.steps[3].command = {"GET", "k"};
        QCOMPARE(verdictOf(other), ScenarioVerdict::Differs); // Another command.
        other = lapsing();
        other.steps[2].inside.reset();
        QCOMPARE(verdictOf(other), ScenarioVerdict::Differs); // Another client inside.
        other = lapsing();
        other.steps.erase(other.steps.begin() + 1);
        QCOMPARE(verdictOf(other), ScenarioVerdict::Differs); // No lapse, so the lock is not free.
    }

    void sentences_tellWhatHappensAndWhatItComesTo()
    {
        const scenarios::Scenario scenario = scenarios::scenarioFrom(lapsing()).value();
        const auto &steps = scenario.alternatives.front().steps;
        QCOMPARE(steps[0].say, QStringLiteral("A wants the lock. A sends SET k locking NX PX 36000000, and is answered "
                                              "OK. A is inside."));
        QVERIFY(steps[1].say.startsWith(QStringLiteral("The time of k ends. ")));
        QVERIFY(steps[2].say.endsWith(QStringLiteral(" B and A are both inside!")));
        QVERIFY(steps[3].say.startsWith(QStringLiteral("A releases its lock. ")));
    }

    void recordThatLacksSomething_isRefusedWithASentence()
    {
        const auto complaint = [](const schedules::RecordedSchedule &schedule) {
            const auto told = scenarios::scenarioFrom(schedule);
            return told ? QString() : told.error().message();
        };
        QVERIFY(complaint(lapsing("1", "")).startsWith(QStringLiteral("the story does not say which key")));
        schedules::RecordedSchedule other = lapsing();
        other.steps[2].begins.reset();
        QVERIFY(complaint(other).startsWith(QStringLiteral("steps[2]: the story does not say what B begins here")));
        other = lapsing();
        other.recipe = QStringLiteral("none");
        QVERIFY(complaint(other).contains(QStringLiteral("\"none\""))
                || complaint(other).contains(QStringLiteral("none")));
        other = lapsing();
        other.steps[0].begins = schedules::Operation::Put;
        QCOMPARE(complaint(other), QStringLiteral("steps[0]: not an operation of the recipe \"auto-release\""));
    }
};

LATCHKEY_TEST(TestRecordedStory)

} // namespace tst_schedulescenario

#include "tst_schedulescenario.moc"
