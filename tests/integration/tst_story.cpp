#include "core/playground/scenarios/builtin.h"
#include "tests/support/childprocesses.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/scenariofixture.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace tst_story {

using namespace latchkey;
using test::Outcome;

namespace {

/// Returns a story in which Ann acquires a lock, with this expectation.
QByteArray storyExpecting(const QByteArray &expectation)
{
    return R"({"format": "latchkey-story", "version": 2, "title": "A title", "clients": ["Ann"], "key": "k",
 "question": "A question?", "verdict": "A verdict.",
 "steps": [{"say": "Ann acquires.", "client": "Ann",
            "acquire": {"recipe": "token", "lease": "5m"}, "expect": )"
         + expectation + "}]}\n";
}

QList<QJsonObject> objectsIn(const QByteArray &lines)
{
    QList<QJsonObject> objects;
    for (const QByteArray &line : lines.split('\n')) {
        if (!line.isEmpty())
            objects += QJsonDocument::fromJson(line).object();
    }
    return objects;
}

} // namespace

class TestStory final : public test::CommandLineTest
{
    Q_OBJECT

    /// Number of stories played at the same time.
    static constexpr int atOnce = 4;
    using Alternatives = std::vector<std::unique_ptr<test::ScenarioFixture>>;

    QTemporaryDir folder;
    std::map<std::size_t, Alternatives> underWay; ///< By the number of the story.

    /// Starts all alternatives of a story, unless they were started already or there is no such story.
    void begin(std::size_t index)
    {
        const auto sources = scenarios::builtInScenarios();
        if (index >= sources.size() || underWay.contains(index))
            return;
        const auto told = scenarios::readScenario(QStringLiteral("story"), sources[index].contents);
        if (!told)
            qFatal("%s", qPrintable(told.error().message()));
        for (std::size_t i = 0; i < told->alternatives.size(); ++i) {
            underWay[index].push_back(std::make_unique<test::ScenarioFixture>(sources[index].contents, i));
            underWay[index].back()->player.play();
        }
    }

    QString write(const char *name, const QByteArray &contents) const
    {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) < 0)
            qFatal("cannot write %s", name);
        return file.fileName();
    }
    Outcome story(const QStringList &arguments, const QByteArray &input = {}) const
    {
        return run(QStringList {QStringLiteral("story")} + arguments, input);
    }

