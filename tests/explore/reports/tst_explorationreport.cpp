#include "core/explore/reports/sarif.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_explorationreport {

using namespace latchkey;
using reports::CheckedPromise;
using reports::ExplorationReport;
using schedules::ScheduleStep;

namespace {

ScheduleStep command(const QString &client, const resp::Command &words, const resp::Reply &reply)
{
    ScheduleStep step;
    step.client = client;
    step.command = words;
    step.reply = reply;
    return step;
}

CheckedPromise promise(const char *id, races::Verdict verdict)
{
    CheckedPromise promise;
    promise.result.promise = QLatin1String(id);
    promise.result.clients = 2;
    promise.result.claimed = true;
    promise.result.verdict = verdict;
    promise.definition = QStringLiteral("definition of ") + QLatin1String(id);
    promise.summary = QStringLiteral("summary of ") + QLatin1String(id);
    return promise;
}

CheckedPromise brokenPromise(const QByteArray &value)
{
    CheckedPromise broken = promise("lost-update", races::Verdict::Broken);
    broken.result.violation = QStringLiteral("a write is lost");
    schedules::RecordedSchedule schedule;
    schedule.setupCommands = {resp::Command {"SET", "order", "0"}};
    ScheduleStep lapse;
    lapse.kind = ScheduleStep::Kind::Lapse;
    lapse.key = "lock";
    schedule.steps = {command(QStringLiteral("A"), {"GET", value}, resp::Reply::nil()), lapse,
                      command(QStringLiteral("B"), {"SET", "order", "1"}, resp::Reply::status("OK")),
                      command(QStringLiteral("A"), {"SET", "order", "1"}, resp::Reply::status("OK"))};
    broken.result.counterexample = schedule;
    return broken;
}

/// Returns a report with a promise of each status.
ExplorationReport report(const QByteArray &value = "order")
{
    ExplorationReport one;
    one.subject = QStringLiteral("worker <1>.py");
    one.source = QStringLiteral("jobs/worker <1>.py");
    one.bounds = {{QStringLiteral("crashes"), 1}};
    one.began = base::WallTime(std::chrono::milliseconds(1500));
    one.seconds = 1.5;
    one.failure = QStringLiteral("a server was lost");
    CheckedPromise unclaimed = brokenPromise(value);
    unclaimed.result.promise = QStringLiteral("fenced");
    unclaimed.result.claimed = false;
    CheckedPromise limited = promise("crash-release", races::Verdict::Holds);
    limited.result.complete = false;
    CheckedPromise byChance = promise("no-immortal-key", races::Verdict::Holds);
    byChance.result.isRandom = true;
    CheckedPromise unanswered = promise("clock-free", races::Verdict::NotApplicable);
    unanswered.isAnswered = false;
    one.promises = {promise("mutual-exclusion", races::Verdict::Holds),
                    brokenPromise(value),
                    unclaimed,
                    promise("owner-only-release", races::Verdict::NotApplicable),
                    limited,
                    byChance,
                    unanswered};
    return one;
}

QJsonObject sarifRun(const ExplorationReport &one)
{
    const QJsonObject sarif = QJsonDocument::fromJson(reports::toSarif({one})).object();
    return sarif[QStringLiteral("runs")][0].toObject();
}

} // namespace

