#include "tests/support/childprocesses.h"
#include "tests/support/scenariofixture.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>
#include <unistd.h>

namespace tst_scenarioplayer {

using namespace latchkey;
using namespace std::chrono_literals;
using scenarios::ScenarioPlayer;
using scenarios::ScenarioVerdict;
using State = ScenarioPlayer::State;
using test::ScenarioFixture;

namespace {

/// Returns a story with Ann, Bob and these steps.
QByteArray savedScenarioOf(const QByteArray &steps, const QByteArray &recipe = "token", const QByteArray &more = {})
{
    return R"({"format": "latchkey-story", "version": 2, "title": "T", "clients": ["Ann", "Bob"], "key": "k", "recipe": )"
         + ('"' + recipe + '"') + ", " + more + "\"steps\": [" + steps + "]}";
}

const QByteArray annAcquires =
    R"({"say": "s", "client": "Ann", "acquire": {"lease": "5m"}, "expect": {"outcome": "acquired"}})";

/// Returns the children of this process that have a word in their command line.
QList<pid_t> childrenWith(const QByteArray &word)
{
    return test::childrenOf(::getpid(), word);
}

} // namespace

class TestScenarioPlayer final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// One row for each expectation, with a value that is met and one that is not.
    void wrongExpectation_isNoticed_data()
    {
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QByteArray>("right");
        QTest::addColumn<QByteArray>("wrong");
        QTest::addColumn<QString>("complaint");
        const auto row = [](const char *name, const QByteArray &steps, const char *right, const char *wrong,
                            const char *complaint) {
            QTest::addRow("%s", name) << steps << QByteArray(right) << QByteArray(wrong)
                                      << QString::fromUtf8(complaint);
        };
        const QByteArray look = annAcquires + R"(, {"say": "s", "expect": {@}})";
        const QByteArray sends = R"({"say": "s", "client": "Ann", "command": ["SET", "k", "v", "PX", "300000"]}, )";
        row("outcome", R"({"say": "s", "client": "Ann", "acquire": {"lease": "5m"}, "expect": {@}})",
            R"("outcome": "acquired")", R"("outcome": "busy")", "steps[0].expect: expected busy, got acquired");
        row("reply", R"({"say": "s", "client": "Ann", "command": ["INCR", "k"], "expect": {@}})", R"("reply": 1)",
            R"("reply": 2)", "steps[0].expect: expected (integer) 2, got (integer) 1");
        row("value", sends + R"({"say": "s", "client": "Ann", "get": {"recipe": "set-ex"}, "expect": {@}})",
            R"("value": "v")", R"("value": "w")", "steps[1].expect: expected \"w\", got \"v\"");
        row("no value", R"({"say": "s", "client": "Ann", "get": {"recipe": "set-ex"}, "expect": {@}})",
            R"("outcome": "miss")", R"("value": "w")", "steps[0].expect: expected \"w\", got no value");
        row("fields",
            R"({"say": "s", "client": "Ann", "put": {"recipe": "hash-lua", "fields": {"a": "1"}, "lifetime": "5m"}},
               {"say": "s", "client": "Bob", "get": {"recipe": "hash-lua"}, "expect": {@}})",
            R"("fields": {"a": "1"})", R"("fields": {"a": "2"})", "steps[1].expect: expected a=2, got a=1");
        row("inside", look, R"("inside": ["Ann"])", R"("inside": ["Bob"])",
            "steps[1].expect: inside: expected Bob, got Ann");
        row("nobody inside", look, R"("inside": ["Ann"])", R"("inside": [])",
            "steps[1].expect: inside: expected no client, got Ann");
        row("believes", look, R"("believes": {"Ann": true, "Bob": false})", R"("believes": {"Ann": false})",
            "steps[1].expect: Ann believes that it holds the lock");
        row("believes not", look, R"("believes": {"Bob": false})", R"("believes": {"Bob": true})",
            "steps[1].expect: Bob does not believe that it holds the lock");
        row("exists", look, R"("keys": {"k": {"exists": true}})", R"("keys": {"other": {"exists": true}})",
            "steps[1].expect: other: it is not there, but should be there");
        row("exists not", look, R"("keys": {"other": {"exists": false}})", R"("keys": {"k": {"exists": false}})",
            "but should not be there");
        row("expires", look, R"("keys": {"k": {"expires": true}})", R"("keys": {"k": {"expires": false}})",
            "but should have none");
        row("holds a value", sends + R"({"say": "s", "expect": {@}})", R"("keys": {"k": {"value": "v"}})",
            R"("keys": {"k": {"value": "w"}})", "but should hold \"w\"");
        row("held by", look, R"("keys": {"k": {"held_by": "Ann"}})", R"("keys": {"k": {"held_by": "Bob"}})",
            "but should hold the token of Bob");
        row("at least", look, R"("keys": {"k": {"at_least": "1m"}})", R"("keys": {"k": {"at_least": "6m"}})",
            "but should have at least 6m left");
        row("at most", look, R"("keys": {"k": {"at_most": "5m"}})", R"("keys": {"k": {"at_most": "1m"}})",
            "but should have at most 1m left");
        const QByteArray writes = annAcquires + R"(, {"say": "s", "client": "Ann", "write": true, "expect": {@}})";
        row("written", writes, R"("written": ["Ann"], "outcome": "accepted")", R"("written": [])",
            "steps[1].expect: writes accepted by the resource: expected no client, got Ann");
        row("refused", writes, R"("refused": [])", R"("refused": ["Ann"])",
            "steps[1].expect: writes refused by the resource: expected Ann, got no client");
        row("recomputed", R"({"say": "s", "client": "Ann", "recompute": {"value": "v"}, "expect": {@}})",
            R"("recomputed": 1)", R"("recomputed": 2)", "steps[0].expect: recomputed 1 times instead of 2");
    }
    void wrongExpectation_isNoticed()
    {
        QFETCH(QByteArray, steps);
        QFETCH(QByteArray, right);
        QFETCH(QByteArray, wrong);
        QFETCH(QString, complaint);
        ScenarioFixture passing(savedScenarioOf(QByteArray(steps).replace('@', right)));
        QVERIFY(passing.play());
        QCOMPARE(passing.complaints(), QString());
        QCOMPARE(passing.player.verdict(), ScenarioVerdict::Passed);

        ScenarioFixture otherwise(savedScenarioOf(QByteArray(steps).replace('@', wrong)));
        QVERIFY(otherwise.play());
        QCOMPARE(otherwise.player.verdict(), ScenarioVerdict::Differs);
        QVERIFY2(otherwise.complaints().contains(complaint), qPrintable(otherwise.complaints()));
    }

    void impossibleStep_givesDiffers_data()
    {
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QString>("complaint");
        QTest::addRow("a release after busy")
            << annAcquires
                   + R"(, {"say": "s", "client": "Bob", "acquire": {}}, {"say": "s", "client": "Bob", "release": true})"
            << QStringLiteral("steps[2]: Bob does not believe that it holds a lock");
        QTest::addRow("two locks") << annAcquires + ", " + annAcquires
                                   << QStringLiteral("steps[1]: Ann holds a lock already");
        QTest::addRow("the end of what stays for ever")
            << QByteArray(R"({"say": "s", "client": "Ann", "command": ["SET", "k", "v"]},
                             {"say": "s", "await": {"gone": "k"}})")
            << QStringLiteral("steps[1]: the key k has no lifetime that could end");
        QTest::addRow("a deadline that is none")
            << QByteArray(R"({"say": "s", "client": "Ann", "command": ["SET", "k", "v"]},
                             {"say": "s", "await": {"passed": "k"}})")
            << QStringLiteral("steps[1]: the key k holds no deadline");
        QTest::addRow("an error that nobody expects")
            << QByteArray(R"({"say": "s", "client": "Ann", "command": ["LPUSH", "k", "v"]},
                             {"say": "s", "client": "Ann", "command": ["INCR", "k"]})")
            << QStringLiteral("steps[1]: Ann could not do it: ");
        QTest::addRow("administration") << QByteArray(
            R"({"say": "s", "client": "Ann", "command": ["CONFIG", "SET", "maxmemory", "1"]})")
                                        << QStringLiteral("steps[0]: Ann could not do it: ");
    }
    void impossibleStep_givesDiffers()
    {
        QFETCH(QByteArray, steps);
        QFETCH(QString, complaint);
        ScenarioFixture run(savedScenarioOf(steps));
        QVERIFY(run.play());
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Differs);
        QVERIFY2(run.complaints().startsWith(complaint), qPrintable(run.complaints()));
    }

    void signals_areReal()
    {
        ScenarioFixture run(savedScenarioOf(annAcquires + R"(, {"say": "s", "client": "Ann", "signal": "pause"},
            {"say": "s", "client": "Ann", "signal": "resume"}, {"say": "s", "client": "Ann", "signal": "crash"})"));
        const auto stepIsOver = [&](std::size_t count) {
            return
                [&run, count] { return run.player.results().size() == count && run.player.state() != State::Playing; };
        };
        run.player.step();
        QVERIFY(test::waitFor(stepIsOver(1)));
        const QList<pid_t> actors = childrenWith("actor");
        QCOMPARE(actors.size(), 2);
        const auto stopped = [&] { return std::ranges::count(actors, 'T', test::stateOf); };
        QCOMPARE(stopped(), 0);
        run.player.step();
        QVERIFY(test::waitFor(stepIsOver(2)));
        QCOMPARE(stopped(), 1);
        run.player.step();
        QVERIFY(test::waitFor(stepIsOver(3)));
        QCOMPARE(stopped(), 0);
        QVERIFY(run.play());
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Passed);
        QCOMPARE(run.player.results().back().inside, QStringList());
    }

    void nothing_survivesItsEnd()
    {
        ScenarioFixture run(savedScenarioOf(annAcquires));
        LATCHKEY_AWAIT(run.player.state() == State::Resting);
        QCOMPARE(childrenWith("actor").size(), 2);
        QCOMPARE(childrenWith("redis-server").size(), 1);
        QVERIFY(run.play());
        QCOMPARE(childrenWith({}), QList<pid_t>());

        run.player.restart();
        LATCHKEY_AWAIT(run.player.state() == State::Resting);
        QCOMPARE(childrenWith("actor").size(), 2);
        { // Destroyed in the middle of the story.
            ScenarioFixture other(savedScenarioOf(annAcquires));
            LATCHKEY_AWAIT(other.player.state() == State::Resting);
            QCOMPARE(childrenWith("actor").size(), 4);
        }
        QCOMPARE(childrenWith("actor").size(), 2);
    }

    void exitedServer_leavesTheOutcomeUnknown()
    {
        ScenarioFixture run(savedScenarioOf(annAcquires + R"(, {"say": "s", "work": "1h"})"));
        LATCHKEY_AWAIT(run.player.state() == State::Resting);
        run.player.play();
        LATCHKEY_AWAIT(run.player.results().size() == 1);
        ::kill(childrenWith("redis-server").front(), SIGKILL);
        LATCHKEY_AWAIT(run.player.state() == State::Over);
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Unknown);
        QVERIFY(run.player.error());
        QVERIFY2(run.complaints().startsWith(QLatin1String("steps[1]: ")), qPrintable(run.complaints()));
        QCOMPARE(childrenWith({}), QList<pid_t>());
    }

    void clientThatExits_leavesTheOutcomeUnknown()
    {
        ScenarioFixture run(savedScenarioOf(R"({"say": "s", "work": "1h"})"));
        LATCHKEY_AWAIT(run.player.state() == State::Resting);
        run.player.play();
        LATCHKEY_AWAIT(run.player.state() == State::Playing);
        ::kill(childrenWith("actor").front(), SIGKILL);
        LATCHKEY_AWAIT(run.player.state() == State::Over);
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Unknown);
        QVERIFY2(run.complaints().endsWith(QLatin1String(" ended unexpectedly")), qPrintable(run.complaints()));
    }

    void programThatIsNone_leavesTheOutcomeUnknown()
    {
        ScenarioPlayer player(QStringLiteral("/nowhere/latchkey-cli"), base::SystemClock::instance(),
                              base::SystemRandom::instance());
        for (int client = 0; client < 2; ++client)
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("cannot run")));
        player.load(*scenarios::readScenario({}, savedScenarioOf(annAcquires)), 0);
        player.play();
        LATCHKEY_AWAIT(player.state() == State::Over);
        QCOMPARE(player.verdict(), ScenarioVerdict::Unknown);
    }

    void stepThatDoesNotComeAbout_isGivenUp()
    {
        // A lock without renewal never reports a loss.
        ScenarioFixture run(savedScenarioOf(annAcquires + R"(, {"say": "s", "client": "Ann", "await": "lost"})"));
        LATCHKEY_AWAIT(run.player.state() == State::Resting);
        run.player.step();
        LATCHKEY_AWAIT(run.player.results().size() == 1);
        run.player.setStepTimeout(100ms);
        QVERIFY(run.play());
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Unknown);
        QCOMPARE(run.complaints(), QStringLiteral("steps[1]: timeout: not reached within 1 seconds"));
    }

    void pause_endsWithTheStepUnderWay()
    {
        ScenarioFixture run(savedScenarioOf(R"({"say": "1", "work": "1s"}, {"say": "2", "work": "1s"})"));
        QSignalSpy began(&run.player, &ScenarioPlayer::stepBegan);
        run.player.play();
        LATCHKEY_AWAIT(run.player.state() == State::Playing);
        run.player.pause();
        LATCHKEY_AWAIT(run.player.state() == State::Resting);
        QCOMPARE(run.player.position(), std::size_t(1));
        QCOMPARE(began.size(), 1);
        run.player.step();
        LATCHKEY_AWAIT(run.player.state() == State::Over);
        QCOMPARE(began.size(), 2);
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Passed);
    }

    void restart_beginsWithAnEmptyStage()
    {
        ScenarioFixture run(savedScenarioOf(
            annAcquires + R"(, {"say": "s", "client": "Ann", "write": true, "expect": {"written": ["Ann"]}})"));
        QVERIFY(run.play());
        QCOMPARE(run.complaints(), QString());
        run.player.restart();
        QCOMPARE(run.player.position(), std::size_t(0));
        QVERIFY(!run.player.isPlaying());
        QVERIFY(run.play()); // The lock and the write of the first run are gone.
        QCOMPARE(run.complaints(), QString());
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Passed);
    }

    void restartWithinASignal_isSafe()
    {
        ScenarioFixture run(savedScenarioOf(annAcquires + R"(, {"say": "s", "client": "Bob", "acquire": {}})"));
        int restarts = 0;
        connect(&run.player, &ScenarioPlayer::stepEnded, this, [&](const scenarios::StepResult &result) {
            if (result.step != 1 || ++restarts > 2)
                return;
            run.player.restart();
            run.player.play();
        });
        run.player.play();
        LATCHKEY_AWAIT(restarts == 3 && run.player.state() == State::Over);
        QCOMPARE(run.player.verdict(), ScenarioVerdict::Passed);
        QCOMPARE(run.player.results().size(), std::size_t(2));
        LATCHKEY_AWAIT(childrenWith({}).isEmpty());
    }

    void pausedCommand_isSentOnResume()
    {
        ScenarioFixture run(
            savedScenarioOf(R"({"say": "s", "client": "Ann", "acquire": {"lease": "5m"}, "hold_before": "expire",
                                      "expect": {"outcome": "held", "keys": {"k": {"expires": false}}}},
                                     {"say": "s", "client": "Ann", "go_on": true,
                                      "expect": {"outcome": "acquired", "keys": {"k": {"expires": true}}}})",
                            "setnx-then-expire"));
        QVERIFY(run.play());
        QCOMPARE(run.complaints(), QString());
        QCOMPARE(run.player.results().front().exchanged.size(), std::size_t(1));
        QVERIFY(run.player.results().front().exchanged.front().command.startsWith(QLatin1String("SETNX k")));
        QVERIFY(run.player.results().back().exchanged.front().command.startsWith(QLatin1String("EXPIRE k")));
    }

    void speed_cutsALeaseOnlyWhereTheStoryAllowsIt()
    {
        // A lease of five minutes does not end during a test.
        ScenarioFixture cut(
            savedScenarioOf(annAcquires + R"(, {"say": "s", "await": {"gone": "k", "scalable": true}})"));
        cut.player.setSpeed(1000);
        QVERIFY(cut.play());
        QCOMPARE(cut.player.verdict(), ScenarioVerdict::Passed);

        ScenarioFixture whole(savedScenarioOf(annAcquires + R"(, {"say": "s", "await": {"gone": "k"}})"));
        whole.player.setSpeed(1000);
        whole.player.play();
        LATCHKEY_AWAIT(whole.player.results().size() == 1 && whole.player.state() == State::Playing);
        QVERIFY(!test::waitFor([&] { return whole.player.state() == State::Over; }, 1s));
    }
};

LATCHKEY_TEST(TestScenarioPlayer)

} // namespace tst_scenarioplayer

#include "tst_scenarioplayer.moc"
