#include "core/keyspace/rows/endedrows.h"
#include "core/keyspace/rows/rowlist.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <map>
#include <ranges>

namespace tst_rowlist {

using namespace latchkey;
using namespace latchkey::rows;
using latchkey::base::Glob;
using latchkey::keys::KeyId;
using latchkey::keys::KeyState;
using latchkey::keys::KeyType;

using base::Deadline;
using base::MonotonicTime;
using test::ManualClock;
using namespace std::chrono_literals;

namespace {

/// The state of a view, built only from the signals and compared with the store after each.
class Shadow final : public QObject
{
public:
    explicit Shadow(const RowList &rows)
        : m_list(rows)
    {
        connect(&rows, &RowList::rowsAboutToBeInserted, this, [this](int first, int last) {
            QVERIFY(first >= 0 && first <= m_rows.size() && last >= first);
            checkIsSame();
            m_first = first;
            m_count = last - first + 1;
        });
        connect(&rows, &RowList::rowsInserted, this, [this] {
            for (int i = 0; i < m_count; ++i)
                m_rows.insert(m_first + i, m_list.idAt(m_first + i));
            checkIsSame();
            ++m_edits;
        });
        connect(&rows, &RowList::rowsAboutToBeRemoved, this, [this](int first, int last) {
            QVERIFY(first >= 0 && last < m_rows.size() && last >= first);
            checkIsSame();
            m_first = first;
            m_count = last - first + 1;
        });
        connect(&rows, &RowList::rowsRemoved, this, [this] {
            m_rows.remove(m_first, m_count);
            checkIsSame();
            ++m_edits;
        });
        connect(&rows, &RowList::rowsAboutToBeReordered, this, [this] { checkIsSame(); });
        connect(&rows, &RowList::rowsReordered, this, [this] {
            QList<KeyId> now;
            for (int row = 0; row < m_list.rowCount(); ++row) {
                now += m_list.idAt(row);
                QCOMPARE(m_list.rowOf(m_list.idAt(row)), row);
            }
            QList<KeyId> before = m_rows;
            m_rows = now;
            std::sort(before.begin(), before.end());
            std::sort(now.begin(), now.end());
            QVERIFY2(before == now, "a reordering keeps the set of rows");
            ++m_edits;
        });
        connect(&rows, &RowList::rowsChanged, this, [this](int first, int last) {
            QVERIFY(first >= 0 && last >= first && last < m_rows.size());
            checkIsSame();
            for (int row = first; row <= last; ++row)
                m_changed += m_list.recordAt(row).key.bytes();
        });
    }

    [[nodiscard]] int takeEdits() { return std::exchange(m_edits, 0); }
    [[nodiscard]] QList<QByteArray> takeChanged() { return std::exchange(m_changed, {}); }

private:
    void checkIsSame() const
    {
        QCOMPARE(m_list.rowCount(), m_rows.size());
        for (int row = 0; row < m_rows.size(); ++row)
            QVERIFY(m_list.idAt(row) == m_rows[row]);
    }

    const RowList &m_list;
    QList<KeyId> m_rows;
    QList<QByteArray> m_changed;
    int m_first = 0;
    int m_count = 0;
    int m_edits = 0;
};

struct Fixture
{
    Deadline in(std::chrono::milliseconds left) const { return {clock.now() + left, 1ms}; }
    void observe(const QByteArray &key, std::chrono::milliseconds left) { store.observe(key, in(left), clock.now()); }
    void persist(const QByteArray &key) { store.observe(key, Deadline::never(), clock.now()); }
    void gone(const QByteArray &key) { store.observeAbsent(key, clock.now()); }
    void settle()
    {
        while (store.commit()) {}
    }
    [[nodiscard]] QList<QByteArray> keys() const
    {
        QList<QByteArray> result;
        for (int row = 0; row < rows.rowCount(); ++row)
            result += rows.recordAt(row).key.bytes();
        return result;
    }
    [[nodiscard]] int row(const QByteArray &key) const { return static_cast<int>(keys().indexOf(key)); }
    [[nodiscard]] latchkey::keys::KeyRecord record(const QByteArray &key) const { return rows.recordAt(row(key)); }

