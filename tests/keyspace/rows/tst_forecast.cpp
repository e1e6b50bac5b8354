#include "core/keyspace/keys/keystore.h"
#include "core/keyspace/rows/forecast.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_forecast {

using namespace latchkey;
using namespace std::chrono_literals;
using rows::Forecast;
using rows::ForecastCounter;

/// The number of keys by the time until their end.
class TestForecast final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;

    void observe(keys::KeyStore &store, const QByteArray &key, std::optional<std::chrono::milliseconds> left) const
    {
        store.observe(key, left ? base::Deadline(clock.now() + *left, 1ms) : base::Deadline::never(), clock.now());
    }
    Forecast forecastOf(const keys::KeyStore &store, std::size_t groups = 10) const
    {
        ForecastCounter counter(store.known(), clock.now());
        while (!counter.advance(QDeadlineTimer(0ms))) {}
        return counter.forecast(groups);
    }

private Q_SLOTS:
    void keys_areCountedByWhenTheyEnd()
    {
        keys::KeyStore store(clock);
        observe(store, "a:due", -5s);
        observe(store, "a:1", 1s);
        observe(store, "a:2", 1001ms);
        observe(store, "b:1", 60s);
        observe(store, "b:2", 61s);
        observe(store, "b:3", 3600s);
        observe(store, "c:1", 3601s);
        observe(store, "plain", std::nullopt);
        (void)store.commit();
        const Forecast forecast = forecastOf(store);
        QCOMPARE(forecast.all, (Forecast::Counts {2, 2, 2, 1, 1}));
        QCOMPARE(forecast.groups.size(), std::size_t(2)); // In the other groups no key ends within the hour.
        QCOMPARE(forecast.groups[0].prefix, QByteArrayLiteral("a:"));
        QCOMPARE(forecast.groups[0].counts, (Forecast::Counts {2, 1, 0, 0, 0}));
        QCOMPARE(forecast.groups[1].counts, (Forecast::Counts {0, 1, 2, 0, 0}));
    }

    void keysThatHaveGone_areNotCounted()
    {
        keys::KeyStore store(clock);
        observe(store, "a:1", 1s);
        observe(store, "a:2", 1s);
        (void)store.commit();
        store.observeAbsent("a:1", clock.now());
        (void)store.commit();
        QCOMPARE(forecastOf(store).all[Forecast::Second], 1);
    }

    void groupsOfWhichMostEnd_comeFirstAndTheOthersAreCounted()
    {
        keys::KeyStore store(clock);
        for (int group = 0; group < 30; ++group) {
            for (int key = 0; key <= group; ++key)
                observe(store, QByteArray::number(group) + ':' + QByteArray::number(key), 10s);
        }
        (void)store.commit();
        const Forecast forecast = forecastOf(store, 3);
        QCOMPARE(forecast.groups.size(), std::size_t(3));
        QCOMPARE(forecast.groups[0].prefix, QByteArrayLiteral("29:"));
        QCOMPARE(forecast.groups[0].counts[Forecast::Minute], 30);
        QCOMPARE(forecast.otherGroups, 27);
        QCOMPARE(forecast.all[Forecast::Minute], 465);
    }

    void manyKeys_areCountedAPartAtATime()
    {
        keys::KeyStore store(clock);
        for (int key = 0; key < 2'000; ++key)
            observe(store, "k:" + QByteArray::number(key), 10s);
        (void)store.commit();
        ForecastCounter counter(store.known(), clock.now());
        // An expired deadline still permits one slice, but not more.
        QVERIFY(!counter.advance(QDeadlineTimer(0ms)));
        QVERIFY(counter.forecast(1).all[Forecast::Minute] < 2'000);
        QVERIFY(counter.advance(QDeadlineTimer(QDeadlineTimer::Forever)));
        QCOMPARE(counter.forecast(1).all[Forecast::Minute], 2'000);
    }
};

LATCHKEY_TEST(TestForecast)

} // namespace tst_forecast

#include "tst_forecast.moc"