/// Tests of the reports of explorations for continuous integration.
class TestExplorationReport final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void junit_hasACaseForEachPromise()
    {
        QXmlStreamReader xml(reports::toJUnit({report()}));
        QStringList cases;
        QString steps;
        QMap<QString, QString> counts;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            const auto attribute = [&](const char *name) {
                return xml.attributes().value(QLatin1String(name)).toString();
            };
            if (xml.name() == u"testsuite") {
                QCOMPARE(attribute("timestamp"), QStringLiteral("1970-01-01T00:00:01"));
                for (const char *name : {"tests", "failures", "errors", "skipped"})
                    counts[QLatin1String(name)] = attribute(name);
            } else if (xml.name() == u"testcase") {
                QCOMPARE(attribute("classname"), QStringLiteral("worker <1>.py"));
                cases += attribute("name") + QStringLiteral(": passed");
            } else if (xml.name() != u"testsuites") {
                cases.back() = cases.back().section(u':', 0, 0) + QStringLiteral(": ") + xml.name().toString()
                             + QStringLiteral(", ") + attribute("message");
                if (xml.name() == u"failure")
                    steps = xml.readElementText();
            }
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(cases.join(u'\n'), QStringLiteral("mutual-exclusion: passed\n"
                                                   "lost-update: failure, summary of lost-update\n"
                                                   "fenced: skipped, not claimed: summary of lost-update\n"
                                                   "owner-only-release: skipped, summary of owner-only-release\n"
                                                   "crash-release: error, summary of crash-release\n"
                                                   "no-immortal-key: error, summary of no-immortal-key\n"
                                                   "clock-free: error, a server was lost"));
        QCOMPARE(counts[QStringLiteral("tests")], QStringLiteral("7"));
        QCOMPARE(counts[QStringLiteral("failures")], QStringLiteral("1"));
        QCOMPARE(counts[QStringLiteral("errors")], QStringLiteral("3"));
        QCOMPARE(counts[QStringLiteral("skipped")], QStringLiteral("2"));
        const QStringList lines = steps.split(u'\n');
        QCOMPARE(lines.size(), 5);
        QCOMPARE(lines[0], QStringLiteral(" -  -  SET order 0    — beforehand"));
        QVERIFY2(lines[3].startsWith(QStringLiteral(" 3  B  SET order 1")), qPrintable(steps));
    }

    /// A green report would hide that nothing was searched.
    void failureWithoutPromises_isAnError()
    {
        ExplorationReport none = report();
        none.promises.clear();
        const QByteArray xml = reports::toJUnit({none});
        QVERIFY2(xml.contains("errors=\"1\"") && xml.contains("message=\"a server was lost\""), xml.constData());
    }

    void hostileText_isEscaped()
    {
        const QByteArray hostile("</failure>\x01\xff&\xf0\x9f\x94\x91", 17);
        QXmlStreamReader xml(reports::toJUnit({report(hostile)}));
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(sarifRun(report(hostile))[QStringLiteral("results")].toArray().size(), 2);
    }

    void sarif_hasTheStructureOfTheStandard()
    {
        const QJsonObject sarif = QJsonDocument::fromJson(reports::toSarif({report()})).object();
        QCOMPARE(sarif[QStringLiteral("version")].toString(), QStringLiteral("2.1.0"));
        QCOMPARE(sarif[QStringLiteral("runs")].toArray().size(), 1);
        const QJsonObject run = sarifRun(report());
        QCOMPARE(run[QStringLiteral("invocations")][0][QStringLiteral("startTimeUtc")].toString(),
                 QStringLiteral("1970-01-01T00:00:01.500Z"));
        const QJsonValue driver = run[QStringLiteral("tool")][QStringLiteral("driver")];
        QCOMPARE(driver[QStringLiteral("name")].toString(), QStringLiteral("Latchkey"));
        const QJsonArray rules = driver[QStringLiteral("rules")].toArray();
        QCOMPARE(rules.size(), 7);
        QCOMPARE(rules[1][QStringLiteral("shortDescription")][QStringLiteral("text")].toString(),
                 QStringLiteral("definition of lost-update"));
        const QJsonArray results = run[QStringLiteral("results")].toArray();
        QCOMPARE(results.size(), 2);
        for (const QJsonValue &result : results) {
            QCOMPARE(rules[result[QStringLiteral("ruleIndex")].toInt(-1)][QStringLiteral("id")],
                     result[QStringLiteral("ruleId")]);
            QVERIFY(!result[QStringLiteral("message")][QStringLiteral("text")].toString().isEmpty());
            QVERIFY(result[QStringLiteral("partialFingerprints")].isObject());
            const bool isFailure = result[QStringLiteral("kind")] == QStringLiteral("fail");
            QCOMPARE(result[QStringLiteral("level")].toString(),
                     isFailure ? QStringLiteral("error") : QStringLiteral("none"));
        }
        QCOMPARE(results[0][QStringLiteral("kind")].toString(), QStringLiteral("fail"));
        QCOMPARE(results[1][QStringLiteral("kind")].toString(), QStringLiteral("informational"));
        QCOMPARE(results[0][QStringLiteral("locations")][0][QStringLiteral("physicalLocation")]
                        [QStringLiteral("artifactLocation")][QStringLiteral("uri")]
                            .toString(),
                 QStringLiteral("jobs/worker%20%3C1%3E.py"));
        QCOMPARE(results[0][QStringLiteral("properties")][QStringLiteral("bounds")][QStringLiteral("crashes")].toInt(),
                 1);
        QCOMPARE(results[0][QStringLiteral("properties")][QStringLiteral("verdict")].toString(),
                 QStringLiteral("broken"));
    }

    void sarif_hasTheStepsInOrder()
    {
        const QJsonArray threads =
            sarifRun(
                report())[QStringLiteral("results")][0][QStringLiteral("codeFlows")][0][QStringLiteral("threadFlows")]
                .toArray();
        QMap<int, QString> steps;
        QStringList ids;
        for (const QJsonValue &thread : threads) {
            ids += thread[QStringLiteral("id")].toString();
            for (const QJsonValue &place : thread[QStringLiteral("locations")].toArray())
                steps[place[QStringLiteral("executionOrder")].toInt()] =
                    place[QStringLiteral("location")][QStringLiteral("message")][QStringLiteral("text")].toString();
        }
        QCOMPARE(ids, (QStringList {QStringLiteral("beforehand"), QStringLiteral("A"), QStringLiteral("faults"),
                                    QStringLiteral("B")}));
        QCOMPARE(steps.keys(), (QList<int> {1, 2, 3, 4, 5}));
        QVERIFY2(steps[4].startsWith(QStringLiteral("B  SET order 1")), qPrintable(steps[4]));
    }

    void promiseWithoutVerdict_isANotification()
    {
        const QJsonValue invocation = sarifRun(report())[QStringLiteral("invocations")][0];
        QCOMPARE(invocation[QStringLiteral("executionSuccessful")], QJsonValue(false));
        QStringList texts;
        for (const QJsonValue &one : invocation[QStringLiteral("toolExecutionNotifications")].toArray())
            texts += one[QStringLiteral("message")][QStringLiteral("text")].toString();
        QCOMPARE(texts,
                 (QStringList {QStringLiteral("crash-release: summary of crash-release"),
                               QStringLiteral("no-immortal-key: summary of no-immortal-key"),
                               QStringLiteral("clock-free: a server was lost"), QStringLiteral("a server was lost")}));
        ExplorationReport complete = report();
        complete.failure.clear();
        complete.promises.resize(4);
        QCOMPARE(sarifRun(complete)[QStringLiteral("invocations")][0][QStringLiteral("executionSuccessful")],
                 QJsonValue(true));
    }

    void fingerprint_dependsOnSubjectAndPromiseOnly()
    {
        const auto fingerprint = [](const ExplorationReport &one, int result) {
            return sarifRun(one)[QStringLiteral("results")][result][QStringLiteral("partialFingerprints")]
                                [QStringLiteral("latchkeyPromise/v1")]
                                    .toString();
        };
        ExplorationReport other = report();
        other.subject = QStringLiteral("other.py");
        QCOMPARE(fingerprint(report("another key"), 0), fingerprint(report(), 0));
        QVERIFY(fingerprint(other, 0) != fingerprint(report(), 0));
        QVERIFY(fingerprint(report(), 1) != fingerprint(report(), 0));
    }
};

LATCHKEY_TEST(TestExplorationReport)

} // namespace tst_explorationreport

#include "tst_explorationreport.moc"