    /// Returns how the last gone key with this name ended.
    [[nodiscard]] KeyState howItWent(const QByteArray &key) const
    {
        for (const latchkey::keys::EndedKey &ended : endedRows.since({})) {
            if (ended.key == key)
                return ended.state;
        }
        return KeyState::Live;
    }

    ManualClock clock;
    latchkey::keys::KeyStore store {clock};
    RowList rows {store};
    Shadow shadow {rows};
    EndedRows endedRows {rows};
};

using Keys = QList<QByteArray>;

} // namespace

class TestRowList final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rows_areSortedByWhatEndsFirst()
    {
        Fixture b;
        b.observe("late", 9s);
        b.persist("never-b");
        b.observe("soon", 1s);
        b.persist("never-a");
        QCOMPARE(b.rows.rowCount(), 0);
        b.settle();
        QCOMPARE(b.keys(), (Keys {"soon", "late", "never-a", "never-b"}));
        QCOMPARE(b.store.liveCount(), qsizetype(4));
        QCOMPARE(b.store.persistentCount(), qsizetype(2));
    }

    void sameAnswerAgain_changesNothing()
    {
        Fixture b;
        b.observe("k", 9s);
        b.settle();
        (void)b.shadow.takeEdits();
        b.clock.advance(2s);
        b.observe("k", 7s); // The same end, observed later.
        b.settle();
        QCOMPARE(b.shadow.takeEdits(), 0);
        QCOMPARE(b.shadow.takeChanged(), Keys {});
        QCOMPARE(b.record("k").span, 9s);
        QVERIFY(b.clock.now() - b.record("k").sampled < 20ms);
    }

    void timePassing_changesNothing()
    {
        Fixture b;
        b.observe("k", 10ms);
        b.settle();
        (void)b.shadow.takeEdits();
        b.clock.advance(1h);
        b.settle();
        QCOMPARE(b.shadow.takeEdits(), 0);
        QCOMPARE(b.record("k").state, KeyState::Live); // Due, but not reported as gone.
    }

    void extendedLease_moves()
    {
        Fixture b;
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
        Fixture b;
        b.observe("k", 30s);
        b.settle();
        b.clock.advance(10s);
        b.observe("k", 29s); // Renewed to 30 s a second ago.
        b.settle();
        QCOMPARE(b.record("k").span, 30s);
        b.observe("k", 60s);
        b.settle();
        QCOMPARE(b.record("k").span, 60s);
        b.observe("k", 5s); // Something else altogether.
        b.settle();
        QCOMPARE(b.record("k").span, 5s);
    }

    void goneKey_goesAndIsRememberedWithHowItEnded()
    {
        Fixture b;
        b.observe("released", 9s);
        b.observe("expired", 1s);
        b.persist("deleted");
        b.settle();
        b.clock.advance(1s + 5ms);
        b.gone("released");
        b.gone("expired");
        b.gone("deleted");
        b.settle();
        QCOMPARE(b.rows.rowCount(), 0);
        QCOMPARE(b.store.known().table.size(), qsizetype(0));
        QCOMPARE(b.store.liveCount(), qsizetype(0));
        QCOMPARE(b.store.persistentCount(), qsizetype(0));
        QCOMPARE(b.howItWent("released"), KeyState::Removed);
        QCOMPARE(b.howItWent("expired"), KeyState::Expired);
        QCOMPARE(b.howItWent("deleted"), KeyState::Removed);
    }

