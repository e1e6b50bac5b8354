#include "core/explore/reports/baseline.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_baseline {

using namespace latchkey;
using reports::Baseline;
using reports::CheckedPromise;
using reports::ExplorationReport;

namespace {

CheckedPromise promise(const char *id, races::Verdict verdict, bool isAnswered = true)
{
    CheckedPromise promise;
    promise.result.promise = QLatin1String(id);
    promise.result.claimed = true;
    promise.result.verdict = verdict;
    promise.isAnswered = isAnswered;
    return promise;
}

ExplorationReport report(const char *subject, std::vector<CheckedPromise> promises)
{
    ExplorationReport report;
    report.subject = QLatin1String(subject);
    report.promises = std::move(promises);
    return report;
}

} // namespace

/// Tests of the file of known broken promises.
class TestBaseline final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void update_addsBrokenAndRemovesMended()
    {
        using races::Verdict;
        Baseline baseline;
        baseline.update(report("a.py", {promise("fenced", Verdict::Broken), promise("clock-free", Verdict::Broken),
                                        promise("crash-release", Verdict::Holds)}));
        baseline.update(report("b.py", {promise("fenced", Verdict::Broken)}));
        baseline.update(
            report("a.py", {promise("fenced", Verdict::Holds), promise("clock-free", Verdict::NotApplicable, false)}));
        const auto read = Baseline::fromFile(QStringLiteral("known.json"), baseline.toFile());
        QVERIFY(read.has_value());
        QVERIFY(!read->contains(report("a.py", {}), QStringLiteral("fenced")));
        QVERIFY(read->contains(report("a.py", {}), QStringLiteral("clock-free"))); // It has no verdict now.
        QVERIFY(!read->contains(report("a.py", {}), QStringLiteral("crash-release")));
        QVERIFY(read->contains(report("b.py", {}), QStringLiteral("fenced")));
        QCOMPARE(read->toFile(), baseline.toFile());
    }

    void form_isPartOfTheEntry()
    {
        ExplorationReport single = report("token", {promise("fenced", races::Verdict::Broken)});
        single.form = QStringLiteral("delex");
        Baseline baseline;
        baseline.update(single);
        QVERIFY(baseline.contains(single, QStringLiteral("fenced")));
        QVERIFY(!baseline.contains(report("token", {}), QStringLiteral("fenced")));
    }

    void listedPromise_isKnownOrMended()
    {
        CheckedPromise broken = promise("fenced", races::Verdict::Broken);
        QCOMPARE(broken.status(), CheckedPromise::Status::Broken);
        broken.isListed = true;
        QCOMPARE(broken.status(), CheckedPromise::Status::Known);
        QVERIFY(!broken.isFixed());
        CheckedPromise holds = promise("fenced", races::Verdict::Holds);
        holds.isListed = true;
        QVERIFY(holds.isFixed());
        holds.result.complete = false; // The search does not show that the promise holds.
        QVERIFY(!holds.isFixed());
    }

    void malformedFile_isRefusedWithThePlace_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("error");
        QTest::addRow("no JSON") << QByteArray("{\n\n") << QStringLiteral("known.json:");
        QTest::addRow("array") << QByteArray("[]") << QStringLiteral("known.json:1: ");
        QTest::addRow("version") << QByteArray("{\"version\": 2,\n\"broken\": []}")
                                 << QStringLiteral("known.json:1: version: ");
        QTest::addRow("entry") << QByteArray("{\"version\": 1,\n\"broken\": [\n7]}")
                               << QStringLiteral("known.json:3: broken[0]: ");
        QTest::addRow("promise") << QByteArray("{\"version\": 1, \"broken\": [\n{\"subject\": \"a\"}]}")
                                 << QStringLiteral("known.json:2: broken[0].promise: ");
        QTest::addRow("misspelt") << QByteArray("{\"version\": 1, \"broken\": [\n{\"subjekt\": \"a\"}]}")
                                  << QStringLiteral("known.json:2: broken[0]");
    }
    void malformedFile_isRefusedWithThePlace()
    {
        QFETCH(QByteArray, contents);
        QFETCH(QString, error);
        const auto read = Baseline::fromFile(QStringLiteral("known.json"), contents);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().kind, base::ErrorKind::Usage);
        QVERIFY2(read.error().message().startsWith(error), qPrintable(read.error().message()));
    }
};

LATCHKEY_TEST(TestBaseline)

} // namespace tst_baseline

#include "tst_baseline.moc"
