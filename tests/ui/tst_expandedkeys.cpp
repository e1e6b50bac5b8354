#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytableview.h"
#include "ui/views/keytable/keytext.h"
#include "ui/views/keytable/visiblekeys.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

namespace tst_expandedkeys {

using namespace latchkey;
using namespace latchkey::ui::keytable;
using namespace std::chrono_literals;
using keys::FieldDeadlines;
using rows::GroupedRows;
using std::chrono::milliseconds;

namespace {

struct Field
{
    QByteArray name;
    milliseconds left;
};

/// A table of hashes with expiring fields, without a server.
struct Fixture
{
    Fixture()
    {
        view.resize(900, 500);
        view.setRows(&list);
        tester = std::make_unique<QAbstractItemModelTester>(&model(),
                                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
        view.show();
        view.sortByColumn(KeyColumn, Qt::AscendingOrder);
        settle();
    }
    void settle()
    {
        while (store.commit()) {}
        while (store.commit()) {}
    }
    void observe(const QByteArray &key, milliseconds left)
    {
        store.observe(key, base::Deadline(clock.now() + left, 1ms), clock.now());
    }
    /// Simulates a read of all fields, of which these expire. `more`: number of further expiring fields.
    void fieldsOf(const QByteArray &key, const QList<Field> &fields, qint64 more = 0, qint64 unreadCount = 0)
    {
        FieldDeadlines ends;
        for (const Field &field : fields)
            ends.first.push_back({field.name, base::Deadline(clock.now() + field.left, 1ms)});
        ends.endingCount = ends.readCount = fields.size() + more;
        ends.size = ends.readCount + unreadCount;
        ends.isWhole = unreadCount == 0;
        if (!fields.isEmpty())
            ends.last = ends.first.back().deadline;
        store.observeFieldEnds(key, ends);
    }
    void hash(const QByteArray &key, const QList<Field> &fields, qint64 more = 0, qint64 unreadCount = 0)
    {
        observe(key, 3600s);
        settle();
        fieldsOf(key, fields, more, unreadCount);
        settle();
    }
    [[nodiscard]] KeyTableModel &model() const { return *view.keyModel(); }
    [[nodiscard]] QModelIndex at(int row, int column = KeyColumn) const { return model().index(row, column); }
    /// Returns the rows: keys unchanged, fields with a leading dot, groups in brackets, notes in parentheses.
    [[nodiscard]] QStringList shown() const
    {
        QStringList rows;
        for (int row = 0; row < model().rowCount(); ++row) {
            const QString text = at(row).data().toString();
            if (at(row).data(KeyTableModel::GroupRole).isValid())
                rows += u'[' + text.section(u' ', 0, 0) + u']';
            else if (at(row).data(KeyTableModel::RestRole).toBool())
                rows += u'(' + text + u')';
            else
                rows += at(row).data(KeyTableModel::FieldRole).isValid() ? u'.' + text : text;
        }
        return rows;
    }
    [[nodiscard]] keys::KeyId id(const QByteArray &key) const { return *store.known().table.find(key); }
    [[nodiscard]] int rowOf(const QByteArray &key) const { return model().rowOf(id(key)); }
    void open(const QByteArray &key, bool isOpen = true) { model().grouped().setOpen(id(key), isOpen); }
    void press(Qt::Key key) { QTest::keyClick(&view, key); }
    void clickMark(int row)
    {
        const QRect mark = openMark(view.visualRect(at(row)), view.layoutDirection());
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, mark.center());
    }
    [[nodiscard]] QByteArrayList chosen() const
    {
        QByteArrayList keys;
        for (const keys::KeyId chosen : view.selectedKeys(1000))
            keys += store.known().table.key(chosen).toByteArray();
        return keys;
    }