    /// Not observed from shortly before its end until after it: it may have been released.
    void keyUnobservedAtItsEnd_isNotReportedAsExpired()
    {
        Fixture b;
        b.observe("k", 10s);
        b.settle();
        b.clock.advance(1min);
        b.gone("k");
        b.settle();
        QCOMPARE(b.howItWent("k"), KeyState::Ended);
    }

    void goneKey_thatComesBackIsANewHold()
    {
        Fixture b;
        b.observe("k", 1s);
        b.settle();
        b.clock.advance(500ms);
        b.gone("k");
        b.settle();
        b.clock.advance(1s);
        b.observe("k", 20s);
        b.settle();
        QCOMPARE(b.record("k").state, KeyState::Live);
        QCOMPARE(b.record("k").span, 20s);
        QCOMPARE(b.store.liveCount(), qsizetype(1));
    }

    /// The flush was received at 0 and seen to be over at 20 ms. It is reported before the keys or after them.
    void keysThatWentWithAFlush_areMarked_data()
    {
        QTest::addColumn<bool>("isFlushFirst");
        QTest::addRow("flush first") << true;
        QTest::addRow("keys first") << false;
    }
    void keysThatWentWithAFlush_areMarked()
    {
        QFETCH(bool, isFlushFirst);
        Fixture b;
        for (const char *key : {"before", "at the notification", "at the look", "after"})
            b.observe(key, 60s);
        b.observe("expired", 1s);
        b.settle();
        b.clock.advance(1s);
        const auto received = b.clock.now();
        if (isFlushFirst)
            b.endedRows.flushed(received, received + 20ms);
        b.store.observeAbsent("before", received - 10ms);
        b.store.observeAbsent("at the notification", received);
        b.store.observeAbsent("expired", received + 10ms);
        b.store.observeAbsent("at the look", received + 20ms);
        b.store.observeAbsent("after", received + 30ms);
        b.settle();
        if (!isFlushFirst)
            b.endedRows.flushed(received, received + 20ms);
        Keys flushed;
        for (const latchkey::keys::EndedKey &ended : b.endedRows.since({})) {
            if (ended.ending() == latchkey::keys::EndedKey::Ending::Flushed)
                flushed += ended.key;
        }
        std::ranges::sort(flushed);
        QCOMPARE(flushed, (Keys {"at the look", "at the notification"}));
        QCOMPARE(b.endedRows.since({}).size(), std::size_t(5));
    }

    void goneAndBackWithinOneCommit_isAlive()
    {
        Fixture b;
        b.observe("k", 10s);
        b.settle();
        b.clock.advance(100ms);
        b.gone("k");
        b.clock.advance(100ms);
        b.observe("k", 9800ms); // The same end as before: a scan found the key after the poll had missed it.
        b.settle();
        QCOMPARE(b.record("k").state, KeyState::Live);
    }

    void keyThatComesAndGoesBetweenCommits_isNeverShown()
    {
        Fixture b;
        b.observe("k", 10s);
        b.gone("k");
        b.settle();
        QCOMPARE(b.keys(), Keys {});
        QCOMPARE(b.store.known().table.size(), qsizetype(0));
        QCOMPARE(b.store.liveCount(), qsizetype(0));
    }

