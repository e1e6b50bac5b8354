#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_waitends {

using namespace latchkey;

/// Tests programs whose waits end at once or later, because more time has passed. If they do not use their clock then,
/// their behaviour is inferred from one time to another.
class TestWaitEnds final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void behaviourIsTheSame_whetherInferredOrObserved_data()
    {
        QTest::addColumn<QString>("verdicts");
        const QString holds = QStringLiteral("mutual-exclusion=holds owner-only-release=holds");
        const QString broken = QStringLiteral("mutual-exclusion=holds owner-only-release=broken");
        QTest::addRow("sleeps") << holds;
        QTest::addRow("sleeps_and_reads_clock") << holds;
        QTest::addRow("releases_carelessly_if_late") << broken;
        QTest::addRow("renews_in_thread") << holds;
        QTest::addRow("waits_for_ticks") << QStringLiteral("mutual-exclusion=broken owner-only-release=holds");
    }
    void behaviourIsTheSame_whetherInferredOrObserved()
    {
        QFETCH(const QString, verdicts);
        programs::Program program = test::worker("everyday", {}, {QByteArray(QTest::currentDataTag())});
        program.limits = {0, 1, 0, 1, {}};
        const auto inferred = test::explore(program, test::promisesIn(verdicts));
        QVERIFY2(!inferred.error, qPrintable(inferred.errorText()));
        program.observesEachTime = true;
        const auto observed = test::explore(program, test::promisesIn(verdicts));
        QVERIFY2(!observed.error, qPrintable(observed.errorText()));
        QCOMPARE(test::verdictsOf(observed, test::promisesIn(verdicts)), verdicts);
        QCOMPARE(test::verdictsOf(inferred, test::promisesIn(verdicts)), verdicts);
        for (std::size_t i = 0; i < observed.results.size(); ++i) {
            QCOMPARE(inferred.results[i].schedules, observed.results[i].schedules);
            QCOMPARE(lengthOf(inferred.results[i]), lengthOf(observed.results[i]));
        }
    }

    void sleepIsObservedOnce_unlessTheProgramReadsItsClock()
    {
        const auto startsOf = [](const QByteArray &name) {
            programs::Program program = test::worker("everyday", {}, {name});
            program.limits = {0, 1, 0, 1, {}};
            const auto explored = test::explore(program, {QStringLiteral("owner-only-release")});
            return explored.error ? -1 : explored.starts;
        };
        const qint64 starts = startsOf("sleeps");
        QVERIFY(starts > 0);
        const qint64 startsOfReader = startsOf("sleeps_and_reads_clock");
        QVERIFY2(starts < startsOfReader, qPrintable(QStringLiteral("%1, %2").arg(starts).arg(startsOfReader)));
    }

private:
    /// Number of steps of the counterexample; 0: none.
    static std::size_t lengthOf(const races::PromiseResult &result)
    {
        return result.counterexample ? result.counterexample->steps.size() : 0;
    }
};

LATCHKEY_TEST(TestWaitEnds)

} // namespace tst_waitends

#include "tst_waitends.moc"
