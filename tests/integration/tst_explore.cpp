#include "tests/support/await.h"
#include "tests/support/outcome.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <unistd.h>

namespace tst_explore {

using namespace latchkey;
using test::Outcome;
using test::outcomeOf;

namespace {

/// Returns the result for one promise.
QJsonObject promiseIn(const Outcome &outcome, const char *id)
{
    for (const QJsonValue &promise : outcome.object()[QLatin1String("promises")].toArray()) {
        if (promise[QLatin1String("id")] == QLatin1String(id))
            return promise.toObject();
    }
    return {};
}

} // namespace

/// Tests of `explore` as users and scripts call it.
class TestExplore final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    static Outcome explore(const QStringList &arguments)
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("explore")} + arguments);
        return outcomeOf(process);
    }
    /// Arguments as in a shell, split at spaces.
    static Outcome explore(const char *words)
    {
        return explore(QString::fromUtf8(words).split(u' ', Qt::SkipEmptyParts));
    }
    [[nodiscard]] QString write(const QString &name, const QByteArray &contents) const
    {
        QFile file(folder->filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("%s cannot be written", qPrintable(name));
        return file.fileName();
    }
    static bool hasThreeServers(const QProcess &process)
    {
        QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(process.processId()));
        return file.open(QIODevice::ReadOnly) && file.readAll().count(' ') >= 3;
    }
    /// Returns a story as saved by the finder.
    [[nodiscard]] QByteArray savedStory() const
    {
        const auto outcome = explore({QStringLiteral("basic"), QStringLiteral("--promise"),
                                      QStringLiteral("crash-release"), QStringLiteral("--save"), folder->path()});
        QFile file(folder->filePath(QStringLiteral("basic.crash-release.json")));
        if (outcome.exitCode != 0 || !file.open(QIODevice::ReadOnly))
            qFatal("there is no story: %s", outcome.errors.constData());
        return file.readAll();
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void timeLimit_endsTheSearchOfARecipe()
    {
        const Outcome outcome =
            explore("redlock --clients 4 --promise mutual-exclusion --promise crash-release --for 1500ms");
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output.count("of 4 clients; limit reached"), 2);
    }

    void answers_haveTheDocumentedForm()
    {
        const Outcome outcome = explore("token-check-then-delete --json");
        QCOMPARE(outcome.exitCode, 0); // The broken promise is not claimed.
        QCOMPARE(outcome.object()[QLatin1String("recipe")].toString(), QStringLiteral("token-check-then-delete"));
        QCOMPARE(outcome.object()[QLatin1String("clients")].toInt(), 4);
        QVERIFY(outcome.object()[QLatin1String("complete")].toBool());
        QVERIFY(outcome.object()[QLatin1String("seconds")].isDouble());
        QVERIFY(outcome.object()[QLatin1String("schedules")].toDouble() > 100);
        QCOMPARE(promiseIn(outcome, "mutual-exclusion")[QLatin1String("verdict")].toString(), QStringLiteral("holds"));
        QVERIFY(promiseIn(outcome, "mutual-exclusion")[QLatin1String("claimed")].toBool());
        QCOMPARE(promiseIn(outcome, "no-torn-read")[QLatin1String("verdict")].toString(),
                 QStringLiteral("not-applicable"));
        const QJsonObject broken = promiseIn(outcome, "owner-only-release");
        QCOMPARE(broken[QLatin1String("verdict")].toString(), QStringLiteral("broken"));
        QVERIFY(!broken[QLatin1String("claimed")].toBool());
        QCOMPARE(broken[QLatin1String("clients")].toInt(), 2);
        QCOMPARE(promiseIn(outcome, "mutual-exclusion")[QLatin1String("clients")].toInt(), 4);
        QCOMPARE(broken[QLatin1String("counterexample")][0][QLatin1String("inside")], QJsonValue(true));
        QJsonArray who;
        for (const QJsonValue &step : broken[QLatin1String("counterexample")].toArray())
            who +=
                step[QLatin1String("fault")].isString() ? step[QLatin1String("fault")] : step[QLatin1String("client")];
        QCOMPARE(who, (QJsonArray {QStringLiteral("A"), QStringLiteral("A"), QStringLiteral("lapse"),
                                   QStringLiteral("B"), QStringLiteral("A")}));
    }

    void faultThatIsLeftOut_isReportedAndBreaksNothing()
    {
        const Outcome outcome = explore("token-check-then-delete --clients 2 --without lapses --json");
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.object()[QLatin1String("without")].toArray(), QJsonArray {QStringLiteral("lapses")});
        QCOMPARE(promiseIn(outcome, "owner-only-release")[QLatin1String("verdict")].toString(),
                 QStringLiteral("holds"));
        const Outcome told = explore("basic --clients 2 --without crashes --without lapses");
        QVERIFY2(told.output.contains("left out: crashes, lapses\n"), told.output.constData());
        const Outcome wrong = explore("basic --without rain");
        QCOMPARE(wrong.exitCode, 2);
        QCOMPARE(wrong.errors, QByteArray("latchkey-cli: --without rain: neither crashes nor lapses\n"));
    }

    void faultOfAServer_isLimitedAndPlayed()
    {
        const Outcome none = explore("token --promise failover-safe --failovers 0 --json");
        QCOMPARE(promiseIn(none, "failover-safe")[QLatin1String("verdict")].toString(), QStringLiteral("holds"));
        QCOMPARE(none.object()[QLatin1String("server_faults")][QLatin1String("failovers")].toInt(-1), 0);
        const Outcome text = explore("token --promise failover-safe --failovers 0");
        QVERIFY2(text.output.contains(" schedules of 4 clients, at most 0 failovers\n"), text.output.constData());
        const Outcome saved = explore({QStringLiteral("redlock"), QStringLiteral("--promise"),
                                       QStringLiteral("failover-safe"), QStringLiteral("--save"), folder->path()});
        QCOMPARE(saved.exitCode, 0); // The recipe does not claim the promise.
        QVERIFY2(saved.output.contains("  -  (failover on #"), saved.output.constData());
        const QString story = folder->filePath(QStringLiteral("redlock.failover-safe.json"));
        const Outcome played = explore({QStringLiteral("--play"), story});
        QCOMPARE(played.exitCode, 0);
        QVERIFY2(played.output.contains("Passed: all replies are equal"), played.output.constData());

        QProcess clients;
        clients.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("story"), story});
        QCOMPARE(outcomeOf(clients).exitCode, 0);

        // A recipe with WATCH depends on its connection, which stays open when client processes play the fault.
        const Outcome watching = explore({QStringLiteral("token-watch"), QStringLiteral("--promise"),
                                          QStringLiteral("failover-safe"), QStringLiteral("--save"), folder->path()});
        QCOMPARE(watching.exitCode, 0);
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("story"), folder->filePath(QStringLiteral("token-watch.failover-safe.json"))});
        const Outcome refused = outcomeOf(process);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains("a fault of a server cannot be played with client processes"),
                 refused.errors.constData());
        QCOMPARE(refused.errors.count('\n'), 1);
    }

    void restartWithADelay_breaksNothing()
    {
        const Outcome outcome =
            explore("redlock --clients 2 --promise restart-safe --restarts 2 --restart-delay lease --json");
        QCOMPARE(promiseIn(outcome, "restart-safe")[QLatin1String("verdict")].toString(), QStringLiteral("holds"));
        QCOMPARE(outcome.object()[QLatin1String("server_faults")][QLatin1String("restart_delay")].toString(),
                 QStringLiteral("lease"));
        const Outcome without = explore("redlock --clients 2 --promise restart-safe --json");
        QCOMPARE(promiseIn(without, "restart-safe")[QLatin1String("verdict")].toString(), QStringLiteral("broken"));
    }

    void commandThatDoesNotArrive_isSavedAndPlayed()
    {
        const Outcome saved = explore({QStringLiteral("multi-setnx-expire"), QStringLiteral("--clients"),
                                       QStringLiteral("3"), QStringLiteral("--promise"),
                                       QStringLiteral("partition-safe"), QStringLiteral("--save"), folder->path()});
        QVERIFY2(saved.output.contains(" → (no reply)    — it does not reach the server"), saved.output.constData());
        const Outcome played = explore(
            {QStringLiteral("--play"), folder->filePath(QStringLiteral("multi-setnx-expire.partition-safe.json"))});
        QCOMPARE(played.exitCode, 0);
        QVERIFY2(played.output.contains(" → (no reply)"), played.output.constData());
    }

    void form_isReportedAndMustBeKnown()
    {
        const Outcome script = explore("token --clients 2 --promise mutual-exclusion --form script --json");
        QCOMPARE(script.exitCode, 0);
        QCOMPARE(script.object()[QLatin1String("form")].toString(), QStringLiteral("script"));
        const Outcome told = explore("token --clients 2 --promise mutual-exclusion --form script");
        QVERIFY2(told.output.startsWith("token\nby script\n"), told.output.constData());
        const Outcome without = explore("token --clients 2 --promise mutual-exclusion --json");
        QVERIFY(!without.object().contains(QLatin1String("form")));

        const Outcome wrong = explore("token --form lua");
        QCOMPARE(wrong.exitCode, 2);
        QCOMPARE(wrong.errors, QByteArray("latchkey-cli: --form lua: neither script nor single nor both\n"));
        const Outcome played = explore("--play x --form script");
        QCOMPARE(played.exitCode, 2);
        QVERIFY2(played.errors.contains("--form: not with --play"), played.errors.constData());
    }

    void singleForm_isTheServersOwnCommand()
    {
        const locks::CompareForm single = test::singleCommandForm();
        if (single == locks::CompareForm::Script) { // A missing command is reported, and does not silently become the
                                                    // script.
            const Outcome none = explore("token --form single");
            QCOMPARE(none.exitCode, 3);
            QVERIFY2(none.errors.contains("has no single command that compares"), none.errors.constData());
            QCOMPARE(explore("token --form both").exitCode, 3);
            return;
        }
        const QString id = locks::compareFormId(single);
        const Outcome outcome = explore({QStringLiteral("token"), QStringLiteral("--clients"), QStringLiteral("2"),
                                         QStringLiteral("--form"), QStringLiteral("single"), QStringLiteral("--json")});
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.object()[QLatin1String("form")].toString(), id);
        // This form has one more request than the script, and so more schedules.
        const auto schedules = [](const Outcome &told) {
            return promiseIn(told, "owner-only-release")[QLatin1String("schedules")].toDouble();
        };
        QVERIFY(schedules(outcome) > schedules(explore("token --clients 2 --json")));

        const Outcome both = explore("token --clients 2 --promise mutual-exclusion --form both");
        QCOMPARE(both.exitCode, 0);
        QVERIFY2(both.output.contains("by script\n") && both.output.contains("by " + id.toUpper().toUtf8() + '\n'),
                 both.output.constData());
        QCOMPARE(both.output.count("holds in all"), 2);
        QCOMPARE(explore({QStringLiteral("token"), QStringLiteral("--form"), QStringLiteral("both"),
                          QStringLiteral("--save"), folder->path()})
                     .exitCode,
                 2);
        const Outcome none = explore("basic --form single");
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.errors.contains("it has one form"), none.errors.constData());
        QCOMPARE(explore("hash-lua --form single").exitCode, 2);
    }

    void progress_tellsEachAnswerWithItsStoryAsItComes()
    {
        const Outcome outcome = explore("token-check-then-delete --json --progress --clients 2");
        QList<QJsonObject> lines;
        for (const QByteArray &line : outcome.output.trimmed().split('\n'))
            lines += QJsonDocument::fromJson(line).object();
        const QJsonArray promises = lines.last()[QLatin1String("promises")].toArray();
        QJsonArray answered;
        for (const QJsonObject &line : lines) {
            if (!line.contains(QLatin1String("answered")))
                continue;
            answered += line[QLatin1String("answered")];
            const bool isBroken = answered.last()[QLatin1String("verdict")] == QLatin1String("broken");
            QCOMPARE(line[QLatin1String("story")].isObject(), isBroken);
            if (isBroken)
                QCOMPARE(line[QLatin1String("story")][QLatin1String("format")].toString(),
                         QStringLiteral("latchkey-story"));
        }
        QCOMPARE(answered, promises);
        QCOMPARE(explore("token --progress").exitCode, 2);
    }

    /// A program that reads the lines gets the error as one of them.
    void progress_receivesTheError()
    {
        const Outcome outcome = explore("none --json --progress");
        QCOMPARE(outcome.exitCode, 2);
        const QString error = QJsonDocument::fromJson(outcome.output)[QLatin1String("error")].toString();
        QVERIFY2(error.startsWith(QStringLiteral("unknown recipe \"none\"; there are ")), qPrintable(error));
        QVERIFY2(outcome.errors.contains(error.toUtf8()), outcome.errors.constData());
        QVERIFY(explore("none --json").output.isEmpty());
        const Outcome nothing = explore("--json --progress");
        QVERIFY2(QJsonDocument::fromJson(nothing.output)[QLatin1String("error")].toString().startsWith(
                     QStringLiteral("a RECIPE, -- COMMAND or --play is missing")),
                 nothing.output.constData());
    }

    void transcript_canBeReadAloud()
    {
        const Outcome outcome = explore("lua-setnx-expire --promise owner-only-release");
        QVERIFY2(outcome.output.contains("A  EVALSHA setnx-expire 1 k locking 36000000 → (integer) 1    — A is inside"),
                 outcome.output.constData());
    }

    void bound_isPrinted()
    {
        const Outcome outcome = explore("token --promise mutual-exclusion --max 5");
        QCOMPARE(outcome.exitCode, 3); // The answer is incomplete.
        QVERIFY2(outcome.output.contains("holds in the first 5 states of 2 clients; limit reached"),
                 outcome.output.constData());
        const Outcome asJson = explore("token --promise mutual-exclusion --max 5 --json");
        QVERIFY(!asJson.object()[QLatin1String("complete")].toBool(true));
        QVERIFY(!promiseIn(asJson, "mutual-exclusion")[QLatin1String("complete")].toBool(true));
    }

    void answer_statesTheNumberOfClients()
    {
        const auto said = [](const char *words, const char *expected) {
            const Outcome outcome = explore(words);
            QVERIFY2(outcome.output.contains(expected), outcome.output.constData());
        };
        said("basic --promise owner-only-release --clients 3", " schedules of 3 clients\n");
        said("basic --promise owner-only-release", " schedules of 4 clients\n");
        said("basic --promise crash-release", "BROKEN with 2 clients: ");
        said("multi-setnx-expire --promise mutual-exclusion", "BROKEN with 3 clients: two clients are inside at once");
    }

    void one_isNoPlural()
    {
        const Outcome outcome = explore("basic --promise crash-release --clients 1 --max 1");
        QVERIFY2(outcome.output.contains("holds in the first 1 state of 1 client; "), outcome.output.constData());
        QVERIFY2(outcome.output.contains("\n0 steps in "), outcome.output.constData());
        QVERIFY2(explore("basic --promise crash-release --clients 1").output.contains("BROKEN with 1 client: "),
                 outcome.output.constData());
    }

    void temporaryFolder_mayHaveAnyName()
    {
        const QString place = folder->filePath(QStringLiteral("a b#%20"));
        QVERIFY(QDir().mkpath(place));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TMPDIR"), place);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("explore"), QStringLiteral("basic")});
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.errors, QByteArray());
        QCOMPARE(outcome.exitCode, 0);
    }

    void notApplicablePromise_isReportedIfRequested()
    {
        QVERIFY(explore("token --promise no-torn-read").output.contains("does not apply"));
        QVERIFY(!explore("token").output.contains("does not apply"));
    }

    void preparation_isPrinted()
    {
        const Outcome outcome = explore("set-ex --promise foreign-key-safe");
        QVERIFY2(outcome.output.contains("RPUSH k somebody else    — beforehand"), outcome.output.constData());
        const auto asJson = promiseIn(explore("set-ex --promise foreign-key-safe --json"), "foreign-key-safe");
        QCOMPARE(asJson[QLatin1String("beforehand")].toArray()[0].toArray()[0].toString(), QStringLiteral("RPUSH"));
    }

    void newcomer_isIntroduced()
    {
        const Outcome outcome = explore("basic --promise crash-release");
        QVERIFY2(outcome.output.contains("C comes after all others"), outcome.output.constData());
    }

    void servers_haveNumbersWhereThereAreSeveral()
    {
        const Outcome outcome = explore("redlock --promise fenced");
        QVERIFY2(outcome.output.startsWith("redlock, servers #1 to #3\n"), outcome.output.constData());
        for (const char *line : {"A  #1 SET k ", "A  #2 SET k ", "-  (lapse on #"})
            QVERIFY2(outcome.output.contains(line), outcome.output.constData());
    }

    /// A terminal sends its signal to the whole process group.
    void interruptOfTheGroup_doesNotReachTheServer()
    {
        QProcess process;
        process.setChildProcessModifier([] { ::setpgid(0, 0); });
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("explore"), QStringLiteral("redlock"),
                                                     QStringLiteral("--clients"), QStringLiteral("3")});
        QVERIFY(process.waitForStarted());
        LATCHKEY_AWAIT(hasThreeServers(process));
        QCOMPARE(::kill(-static_cast<pid_t>(process.processId()), SIGINT), 0);
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.errors, QByteArray());
        QVERIFY2(outcome.output.startsWith("redlock, servers"), outcome.output.constData());
    }

    void interrupt_stopsTheSearch_andIsReported()
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("explore"), QStringLiteral("redlock"), QStringLiteral("--clients"),
                       QStringLiteral("3"), QStringLiteral("--json")});
        QVERIFY(process.waitForStarted());
        LATCHKEY_AWAIT(hasThreeServers(process));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
    }

    void story_isSavedAndPlayed()
    {
        const Outcome saved = explore({QStringLiteral("timestamp-naive"), QStringLiteral("--json"),
                                       QStringLiteral("--save"), folder->filePath(QStringLiteral("new/folder"))});
        const QString path = promiseIn(saved, "mutual-exclusion")[QLatin1String("story")].toString();
        QCOMPARE(path, folder->filePath(QStringLiteral("new/folder/timestamp-naive.mutual-exclusion.json")));
        QVERIFY(!promiseIn(saved, "crash-release").contains(QLatin1String("story"))); // This promise holds.

        const Outcome played = explore({QStringLiteral("--play"), path});
        QCOMPARE(played.exitCode, 0);
        QVERIFY2(played.output.startsWith("timestamp-naive breaks mutual-exclusion\n"), played.output.constData());
        QVERIFY2(played.output.contains(
                     "Passed: all replies are equal to those of the story: two clients are inside at once"),
                 played.output.constData());
        const Outcome asJson = explore({QStringLiteral("--json"), QStringLiteral("--play"), path});
        QCOMPARE(asJson.object()[QLatin1String("outcome")].toString(), QStringLiteral("passed"));
        QCOMPARE(asJson.object()[QLatin1String("steps")].toInteger(),
                 promiseIn(saved, "mutual-exclusion")[QLatin1String("counterexample")].toArray().size());
    }

    /// In a story from another user, the server only plays the story.
    void story_reachesNoOtherServerAndEnds()
    {
        const auto played = [this](const QByteArray &command) {
            const QString path = write(QStringLiteral("evil.json"),
                                       R"({"format": "latchkey-story", "version": 1, "clients": [{"name": "A"}], )"
                                       R"("steps": [{"client": "A", "command": )"
                                           + command + R"(, "reply": null}]})");
            return explore({QStringLiteral("--play"), path});
        };
        const Outcome outcome = played(R"(["REPLICAOF", "127.0.0.1", "1"])");
        QVERIFY2(outcome.output.contains("NOPERM"), outcome.output.constData());
        QCOMPARE(outcome.exitCode, 1);
        // A blocking command without data does not wait: no reply is as recorded.
        QCOMPARE(played(R"(["BLPOP", "none", "0"])").exitCode, 0);
    }

    void tooLargeStory_isRefusedWithTheLimit_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("memory") << QByteArray(R"(["SETRANGE", "k", "400000000", "v"])")
                                << QStringLiteral(
                                       "steps[0]: it has ended its server, which may take no more than 256 MB");
        QTest::newRow("time") << QByteArray(R"(["EVAL", "while true do end", "0"])")
                              << QStringLiteral(
                                     "steps[0]: timeout: the server has been executing the step for 3 seconds");
    }
    void tooLargeStory_isRefusedWithTheLimit()
    {
        QFETCH(QByteArray, command);
        QFETCH(QString, complaint);
        const QString path = write(QStringLiteral("greedy.json"),
                                   R"({"format": "latchkey-story", "version": 1, "clients": [{"name": "A"}], )"
                                   R"("steps": [{"client": "A", "command": )"
                                       + command + R"(, "reply": 400000000}]})");
        const Outcome outcome = explore({QStringLiteral("--play"), path});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains(complaint.toUtf8()), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QFile page(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/stories/README.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        QVERIFY(page.readAll().contains("256 MB"));
    }

    void differingStory_isReportedAsDifferent()
    {
        QByteArray story = savedStory();
        QVERIFY(story.contains("\"reply\": null"));
        story.replace("\"reply\": null", "\"reply\": 5");
        const QString path = write(QStringLiteral("changed.json"), story);
        const Outcome outcome = explore({QStringLiteral("--play"), path});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.output.contains("Failed: the server answers (nil) to step"), outcome.output.constData());
        const Outcome asJson = explore({QStringLiteral("--json"), QStringLiteral("--play"), path});
        QCOMPARE(asJson.exitCode, 1);
        QCOMPARE(asJson.object()[QLatin1String("outcome")].toString(), QStringLiteral("failed"));
    }

    void badInput_isOneSentence_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("complaint");
        const auto row = [](const char *words, int exitCode, const char *complaint) {
            QTest::newRow(words) << QString::fromUtf8(words) << exitCode << QString::fromUtf8(complaint);
        };
        row("", 2, "a RECIPE, -- COMMAND or --play is missing");
        row("nonsense", 2, "nonsense");
        row("token --promise nonsense", 2, "nonsense");
        row("token --clients 9", 2, "--clients 9: not a whole number from 1 to 4");
        row("token --max none", 2, "--max none");
        row("token --failovers many", 2, "--failovers many: not a whole number from 0 to 10");
        row("token --lost-writes 0", 2, "--lost-writes 0: not a whole number from 1 to 10");
        row("token --restart-delay forever", 2, "--restart-delay forever: neither none nor lease");
        row("token --partitions x", 2, "--partitions x: not a whole number from 0 to 10");
        row("token --persistence sometimes", 2, "--persistence sometimes: neither none nor everysec nor always");
        row("token --failovers 2", 2, "--failovers: only with --promise failover-safe");
        row("token --promise failover-safe --lost-writes 2 --partitions 1", 2,
            "--partitions: only with --promise partition-safe");
        row("token --lost-writes 2", 2, "--lost-writes: only with --promise failover-safe or restart-safe");
        row("--promise restart-safe --clock-jumps 2 -- true", 2,
            "--clock-jumps: only with --promise server-clock-safe");
        row("--play story.json --failovers 1", 2, "--failovers: not with --play");
        row("--restart-delay lease -- true", 2, "--restart-delay: not for a program");
        row("--failovers x -- true", 2, "--failovers x: not a whole number from 0 to 10");
        row("--without crashes -- true", 2,
            "--without: not for a program; --crashes 0 and --expirations 0 leave faults out");
        row("--data= -- true", 2, "--data: the pattern is empty");
        row("--lock= -- true", 2, "--lock: the pattern is empty");
        row("--resource -- true", 2, "--resource: the value is missing before --");
        row("/bin/sh", 2, "a program to explore goes behind --: latchkey-cli explore -- /bin/sh");
        row("token --save=", 2, "--save: the folder is missing");
        row("--play /dev/zero", 2, "/dev/zero: it is not a regular file");
        row("token --save /dev/null/stories", 3, "/dev/null/stories");
        row("token --play story.json", 2, "token");
        row("--play story.json --max 3", 2, "--max");
        row("--play /nowhere/story.json", 3, "/nowhere/story.json: No such file or directory");
        row("--play /dev/null", 2, "/dev/null: it is not a regular file");
    }
    void badInput_isOneSentence()
    {
        QFETCH(QString, words);
        QFETCH(int, exitCode);
        QFETCH(QString, complaint);
        const Outcome outcome = explore(words.split(u' ', Qt::SkipEmptyParts));
        QCOMPARE(outcome.exitCode, exitCode);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: "), outcome.errors.constData());
        QVERIFY2(outcome.errors.contains(complaint.toUtf8()), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
    }

    void badStory_isRefusedByPlace()
    {
        QByteArray story = savedStory();
        story.replace("\"version\": 1", "\"version\": 99");
        const QString path = write(QStringLiteral("later.json"), story);
        const Outcome outcome = explore({QStringLiteral("--play"), path});
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.errors, QStringLiteral("latchkey-cli: %1: the story is of version 99, this program reads "
                                                "version 1\n")
                                     .arg(path)
                                     .toUtf8());
    }
};

LATCHKEY_TEST(TestExplore)

} // namespace tst_explore

#include "tst_explore.moc"