    test::ManualClock clock;
    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    keys::KeyStore store {clock};
    rows::RowList list {store};
    KeyTableView view {appearance, clock};
    std::unique_ptr<QAbstractItemModelTester> tester;
};

QStringList list(std::initializer_list<const char *> texts)
{
    QStringList result;
    for (const char *text : texts)
        result += QString::fromUtf8(text);
    return result;
}

/// Computes the expected rows from the list alone.
QStringList expected(const Fixture &b, const QSet<QByteArray> &opened, const QSet<QByteArray> &folded)
{
    QStringList rows;
    const rows::Grouping grouping = b.list.shownOrder().grouping;
    std::optional<QByteArray> group;
    for (int row = 0; row < b.list.rowCount(); ++row) {
        const QByteArray key = b.list.known().table.key(b.list.idAt(row)).toByteArray();
        if (b.list.shownOrder().isGrouped()) {
            const QByteArray own = rows::groupOf(key, grouping).toByteArray();
            if (group != own)
                rows += u'[' + groupText(own, 1, 0).section(u' ', 0, 0) + u']';
            group = own;
            if (folded.contains(own))
                continue;
        }
        rows += keyText(key);
        const FieldDeadlines *ends = b.list.known().fieldEndsOf(b.list.idAt(row));
        for (qsizetype i = 0; opened.contains(key) && ends != nullptr && i < ends->first.size(); ++i)
            rows += u'.' + fieldText(ends->first[i].name);
    }
    return rows;
}

} // namespace

/// Tests of hash fields as rows below their key.
class TestOpenKeys final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void key_isClosedAtFirst_andOpensByAClickOnItsMark()
    {
        Fixture b;
        b.observe("a", 60s);
        b.hash("h", {{"first", 10s}, {"second", 20s}});
        b.observe("z", 60s);
        b.settle();
        QCOMPARE(b.shown(), list({"a", "h", "z"}));
        QVERIFY(!b.at(0).data(KeyTableModel::OpenRole).isValid());
        QCOMPARE(b.at(1).data(KeyTableModel::OpenRole), QVariant(false));
        b.view.selectRow(0);
        b.clickMark(0); // The key has no mark, so it is a click on the key.
        QCOMPARE(b.shown(), list({"a", "h", "z"}));
        b.clickMark(1);
        QCOMPARE(b.shown(), list({"a", "h", ".first", ".second", "z"}));
        QCOMPARE(b.chosen(), QByteArrayList {"a"}); // A click on the mark selects nothing.
        b.clickMark(1);
        QCOMPARE(b.shown(), list({"a", "h", "z"}));
        QTest::mouseClick(b.view.viewport(), Qt::LeftButton, {}, b.view.visualRect(b.at(1)).center());
        QCOMPARE(b.shown(), list({"a", "h", "z"})); // A click beside the mark selects the key.
        QCOMPARE(b.chosen(), QByteArrayList {"h"});
    }

    void keyboard_opensAndClosesAndGoesToTheKey()
    {
        Fixture b;
        b.hash("h", {{"first", 10s}, {"second", 20s}});
        b.view.selectRow(0);
        b.press(Qt::Key_Left);
        QCOMPARE(b.shown(), list({"h"}));
        b.press(Qt::Key_Right);
        QCOMPARE(b.shown(), list({"h", ".first", ".second"}));
        b.press(Qt::Key_Down);
        b.press(Qt::Key_Down);
        QCOMPARE(b.view.currentIndex().row(), 2);
        QCOMPARE(b.chosen(), QByteArrayList {"h"});
        QCOMPARE(b.view.selectedCount(), 1);
        QCOMPARE(b.view.selectedNames(10), QByteArrayList {"second"});
        b.press(Qt::Key_Left);
        QCOMPARE(b.view.currentIndex().row(), 0);
        b.press(Qt::Key_Left);
        QCOMPARE(b.shown(), list({"h"}));
    }

