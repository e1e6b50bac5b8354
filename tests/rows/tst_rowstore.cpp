#include "core/rows/rowstore.h"
#include "tests/support/manualclock.h"

#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <map>
#include <ranges>

using namespace latchkey;
using namespace latchkey::rows;
using latchkey::keys::Glob;
using latchkey::keys::KeyId;
using latchkey::keys::KeyState;
using latchkey::keys::KeyType;

using base::Deadline;
using base::MonotonicTime;
using test::ManualClock;
using namespace std::chrono_literals;

namespace {

/// What a view believes: built from the announcements alone, and checked against the store after each.
class Shadow final : public QObject
{
public:
    explicit Shadow(const RowStore &store)
        : m_store(store)
    {
        connect(&store, &RowStore::rowsAboutToBeInserted, this, [this](int first, int last) {
            QVERIFY(first >= 0 && first <= m_rows.size() && last >= first);
            checkIsSame();
            m_first = first;
            m_count = last - first + 1;
        });
        connect(&store, &RowStore::rowsInserted, this, [this] {
            for (int i = 0; i < m_count; ++i)
                m_rows.insert(m_first + i, m_store.idAt(m_first + i));
            checkIsSame();
            ++m_edits;
        });
        connect(&store, &RowStore::rowsAboutToBeRemoved, this, [this](int first, int last) {
            QVERIFY(first >= 0 && last < m_rows.size() && last >= first);
            checkIsSame();
            m_first = first;
            m_count = last - first + 1;
        });
        connect(&store, &RowStore::rowsRemoved, this, [this] {
            m_rows.remove(m_first, m_count);
            checkIsSame();
            ++m_edits;
        });
        connect(&store, &RowStore::rowsAboutToBeReordered, this, [this] { checkIsSame(); });
        connect(&store, &RowStore::rowsReordered, this, [this] {
            QList<KeyId> now;
            for (int row = 0; row < m_store.rowCount(); ++row) {
                now += m_store.idAt(row);
                QCOMPARE(m_store.rowOf(m_store.idAt(row)), row);
            }
            QList<KeyId> before = m_rows;
            m_rows = now;
            std::sort(before.begin(), before.end());
            std::sort(now.begin(), now.end());
            QVERIFY2(before == now, "a reordering keeps the set of rows");
            ++m_edits;
        });
        connect(&store, &RowStore::rowsChanged, this, [this](int first, int last) {
            QVERIFY(first >= 0 && last >= first && last < m_rows.size());
            checkIsSame();
            for (int row = first; row <= last; ++row)
                m_changed += m_store.leaseAt(row).key.bytes();
        });
    }

    [[nodiscard]] int takeEdits() { return std::exchange(m_edits, 0); }
    [[nodiscard]] QList<QByteArray> takeChanged() { return std::exchange(m_changed, {}); }

private:
    void checkIsSame() const
    {
        QCOMPARE(m_store.rowCount(), m_rows.size());
        for (int row = 0; row < m_rows.size(); ++row)
            QVERIFY(m_store.idAt(row) == m_rows[row]);
    }

    const RowStore &m_store;
    QList<KeyId> m_rows;
    QList<QByteArray> m_changed;
    int m_first = 0;
    int m_count = 0;
    int m_edits = 0;
};

struct Bench
{
    Deadline in(std::chrono::milliseconds left) const { return {clock.now() + left, 1ms}; }
    void observe(const QByteArray &key, std::chrono::milliseconds left) { store.observe(key, in(left), clock.now()); }
    void persist(const QByteArray &key) { store.observe(key, Deadline::never(), clock.now()); }
    void gone(const QByteArray &key) { store.observeGone(key, clock.now()); }
    void settle()
    {
        while (store.commit()) {}
    }
    [[nodiscard]] QList<QByteArray> keys() const
    {
        QList<QByteArray> result;
        for (int row = 0; row < store.rowCount(); ++row)
            result += store.leaseAt(row).key.bytes();
        return result;
    }
    [[nodiscard]] int row(const QByteArray &key) const { return static_cast<int>(keys().indexOf(key)); }
    [[nodiscard]] latchkey::keys::KeyRecord lease(const QByteArray &key) const { return store.leaseAt(row(key)); }

    ManualClock clock;
    RowStore store {clock};
    Shadow shadow {store};
};

using Keys = QList<QByteArray>;

} // namespace

