#include "core/foundation/base/bytes.h"
#include "core/foundation/files/json.h"
#include "core/inspect/expectations/expectationtexts.h"
#include "core/inspect/expectations/report.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_expectationreport {

using namespace latchkey;
using namespace std::chrono_literals;
using expectations::Expectation;
using expectations::KeyResult;
using expectations::Report;
using expectations::Verdict;
using Outcome = Verdict::Outcome;
using Why = Verdict::Why;

namespace {

/// Text with commas, quotation marks, line ends, bytes that are not UTF-8, and characters that XML cannot contain.
const QByteArray awkward("a,\"b\"\r\n\xff\x01\xef\xbf\xbf<&>\xf0\x9f\x94\x91");

/// Complete coverage by default.
events::Coverage coverage(bool isScanComplete = true)
{
    events::Coverage::Parts parts;
    parts.isScanComplete = isScanComplete;
    parts.scannedKeys = 2;
    return events::Coverage(std::move(parts));
}

Report report()
{
    Report report(coverage());
    const QString pattern = QStringLiteral("a* gone between 1s and 2s");
    const QString named = QStringLiteral("b \"x\", y exists until 1s");
    report.expectations = {expectations::parseExpectation(pattern).value(),
                           expectations::parseExpectation(named).value()};
    Verdict went;
    went.outcome = Outcome::Fails;
    went.why = Why::Ended;
    went.lowerBound = 2'100'900us;
    went.upperBound = 2'200'100us;
    went.isSinceWriting = true;
    went.ending = events::Ending::Expired;
    Verdict stays;
    stays.outcome = Outcome::Holds;
    stays.why = Why::StillExists;
    stays.lowerBound = 1001ms;
    stays.upperBound = 1002ms;
    Verdict unseen;
    unseen.outcome = Outcome::Unknown;
    unseen.why = Why::NeverSeen;
    report.results = {KeyResult {0, awkward, went}, KeyResult {0, "ab", unseen}, KeyResult {1, "b \"x\", y", stays}};
    report.watched = 3s;
    report.roundTrip = 250us;
    report.server = QStringLiteral("unix:///tmp/s.sock");
    return report;
}

/// A strict reader of RFC 4180.
QList<QStringList> readCsv(const QByteArray &csv)
{
    QList<QStringList> records {{QString()}};
    bool isQuoted = false;
    const QString text = QString::fromUtf8(csv);
    for (qsizetype i = 0; i < text.size(); ++i) {
        QString &field = records.back().back();
        if (isQuoted && text[i] == u'"' && i + 1 < text.size() && text[i + 1] == u'"')
            field += text[++i];
        else if (text[i] == u'"')
            isQuoted = !isQuoted;
        else if (!isQuoted && text[i] == u',')
            records.back() += QString();
        else if (!isQuoted && text.sliced(i).startsWith(QStringLiteral("\r\n")))
            ++i, records += QStringList {QString()};
        else
            field += text[i];
    }
    records.removeLast();
    return records;
}

} // namespace

