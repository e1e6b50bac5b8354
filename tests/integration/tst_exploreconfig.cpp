#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/support/workers.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace tst_exploreconfig {

using namespace latchkey;
using test::Outcome;
using test::outcomeOf;

/// Tests of `explore --config`, which explores several programs.
class TestExploreConfig final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QByteArray contentsOf(const char *name) const
    {
        QFile file(folder->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
    }
    void write(const char *name, const QByteArray &contents) const
    {
        QFile file(folder->filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(contents), contents.size());
    }
    /// Runs the command in the folder. `words`: as in a shell, split at spaces.
    [[nodiscard]] Outcome explore(const char *words) const
    {
        QProcess process;
        process.setWorkingDirectory(folder->path());
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("explore")} + QString::fromUtf8(words).split(u' '));
        return outcomeOf(process);
    }
    /// Returns a program of the file, with one of the workers.
    static QJsonObject program(const char *name, const char *worker, QJsonObject fields = {})
    {
        fields[QStringLiteral("name")] = QLatin1String(name);
        fields[QStringLiteral("command")] =
            QJsonArray::fromStringList(test::workerCommand(QString::fromLatin1(worker)));
        return fields;
    }
    void writeConfig(const QJsonArray &programs, const QJsonObject &defaults) const
    {
        write("config.json", QJsonDocument(QJsonObject {{QStringLiteral("programs"), programs},
                                                        {QStringLiteral("defaults"), defaults}})
                                 .toJson());
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void programs_areExploredUnderTheirNames()
    {
        const QJsonObject oneClient {{QStringLiteral("clients"), 1}};
        writeConfig({program("first", "setnxexpire"), program("second", "setnxexpire", oneClient)},
                    {{QStringLiteral("promise"), QJsonArray {QStringLiteral("no-immortal-key")}},
                     {QStringLiteral("clients"), 2},
                     {QStringLiteral("expirations"), 0}});
        const Outcome outcome =
            explore("--config config.json --junit races.xml --sarif races.sarif --html pages --save stories");
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.output.startsWith("first: 2 clients with at most 1 crash\n"), outcome.output.constData());
        QVERIFY2(outcome.output.contains("\n\nsecond: 1 client with at most 1 crash\n"), outcome.output.constData());
        QCOMPARE(contentsOf("races.xml").count("<testsuite "), 2);
        QVERIFY(contentsOf("races.xml").contains("latchkey.explore.second"));
        const QJsonArray runs =
            QJsonDocument::fromJson(contentsOf("races.sarif")).object()[QStringLiteral("runs")].toArray();
        QCOMPARE(runs.size(), 2);
        QVERIFY(QJsonDocument(runs[1].toObject()).toJson().contains("workers/setnxexpire.py"));
        for (const char *file : {"pages/first.no-immortal-key.html", "pages/second.no-immortal-key.html",
                                 "stories/first.no-immortal-key.json", "stories/second.no-immortal-key.json"})
            QVERIFY2(contentsOf(file) != "cannot be read", file);
        QCOMPARE(explore("--config config.json --json").output.count("\"recipe\""), 2);
    }

    void exitCode_isTheMostSevere_data()
    {
        QTest::addColumn<QStringList>("workers");
        QTest::addColumn<int>("exitCode");
        QTest::addRow("all hold") << QStringList {QStringLiteral("incr")} << 0;
        QTest::addRow("one is broken") << QStringList {QStringLiteral("setnxexpire"), QStringLiteral("incr")} << 1;
        QTest::addRow("one fails") << QStringList {QStringLiteral("failing"), QStringLiteral("setnxexpire"),
                                                   QStringLiteral("incr")}
                                   << 3;
    }
    void exitCode_isTheMostSevere()
    {
        QFETCH(QStringList, workers);
        QJsonArray programs;
        for (const QString &worker : workers)
            programs += program(qPrintable(worker), qPrintable(worker));
        writeConfig(programs, {{QStringLiteral("promise"), QStringLiteral("no-immortal-key")},
                               {QStringLiteral("data"), QStringLiteral("order:1")},
                               {QStringLiteral("clients"), 1}});
        const Outcome outcome = explore("--config config.json --junit races.xml");
        QTEST(outcome.exitCode, "exitCode");
        QCOMPARE(contentsOf("races.xml").count("<testsuite "), workers.size()); // The others are explored anyway.
    }

    void baseline_canBeThatOfAProgram()
    {
        const QJsonObject known {{QStringLiteral("baseline"), QStringLiteral("known.json")}};
        const QJsonObject defaults {{QStringLiteral("promise"), QStringLiteral("no-immortal-key")},
                                    {QStringLiteral("clients"), 1}};
        writeConfig({program("first", "setnxexpire")}, defaults);
        QCOMPARE(explore("--config config.json --write-baseline known.json").exitCode, 1);
        writeConfig({program("first", "setnxexpire", known)}, defaults);
        QCOMPARE(explore("--config config.json").exitCode, 0);
        writeConfig({program("other", "setnxexpire", known)}, defaults);
        QCOMPARE(explore("--config config.json").exitCode, 1);
    }

    void malformedFiles_areRefusedWithTheirPlace_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QByteArray>("complaint");
        const auto one = [](const QByteArray &fields) {
            return QByteArray("{\"programs\": [\n  {\"name\": \"a\", \"command\": [\"true\"]" + fields + "}]}");
        };
        QTest::addRow("no JSON") << QByteArray("{\"programs\": [],}") << QByteArray(": not JSON: ");
        QTest::addRow("an array") << QByteArray("[]") << QByteArray("1:1: not an object");
        QTest::addRow("no programs") << QByteArray("{}") << QByteArray("1:1: programs: missing");
        QTest::addRow("empty list") << QByteArray("{\"programs\": []}")
                                    << QByteArray("1:14: programs: there is no program");
        QTest::addRow("unknown field") << one(
            ", \"client\": 2") << QByteArray("2:48: programs[0].client: unknown field (did you mean \"clients\"?)");
        QTest::addRow("unknown field of defaults")
            << QByteArray("{\"defaults\": {\"name\": \"x\"}, \"programs\": []}") << QByteArray("1:23: defaults.name: ");
        QTest::addRow("option of the whole run")
            << one(", \"junit\": \"x\"") << QByteArray("programs[0].junit: unknown");
        QTest::addRow("wrong type") << one(", \"clients\": \"2\"")
                                    << QByteArray("2:49: programs[0].clients: not a whole number");
        QTest::addRow("list for one value")
            << one(", \"resource\": [\"a\"]") << QByteArray("2:50: programs[0].resource: not a text");
        QTest::addRow("value refused by the option")
            << one(", \"clients\": 9")
            << QByteArray("2:49: programs[0].clients: --clients 9: not a whole number from 1 to 4");
        QTest::addRow("value of defaults refused") << QByteArray(
            "{\"defaults\": {\"for\": \"x\"}, \"programs\": [{\"name\": \"a\", \"command\": [\"true\"]}]}")
                                                   << QByteArray("1:22: defaults.for: --for: \"x\" is not a duration");
        QTest::addRow("unknown promise") << one(", \"promise\": [\"x\"]")
                                         << QByteArray("2:49: programs[0].promise: unknown promise \"x\"");
        QTest::addRow("member twice") << one(", \"name\": \"b\"") << QByteArray("2:38: this member occurs twice");
        QTest::addRow("name twice") << one("}, {\"name\": \"a\", \"command\": [\"true\"]")
                                    << QByteArray("2:48: programs[1].name: another program has this name");
        QTest::addRow("name with a slash")
            << QByteArray("{\"programs\": [{\"name\": \"ä/b\", \"command\": [\"true\"]}]}")
            << QByteArray("1:24: programs[0].name: a name cannot contain a slash");
        QTest::addRow("no name") << QByteArray("{\"programs\": [{\"command\": [\"true\"]}]}")
                                 << QByteArray("1:15: programs[0].name: missing");
        QTest::addRow("command is text") << QByteArray("{\"programs\": [{\"name\": \"ä\", \"command\": \"true\"}]}")
                                         << QByteArray("1:40: programs[0].command: not an array");
        QTest::addRow("empty command") << QByteArray("{\"programs\": [{\"name\": \"a\", \"command\": []}]}")
                                       << QByteArray("1:40: programs[0].command: the program is missing");
    }
    void malformedFiles_areRefusedWithTheirPlace()
    {
        QFETCH(const QByteArray, contents);
        QFETCH(const QByteArray, complaint);
        write("config.json", contents);
        const Outcome outcome = explore("--config config.json --junit races.xml");
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: --config: config.json:")
                     && outcome.errors.contains(complaint),
                 outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(contentsOf("races.xml"), QByteArray("cannot be read"));
    }

    void badCommandLines_areRefused_data()
    {
        QTest::addColumn<QByteArray>("complaint");
        QTest::addRow("--config none.json") << QByteArray("--config: cannot read none.json: ");
        QTest::addRow("--config config.json --clients 2") << QByteArray("--clients: not with --config");
        QTest::addRow("--config config.json --play story.json") << QByteArray("--play: not with --config");
        QTest::addRow("--config config.json token") << QByteArray("--config: the file names the programs; omit token");
        QTest::addRow("--config config.json -- true") << QByteArray("--config: the file names the programs; omit true");
        QTest::addRow("--config config.json --progress") << QByteArray("--progress: only with --json");
    }
    void badCommandLines_areRefused()
    {
        writeConfig({program("first", "incr")}, {});
        const Outcome outcome = explore(QTest::currentDataTag());
        QCOMPARE(outcome.exitCode, 2);
        QFETCH(QByteArray, complaint);
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + complaint), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
    }

    void interrupt_endsAllPrograms()
    {
        QJsonObject slow = program("slow", "slow");
        QJsonArray command = slow[QStringLiteral("command")].toArray();
        for (const char *word : {"LD_PRELOAD", "-u", "env"}) // Without the virtual clock, it is slow.
            command.prepend(QLatin1String(word));
        slow[QStringLiteral("command")] = command;
        writeConfig({slow, program("second", "incr")}, {});
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("explore"), QStringLiteral("--config"),
                                                     folder->filePath(QStringLiteral("config.json"))});
        LATCHKEY_AWAIT(!test::childrenOf(process.processId(), "python3").isEmpty());
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(!outcome.output.contains("second"), outcome.output.constData());
    }

    /// The example of the manual, with the worker of the page on exploring programs.
    void example_canBeExplored()
    {
        const auto resource = [](const char *name) {
            QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/") + QLatin1String(name));
            return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        write("worker.py", resource("any-program.md")
                               .section(QStringLiteral("```python\n"), 1)
                               .section(QStringLiteral("```"), 0, 0)
                               .toUtf8());
        // The first Python in PATH may not have the package.
        write("explore.json", resource("ci/explore.json")
                                  .replace(QLatin1String("python3"), test::workerCommand(QString()).constFirst())
                                  .toUtf8());
        const Outcome outcome = explore("--config explore.json");
        QVERIFY2(outcome.exitCode == 1, outcome.errors.constData());
        QVERIFY(outcome.output.contains("\nworker-without-expirations: "));
    }
};

LATCHKEY_TEST(TestExploreConfig)

} // namespace tst_exploreconfig

#include "tst_exploreconfig.moc"
