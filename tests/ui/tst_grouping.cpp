#include "tests/support/await.h"
#include "tests/support/load.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/keytable/keytableview.h"
#include "ui/views/keytable/keytext.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

namespace tst_grouping {

using namespace latchkey;
using namespace latchkey::ui::keytable;
using namespace std::chrono_literals;
using rows::GroupedRows;

namespace {

struct Fixture
{
    Fixture()
    {
        view.resize(900, 400);
        view.setRows(&list);
        view.setGrouping(rows::Grouping::FirstColon);
        view.show();
        settle();
    }
    void observe(const QByteArray &key, std::chrono::milliseconds left)
    {
        store.observe(key, base::Deadline(clock.now() + left, 1ms), clock.now());
    }
    void settle()
    {
        while (store.commit()) {}
        while (store.commit()) {} // Several observations at once are sorted in when no more follow.
    }
    void add(const QByteArrayList &keys)
    {
        for (const QByteArray &key : keys)
            observe(key, 60s);
        settle();
    }
    [[nodiscard]] KeyTableModel &model() const { return *view.keyModel(); }
    /// Returns the rows: keys unchanged, groups in brackets.
    [[nodiscard]] QStringList shown() const
    {
        QStringList rows;
        for (int row = 0; row < model().rowCount(); ++row) {
            const QModelIndex index = model().index(row, KeyColumn);
            const QVariant group = index.data(KeyTableModel::GroupRole);
            rows += group.isValid() ? QLatin1Char('[') + index.data().toString() + QLatin1Char(']')
                                    : index.data().toString();
        }
        return rows;
    }
    [[nodiscard]] int rowOfKey(const QByteArray &key) const { return model().rowOf(*store.known().table.find(key)); }
    [[nodiscard]] int rowOfGroup(const QByteArray &prefix) const
    {
        const auto *group = model().grouped().groups()->find(prefix);
        return group == nullptr ? -1 : group->row;
    }
    void click(int row)
    {
        const QPoint at = view.visualRect(model().index(row, KeyColumn)).center();
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at);
    }
    [[nodiscard]] QByteArrayList chosen() const
    {
        QByteArrayList keys;
        for (const keys::KeyId id : view.selectedKeys(1000))
            keys += store.known().table.key(id).toByteArray();
        return keys;
    }

    test::ManualClock clock;
    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    keys::KeyStore store {clock};
    rows::RowList list {store};
    KeyTableView view {appearance, clock};
};

/// Computes the expected rows from the list alone.
QStringList expected(const rows::RowList &list, const QSet<QByteArray> &folded)
{
    QStringList rows;
    for (int row = 0; row < list.rowCount();) {
        const QByteArray prefix =
            rows::groupOf(list.known().table.key(list.idAt(row)), list.shownOrder().grouping).toByteArray();
        QStringList keys;
        for (; row < list.rowCount(); ++row) {
            const QByteArrayView key = list.known().table.key(list.idAt(row));
            if (rows::groupOf(key, list.shownOrder().grouping) != prefix)
                break;
            keys += keyText(key);
        }
        rows += QLatin1Char('[') + groupText(prefix, static_cast<int>(keys.size()), 0) + QLatin1Char(']');
        if (!folded.contains(prefix))
            rows += keys;
    }
    return rows;
}

} // namespace

