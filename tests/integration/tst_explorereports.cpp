#include "tests/support/filesizelimit.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/support/workers.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_explorereports {

using namespace latchkey;
using test::Outcome;
using test::outcomeOf;

/// Tests of the reports that `explore` writes for continuous integration.
class TestExploreReports final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QString path(const char *name) const { return folder->filePath(QLatin1String(name)); }
    [[nodiscard]] QByteArray contentsOf(const char *name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
    }
    void write(const char *name, const QByteArray &contents) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(contents), contents.size());
    }
    static Outcome explore(const QStringList &arguments)
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("explore")} + arguments);
        return outcomeOf(process);
    }
    /// Arguments as in a shell, split at spaces; `@` is replaced by the folder.
    [[nodiscard]] Outcome explore(const char *words, const QStringList &command = {}) const
    {
        QStringList arguments = QString::fromUtf8(words).split(u' ', Qt::SkipEmptyParts);
        for (QString &argument : arguments)
            argument.replace(QLatin1String("@"), folder->path() + u'/');
        return explore(command.isEmpty() ? arguments : arguments + QStringList {QStringLiteral("--")} + command);
    }
    /// Returns `PROMISE: OUTCOME` for each test case of a JUnit report.
    [[nodiscard]] QStringList casesOf(const char *name) const
    {
        QXmlStreamReader xml(contentsOf(name));
        QStringList cases;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            if (xml.name() == u"testcase")
                cases += xml.attributes().value(QLatin1String("name")).toString() + QStringLiteral(": passed");
            else if (!cases.isEmpty() && xml.name() != u"testsuite")
                cases.back().replace(QLatin1String("passed"), xml.name().toString());
        }
        return xml.hasError() ? QStringList {xml.errorString()} : cases;
    }
    [[nodiscard]] QJsonObject sarifRun(const char *name, int run = 0) const
    {
        return QJsonDocument::fromJson(contentsOf(name)).object()[QStringLiteral("runs")][run].toObject();
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void program_isReported()
    {
        const Outcome outcome = explore("--promise no-immortal-key --promise mutual-exclusion --junit @j "
                                        "--sarif @s",
                                        test::workerCommand(QStringLiteral("setnxexpire")));
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(casesOf("j"), (QStringList {QStringLiteral("mutual-exclusion: passed"),
                                             QStringLiteral("no-immortal-key: failure")}));
        QVERIFY(contentsOf("j").contains("classname=\"setnxexpire.py\""));
        const QJsonObject run = sarifRun("s");
        const QJsonArray results = run[QStringLiteral("results")].toArray();
        QCOMPARE(results.size(), 1);
        QCOMPARE(results[0][QStringLiteral("ruleId")].toString(), QStringLiteral("no-immortal-key"));
        QVERIFY(results[0][QStringLiteral("locations")][0][QStringLiteral("physicalLocation")]
                       [QStringLiteral("artifactLocation")][QStringLiteral("uri")]
                           .toString()
                           .endsWith(QStringLiteral("setnxexpire.py")));
        QCOMPARE(run[QStringLiteral("properties")][QStringLiteral("bounds")][QStringLiteral("crashes")].toInt(), 1);
        QCOMPARE(run[QStringLiteral("properties")][QStringLiteral("promises")][0][QStringLiteral("verdict")].toString(),
                 QStringLiteral("holds"));
        const QJsonArray flows = results[0][QStringLiteral("codeFlows")][0][QStringLiteral("threadFlows")].toArray();
        QCOMPARE(flows.size(), 1); // The counterexample is SETNX and a crash, both of A.
        QCOMPARE(flows[0][QStringLiteral("locations")].toArray().size(), 2);
        QCOMPARE(run[QStringLiteral("invocations")][0][QStringLiteral("executionSuccessful")], QJsonValue(true));
        for (const QJsonValue &rule :
             run[QStringLiteral("tool")][QStringLiteral("driver")][QStringLiteral("rules")].toArray())
            QVERIFY(!rule[QStringLiteral("shortDescription")][QStringLiteral("text")].toString().isEmpty());
    }

    /// Reports are for programs: their language does not depend on that of the user.
    void report_isInEnglish()
    {
        QProcess process;
        QProcessEnvironment chinese = QProcessEnvironment::systemEnvironment();
        chinese.insert(QStringLiteral("LC_ALL"), QStringLiteral("zh_CN.UTF-8"));
        chinese.insert(QStringLiteral("LANGUAGE"), QStringLiteral("zh_CN"));
        process.setProcessEnvironment(chinese);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("explore"), QStringLiteral("basic"), QStringLiteral("--promise"),
                       QStringLiteral("crash-release"), QStringLiteral("--clients"), QStringLiteral("1"),
                       QStringLiteral("--junit"), path("j")});
        const Outcome outcome = outcomeOf(process);
        QVERIFY2(!outcome.output.contains("BROKEN"), outcome.output.constData());
        QVERIFY2(contentsOf("j").contains("not claimed: BROKEN with 1 client"), contentsOf("j").constData());
    }

    void brokenPromiseThatIsNotClaimed_isNoFailure()
    {
        const Outcome outcome = explore("token-check-then-delete --clients 2 --junit @j --sarif @s");
        QCOMPARE(outcome.exitCode, 0);
        const QStringList cases = casesOf("j");
        QVERIFY(cases.contains(QStringLiteral("mutual-exclusion: passed")));
        QVERIFY(cases.contains(QStringLiteral("owner-only-release: skipped")));
        QVERIFY(cases.filter(QStringLiteral("failure")).isEmpty());
        for (const QJsonValue &result : sarifRun("s")[QStringLiteral("results")].toArray())
            QCOMPARE(result[QStringLiteral("level")].toString(), QStringLiteral("none"));
    }

    void promiseWithoutVerdict_isAnError()
    {
        const Outcome outcome = explore("token --clients 2 --promise mutual-exclusion --max 3 --junit @j --sarif @s");
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(casesOf("j"), QStringList {QStringLiteral("mutual-exclusion: error")});
        const QJsonValue invocation = sarifRun("s")[QStringLiteral("invocations")][0];
        QCOMPARE(invocation[QStringLiteral("executionSuccessful")], QJsonValue(false));
        QCOMPARE(invocation[QStringLiteral("toolExecutionNotifications")].toArray().size(), 1);
    }

    /// A report of an earlier run would be taken for that of this run.
    void programThatCannotBeExplored_isAnErrorInTheReport()
    {
        write("j", "old");
        const Outcome outcome = explore("--junit @j", {QStringLiteral("/bin/false")});
        QVERIFY(outcome.exitCode == 2 || outcome.exitCode == 3);
        const QStringList cases = casesOf("j");
        QVERIFY(!cases.isEmpty());
        QCOMPARE(cases.filter(QStringLiteral(": error")), cases);
    }

    void wrongCommandLine_keepsTheReport()
    {
        write("j", "old");
        QCOMPARE(explore("token --promise no-such-promise --junit @j").exitCode, 2);
        QCOMPARE(contentsOf("j"), QByteArray("old"));
        QCOMPARE(explore({QStringLiteral("token"), QStringLiteral("--junit"), QString()}).errors,
                 QByteArray("latchkey-cli: --junit: the path is missing\n"));
    }

    void unwritableReport_isReportedBeforeTheSearch_data()
    {
        QTest::addColumn<QString>("option");
        for (const char *option : {"--junit", "--sarif", "--write-baseline"})
            QTest::addRow("%s", option) << QString::fromLatin1(option);
    }
    void unwritableReport_isReportedBeforeTheSearch()
    {
        QFETCH(QString, option);
        const Outcome outcome = explore({QStringLiteral("basic"), option, path("none/report")});
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output, QByteArray());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY2(outcome.errors.contains(option.toUtf8() + ": cannot write "), outcome.errors.constData());
    }

    void fullDisk_keepsTheOldReport_data()
    {
        QTest::addColumn<QString>("option");
        for (const char *option : {"--junit", "--sarif"})
            QTest::addRow("%s", option) << QString::fromLatin1(option);
    }
    void fullDisk_keepsTheOldReport()
    {
        QFETCH(QString, option);
        write("report", "old");
        const Outcome outcome = [&] {
            const test::FileSizeLimit full(200);
            return explore({QStringLiteral("timestamp-naive"), QStringLiteral("--promise"),
                            QStringLiteral("owner-only-release"), option, path("report")});
        }();
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.errors,
                 QByteArray("latchkey-cli: explore: cannot write " + path("report").toUtf8() + ": File too large\n"));
        QVERIFY2(outcome.output.contains("BROKEN"), outcome.output.constData());
        QCOMPARE(contentsOf("report"), QByteArray("old"));
    }

    void pages_areWrittenForBrokenPromises()
    {
        const Outcome outcome = explore("token-check-then-delete --clients 2 --html @pages");
        QCOMPARE(outcome.exitCode, 0);
        const QStringList pages = QDir(path("pages")).entryList(QDir::Files);
        QVERIFY(pages.contains(QStringLiteral("token-check-then-delete.owner-only-release.html")));
        QVERIFY(!pages.contains(QStringLiteral("token-check-then-delete.mutual-exclusion.html")));
        const QByteArray page = contentsOf("pages/token-check-then-delete.owner-only-release.html");
        QVERIFY2(page.contains("<svg ") && page.contains("BROKEN with 2 clients"), page.constData());
        write("file", "old");
        const Outcome refused = explore("basic --html @file/pages");
        QCOMPARE(refused.exitCode, 3);
        QCOMPARE(refused.output, QByteArray());
        QCOMPARE(refused.errors.count('\n'), 1);
    }

    void knownBrokenPromise_doesNotFailTheRun()
    {
        const QStringList worker = test::workerCommand(QStringLiteral("setnxexpire"));
        const char *search = "--promise no-immortal-key --baseline @known --junit @j --sarif @s --json";
        QCOMPARE(explore("--promise no-immortal-key --write-baseline @known", worker).exitCode, 1);
        const Outcome known = explore(search, worker);
        QCOMPARE(known.exitCode, 0);
        const QJsonValue promise = known.object()[QStringLiteral("promises")][0];
        QCOMPARE(promise[QStringLiteral("verdict")].toString(), QStringLiteral("broken"));
        QCOMPARE(promise[QStringLiteral("known")], QJsonValue(true));
        QCOMPARE(casesOf("j"), QStringList {QStringLiteral("no-immortal-key: skipped")});
        QCOMPARE(sarifRun("s")[QStringLiteral("results")][0][QStringLiteral("suppressions")].toArray().size(), 1);
        const Outcome told = explore("--promise no-immortal-key --baseline @known", worker);
        QVERIFY2(told.output.contains("      known: it is listed in the baseline\n"), told.output.constData());
        // Another promise is not known.
        QCOMPARE(explore("--promise no-immortal-key --promise crash-release --baseline @known", worker).exitCode, 1);
    }

    /// Clients that wait for each other are a failure, and a baseline can list it.
    void mutualBlock_isReportedAsBroken_data()
    {
        QTest::addColumn<QStringList>("worker");
        QTest::addColumn<QString>("id");
        QTest::addRow("deadlock") << test::workerCommand(QStringLiteral("crossing")) << QStringLiteral("deadlock");
        QTest::addRow("livelock") << test::workerCommand(QStringLiteral("crossinglocks"))
                                         + QStringList {QStringLiteral("opposite")}
                                  << QStringLiteral("livelock");
    }
    void mutualBlock_isReportedAsBroken()
    {
        QFETCH(const QStringList, worker);
        QFETCH(const QString, id);
        const char *search = "--promise no-immortal-key --crashes 0 --data * --write-baseline @known --junit @j";
        QCOMPARE(explore(search, worker).exitCode, 1);
        QCOMPARE(casesOf("j"),
                 QStringList({QStringLiteral("no-immortal-key: passed"), id + QStringLiteral(": failure")}));
        QVERIFY2(contentsOf("known").contains(id.toUtf8()), contentsOf("known").constData());
        const Outcome known = explore("--promise no-immortal-key --crashes 0 --data * --baseline @known", worker);
        QCOMPARE(known.exitCode, 0);
        QVERIFY2(known.output.contains("      known: it is listed in the baseline\n"), known.output.constData());
    }

    void fixedPromise_isReportedAndLeavesTheBaseline()
    {
        write("known", R"({"version": 1, "broken": [{"subject": "token", "promise": "mutual-exclusion"},
                           {"subject": "other.py", "promise": "lost-update"}]})");
        const Outcome outcome = explore("token --clients 2 --promise mutual-exclusion --baseline @known "
                                        "--write-baseline @known");
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.output.contains("      mended: it can be removed from the baseline\n"),
                 outcome.output.constData());
        const QByteArray known = contentsOf("known");
        QVERIFY2(known.contains("other.py") && !known.contains("token"), known.constData());
    }

    void wrongBaseline_isReportedInOneSentence()
    {
        write("known", "{\"version\": 1,\n\"broken\": 7}");
        const Outcome malformed = explore("basic --baseline @known");
        QCOMPARE(malformed.exitCode, 2);
        QCOMPARE(malformed.output, QByteArray());
        QCOMPARE(malformed.errors,
                 QByteArray("latchkey-cli: --baseline: " + path("known").toUtf8() + ":2: broken: not an array\n"));
        const Outcome missing = explore("basic --baseline @none");
        QCOMPARE(missing.exitCode, 3);
        QVERIFY2(missing.errors.startsWith("latchkey-cli: --baseline: cannot read "), missing.errors.constData());
        QCOMPARE(missing.errors.count('\n'), 1);
    }

    /// The command of the workflow with its values of env, on the worker of the manual.
    void workflow_writesBothReports()
    {
        const auto textOf = [](const char *name) {
            QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/") + QLatin1String(name));
            return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        const QString workflow = textOf("ci/github-actions.yml");
        const auto valueOf = [&](const char *name) {
            const QRegularExpression line(QStringLiteral("^ +%1: (.+)$").arg(QLatin1String(name)),
                                          QRegularExpression::MultilineOption);
            return line.match(workflow).captured(1);
        };
        const QString command = valueOf("run").isEmpty()
                                  ? QString()
                                  : workflow.section(QStringLiteral("bin/latchkey-cli "), 1).section(u'\n', 0, 0);
        QVERIFY(!command.isEmpty());
        write("worker.py", textOf("any-program.md")
                               .section(QStringLiteral("```python\n"), 1)
                               .section(QStringLiteral("```"), 0, 0)
                               .toUtf8());
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("OPTIONS"), valueOf("OPTIONS"));
        // The first Python in PATH may not have the package.
        environment.insert(
            QStringLiteral("PROGRAM"),
            valueOf("PROGRAM").replace(QLatin1String("python3"), test::workerCommand(QString()).constFirst()));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder->path());
        process.start(
            QStringLiteral("/bin/sh"),
            {QStringLiteral("-c"), QStringLiteral("exec '%1' %2").arg(QStringLiteral(LATCHKEY_CLI), command)});
        const Outcome outcome = outcomeOf(process);
        QVERIFY2(outcome.exitCode == 1, outcome.errors.constData());
        QVERIFY(casesOf("races.xml").contains(QStringLiteral("lost-update: failure")));
        QCOMPARE(sarifRun("races.sarif")[QStringLiteral("results")][0][QStringLiteral("locations")][0][QStringLiteral(
                     "physicalLocation")][QStringLiteral("artifactLocation")][QStringLiteral("uri")]
                     .toString(),
                 QStringLiteral("worker.py"));
    }
};

LATCHKEY_TEST(TestExploreReports)

} // namespace tst_explorereports

#include "tst_explorereports.moc"