    void keyboard_closesTheKeyBeforeItsGroup()
    {
        Fixture b;
        b.hash("user:1", {{"f", 10s}});
        b.view.setGrouping(rows::Grouping::FirstColon);
        b.settle();
        b.view.setCurrentIndex(b.at(1));
        b.press(Qt::Key_Right);
        QCOMPARE(b.shown(), list({"[user:]", "user:1", ".f"}));
        b.press(Qt::Key_Left);
        QCOMPARE(b.shown(), list({"[user:]", "user:1"}));
        b.press(Qt::Key_Left);
        QCOMPARE(b.view.currentIndex().row(), 0);
        b.press(Qt::Key_Left);
        QCOMPARE(b.shown(), list({"[user:]"}));
    }

    void accessibleText_hasTheCountAndTheState()
    {
        Fixture b;
        b.hash("h", {{"a", 10s}, {"b", 20s}, {"", 30s}});
        const auto says = [&b](int row, int column = KeyColumn) {
            return b.at(row, column).data(Qt::AccessibleTextRole).toString();
        };
        QCOMPARE(says(0), QStringLiteral("Key: h; 3 fields expire; closed"));
        b.open("h");
        QCOMPARE(says(0), QStringLiteral("Key: h; 3 fields expire; open"));
        QCOMPARE(says(1), QStringLiteral("Field: a"));
        QCOMPARE(says(1, TimeLeftColumn), QStringLiteral("Time left: 10 s"));
        QCOMPARE(says(1, ValueColumn), QString());
        QCOMPARE(says(3), QStringLiteral("Field: (empty name)"));
    }

    void names_areShownAsThoseOfKeys()
    {
        Fixture b;
        const QByteArray huge(1000, 'x');
        b.hash("h", {{"<b>bold</b>", 10s}, {"第二", 20s}, {QByteArray("\xff\x00", 2), 30s}, {huge, 40s}});
        b.open("h");
        QCOMPARE(b.shown().mid(1, 3), list({".<b>bold</b>", ".第二", ".\\xff\\x00"}));
        QCOMPARE(b.at(4).data().toString(), keyText(huge));
        QVERIFY(b.at(1).data(Qt::ToolTipRole).toString().contains(QLatin1String("&lt;b&gt;")));
        QVERIFY(!b.view.grab().isNull());
    }

