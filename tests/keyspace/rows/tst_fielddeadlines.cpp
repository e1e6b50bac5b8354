#include "core/keyspace/rows/forecast.h"
#include "core/keyspace/rows/rowfilter.h"
#include "core/keyspace/rows/rowlist.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_fielddeadlines {

using namespace latchkey;
using namespace latchkey::rows;
using base::Deadline;
using keys::FieldDeadlines;
using keys::KeyStore;
using namespace std::chrono_literals;

/// Hashes with fields that end: in the store, under the filters, and in the forecast.
class TestFieldDeadlines final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<RowList> list;

    void settle()
    {
        while (store->commit()) {}
    }
    /// Creates field ends. `asked`: number of asked fields; `seconds`: time until the end of each field with an end.
    [[nodiscard]] FieldDeadlines ends(int asked, const QList<int> &seconds) const
    {
        FieldDeadlines ends;
        for (const int after : seconds)
            ends.first.push_back(
                {"f" + QByteArray::number(after), Deadline(clock.now() + std::chrono::seconds(after), 1ms)});
        ends.endingCount = seconds.size();
        ends.readCount = asked;
        ends.size = asked;
        ends.isWhole = true;
        ends.last = ends.first.isEmpty() ? Deadline::never() : ends.first.back().deadline;
        return ends;
    }
    [[nodiscard]] QByteArrayList shown(const KeyCondition &condition)
    {
        RowFilter filter;
        filter.conditions = {&condition};
        list->setFilter(filter);
        settle();
        QByteArrayList keys;
        for (int row = 0; row < list->rowCount(); ++row)
            keys += list->recordAt(row).key.bytes();
        std::ranges::sort(keys);
        return keys;
    }

private Q_SLOTS:
    void differsFrom_detectsNews_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("isNews");
        QTest::addRow("the same") << QStringLiteral("same") << false;
        QTest::addRow("within what can be measured") << QStringLiteral("close") << false;
        QTest::addRow("the last one ends later") << QStringLiteral("last") << true;
        QTest::addRow("measured much better") << QStringLiteral("better") << true;
        QTest::addRow("measured worse") << QStringLiteral("worse") << false;
        QTest::addRow("another field with the same end") << QStringLiteral("name") << true;
        QTest::addRow("a field that stays is new") << QStringLiteral("asked") << true;
        QTest::addRow("larger") << QStringLiteral("size") << true;
        QTest::addRow("asked only in part") << QStringLiteral("part") << true;
        QTest::addRow("none ends any more") << QStringLiteral("none") << true;
    }
    void differsFrom_detectsNews()
    {
        QFETCH(const QString, what);
        QFETCH(const bool, isNews);
        const FieldDeadlines known = ends(3, {10, 20});
        FieldDeadlines now = known;
        Deadline &first = now.first.front().deadline;
        if (what == u"close")
            first = Deadline(first.at() + 1500us, 1ms);
        else if (what == u"last")
            now.last = Deadline(now.last.at() + 1s, 1ms);
        else if (what == u"better")
            first = Deadline(first.at(), 100us);
        else if (what == u"worse")
            first = Deadline(first.at(), 100ms);
        else if (what == u"name")
            now.first.front().name = "other";
        else if (what == u"asked")
            ++now.readCount;
        else if (what == u"size")
            ++now.size;
        else if (what == u"part")
            now.isWhole = false;
        else if (what == u"none")
            now = ends(3, {});
        QCOMPARE(now.differsFrom(&known), isNews);
        QCOMPARE(now.differsFrom(nullptr), what != u"none");
    }

    void init()
    {
        store = std::make_unique<KeyStore>(clock);
        list = std::make_unique<RowList>(*store);
        for (const char *key : {"plain", "part", "whole"})
            store->observe(key, Deadline::never(), clock.now());
        store->observe("own", Deadline(clock.now() + 1h, 1ms), clock.now());
        settle();
    }
    void cleanup()
    {
        list.reset();
        store.reset();
    }

    void keyThatEndsWithItsFields_isNotPersistent()
    {
        QCOMPARE(store->persistentCount(), 3);
        store->observeFieldEnds("part", ends(2, {5}));
        store->observeFieldEnds("whole", ends(2, {5, 7}));
        store->observeFieldEnds("own", ends(1, {5}));
        settle();
        QCOMPARE(store->persistentCount(), 2);
        QCOMPARE(shown(isPersistent), (QByteArrayList {"part", "plain"}));
        QCOMPARE(shown(isExpiring), (QByteArrayList {"own", "part", "whole"}));
        store->observeFieldEnds("whole", ends(3, {5, 7})); // A field without an end was added.
        settle();
        QCOMPARE(store->persistentCount(), 3);
        QCOMPARE(shown(isPersistent), (QByteArrayList {"part", "plain", "whole"}));
        store->observeFieldEnds("part", {});
        settle();
        QCOMPARE(shown(isExpiring), (QByteArrayList {"own", "whole"}));
        QCOMPARE(store->persistentCount(), 3);
    }

    /// The count of persistent keys stays correct when the key changes or goes.
    void count_isKeptWhereTheKeyChangesOrGoes()
    {
        store->observeFieldEnds("whole", ends(1, {5}));
        settle();
        QCOMPARE(store->persistentCount(), 2);
        store->observe("whole", Deadline(clock.now() + 1min, 1ms), clock.now());
        settle();
        QCOMPARE(store->persistentCount(), 2);
        store->observe("whole", Deadline::never(), clock.now());
        store->observeType("whole", keys::KeyType::String); // It is another key now.
        settle();
        QCOMPARE(store->persistentCount(), 3);
        QVERIFY(store->known().fieldEnds.isEmpty());
        store->observeFieldEnds("part", ends(1, {5}));
        settle();
        store->observeAbsent("part", clock.now());
        settle();
        QCOMPARE(store->persistentCount(), 2);
        QVERIFY(store->known().fieldEnds.isEmpty());
    }

    void forecast_countsTheKeyWhereItsLastFieldEnds()
    {
        store->observeFieldEnds("whole", ends(2, {5, 90}));
        store->observeFieldEnds("part", ends(2, {5}));
        settle();
        ForecastCounter counter(store->known(), clock.now());
        QVERIFY(counter.advance(QDeadlineTimer(QDeadlineTimer::Forever)));
        const Forecast forecast = counter.forecast(10);
        QCOMPARE(forecast.all[Forecast::Never], 2);
        QCOMPARE(forecast.all[Forecast::Hour], 2);
    }

    /// The same ends measured again are no change, whatever the round trip.
    void sameEnds_changeNoRow()
    {
        store->observeFieldEnds("part", ends(2, {5}));
        settle();
        FieldDeadlines again = ends(2, {5});
        again.first.front().deadline = Deadline(again.first.front().deadline.at() + 1ms, 1ms);
        store->observeFieldEnds("part", again);
        QCOMPARE(store->stagedCount(), std::size_t(0));
        again.first.front().deadline = Deadline(again.first.front().deadline.at() + 1s, 1ms);
        store->observeFieldEnds("part", again);
        QCOMPARE(store->stagedCount(), std::size_t(1));
    }
};

LATCHKEY_TEST(TestFieldDeadlines)

} // namespace tst_fielddeadlines

#include "tst_fielddeadlines.moc"