/// Tests of groups of keys with the same prefix.
class TestGrouping final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rows_stayUnderAPressedButton_data()
    {
        QTest::addColumn<bool>("isGrouped");
        QTest::newRow("plain") << false;
        QTest::newRow("in groups") << true;
    }
    void rows_stayUnderAPressedButton()
    {
        QFETCH(const bool, isGrouped);
        Fixture fixture;
        fixture.view.setGrouping(isGrouped ? rows::Grouping::FirstColon : rows::Grouping::None);
        fixture.add({"a:1", "a:2", "a:3", "b:1"});
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.view));
        const QStringList before = fixture.shown();
        const auto row = static_cast<int>(before.indexOf(QStringLiteral("a:2")));
        const QPoint place = fixture.view.visualRect(fixture.model().index(row, KeyColumn)).center();
        QString clicked;
        connect(&fixture.view, &QAbstractItemView::clicked, &fixture.view,
                [&clicked](const QModelIndex &index) { clicked = index.siblingAtColumn(KeyColumn).data().toString(); });

        QTest::mousePress(fixture.view.viewport(), Qt::LeftButton, {}, place);
        fixture.observe("a:0", 1s);
        fixture.observe("a:3", 2s);
        fixture.store.observeAbsent("a:1", fixture.clock.now());
        fixture.settle();
        fixture.clock.advance(5s);
        const auto &groups = fixture.model().grouped().groups();
        fixture.list.removeDueRows(fixture.clock.now(), fixture.clock.now(), 0, groups ? &*groups : nullptr);
        QCOMPARE(fixture.shown(), before);
        QTest::mouseRelease(fixture.view.viewport(), Qt::LeftButton, {}, place);
        QCOMPARE(clicked, QStringLiteral("a:2"));
        QCOMPARE(fixture.chosen(), QByteArrayList {"a:2"});

        fixture.settle();
        const QStringList after = fixture.shown();
        QVERIFY(after != before && after.contains(QStringLiteral("a:0")) && !after.contains(QStringLiteral("a:1")));
        QCOMPARE(fixture.chosen(), QByteArrayList {"a:2"});
    }

    /// The release of the button goes to a menu or dialog that has opened, or to no widget.
    void rowsUnderALostButton_changeAgain_data()
    {
        QTest::addColumn<int>("loss");
        QTest::newRow("focus") << 0;
        QTest::newRow("hidden") << 1;
        QTest::newRow("other rows") << 2;
    }
    void rowsUnderALostButton_changeAgain()
    {
        QFETCH(const int, loss);
        Fixture fixture;
        fixture.add({"a:1", "a:2"});
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.view));
        QTest::mousePress(fixture.view.viewport(), Qt::LeftButton, {},
                          fixture.view.visualRect(fixture.model().index(1, KeyColumn)).center());
        if (loss == 0) {
            QFocusEvent out(QEvent::FocusOut, Qt::PopupFocusReason);
            QCoreApplication::sendEvent(&fixture.view, &out);
        } else if (loss == 1) {
            fixture.view.hide();
        } else {
            fixture.view.setRows(nullptr);
        }
        fixture.add({"a:3"});
        QCOMPARE(fixture.list.rowCount(), 3);
    }

    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void keysStandBelowTheirPrefix_inTheOrderOfTheColumn()
    {
        Fixture b;
        b.observe("lock:b", 10s);
        b.observe("lock:a", 20s);
        b.observe("cache:1:x", 30s);
        b.observe("plain", 5s);
        b.observe("locks", 6s);
        b.settle();
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("[without a prefix   2 keys]"), QStringLiteral("plain"),
                                          QStringLiteral("locks"), QStringLiteral("[cache:   1 key]"),
                                          QStringLiteral("cache:1:x"), QStringLiteral("[lock:   2 keys]"),
                                          QStringLiteral("lock:b"), QStringLiteral("lock:a")}));
        b.view.sortByColumn(KeyColumn, Qt::DescendingOrder); // Sorts the keys in descending order; the groups stay in
                                                             // ascending order.
        b.settle();
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("[without a prefix   2 keys]"), QStringLiteral("plain"),
                                          QStringLiteral("locks"), QStringLiteral("[cache:   1 key]"),
                                          QStringLiteral("cache:1:x"), QStringLiteral("[lock:   2 keys]"),
                                          QStringLiteral("lock:b"), QStringLiteral("lock:a")}));
        b.view.sortByColumn(KeyColumn, Qt::AscendingOrder);
        b.settle();
        QCOMPARE(b.shown().last(), QStringLiteral("lock:b"));
        b.view.setGrouping(rows::Grouping::None);
        b.settle();
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("cache:1:x"), QStringLiteral("lock:a"),
                                          QStringLiteral("lock:b"), QStringLiteral("locks"), QStringLiteral("plain")}));
    }

    void groups_tellHowManyLocksAreInThem()
    {
        Fixture b;
        b.add({"lock:a", "lock:b", "lock:c"});
        keys::KeyAnalysis analysis;
        analysis.kind = QStringLiteral("x");
        b.store.setAnalysis("lock:a", analysis);
        b.store.setAnalysis("lock:b", analysis);
        b.settle();
        LATCHKEY_AWAIT(b.shown().value(0) == u"[lock:   3 keys, 2 locks]");
    }

    void groups_foldWithAClickAndWithTheKeyboard()
    {
        Fixture b;
        b.add({"a:1", "a:2", "b:1"});
        const QAbstractItemModelTester tester(&b.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        b.click(0);
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("[a:   2 keys]"), QStringLiteral("[b:   1 key]"),
                                          QStringLiteral("b:1")}));
        QVERIFY(b.model().index(0, 0).data(KeyTableModel::FoldedRole).toBool());
        QCOMPARE(b.model().index(0, 0).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Group a:   2 keys, folded"));
        QTest::keyClick(&b.view, Qt::Key_Right);
        QCOMPARE(b.shown().size(), 5);
        QTest::keyClick(&b.view, Qt::Key_Right); // The group is unfolded already.
        QCOMPARE(b.shown().size(), 5);
        b.view.setCurrentIndex(b.model().index(2, KeyColumn));
        QTest::keyClick(&b.view, Qt::Key_Left); // Moves from a key to its group.
        QCOMPARE(b.view.currentIndex().row(), 0);
        QCOMPARE(b.shown().size(), 5);
        QTest::keyClick(&b.view, Qt::Key_Left); // Folds the group.
        QCOMPARE(b.shown().size(), 3);
        // A new key in a folded group is counted, but not shown.
        b.add({"a:3", "c:1"});
        QCOMPARE(b.shown(),
                 (QStringList {QStringLiteral("[a:   3 keys]"), QStringLiteral("[b:   1 key]"), QStringLiteral("b:1"),
                               QStringLiteral("[c:   1 key]"), QStringLiteral("c:1")}));
    }

    void aGroupsOwnRow_isNoKey()
    {
        Fixture b;
        b.add({"a:1", "a:2", "b:1"});
        b.view.selectAll();
        QCOMPARE(b.chosen(), (QByteArrayList {"a:1", "a:2", "b:1"}));
        QCOMPARE(b.view.selectedCount(), 3);
        b.view.selectRow(0);
        QCOMPARE(b.view.selectedCount(), 0);
        QVERIFY(b.chosen().isEmpty());
        QVERIFY(!b.model().idAt(0));
        QCOMPARE(b.model().index(0, TimeLeftColumn).data().toString(), QString());
    }

    void chosenKey_staysChosenWhileOthersComeAndGo()
    {
        Fixture b;
        QByteArrayList keys;
        for (int i = 0; i < 60; ++i)
            keys += (i % 2 == 0 ? "a:" : "m:") + QByteArray::number(100 + i);
        b.add(keys);
        b.view.setCurrentIndex(b.model().index(b.rowOfKey("m:131"), KeyColumn));
        QCOMPARE(b.chosen(), (QByteArrayList {"m:131"}));
        b.add({"0:1", "a:000", "b:1", "m:000", "z:1"});
        QCOMPARE(b.chosen(), (QByteArrayList {"m:131"}));
        QCOMPARE(b.view.currentIndex().row(), b.rowOfKey("m:131"));
        for (int i = 0; i < 30; i += 2) {
            b.store.observeAbsent(keys[i], b.clock.now());
            b.settle();
        }
        b.store.observeAbsent("0:1", b.clock.now());
        b.observe("m:001", 1s);
        b.observe("m:133", 1s); // The row moves.
        b.settle();
        QCOMPARE(b.chosen(), (QByteArrayList {"m:131"}));
        QCOMPARE(b.view.currentIndex().row(), b.rowOfKey("m:131"));
        // A key that returns is selected again.
        b.store.observeAbsent("m:131", b.clock.now());
        b.settle();
        QVERIFY(b.chosen().isEmpty());
        QCOMPARE(b.view.awaited(), (QList<QByteArray> {"m:131"}));
        b.add({"m:131"});
        QCOMPARE(b.chosen(), (QByteArrayList {"m:131"}));
    }

    void groups_canGoByTheLastColon()
    {
        Fixture b;
        b.add({"lock:order:7", "lock:order:8", "lock:stock:7", "lock:all", "plain"});
        b.model().grouped().setCollapsed("lock:", true);
        b.view.setGrouping(rows::Grouping::LastColon);
        b.settle();
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("[without a prefix   1 key]"), QStringLiteral("plain"),
                                          QStringLiteral("[lock:   1 key]"), QStringLiteral("[lock:order:   2 keys]"),
                                          QStringLiteral("lock:order:7"), QStringLiteral("lock:order:8"),
                                          QStringLiteral("[lock:stock:   1 key]"), QStringLiteral("lock:stock:7")}));
        b.view.setGrouping(rows::Grouping::FirstColon);
        b.settle();
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("[without a prefix   1 key]"), QStringLiteral("plain"),
                                          QStringLiteral("[lock:   4 keys]")}));
    }

    /// As without groups, keys long past their deadline are removed.
    void keysLongDue_goFromEachGroup()
    {
        Fixture b;
        for (const QByteArray key : {"a:due 1", "a:due 2", "b:due", "c:due"})
            b.observe(key, 1s);
        b.observe("a:alive", 60s);
        b.observe("c:alive", 60s);
        b.settle();
        b.click(b.rowOfGroup("c:"));
        b.clock.advance(4s);
        b.list.removeDueRows(b.clock.now() - 2s, b.clock.now(), 100, &*b.model().grouped().groups());
        QCOMPARE(b.shown(), (QStringList {QStringLiteral("[a:   1 key]"), QStringLiteral("a:alive"),
                                          QStringLiteral("[c:   1 key]")}));
        b.observe("b:due", 30s); // The lease was extended.
        b.settle();
        QCOMPARE(b.shown().at(2), QStringLiteral("[b:   1 key]"));
        // In another order, due keys are not removed.
        b.view.sortByColumn(KeyColumn, Qt::AscendingOrder);
        b.settle();
        QCOMPARE(b.list.rowCount(), 6);
        b.list.removeDueRows(b.clock.now() - 2s, b.clock.now(), 100, &*b.model().grouped().groups());
        QCOMPARE(b.list.rowCount(), 6);
    }

    void randomChanges_keepTheTableConsistent()
    {
        QRandomGenerator random(4711);
        Fixture b;
        const QAbstractItemModelTester tester(&b.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const GroupedRows &grouped = b.model().grouped();
        int unannounced = 0; // Rows that exist before the view was notified of them.
        connect(&grouped, &GroupedRows::rowsReordered, this,
                [&] { unannounced += grouped.groups() && grouped.rowCount() < grouped.groups()->rowCount() ? 1 : 0; });
        QSet<QByteArray> folded;
        QSet<QByteArray> present;
        const auto name = [&] {
            return QByteArray(1, static_cast<char>('a' + random.bounded(6))) + (random.bounded(5) == 0 ? "" : ":")
                 + QByteArray::number(random.bounded(40)) + (random.bounded(4) == 0 ? ":x" : "");
        };
        QHash<QByteArray, QPersistentModelIndex> kept;
        int compared = 0;
        for (int round = 0; round < 400; ++round) {
            for (int change = random.bounded(1, random.bounded(20) == 0 ? 60 : 6); change > 0; --change) {
                const QByteArray key = name();
                if (random.bounded(3) == 0 && present.remove(key))
                    b.store.observeAbsent(key, b.clock.now());
                else if (random.bounded(4) > 0) {
                    b.observe(key, std::chrono::milliseconds(random.bounded(1, 100'000)));
                    present.insert(key);
                }
            }
            b.settle();
            if (random.bounded(4) == 0 && b.model().rowCount() > 0) {
                const auto &groups = b.model().grouped().groups()->groups();
                const QByteArray prefix = groups[static_cast<std::size_t>(random.bounded(int(groups.size())))].prefix;
                const bool isCollapsed = !folded.remove(prefix);
                if (isCollapsed)
                    folded.insert(prefix);
                b.model().grouped().setCollapsed(prefix, isCollapsed);
            }
            if (random.bounded(40) == 0) {
                b.view.sortByColumn(random.bounded(2) == 0 ? KeyColumn : TimeLeftColumn,
                                    random.bounded(2) == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
                b.settle();
            }
            if (random.bounded(60) == 0) {
                b.view.setGrouping(rows::Grouping::None);
                b.settle();
                QCOMPARE(b.model().rowCount(), b.list.rowCount());
                b.view.setGrouping(rows::Grouping::FirstColon);
                b.settle();
            }
            if (random.bounded(15) == 0) { // Changes between two groupings directly.
                b.view.setGrouping(random.bounded(2) == 0 ? rows::Grouping::FirstColon : rows::Grouping::LastColon);
                b.settle();
            }
            if (b.list.sortedCount() == b.list.rowCount())
                QCOMPARE(b.shown(), expected(b.list, folded));
            compared += b.list.sortedCount() == b.list.rowCount() ? 1 : 0;
            for (auto it = kept.cbegin(); it != kept.cend(); ++it) {
                if (it->isValid() && present.contains(it.key()))
                    QCOMPARE(it->data(KeyTableModel::KeyRole).toByteArray(), it.key());
            }
            kept.clear();
            for (int row = 0; row < b.model().rowCount(); ++row) {
                if (const QByteArray key = b.model().index(row, 0).data(KeyTableModel::KeyRole).toByteArray();
                    !key.isEmpty())
                    kept.insert(key, b.model().index(row, 0));
            }
        }
        QCOMPARE(unannounced, 0);
        QVERIFY2(compared > 300, qPrintable(QString::number(compared)));
    }

    void tooManyPrefixes_areNotGrouped()
    {
        Fixture b;
        QSignalSpy groupingDropped(&b.view, &KeyTableView::groupingDropped);
        for (int i = 0; i < 3000; ++i)
            b.observe(QByteArray::number(i) + ":x", 60s);
        b.settle();
        LATCHKEY_AWAIT(groupingDropped.count() == 1);
        b.settle();
        QCOMPARE(b.model().rowCount(), 3000);
        QVERIFY(!b.model().grouped().groups());
        QVERIFY(!b.list.sortOrder().isGrouped());
        // The same applies if there are too many prefixes from the start.
        b.view.setGrouping(rows::Grouping::FirstColon);
        b.settle();
        LATCHKEY_AWAIT(groupingDropped.count() == 2);
        b.settle();
        QCOMPARE(b.model().rowCount(), 3000);
    }

    void changeInALargeGroup_costsLittle()
    {
        Fixture b;
        b.view.hide();
        const int users = test::load(200'000);
        for (int i = 0; i < users; ++i)
            b.observe("user:" + QByteArray::number(i), std::chrono::hours(1) + std::chrono::milliseconds(i));
        for (int i = 0; i < 100; ++i)
            b.observe("lock:" + QByteArray::number(i), 60s);
        b.settle();
        QCOMPARE(b.model().rowCount(), users + 102);
        b.model().grouped().setCollapsed("user:", true);
        QCOMPARE(b.model().rowCount(), 102);
        // The number of lookups is that of the groups, not that of the rows.
        QSignalSpy inserted(&b.model(), &QAbstractItemModel::rowsInserted);
        QSignalSpy removed(&b.model(), &QAbstractItemModel::rowsRemoved);
        for (int i = 0; i < 50; ++i) {
            b.observe("user:" + QByteArray::number(i), std::chrono::hours(2));
            b.settle();
        }
        QCOMPARE(b.model().rowCount(), 102);
        int announced = 0;
        for (const QList<QVariant> &signal : inserted)
            announced += signal[2].toInt() - signal[1].toInt() + 1;
        QVERIFY2(announced <= 200, qPrintable(QString::number(announced)));
    }
};

LATCHKEY_WINDOW_TEST(TestGrouping)

} // namespace tst_grouping

#include "tst_grouping.moc"