class TestRowStore final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rows_areSortedByWhatEndsFirst()
    {
        Bench b;
        b.observe("late", 9s);
        b.persist("never-b");
        b.observe("soon", 1s);
        b.persist("never-a");
        QCOMPARE(b.store.rowCount(), 0);
        b.settle();
        QCOMPARE(b.keys(), (Keys {"soon", "late", "never-a", "never-b"}));
        QCOMPARE(b.store.liveCount(), qsizetype(4));
        QCOMPARE(b.store.persistentCount(), qsizetype(2));
    }

    void sameAnswerAgain_changesNothing()
    {
        Bench b;
        b.observe("k", 9s);
        b.settle();
        (void)b.shadow.takeEdits();
        b.clock.advance(2s);
        b.observe("k", 7s); // The same end, seen later.
        b.settle();
        QCOMPARE(b.shadow.takeEdits(), 0);
        QCOMPARE(b.shadow.takeChanged(), Keys {});
        QCOMPARE(b.lease("k").span, 9s);
        QVERIFY(b.clock.now() - b.lease("k").sampled < 20ms);
    }

    void timePassing_changesNothing()
    {
        Bench b;
        b.observe("k", 10ms);
        b.settle();
        (void)b.shadow.takeEdits();
        b.clock.advance(1h);
        b.settle();
        QCOMPARE(b.shadow.takeEdits(), 0);
        QCOMPARE(b.lease("k").state, KeyState::Live); // Due, but nobody has said that it is gone.
    }

    void extendedLease_moves()
    {
        Bench b;
        b.observe("a", 1s);
        b.observe("b", 2s);
        b.observe("c", 3s);
        b.settle();
        b.observe("a", 9s);
        b.settle();
        QCOMPARE(b.keys(), (Keys {"b", "c", "a"}));
        QVERIFY(b.shadow.takeChanged().contains("a"));
    }

    void renewal_keepsTheFullLength()
    {
        Bench b;
        b.observe("k", 30s);
        b.settle();
        b.clock.advance(10s);
        b.observe("k", 29s); // Renewed to 30 s a second ago.
        b.settle();
        QCOMPARE(b.lease("k").span, 30s);
        b.observe("k", 60s);
        b.settle();
        QCOMPARE(b.lease("k").span, 60s);
        b.observe("k", 5s); // Something else altogether.
        b.settle();
        QCOMPARE(b.lease("k").span, 5s);
    }

    void goneKey_lingersAndSaysHowItEnded()
    {
        Bench b;
        b.observe("released", 9s);
        b.observe("expired", 1s);
        b.persist("deleted");
        b.settle();
        b.clock.advance(1s + 5ms);
        b.gone("released");
        b.gone("expired");
        b.gone("deleted");
        b.settle();
        QCOMPARE(b.lease("released").state, KeyState::Removed);
        QCOMPARE(b.lease("expired").state, KeyState::Expired);
        QCOMPARE(b.lease("deleted").state, KeyState::Removed);
        QCOMPARE(b.store.liveCount(), qsizetype(0));
        QCOMPARE(b.store.persistentCount(), qsizetype(0));
        QCOMPARE(b.store.rowCount(), 3);
        b.clock.advance(2s + 10ms);
        b.settle();
        QCOMPARE(b.keys(), Keys {});
        QCOMPARE(b.store.table().size(), qsizetype(0));
    }

    /// Where keys go all the time, the dead must not push the living off the screen.
    void manyGoneKeys_leaveRoomForTheLiving()
    {
        Bench b;
        for (int i = 0; i < 100; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(10 + i));
        b.settle();
        for (int i = 0; i < 50; ++i)
            b.gone("k" + QByteArray::number(i));
        b.settle();
        b.settle();
        QCOMPARE(b.store.rowCount(), 58);
        QCOMPARE(b.lease("k49").state, KeyState::Removed);
        b.clock.advance(3s);
        b.settle();
        QCOMPARE(b.store.rowCount(), 50);
    }

    /// What a filter hides takes nobody's place: a lock's release is seen however many sessions expire beside it.
    void goneKeysOutOfSight_takeNoRoom()
    {
        Bench b;
        b.store.setFilter({Glob("lock:*"), RowFilter::Expiry::Any});
        b.observe("lock:a", 10s);
        for (int i = 0; i < 100; ++i)
            b.observe("session:" + QByteArray::number(i), 10s);
        b.settle();
        b.gone("lock:a");
        for (int i = 0; i < 100; ++i)
            b.gone("session:" + QByteArray::number(i));
        b.settle();
        QCOMPARE(b.keys(), Keys {"lock:a"});
        QCOMPARE(b.lease("lock:a").state, KeyState::Removed);
    }

    void goneKey_thatComesBackIsAliveAgain()
    {
        Bench b;
        b.observe("k", 1s);
        b.settle();
        b.clock.advance(500ms);
        b.gone("k");
        b.settle();
        b.clock.advance(1s);
        b.observe("k", 20s);
        b.settle();
        QCOMPARE(b.lease("k").state, KeyState::Live);
        QCOMPARE(b.lease("k").span, 20s);
        b.clock.advance(5s);
        b.settle();
        QCOMPARE(b.keys(), Keys {"k"});
        QCOMPARE(b.store.liveCount(), qsizetype(1));
    }

    void goneAndBackWithinOneCommit_isAlive()
    {
        Bench b;
        b.observe("k", 10s);
        b.settle();
        b.clock.advance(100ms);
        b.gone("k");
        b.clock.advance(100ms);
        b.observe("k", 9800ms); // The same end as before: a scan met it after the poll had missed it.
        b.settle();
        QCOMPARE(b.lease("k").state, KeyState::Live);
    }

    void keyThatComesAndGoesBetweenCommits_isNeverShown()
    {
        Bench b;
        b.observe("k", 10s);
        b.gone("k");
        b.settle();
        QCOMPARE(b.keys(), Keys {});
        QCOMPARE(b.store.table().size(), qsizetype(0));
        QCOMPARE(b.store.liveCount(), qsizetype(0));
    }

    void persistedKey_isCountedAndMoves()
    {
        Bench b;
        b.observe("a", 1s);
        b.observe("b", 2s);
        b.settle();
        b.persist("a");
        b.settle();
        QCOMPARE(b.keys(), (Keys {"b", "a"}));
        QCOMPARE(b.store.persistentCount(), qsizetype(1));
    }

    void everyColumnSorts_data()
    {
        QTest::addColumn<int>("column");
        QTest::addColumn<bool>("descending");
        QTest::addColumn<QList<QByteArray>>("expected");
        const auto row = [](const char *name, SortColumn column, bool descending, const Keys &expected) {
            QTest::addRow("%s", name) << static_cast<int>(column) << descending << expected;
        };
        row("key", SortColumn::Key, false, {"a-long-common-prefix:1", "a-long-common-prefix:2", "b", "c"});
        row("key down", SortColumn::Key, true, {"c", "b", "a-long-common-prefix:2", "a-long-common-prefix:1"});
        row("type", SortColumn::Type, false, {"c", "a-long-common-prefix:1", "a-long-common-prefix:2", "b"});
        row("value", SortColumn::Value, false, {"b", "a-long-common-prefix:2", "a-long-common-prefix:1", "c"});
        row("value down", SortColumn::Value, true, {"c", "a-long-common-prefix:1", "a-long-common-prefix:2", "b"});
        row("time left", SortColumn::TimeLeft, false, {"b", "c", "a-long-common-prefix:1", "a-long-common-prefix:2"});
        row("time left down", SortColumn::TimeLeft, true,
            {"a-long-common-prefix:1", "a-long-common-prefix:2", "c", "b"});
    }
    void everyColumnSorts()
    {
        QFETCH(int, column);
        QFETCH(bool, descending);
        Bench b;
        b.persist("a-long-common-prefix:2");
        b.observe("c", 2s);
        b.persist("a-long-common-prefix:1");
        b.observe("b", 1s);
        b.store.observeType("c", KeyType::Hash);
        b.settle();
        b.store.observeType("c", KeyType::Hash);
        for (const char *key : {"a-long-common-prefix:1", "a-long-common-prefix:2", "b"})
            b.store.observeType(key, KeyType::String);
        b.store.observeValue("b", {"alpha", 5, true});
        b.store.observeValue("a-long-common-prefix:2", {"the same first bytes: 1", 23, true});
        b.store.observeValue("a-long-common-prefix:1", {"the same first bytes: 2", 23, true});
        b.settle();
        b.store.setSortOrder({static_cast<SortColumn>(column), descending});
        b.settle();
        QTEST(b.keys(), "expected");
    }

    void filter_takesRowsAwayAndBringsThemBack()
    {
        Bench b;
        for (int i = 0; i < 100; ++i)
            b.observe((i % 3 == 0 ? "lock:" : "cache:") + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        b.store.setFilter({Glob("lock:*"), RowFilter::Expiry::Any});
        b.settle();
        QCOMPARE(b.store.rowCount(), 34);
        QCOMPARE(b.store.liveCount(), qsizetype(100));
        b.observe("lock:new", 1s);
        b.observe("cache:new", 1s);
        b.settle();
        QCOMPARE(b.store.rowCount(), 35);
        QCOMPARE(b.keys().front(), QByteArray("lock:new"));
        b.store.setFilter({});
        b.settle();
        QCOMPARE(b.store.rowCount(), 102);
    }

    void filterByExpiry_followsTheKey()
    {
        Bench b;
        b.observe("k", 10s);
        b.persist("p");
        b.store.setFilter({{}, RowFilter::Expiry::Persistent});
        b.settle();
        QCOMPARE(b.keys(), Keys {"p"});
        b.persist("k");
        b.settle();
        QCOMPARE(b.keys(), (Keys {"k", "p"}));
        b.observe("p", 10s);
        b.settle();
        QCOMPARE(b.keys(), Keys {"k"});
    }

    void fewChanges_areFewEdits()
    {
        Bench b;
        for (int i = 0; i < 1000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        (void)b.shadow.takeEdits();

        b.observe("new", 50s);
        b.settle();
        QCOMPARE(b.shadow.takeEdits(), 1);

        for (int i = 0; i < 1000; ++i)
            b.gone("k" + QByteArray::number(i));
        b.settle();
        b.clock.advance(3s);
        b.settle();
        QCOMPARE(b.store.rowCount(), 1);
        QVERIFY2(b.shadow.takeEdits() <= 3, "a thousand neighbours go in one piece");
    }

    void scatteredRemovals_areOneRearrangementAndOneRemoval()
    {
        Bench b;
        for (int i = 0; i < 1000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        for (int i = 0; i < 1000; i += 2)
            b.gone("k" + QByteArray::number(i));
        (void)b.shadow.takeEdits();
        b.settle();
        QCOMPARE(b.store.rowCount(), 508); // The last few stay for a moment.
        QCOMPARE(b.shadow.takeEdits(), 2);
        b.clock.advance(3s);
        b.settle();
        QCOMPARE(b.store.rowCount(), 500);
    }

    void clear_forgetsEverything()
    {
        Bench b;
        b.observe("a", 1s);
        b.settle();
        b.observe("b", 1s);
        b.gone("a");
        b.store.clear();
        b.settle();
        QCOMPARE(b.keys(), Keys {});
        QCOMPARE(b.store.liveCount(), qsizetype(0));
        b.observe("c", 1s);
        b.settle();
        QCOMPARE(b.keys(), Keys {"c"});
    }

    /// A sort in slices must not lose or double what is seen meanwhile.
    void slicedSort_keepsWhatHappensMeanwhile()
    {
        Bench b;
        for (int i = 0; i < 50'000; ++i)
            b.observe("lock:" + QByteArray::number(i * 7919 % 50'000), std::chrono::seconds(100 + i));
        b.settle();
        b.store.setSortOrder({SortColumn::Key, false});
        int slices = 0;
        for (; b.store.commit(50us) && slices < 100'000; ++slices) {
            if (slices == 1)
                b.gone("lock:17");
            if (slices == 2)
                b.observe("lock:new", 5s);
            if (slices == 3)
                b.persist("lock:18");
        }
        QVERIFY2(slices > 3, "it must take slices, else nothing is tested");
        b.settle();
        QCOMPARE(b.store.rowCount(), 50'001);
        QCOMPARE(b.lease("lock:17").state, KeyState::Removed);
        QVERIFY(b.lease("lock:18").deadline.isNever());
        const Keys keys = b.keys();
        QVERIFY(std::is_sorted(keys.begin(), keys.end()));
    }

    /// As in a first scan: keys come all the while, what has come is merged in slices, and some of it changes
    /// meanwhile.
    void stream_isMergedInSlices()
    {
        constexpr int batches = 6;
        constexpr int batch = 4500;
        Bench b;
        const auto key = [](int i) { return "lock:" + QByteArray::number(i); };
        const auto secondsOf = [](int i) { return 100 + static_cast<int>(i * 7919LL % 10'007); };
        std::map<int, Keys> expected; // By seconds left.
        int slices = 0;
        for (int i = 0; i < batches * batch; ++i) {
            b.observe(key(i), std::chrono::seconds(secondsOf(i)));
            expected[secondsOf(i)] += key(i);
            if (i % batch == batch - 1)
                slices += b.store.commit(20us) ? 1 : 0;
            if (i % batch == 17 && i >= batch) { // Shown, waiting to be, or just being merged.
                const int earlier = i - batch;
                b.observe(key(earlier), 5s);
                expected[secondsOf(earlier)].removeOne(key(earlier));
                expected[5] += key(earlier);
            }
        }
        QVERIFY2(slices > batches / 2, "it must take slices, else nothing is tested");
        b.settle();
        Keys keys;
        for (Keys &together : expected | std::views::values) {
            std::ranges::sort(together);
            keys += together;
        }
        QCOMPARE(b.keys(), keys);
        QCOMPARE(expected[5].size(), batches - 1);
        // A row costs twelve bytes, and an eighth to grow into; what merging took for itself has been given back.
        const auto rowBytes = static_cast<qsizetype>(b.store.bytesAllocated() - b.store.table().bytesAllocated());
        QVERIFY2(rowBytes <= keys.size() * 12 * 9 / 8, qPrintable(QString::number(rowBytes)));
    }

    void orderAskedForDuringASort_wins()
    {
        Bench b;
        for (int i = 0; i < 20'000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        b.store.setSortOrder({SortColumn::Key, false});
        b.store.commit(1us);
        b.store.setSortOrder({SortColumn::TimeLeft, true});
        b.settle();
        QCOMPARE(b.keys().front(), QByteArray("k19999"));
    }

    /// Whatever happens in whatever order, the rows are those of a plain sort and the announcements lead there.
    void randomLife_agreesWithAPlainSort_data()
    {
        QTest::addColumn<quint32>("seed");
        for (quint32 seed = 1; seed <= 6; ++seed)
            QTest::addRow("seed %u", seed) << seed;
    }
    void randomLife_agreesWithAPlainSort()
    {
        QFETCH(quint32, seed);
        QRandomGenerator random(seed);
        Bench b;
        struct Known
        {
            std::optional<MonotonicTime> end; ///< Nothing: no expiry.
            std::optional<MonotonicTime> goneSince;
        };
        QHash<QByteArray, Known> reference;
        SortOrder order;
        RowFilter filter;
        // Some rounds change a few keys, some nearly all, so that both ways of announcing are taken.
        for (int round = 0; round < 100; ++round) {
            const int actions = random.bounded(5) == 0 ? 3000 : random.bounded(12);
            for (int i = 0; i < actions; ++i) {
                const QByteArray key =
                    (random.bounded(2) ? "lock:" : "cache:") + QByteArray::number(random.bounded(4000));
                switch (random.bounded(6)) {
                case 0:
                    b.persist(key);
                    reference[key] = {std::nullopt, std::nullopt};
                    break;
                case 1:
                    b.gone(key);
                    if (reference.contains(key) && !reference[key].goneSince)
                        reference[key].goneSince = b.clock.now();
                    break;
                default: {
                    const std::chrono::milliseconds left(100'000 + random.bounded(1'000'000) * 10);
                    b.observe(key, left);
                    // What agrees with the known end within the uncertainty is no news.
                    Known &known = reference[key];
                    const auto end = b.clock.now() + left;
                    if (known.goneSince || !known.end || std::chrono::abs(end - *known.end) > 2ms)
                        known.end = end;
                    known.goneSince.reset();
                }
                }
            }
            if (random.bounded(10) == 0)
                b.store.setSortOrder(
                    order = {random.bounded(2) ? SortColumn::Key : SortColumn::TimeLeft, random.bounded(2) == 1});
            if (random.bounded(10) == 0)
                b.store.setFilter(filter = {Glob(random.bounded(2) ? "lock:*" : ""),
                                            static_cast<RowFilter::Expiry>(random.bounded(3))});
            b.settle();
            b.clock.advance(std::chrono::milliseconds(random.bounded(100) * 10));

            if (round % 10 != 9)
                continue;
            // Everything that has gone is gone for good before comparing.
            b.clock.advance(3s);
            b.settle();
            // Not in one pass: a QHash that is erased from meanwhile may meet an entry twice.
            reference.removeIf([](const auto &entry) { return entry->goneSince.has_value(); });
            QList<QByteArray> expected;
            for (auto entry = reference.cbegin(); entry != reference.cend(); ++entry) {
                const bool matches = filter.glob.matches(entry.key())
                                  && (filter.expiry == RowFilter::Expiry::Any
                                      || (filter.expiry == RowFilter::Expiry::Persistent) == !entry->end);
                if (matches)
                    expected += entry.key();
            }
            std::sort(expected.begin(), expected.end(), [&](const QByteArray &x, const QByteArray &y) {
                if (order.column == SortColumn::Key)
                    return order.isDescending ? x > y : x < y;
                const auto endX = reference[x].end.value_or(MonotonicTime::max());
                const auto endY = reference[y].end.value_or(MonotonicTime::max());
                if (endX != endY)
                    return order.isDescending ? endX > endY : endX < endY;
                return x < y;
            });
            QCOMPARE(b.store.liveCount(), reference.size());
            QCOMPARE(b.keys(), expected);
        }
    }
};

QTEST_GUILESS_MAIN(TestRowStore)
#include "tst_rowstore.moc"
