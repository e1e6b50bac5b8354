#include "core/playground/lab/delaystatistics.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <numeric>

namespace tst_delaystatistics {

using namespace std::chrono_literals;
using latchkey::lab::DelayStatistics;

/// Tests of the percentiles and bars of measured values.
class TestLateness final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void quantiles_areValuesThatWereSeen()
    {
        DelayStatistics lateness;
        QCOMPARE(lateness.quantile(0.5), 0ns);
        for (int i = 100; i >= 1; --i)
            lateness.add(std::chrono::milliseconds(i));
        QCOMPARE(lateness.quantile(0), 1ms);
        QCOMPARE(lateness.quantile(0.5), 50ms);
        QCOMPARE(lateness.quantile(0.99), 99ms);
        QCOMPARE(lateness.quantile(0.991), 100ms);
        QCOMPARE(lateness.quantile(1), 100ms);
        // Values added later count too, wherever they belong in the order.
        lateness.add(1s);
        lateness.add(500us);
        QCOMPARE(lateness.quantile(1), 1s);
        QCOMPARE(lateness.quantile(0), 500us);
        const DelayStatistics copy = lateness;
        QCOMPARE(copy.quantile(0.5), 50ms);
    }

    void beforeItIsDue_isNotLate()
    {
        DelayStatistics lateness;
        lateness.add(-3ms);
        QCOMPARE(lateness.quantile(1), 0ns);
    }

    void bars_haveRoundWidthsAndHoldEverything_data()
    {
        QTest::addColumn<int>("microseconds");
        QTest::addColumn<int>("width");
        QTest::addRow("less than the least") << 50 << 100;
        QTest::addRow("just the bars") << 3'999 << 100;
        QTest::addRow("one more") << 4'000 << 200;
        QTest::addRow("five") << 8'000 << 500;
        QTest::addRow("ten") << 20'000 << 1'000;
        QTest::addRow("seconds") << 6'000'000 << 200'000;
    }
    void bars_haveRoundWidthsAndHoldEverything()
    {
        QFETCH(int, microseconds);
        QFETCH(int, width);
        DelayStatistics lateness;
        lateness.add(0ns);
        lateness.add(std::chrono::microseconds(microseconds));
        const auto histogram = lateness.histogram(40);
        QCOMPARE(histogram.width, std::chrono::microseconds(width));
        QVERIFY(histogram.bars.size() <= 40);
        QCOMPARE(histogram.bars.back(), histogram.bars.size() == 1 ? 2 : 1);
        QCOMPARE(std::accumulate(histogram.bars.begin(), histogram.bars.end(), histogram.beyond), 2);
    }

    void outlier_doesNotCompressTheHistogram()
    {
        DelayStatistics lateness;
        for (int i = 0; i < 5000; ++i)
            lateness.add(std::chrono::microseconds(i));
        lateness.add(60s);
        const auto histogram = lateness.histogram(40);
        QCOMPARE(histogram.width, 200us);
        QVERIFY(histogram.beyond >= 1);
        QCOMPARE(std::accumulate(histogram.bars.begin(), histogram.bars.end(), histogram.beyond), 5001);
    }
};

LATCHKEY_TEST(TestLateness)

} // namespace tst_delaystatistics

#include "tst_delaystatistics.moc"