/// Tests of the exported reports of a run.
class TestExpectationReport final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void one_isNoPlural()
    {
        Verdict verdict;
        verdict.upperBound = std::chrono::milliseconds(1500);
        for (const auto &[why, one, two] :
             {std::tuple(Why::Renewed, "renewed once", "renewed 2 times"),
              std::tuple(Why::AlwaysExpiring, "an expiry in the one look", "an expiry in each of 2 looks")}) {
            verdict.why = why;
            verdict.count = 1;
            QVERIFY2(expectations::groundsText(verdict).startsWith(QLatin1String(one)), one);
            verdict.count = 2;
            QVERIFY2(expectations::groundsText(verdict).startsWith(QLatin1String(two)), two);
        }
    }

    void csv_isReadBack()
    {
        const QByteArray csv = expectations::toCsv(report());
        const QList<QStringList> records = readCsv(csv);
        QCOMPARE(records.size(), 4);
        for (const QStringList &record : records)
            QCOMPARE(record.size(), records[0].size());
        const auto field = [&](int record, const char *name) {
            return records[record][records[0].indexOf(QLatin1String(name))];
        };
        QCOMPARE(base::fromPrintable(field(1, "key")), awkward);
        QCOMPARE(field(1, "outcome"), QStringLiteral("fails"));
        QCOMPARE(field(1, "least_ms"), QStringLiteral("2100"));
        QCOMPARE(field(1, "most_ms"), QStringLiteral("2201"));
        QCOMPARE(field(1, "since"), QStringLiteral("writing"));
        QCOMPARE(field(1, "ending"), QStringLiteral("expired"));
        QCOMPARE(field(2, "why"), QStringLiteral("never-seen"));
        QCOMPARE(field(2, "most_ms"), QString());
        QCOMPARE(field(3, "expectation"), QStringLiteral("b \"x\", y exists until 1s"));
        QCOMPARE(field(3, "text"), QStringLiteral("still there 1.001 s after the first look"));
    }

    void junit_isWellFormedAndCounts()
    {
        QXmlStreamReader xml(expectations::toJUnit(report()));
        QStringList outcomes;
        QStringList names;
        QStringList messages;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            const auto attributes = xml.attributes();
            if (xml.name() == u"testsuite" || xml.name() == u"testsuites") {
                QCOMPARE(attributes.value(QStringLiteral("tests")).toInt(), 3);
                QCOMPARE(attributes.value(QStringLiteral("failures")).toInt(), 1);
                QCOMPARE(attributes.value(QStringLiteral("errors")).toInt(), 1);
                QCOMPARE(attributes.value(QStringLiteral("time")).toString(), QStringLiteral("3.000"));
            } else if (xml.name() == u"testcase") {
                names += attributes.value(QStringLiteral("name")).toString();
                outcomes += QStringLiteral("passed");
            } else {
                outcomes.back() = xml.name().toString();
                messages += attributes.value(QStringLiteral("message")).toString();
            }
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        const QStringList expected {QStringLiteral("failure"), QStringLiteral("error"), QStringLiteral("passed")};
        QCOMPARE(outcomes, expected);
        QVERIFY(names[0].contains(QStringLiteral("<&>\U0001F511")));
        QCOMPARE(names[2], QStringLiteral("b \"x\", y exists until 1s"));
        QVERIFY(messages[0].contains(QStringLiteral("expired 2.150 s after it was written, give or take 50 ms")));
    }

    /// The command does not exit with 0 either.
    void incompleteCoverage_leavesNoCaseThatPasses()
    {
        Report incomplete = report();
        events::Coverage::Parts parts = incomplete.coverage.parts();
        parts.now = base::MonotonicTime(10s);
        parts.gaps.push_back({base::MonotonicTime(5s),
                              base::MonotonicTime(6s),
                              {base::ErrorKind::PermissionDenied, base::Text(QStringLiteral("NOPERM"))},
                              events::KeyRequest::Expiry,
                              true});
        incomplete.coverage = events::Coverage(std::move(parts));
        QXmlStreamReader xml(expectations::toJUnit(incomplete));
        QStringList types;
        int cases = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            cases += xml.name() == u"testcase" ? 1 : 0;
            if (xml.name() != u"error")
                continue;
            types += xml.attributes().value(QStringLiteral("type")).toString();
            QVERIFY(xml.attributes()
                        .value(QStringLiteral("message"))
                        .contains(u"the server refused PTTL of some keys for 1.000 s, until 4.000 s ago: NOPERM"));
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(cases, 3);
        QCOMPARE(types, (QStringList {QStringLiteral("never-seen"), QStringLiteral("incomplete")}));
    }

    /// XML 1.0 has no form for most control characters.
    void characterThatXmlCannotContain_isEscaped()
    {
        Report one = report();
        const QString sentence = QStringLiteral("a\x01\uFFFF\tb exists until 1s");
        one.expectations[1] = expectations::parseExpectation(QStringLiteral("b exists until 1s")).value();
        one.expectations[1].text = sentence;
        QXmlStreamReader xml(expectations::toJUnit(one));
        QString last;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == u"testcase")
                last = xml.attributes().value(QStringLiteral("name")).toString();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(last, QStringLiteral("a\\u0001\\uffff\tb exists until 1s"));
    }

    void timeOfWatching_isReportedUntilItIsEnough()
    {
        Verdict verdict;
        verdict.why = Why::WatchedTooShort;
        QCOMPARE(expectations::groundsText(verdict), QStringLiteral("there at the first look"));
        verdict.lowerBound = 1ms;
        QCOMPARE(expectations::groundsText(verdict), QStringLiteral("there for 0.001 s"));
        verdict.outcome = Outcome::Unknown;
        QCOMPARE(expectations::groundsText(verdict), QStringLiteral("watched for only 0.001 s"));
    }

    void count_isReportedOnlyIfThereIsOne()
    {
        Report some = report();
        some.results[2].verdict.why = Why::Renewed;
        const auto last = [&] {
            return expectations::toJson(some)[QStringLiteral("expectations")][1][QStringLiteral("keys")][0].toObject();
        };
        const auto field = [&] {
            const QList<QStringList> records = readCsv(expectations::toCsv(some));
            return records[3][records[0].indexOf(QStringLiteral("count"))];
        };
        QVERIFY(!last().contains(QStringLiteral("count")));
        QCOMPARE(field(), QString());
        some.results[2].verdict.count = 1;
        QCOMPARE(last()[QStringLiteral("count")].toInt(), 1);
        QCOMPARE(field(), QStringLiteral("1"));
    }

    void json_hasTheBytes()
    {
        const QJsonObject json = expectations::toJson(report());
        QCOMPARE(json[QStringLiteral("outcome")].toString(), QStringLiteral("fails"));
        QCOMPARE(json[QStringLiteral("round_trip_ms")].toDouble(), 0.25);
        const QJsonArray all = json[QStringLiteral("expectations")].toArray();
        QCOMPARE(all.size(), 2);
        const QJsonArray keys = all[0][QStringLiteral("keys")].toArray();
        QCOMPARE(keys.size(), 2);
        const auto key = files::readBytes(keys[0].toObject(), QStringLiteral("key"));
        QVERIFY(key && *key);
        QCOMPARE(**key, awkward);
        QVERIFY(!keys[1].toObject().contains(QStringLiteral("least_ms")));
        QCOMPARE(all[1][QStringLiteral("outcome")].toString(), QStringLiteral("holds"));
    }

    /// One open key keeps the expectation open, whatever its place among several keys.
    void openKey_keepsTheExpectationOpen_data()
    {
        QTest::addColumn<std::size_t>("openKey");
        QTest::addRow("first") << std::size_t(0);
        QTest::addRow("last") << std::size_t(1);
    }
    void openKey_keepsTheExpectationOpen()
    {
        QFETCH(std::size_t, openKey);
        Report some = report();
        const KeyResult holds {0, "a", some.results[2].verdict};
        some.results = {holds, holds, some.results[2]};
        QCOMPARE(some.outcome(), Outcome::Holds);
        some.results[openKey].verdict = Verdict();
        QCOMPARE(some.outcomeOf(0), Outcome::Open);
        QCOMPARE(some.outcomeOf(1), Outcome::Holds);
        QCOMPARE(some.outcome(), Outcome::Open);
    }

    /// Keys that were not evaluated are unknown.
    void keysLeftOut_areNoPass()
    {
        Report some = report();
        some.results = {some.results[2]};
        some.results[0].expectation = 0;
        QCOMPARE(some.outcomeOf(0), Outcome::Holds);
        some.leftOut = 1;
        QCOMPARE(some.outcomeOf(0), Outcome::Unknown);
        QCOMPARE(some.outcome(), Outcome::Unknown);
    }

    /// Keys that were not scanned are unknown too.
    void unscannedKeys_areNoPass()
    {
        Report some = report();
        some.results = {some.results[2]};
        some.results[0].expectation = 0;
        some.coverage = coverage(false);
        QCOMPARE(some.outcomeOf(0), Outcome::Unknown);
        const QJsonObject json = expectations::toJson(some)[QStringLiteral("coverage")].toObject();
        QCOMPARE(json[QStringLiteral("complete")].toBool(), false);
        QCOMPARE(json[QStringLiteral("looked_at")].toInt(), 2);
        // A program that reads the other formats does not see a pass either.
        const QList<QStringList> records = readCsv(expectations::toCsv(some));
        QCOMPARE(records.size(), 3);
        QCOMPARE(records[2][2], QStringLiteral("unknown"));
        QVERIFY2(records[2].last().startsWith(QStringLiteral("keys may be missing: ")), qPrintable(records[2].last()));
        const QByteArray junit = expectations::toJUnit(some);
        QVERIFY2(junit.contains("errors=\"1\"") && junit.contains("type=\"incomplete\""), junit.constData());
    }
};

LATCHKEY_TEST(TestExpectationReport)

} // namespace tst_expectationreport

#include "tst_expectationreport.moc"