    void persistedKey_isCountedAndMoves()
    {
        Fixture b;
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
        QTest::addColumn<const RankSource *>("source");
        QTest::addColumn<bool>("descending");
        QTest::addColumn<QList<QByteArray>>("expected");
        const auto row = [](const char *name, const RankSource &source, bool descending, const Keys &expected) {
            QTest::addRow("%s", name) << &source << descending << expected;
        };
        row("key", byKey, false, {"a-long-common-prefix:1", "a-long-common-prefix:2", "b", "c"});
        row("key down", byKey, true, {"c", "b", "a-long-common-prefix:2", "a-long-common-prefix:1"});
        row("type", byType, false, {"c", "a-long-common-prefix:1", "a-long-common-prefix:2", "b"});
        row("value", byValue, false, {"b", "a-long-common-prefix:2", "a-long-common-prefix:1", "c"});
        row("value down", byValue, true, {"c", "a-long-common-prefix:1", "a-long-common-prefix:2", "b"});
        row("time left", byTimeLeft, false, {"b", "c", "a-long-common-prefix:1", "a-long-common-prefix:2"});
        row("time left down", byTimeLeft, true, {"a-long-common-prefix:1", "a-long-common-prefix:2", "c", "b"});
    }
    void everyColumnSorts()
    {
        QFETCH(const RankSource *, source);
        QFETCH(bool, descending);
        Fixture b;
        b.persist("a-long-common-prefix:2");
        b.observe("c", 2s);
        b.persist("a-long-common-prefix:1");
        b.observe("b", 1s);
        b.store.observeType("c", KeyType::Hash);
        b.settle();
        b.store.observeType("c", KeyType::Hash);
        for (const char *key : {"a-long-common-prefix:1", "a-long-common-prefix:2", "b"})
            b.store.observeType(key, KeyType::String);
        b.store.observeValue("b", {KeyType::String, 5, {"alpha"}});
        b.store.observeValue("a-long-common-prefix:2", {KeyType::String, 23, {"the same first bytes: 1"}});
        b.store.observeValue("a-long-common-prefix:1", {KeyType::String, 23, {"the same first bytes: 2"}});
        b.settle();
        b.rows.setSortOrder({source, descending});
        b.settle();
        QTEST(b.keys(), "expected");
    }

    /// The memory of a key that has gone is used again, with the rest of the old bytes behind a shorter key.
    void shortKeyInThePlaceOfALongerOne_isSortedByItsOwnBytes()
    {
        Fixture b;
        b.rows.setSortOrder({&byKey, false});
        b.persist("kzz");
        b.settle();
        b.gone("kzz");
        b.settle();
        b.persist("k");
        b.persist("ka");
        b.settle();
        QCOMPARE(b.keys(), (Keys {"k", "ka"}));
    }