private Q_SLOTS:
    void everyStory_passes_data()
    {
        QTest::addColumn<int>("index");
        const auto sources = scenarios::builtInScenarios();
        for (std::size_t i = 0; i < sources.size(); ++i)
            QTest::addRow("%s", qPrintable(sources[i].name)) << static_cast<int>(i);
    }
    void everyStory_passes()
    {
        QFETCH(int, index);
        // Starts the next stories too, because most of the time is that of leases.
        for (int next = index; next < index + atOnce; ++next)
            begin(static_cast<std::size_t>(next));
        const Alternatives played = std::move(underWay.at(static_cast<std::size_t>(index)));
        QVERIFY(!played.empty());
        for (const auto &one : played) {
            QVERIFY(one->play());
            QCOMPARE(one->complaints(), QString());
            QCOMPARE(one->player.verdict(), scenarios::ScenarioVerdict::Passed);
            QCOMPARE(one->player.results().size(), one->player.alternative().steps.size());
        }
    }

    void storyWithAnotherExpectation_differs_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        const auto row = [](const char *name, const char *from, const char *to) {
            QTest::addRow("%s", name) << scenarios::builtInScenario(QString::fromLatin1(name))->contents
                                      << QByteArray(from) << QByteArray(to);
        };
        row("late-delete", R"("inside": ["Bob", "Carol"])", R"("inside": ["Bob"])");
        row("paused-holder", R"("written": ["Bob", "Ann"])", R"("written": ["Ann", "Bob"])");
        row("stuck-for-ever", R"("expires": false)", R"("expires": true)");
        row("redlock", R"("held_by": "Ann")", R"("held_by": "Bob")");
    }
    void storyWithAnotherExpectation_differs()
    {
        QFETCH(QByteArray, contents);
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QVERIFY(contents.contains(from));
        test::ScenarioFixture played(contents.replace(from, to));
        QVERIFY(played.play());
        QCOMPARE(played.player.verdict(), scenarios::ScenarioVerdict::Differs);
        QVERIFY(!played.complaints().isEmpty());
    }

    void passedStory_isReportedAndExitsWith0()
    {
        const Outcome told = story({write("good.json", storyExpecting(R"({"outcome": "acquired"})"))});
        QCOMPARE(told.errors, QByteArray());
        QCOMPARE(told.exitCode, 0);
        QVERIFY2(told.output.startsWith("A title\n"), told.output.constData());
        for (const char *part :
             {"  1  Ann acquires.\n", "     Ann  SET k ", " NX PX 300000 → OK\n", "acquired; inside: Ann",
              "Passed: all expectations were met.", "Question: A question?", "Lesson: A verdict."})
            QVERIFY2(told.output.contains(part), told.output.constData());
    }

    void differingStory_exitsWith1()
    {
        const Outcome told = story({write("bad.json", storyExpecting(R"({"outcome": "busy"})"))});
        QCOMPARE(told.exitCode, 1);
        QVERIFY2(told.output.contains("FAILED: steps[0].expect: expected busy, got acquired"), told.output.constData());
        QVERIFY(!told.output.contains("Lesson"));
    }

    void undecidableStory_exitsWith3()
    {
        environment.insert(QStringLiteral("LATCHKEY_REDIS_SERVER"), QStringLiteral("/nowhere/redis-server"));
        const Outcome told = story({write("good.json", storyExpecting(R"({"outcome": "acquired"})"))});
        QCOMPARE(told.exitCode, 3);
        QVERIFY2(told.errors.contains("/nowhere/redis-server"), told.errors.constData());
        QCOMPARE(told.errors.count('\n'), 1);
    }

    void json_hasAnObjectForEachStep()
    {
        const Outcome told = story({QStringLiteral("late-delete"), QStringLiteral("--json"), QStringLiteral("--speed"),
                                    QStringLiteral("50"), QStringLiteral("--only"), QStringLiteral("plain")});
        QCOMPARE(told.exitCode, 0);
        const QList<QJsonObject> objects = objectsIn(told.output);
        QCOMPARE(objects.size(), 7);
        QCOMPARE(objects[3][QStringLiteral("step")].toInt(), 4);
        QCOMPARE(objects[3][QStringLiteral("client")].toString(), QStringLiteral("Ann"));
        QCOMPARE(objects[3][QStringLiteral("outcome")].toString(), QStringLiteral("released"));
        QCOMPARE(objects[3][QStringLiteral("place")].toString(), QStringLiteral("steps[3]"));
        QCOMPARE(objects[3][QStringLiteral("passed")].toBool(), true);
        const QJsonObject sent = objects[3][QStringLiteral("exchanged")].toArray().first().toObject();
        QCOMPARE(sent[QStringLiteral("command")].toString(), QStringLiteral("DEL lock:report"));
        QCOMPARE(sent[QStringLiteral("reply")].toString(), QStringLiteral("(integer) 1"));
        QCOMPARE(objects[4][QStringLiteral("inside")].toArray(),
                 (QJsonArray {QStringLiteral("Bob"), QStringLiteral("Carol")}));
        QVERIFY(objects[3][QStringLiteral("message")].isNull() && objects[3][QStringLiteral("fencing")].isNull());
        QCOMPARE(objects[5][QStringLiteral("is")].toString(), QStringLiteral("flawed"));
        QCOMPARE(objects[6][QStringLiteral("outcome")].toString(), QStringLiteral("passed"));
    }

    void step_tellsNumbersAndReasons()
    {
        const auto told = [&](const char *name, const char *alternative) {
            return story({QString::fromLatin1(name), QStringLiteral("--speed"), QStringLiteral("50"),
                          QStringLiteral("--only"), QString::fromLatin1(alternative)})
                .output;
        };
        const QByteArray paused = told("paused-holder", "fenced");
        QVERIFY2(paused.contains("Bob writes to the resource; accepted, with number 2;"), paused.constData());
        QVERIFY2(paused.contains("Ann writes to the resource; refused, with number 1;"), paused.constData());
        const QByteArray redlock = told("redlock", "three-down");
        QVERIFY2(redlock.contains(" (only 2 of 5 servers answered, fewer than the 3 that decide; "),
                 redlock.constData());
    }

    void json_describesTheDifference()
    {
        const Outcome told =
            story({write("bad.json", storyExpecting(R"({"outcome": "busy"})")), QStringLiteral("--json")});
        QCOMPARE(told.exitCode, 1);
        const QList<QJsonObject> objects = objectsIn(told.output);
        QCOMPARE(objects.size(), 3);
        QCOMPARE(objects[0][QStringLiteral("passed")].toBool(), false);
        QCOMPARE(objects[0][QStringLiteral("differences")].toArray().size(), 1);
        QCOMPARE(objects[2][QStringLiteral("outcome")].toString(), QStringLiteral("failed"));
    }

    void list_hasAllOfThem()
    {
        const QByteArray names = story({}).output;
        QCOMPARE(names, story({QStringLiteral("--list")}).output);
        QCOMPARE(names.count('\n'), 18);
        QVERIFY(names.startsWith("stuck-for-ever "));
        const Outcome asJson = story({QStringLiteral("--list"), QStringLiteral("--json")});
        const QJsonArray array = QJsonDocument::fromJson(asJson.output).array();
        QCOMPARE(array.size(), 18);
        QCOMPARE(array[7][QStringLiteral("id")].toString(), QStringLiteral("late-delete"));
        QCOMPARE(array[7][QStringLiteral("alternatives")].toArray().size(), 2);
    }

    void printedStory_canBeCheckedAndPlayed()
    {
        const Outcome printed = story({QStringLiteral("--print"), QStringLiteral("hash-half-written")});
        QCOMPARE(printed.exitCode, 0);
        const QString path = write("mine.json", printed.output);
        QCOMPARE(story({QStringLiteral("--check"), path}).exitCode, 0);
        const Outcome told = story({path, QStringLiteral("--only"), QStringLiteral("script")});
        QCOMPARE(told.exitCode, 0);
        QVERIFY(told.output.contains("script: One script (sound)") && !told.output.contains("placeholder:"));
    }

    void check_namesFileLineAndPlace()
    {
        const QString path = write("mine.json", storyExpecting(R"({"outcome": "released"})"));
        for (const QStringList &arguments : {QStringList {QStringLiteral("--check"), path}, QStringList {path}}) {
            const Outcome checked = story(arguments);
            QCOMPARE(checked.exitCode, 2);
            QCOMPARE(checked.output, QByteArray());
            const QByteArray start =
                "latchkey-cli: " + path.toUtf8() + ":4: steps[0].expect: the outcome \"released\" cannot be";
            QVERIFY2(checked.errors.startsWith(start), checked.errors.constData());
        }
    }

    void wrongUsage_isRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char *words, const char *complaint) {
            QTest::addRow("%s", words) << QString::fromLatin1(words).split(u' ') << QByteArray(complaint);
        };
        row("no-such-story",
            "there is no story \"no-such-story\", and no file of that name; there are stuck-for-ever, ");
        row("late-delete --only none", "--only none: the story has plain, token");
        row("late-delete --speed 0", "--speed 0: not a number from 0.1 to 1000");
        row("late-delete --speed fast", "--speed fast: not a number from 0.1 to 1000");
        row("late-delete --list", "exclude each other");
    }
    void wrongUsage_isRefused()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, complaint);
        const Outcome refused = story(arguments);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains(complaint), refused.errors.constData());
    }

    void step_waitsForEnter()
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("story"), QStringLiteral("paused-holder"), QStringLiteral("--step"),
                       QStringLiteral("--only"), QStringLiteral("token"), QStringLiteral("--speed"),
                       QStringLiteral("50")});
        QByteArray told;
        const auto hasTold = [&](const char *text) {
            told += process.readAllStandardOutput();
            return told.contains(text);
        };
        process.write("\n");
        LATCHKEY_AWAIT(hasTold("  1  "));
        process.write("\n");
        LATCHKEY_AWAIT(hasTold("  2  "));
        QVERIFY(!hasTold("  3  "));
        process.closeWriteChannel(); // The remaining steps need no input.
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        QVERIFY(hasTold("Passed: all expectations were met."));
        QCOMPARE(process.exitCode(), 0);
    }

    void interrupt_endsThePlayerAndIsReported()
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("story"), QStringLiteral("stuck-for-ever"),
                                                     QStringLiteral("--speed"), QStringLiteral("0.1")});
        QByteArray told;
        LATCHKEY_AWAIT((told += process.readAllStandardOutput()).contains("  3  "));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        QCOMPARE(process.exitCode(), 3);
        QVERIFY(process.readAllStandardError().contains("stopped before its end"));
    }

    void exit_leavesNoProcess()
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("story"), QStringLiteral("stuck-for-ever"),
                                                     QStringLiteral("--speed"), QStringLiteral("0.1")});
        QByteArray told;
        LATCHKEY_AWAIT((told += process.readAllStandardOutput()).contains("  3  "));
        const QList<pid_t> children = test::childrenOf(process.processId());
        QCOMPARE(children.size(), 2); // A server, and the only client that was not killed.
        process.kill();
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(std::ranges::none_of(children, test::isAlive));
    }

    void recordedStory_isPlayedByTheRecipe()
    {
        const QString saved = folder.filePath(QStringLiteral("saved"));
        (void)run({QStringLiteral("explore"), QStringLiteral("setnx-then-expire"), QStringLiteral("--promise"),
                   QStringLiteral("crash-release"), QStringLiteral("--save"), saved});
        const QString path = saved + QStringLiteral("/setnx-then-expire.crash-release.json");
        QCOMPARE(story({QStringLiteral("--check"), path}).exitCode, 0);
        const Outcome told = story({path});
        QCOMPARE(told.exitCode, 0);
        for (const char *part :
             {"setnx-then-expire breaks crash-release\n", "A wants the lock. A sends SETNX k locking",
              "The process of A is killed (SIGKILL).", "C acquires k by setnx-then-expire",
              "Passed: all expectations were met.", "the lock cannot be acquired."})
            QVERIFY2(told.output.contains(part), told.output.constData());
        // explore plays the messages only.
        const Outcome replayed = run({QStringLiteral("explore"), QStringLiteral("--play"), path});
        QCOMPARE(replayed.exitCode, 0);
        QVERIFY(replayed.output.contains("Passed: all replies are equal to those of the story"));

        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString broken =
            write("broken.json", file.readAll().replace(R"("fault": "crash")", R"("fault": "crush")"));
        const Outcome checked = story({QStringLiteral("--check"), broken});
        QCOMPARE(checked.exitCode, 2);
        QVERIFY2(QRegularExpression(QStringLiteral(":\\d+: steps\\[\\d+\\]\\.fault: \"crush\" is none of crash, "))
                     .match(QString::fromUtf8(checked.errors))
                     .hasMatch(),
                 checked.errors.constData());

        const Outcome refused = run({QStringLiteral("explore"), QStringLiteral("--play"),
                                     write("told.json", storyExpecting(R"({"outcome": "busy"})"))});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains("use latchkey-cli story"), refused.errors.constData());
    }
};

LATCHKEY_TEST(TestStory)

} // namespace tst_story

#include "tst_story.moc"
