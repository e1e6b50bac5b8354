#include "core/keyspace/keys/keystore.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_endedkeycounter {

using namespace latchkey;
using base::Deadline;
using base::MonotonicTime;
using keys::EndedKeyCounter;
using keys::KeyStore;
using namespace std::chrono_literals;

class TestGoneTally final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keysThatGo_areCountedByTheirTimes()
    {
        EndedKeyCounter counter;
        QCOMPARE(counter.since({}), 0);
        counter.add(MonotonicTime(10s), 3);
        counter.add(MonotonicTime(12s), 4);
        counter.add(MonotonicTime(11s), 5); // Reported slightly later.
        counter.add(MonotonicTime(11s), 1);
        QCOMPARE(counter.since(MonotonicTime(10s)), 13);
        QCOMPARE(counter.since(MonotonicTime(11s)), 10);
        QCOMPARE(counter.since(MonotonicTime(12s)), 4);
        QCOMPARE(counter.since(MonotonicTime(13s)), 0);
        counter.add(MonotonicTime(12s + EndedKeyCounter::retention), 1);
        QCOMPARE(counter.since({}), 5);
    }

    void store_countsWhatItsViewsDoNotShow()
    {
        test::ManualClock clock;
        KeyStore store(clock);
        const MonotonicTime now = clock.now();
        for (const char *key : {"a", "b", "c", "d", "e"})
            (void)store.observe(key, Deadline::never(), now);
        (void)store.commit();
        store.observeAbsent("a", now);
        store.observeAbsent("a", now); // Counted only once.
        store.observeAbsent("never seen", now);
        store.observeHidden("b", now); // May still exist.
        (void)store.observe("short", Deadline::never(), now);
        store.observeAbsent("short", now); // Between two commits.
        (void)store.commit();
        QCOMPARE(store.endedCounter().since(now), 2);
        QCOMPARE(store.liveCount(), 3);
        store.clear(now);
        QCOMPARE(store.endedCounter().since(now), 5);
        (void)store.observe("a", Deadline::never(), now);
        store.clear();
        QCOMPARE(store.endedCounter().since(now), 5);
    }
};

LATCHKEY_TEST(TestGoneTally)

} // namespace tst_endedkeycounter

#include "tst_endedkeycounter.moc"