    void filter_takesRowsAwayAndBringsThemBack()
    {
        Fixture b;
        for (int i = 0; i < 100; ++i)
            b.observe((i % 3 == 0 ? "lock:" : "cache:") + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        b.rows.setFilter({Glob("lock:*"), {}});
        b.settle();
        QCOMPARE(b.rows.rowCount(), 34);
        QCOMPARE(b.store.liveCount(), qsizetype(100));
        b.observe("lock:new", 1s);
        b.observe("cache:new", 1s);
        b.settle();
        QCOMPARE(b.rows.rowCount(), 35);
        QCOMPARE(b.keys().front(), QByteArray("lock:new"));
        b.rows.setFilter({});
        b.settle();
        QCOMPARE(b.rows.rowCount(), 102);
    }

    void filterByExpiry_followsTheKey()
    {
        Fixture b;
        b.observe("k", 10s);
        b.persist("p");
        b.rows.setFilter({{}, {&isPersistent}});
        b.settle();
        QCOMPARE(b.keys(), Keys {"p"});
        b.persist("k");
        b.settle();
        QCOMPARE(b.keys(), (Keys {"k", "p"}));
        b.observe("p", 10s);
        b.settle();
        QCOMPARE(b.keys(), Keys {"k"});
    }

    /// A new column and a new filter need only a rank source and a condition.
    void factsBesideKeys_areSortedAndFiltered()
    {
        Fixture b;
        for (const char *key : {"a", "b", "c", "d"})
            b.observe(key, 10s);
        b.settle();
        b.store.setAnalysis("c", {QStringLiteral("redisson"), QStringLiteral("Redisson"), true, "uuid:1", true, 2, 0});
        b.store.setAnalysis("b", {QStringLiteral("redlock"), QStringLiteral("Redlock"), true, "token", true, 1, 3, 2});
        // More findings, and none of them as grave.
        b.store.setAnalysis("d", {{}, {}, false, {}, false, 0, 9, 1});
        b.settle();
        QVERIFY(b.shadow.takeChanged().contains("c"));
        b.rows.setSortOrder({&byKind, false});
        b.settle();
        QCOMPARE(b.keys(), (Keys {"c", "b", "a", "d"}));
        b.rows.setSortOrder({&byFindings, false});
        b.settle();
        QCOMPARE(b.keys(), (Keys {"b", "d", "a", "c"}));
        b.rows.setFilter({{}, {&isLock, &isExpiring}});
        b.settle();
        QCOMPARE(b.keys(), (Keys {"b", "c"}));
        b.store.setAnalysis("b", {}); // It was not a lock.
        b.settle();
        QCOMPARE(b.keys(), Keys {"c"});
        static constexpr KeyCondition hasLongName {
            [](const keys::KnownKeys &known, KeyId id) { return known.table.key(id).size() > 3; }};
        b.rows.setFilter({{}, {&hasLongName}});
        b.observe("long-name", 5s);
        b.settle();
        QCOMPARE(b.keys(), Keys {"long-name"});
    }

    void severalListsOfOneStore_keepTheirOwnOrder()
    {
        Fixture b;
        b.observe("b", 1s);
        b.observe("a", 2s);
        b.settle();
        RowList byName(b.store);
        const Shadow itsShadow(byName);
        byName.setSortOrder({&byKey, false});
        byName.setFilter({Glob("[ac]"), {}});
        b.settle();
        b.observe("c", 500ms);
        b.settle();
        QCOMPARE(b.keys(), (Keys {"c", "b", "a"}));
        QCOMPARE(byName.rowCount(), 2);
        QCOMPARE(byName.recordAt(0).key.bytes(), QByteArray("a"));
        b.gone("a");
        b.settle();
        QCOMPARE(b.keys(), (Keys {"c", "b"}));
        QCOMPARE(byName.rowCount(), 1);
    }

    void fewChanges_areFewEdits()
    {
        Fixture b;
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
        QCOMPARE(b.rows.rowCount(), 1);
        QVERIFY2(b.shadow.takeEdits() <= 3, "a thousand neighbours go in one piece");
    }

    void scatteredRemovals_areOneRearrangementAndOneRemoval()
    {
        Fixture b;
        for (int i = 0; i < 1000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        for (int i = 0; i < 1000; i += 2)
            b.gone("k" + QByteArray::number(i));
        (void)b.shadow.takeEdits();
        b.settle();
        QCOMPARE(b.rows.rowCount(), 500);
        QCOMPARE(b.shadow.takeEdits(), 2);
    }

    /// Up to 16 scattered rows are edited one by one; more are one rearrangement, and one edit at the end.
    void scatteredEdits_areSingleUpToALimit_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("edits");
        QTest::addRow("at the limit") << 16 << 16;
        QTest::addRow("beyond the limit") << 17 << 2;
    }
    void scatteredEdits_areSingleUpToALimit()
    {
        QFETCH(int, rows);
        QFETCH(int, edits);
        Fixture b;
        for (int i = 0; i < 100; i += 2)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        (void)b.shadow.takeEdits();
        for (int i = 1; i < 2 * rows; i += 2)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        b.settle(); // No more keys have come.
        QCOMPARE(b.shadow.takeEdits(), edits);
        for (int i = 1; i < 2 * rows; i += 2)
            b.gone("k" + QByteArray::number(i));
        b.settle();
        QCOMPARE(b.shadow.takeEdits(), edits);
        QCOMPARE(b.rows.rowCount(), 50);
    }

    void clear_forgetsEverything()
    {
        Fixture b;
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

    /// A sort in slices must not lose or duplicate keys that are observed meanwhile.
    void slicedSort_keepsWhatHappensMeanwhile()
    {
        Fixture b;
        for (int i = 0; i < 50'000; ++i)
            b.observe("lock:" + QByteArray::number(i * 7919 % 50'000), std::chrono::seconds(100 + i));
        b.settle();
        b.rows.setSortOrder({&byKey, false});
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
        QCOMPARE(b.rows.rowCount(), 50'000);
        QVERIFY(!b.keys().contains("lock:17"));
        QVERIFY(b.record("lock:18").deadline.isNever());
        const Keys keys = b.keys();
        QVERIFY(std::is_sorted(keys.begin(), keys.end()));
    }

    /// As in a first scan: keys arrive continuously, are merged in slices, and some change meanwhile.
    void stream_isMergedInSlices()
    {
        constexpr int batches = 6;
        constexpr int batch = 4500;
        Fixture b;
        const auto key = [](int i) { return "lock:" + QByteArray::number(i); };
        const auto secondsOf = [](int i) { return 100 + static_cast<int>(i * 7919LL % 10'007); };
        std::map<int, Keys> expected; // By seconds left.
        int slices = 0;
        for (int i = 0; i < batches * batch; ++i) {
            b.observe(key(i), std::chrono::seconds(secondsOf(i)));
            expected[secondsOf(i)] += key(i);
            if (i % batch == batch - 1)
                slices += b.store.commit(20us) ? 1 : 0;
            if (i % batch == 17 && i >= batch) { // Shown, waiting, or being merged.
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
        // A row costs twelve bytes plus an eighth of spare room; the memory for merging was released.
        const auto rowBytes = static_cast<qsizetype>(b.rows.bytesAllocated());
        QVERIFY2(rowBytes <= keys.size() * 12 * 9 / 8, qPrintable(QString::number(rowBytes)));
    }

    void orderAskedForDuringASort_wins()
    {
        Fixture b;
        for (int i = 0; i < 20'000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        b.rows.setSortOrder({&byKey, false});
        b.store.commit(1us);
        b.rows.setSortOrder({&byTimeLeft, true});
        b.settle();
        QCOMPARE(b.keys().front(), QByteArray("k19999"));
    }

    /// Due keys that wait to be asked about are removed from the front until something new is observed.
    void overdueKeys_areNotPolledUntilAnEvent()
    {
        Fixture b;
        for (int i = 0; i < 50; ++i)
            b.observe("due:" + QByteArray::number(i), std::chrono::milliseconds(1000 + i));
        b.observe("alive", 60s);
        b.persist("for ever");
        b.settle();
        b.clock.advance(4s);
        (void)b.shadow.takeEdits();
        b.rows.removeDueRows(b.clock.now() - 2s, b.clock.now(), 100);
        QCOMPARE(b.keys(), (Keys {"alive", "for ever"}));
        QCOMPARE(b.shadow.takeEdits(), 1);
        QCOMPARE(b.store.liveCount(), qsizetype(52)); // They were not reported as gone.

        b.store.observeType("due:1", KeyType::Hash);
        b.settle();
        QCOMPARE(b.keys(), (Keys {"alive", "for ever"}));
        b.observe("due:1", 30s); // Extended.
        b.gone("due:2");
        b.settle();
        QCOMPARE(b.keys(), (Keys {"due:1", "alive", "for ever"}));
        QCOMPARE(b.store.liveCount(), qsizetype(51));

        // In another order they do not disturb.
        b.rows.setSortOrder({&byKey, false});
        b.settle();
        QCOMPARE(b.rows.rowCount(), 51);
        b.rows.removeDueRows(b.clock.now() - 2s, b.clock.now(), 100);
        QCOMPARE(b.rows.rowCount(), 51);
        b.gone("due:3");
        b.rows.setSortOrder({&byTimeLeft, false});
        b.settle();
        b.clock.advance(3s);
        b.rows.removeDueRows(b.clock.now() - 2s, b.clock.now(), 100);
        b.settle();
        QCOMPARE(b.keys(), (Keys {"due:1", "alive", "for ever"}));
    }

    void ofManyThatAreDue_theLatestStay()
    {
        Fixture b;
        for (int i = 0; i < 50; ++i)
            b.observe("due:" + QByteArray::number(i), std::chrono::milliseconds(1000 + i));
        b.observe("alive", 60s);
        b.settle();
        b.clock.advance(1500ms); // All of them ended within the last half second.
        b.rows.removeDueRows(b.clock.now() - 2s, b.clock.now(), 3);
        QCOMPARE(b.keys(), (Keys {"due:47", "due:48", "due:49", "alive"}));
        b.observe("due:1", 30s); // Extended.
        b.settle();
        QCOMPARE(b.keys(), (Keys {"due:47", "due:48", "due:49", "due:1", "alive"}));
    }

    /// The span is the full TTL only if the start was seen.
    void startOfAKeysTime_isSeenOrNot()
    {
        Fixture b;
        b.observe("met in the first scan", 60s);
        b.store.setUnseenFor(500ms);
        b.observe("met soon", 60s);
        b.observe("met late", 1s);
        b.settle();
        QVERIFY(!b.record("met in the first scan").isStartSeen);
        QVERIFY(b.record("met soon").isStartSeen);
        QVERIFY(!b.record("met late").isStartSeen);
        b.clock.advance(10s);
        b.observe("met in the first scan", 50s); // The same end.
        b.settle();
        QVERIFY(!b.record("met in the first scan").isStartSeen);
        b.observe("met in the first scan", 60s); // Extended while observed.
        b.settle();
        QVERIFY(b.record("met in the first scan").isStartSeen);
    }

    /// After any changes in any order, the rows equal a plain sort, and the signals lead to them.
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
        Fixture b;
        struct Known
        {
            std::optional<MonotonicTime> end; ///< Absent: no expiry.
            std::optional<MonotonicTime> goneSince;
        };
        QHash<QByteArray, Known> reference;
        const QList<std::vector<const KeyCondition *>> anyExpiry {{}, {&isExpiring}, {&isPersistent}};
        SortOrder order;
        RowFilter filter;
        // Some rounds change a few keys, some nearly all, so that both ways of signalling are used.
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
                    // A value that agrees with the known end within the uncertainty is no news.
                    Known &known = reference[key];
                    const auto end = b.clock.now() + left;
                    if (known.goneSince || !known.end || std::chrono::abs(end - *known.end) > 2ms)
                        known.end = end;
                    known.goneSince.reset();
                }
                }
            }
            if (random.bounded(10) == 0)
                b.rows.setSortOrder(order = {random.bounded(2) ? &byKey : &byTimeLeft, random.bounded(2) == 1});
            if (random.bounded(10) == 0)
                b.rows.setFilter(filter = {Glob(random.bounded(2) ? "lock:*" : ""), anyExpiry[random.bounded(3)]});
            b.settle();
            b.clock.advance(std::chrono::milliseconds(random.bounded(100) * 10));

            if (round % 10 != 9)
                continue;
            // All gone keys have certainly ended before the comparison.
            b.clock.advance(3s);
            b.settle();
            // In a separate pass: a QHash that is changed during iteration may visit an entry twice.
            reference.removeIf([](const auto &entry) { return entry->goneSince.has_value(); });
            QList<QByteArray> expected;
            for (auto entry = reference.cbegin(); entry != reference.cend(); ++entry) {
                const bool matches =
                    filter.glob.matches(entry.key())
                    && (filter.conditions.empty() || (filter.conditions.front() == &isPersistent) == !entry->end);
                if (matches)
                    expected += entry.key();
            }
            std::sort(expected.begin(), expected.end(), [&](const QByteArray &x, const QByteArray &y) {
                if (order.source == &byKey)
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

LATCHKEY_TEST(TestRowList)

} // namespace tst_rowlist

#include "tst_rowlist.moc"