    void row_countsDownLikeAKeys()
    {
        Fixture b;
        b.hash("h", {{"f", 10s}});
        b.open("h");
        QCOMPARE(b.at(1).data(KeyTableModel::SpanRole).toLongLong(), 10'000);
        b.clock.advance(4s);
        QCOMPARE(b.at(1, TimeLeftColumn).data().toString(), QStringLiteral("6.000 s"));
        QVERIFY(!b.at(1, EndColumn).data().toString().isEmpty());
        for (const int column : {KindColumn, HolderColumn, TypeColumn, ValueColumn, FindingsColumn})
            QVERIFY(b.at(1, column).data().toString().isEmpty());
        b.fieldsOf("h", {{"f", 20s}}); // A new TTL makes a new bar; the old one had ten seconds.
        b.observe("h", 3600s);
        b.settle();
        QCOMPARE(b.at(1).data(KeyTableModel::SpanRole).toLongLong(), 20'000);
    }

    void partialHash_countsTheUnlistedFields()
    {
        Fixture b;
        b.hash("h", {{"f", 10s}}, 300, 12'345);
        b.open("h");
        QCOMPARE(b.shown(), list({"h", ".f", "(300 more fields expire later; 12,345 fields were not checked)"}));
        b.fieldsOf("h", {{"f", 10s}}, 1);
        b.settle();
        QCOMPARE(b.shown(), list({"h", ".f", "(1 more field expires later)"}));
        b.view.selectRow(2);
        QCOMPARE(b.chosen(), QByteArrayList {"h"});
        QVERIFY(b.view.selectedNames(10).isEmpty()); // This row has no name to copy.
        b.fieldsOf("h", {{"f", 10s}, {"g", 20s}});
        b.settle();
        QCOMPARE(b.shown(), list({"h", ".f", ".g"}));
    }

    void fieldThatEnds_takesItsRowAlong_andLeavesTheChoiceToItsKey()
    {
        Fixture b;
        b.hash("h", {{"a", 10s}, {"b", 20s}, {"c", 30s}});
        b.observe("z", 60s);
        b.settle();
        b.open("h");
        b.view.selectRow(1);
        const QPersistentModelIndex c = b.at(3);
        QSignalSpy removed(&b.model(), &QAbstractItemModel::rowsRemoved);
        b.fieldsOf("h", {{"b", 20s}, {"c", 30s}});
        b.settle();
        QCOMPARE(b.shown(), list({"h", ".b", ".c", "z"}));
        QCOMPARE(removed.first().at(1).toInt(), 1); // Only that row is removed.
        QCOMPARE(removed.first().at(2).toInt(), 1);
        QCOMPARE(c.data().toString(), QStringLiteral("c"));
        QCOMPARE(b.chosen(), QByteArrayList {"h"});
        QCOMPARE(b.view.currentIndex().row(), 0);
        b.fieldsOf("h", {{"c", 10s}, {"b", 20s}, {"d", 40s}}); // Two fields change places, and one is new.
        b.settle();
        QCOMPARE(b.shown(), list({"h", ".c", ".b", ".d", "z"}));
        b.fieldsOf("h", {});
        b.settle();
        QCOMPARE(b.shown(), list({"h", "z"}));
        QVERIFY(!b.at(0).data(KeyTableModel::OpenRole).isValid());
    }

    void hashThatGoes_takesItsRowsAlong()
    {
        Fixture b;
        b.hash("h", {{"a", 10s}, {"b", 20s}});
        b.observe("z", 60s);
        b.settle();
        b.open("h");
        b.view.selectRow(2);
        b.store.observeAbsent("h", b.clock.now());
        b.settle();
        QCOMPARE(b.shown(), list({"z"}));
        QCOMPARE(b.view.awaited(), QList<QByteArray> {"h"}); // As if the key itself had been selected.
        b.hash("h", {{"a", 10s}});                           // A new key, which is closed.
        QCOMPARE(b.shown(), list({"h", "z"}));
        QCOMPARE(b.chosen(), QByteArrayList {"h"});
    }

    void clearedStore_takesEverythingAlong()
    {
        Fixture b;
        b.hash("h", {{"a", 10s}});
        b.open("h");
        b.store.clear();
        b.settle();
        QCOMPARE(b.model().rowCount(), 0);
        b.hash("other", {{"a", 10s}}); // The new key may have the same id.
        QCOMPARE(b.shown(), list({"other"}));
    }

    void sortingAndFiltering_goByKeys()
    {
        Fixture b;
        b.hash("a", {{"x", 10s}, {"y", 20s}});
        b.hash("b", {{"z", 5s}});
        b.open("a");
        b.open("b");
        b.view.selectRow(2);
        QCOMPARE(b.shown(), list({"a", ".x", ".y", "b", ".z"}));
        b.view.sortByColumn(KeyColumn, Qt::DescendingOrder);
        b.settle();
        QCOMPARE(b.shown(), list({"b", ".z", "a", ".x", ".y"}));
        QCOMPARE(b.view.selectedNames(10), QByteArrayList {"y"});
        QCOMPARE(b.list.rowCount(), 2); // Only keys are counted.
        b.list.setFilter({base::Glob("b")});
        b.settle();
        QCOMPARE(b.shown(), list({"b", ".z"}));
        b.list.setFilter({});
        b.settle();
        QCOMPARE(b.shown(), list({"b", ".z", "a", ".x", ".y"})); // A hidden key stays open.
        b.view.setGrouping(rows::Grouping::FirstColon);
        b.settle();
        QCOMPARE(b.shown(), list({"[without]", "b", ".z", "a", ".x", ".y"}));
        b.model().grouped().setCollapsed("", true);
        QCOMPARE(b.shown(), list({"[without]"}));
        b.fieldsOf("b", {{"z", 5s}, {"zz", 7s}});
        b.settle();
        b.model().grouped().setCollapsed("", false);
        QCOMPARE(b.shown(), list({"[without]", "b", ".z", ".zz", "a", ".x", ".y"}));
    }

    void choiceOfMany_countsAKeyOnce()
    {
        Fixture b;
        b.hash("a", {{"x", 10s}, {"y", 20s}});
        b.hash("b", {{"z", 5s}});
        b.open("a");
        b.view.selectAll();
        QCOMPARE(b.chosen(), (QByteArrayList {"a", "b"}));
        QCOMPARE(b.view.selectedCount(), 2);
        QCOMPARE(b.view.selectedNames(10), (QByteArrayList {"a", "x", "y", "b"}));
        b.open("a", false);
        QCOMPARE(b.view.selectedCount(), 2);
        QVERIFY(b.view.awaited().isEmpty());
    }

    void manyChanges_leaveTheStateOfTheList();
};

void TestOpenKeys::manyChanges_leaveTheStateOfTheList()
{
    Fixture b;
    QRandomGenerator random(20261123);
    QSet<QByteArray> opened;
    QSet<QByteArray> folded;
    QSet<QByteArray> present;
    int compared = 0;
    for (int round = 0; round < 400; ++round) {
        for (int change = random.bounded(1, random.bounded(20) == 0 ? 60 : 6); change > 0; --change) {
            const QByteArray key =
                QByteArrayList {"a:", "b:", ""}.at(random.bounded(3)) + QByteArray::number(random.bounded(30));
            if (random.bounded(4) == 0 && present.remove(key)) {
                b.store.observeAbsent(key, b.clock.now());
                b.settle();
                opened.remove(key);
                continue;
            }
            if (random.bounded(2) == 0 || !present.contains(key))
                b.observe(key, milliseconds(random.bounded(1, 100'000)));
            if (!present.contains(key))
                b.settle();
            present.insert(key);
            QList<Field> fields;
            for (int i = 0; i < 6; ++i) {
                if (random.bounded(2) == 0)
                    fields.insert(random.bounded(int(fields.size()) + 1), {QByteArray(1, char('p' + i)), 0s});
            }
            for (int i = 0; i < fields.size(); ++i)
                fields[i].left = 10s * (i + 1);
            b.fieldsOf(key, fields);
        }
        b.settle();
        for (int i = random.bounded(4); i > 0 && !present.isEmpty(); --i) {
            const QByteArray key = *std::next(present.cbegin(), random.bounded(int(present.size())));
            const bool opens = !b.model().grouped().isOpen(b.id(key));
            if (b.rowOf(key) < 0)
                continue;
            b.open(key, opens);
            if (b.model().grouped().isOpen(b.id(key)))
                opened.insert(key);
            else
                opened.remove(key);
        }
        if (const auto &groups = b.model().grouped().groups(); groups && random.bounded(4) == 0) {
            const QByteArray prefix = groups->groups().front().prefix;
            const bool isCollapsed = !folded.remove(prefix);
            if (isCollapsed)
                folded.insert(prefix);
            b.model().grouped().setCollapsed(prefix, isCollapsed);
        }
        if (random.bounded(10) == 0) {
            b.view.sortByColumn(random.bounded(2) == 0 ? KeyColumn : TimeLeftColumn,
                                random.bounded(2) == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
            b.view.setGrouping(random.bounded(2) == 0 ? rows::Grouping::None : rows::Grouping::FirstColon);
            b.settle();
        }
        if (b.list.sortedCount() == b.list.rowCount()) {
            QCOMPARE(b.shown(), expected(b, opened, folded));
            ++compared;
        }
    }
    QVERIFY2(compared > 300, qPrintable(QString::number(compared)));
}

LATCHKEY_WINDOW_TEST(TestOpenKeys)

} // namespace tst_expandedkeys

#include "tst_expandedkeys.moc"
