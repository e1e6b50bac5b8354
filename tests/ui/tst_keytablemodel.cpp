#include "core/keyspace/rows/endedrows.h"
#include "core/keyspace/rows/rowlist.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/keytable/keytablemodel.h"

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

#include <algorithm>

namespace tst_keytablemodel {

using namespace latchkey;
using keys::KeyStore;
using keys::KeyType;
using ui::keytable::KeyTableModel;
using namespace std::chrono_literals;
using Mode = QAbstractItemModelTester::FailureReportingMode;

namespace {

struct Fixture
{
    void observe(const QByteArray &key, std::chrono::milliseconds left)
    {
        (void)store.observe(key, base::Deadline(clock.now() + left, 1ms), clock.now());
    }
    void settle()
    {
        while (store.commit()) {}
    }
    [[nodiscard]] QString cell(int row, int column) const { return model.index(row, column).data().toString(); }

    test::ManualClock clock;
    KeyStore store {clock};
    rows::RowList list {store};
    ui::keytable::ShownTime time {clock};
    KeyTableModel model {list, time};
    QAbstractItemModelTester tester {&model, Mode::QtTest};
};

} // namespace

class TestKeyTableModel final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cells_wordWhatTheStoreKnows()
    {
        Fixture b;
        b.observe("lock:\xff", 5s);
        b.store.observe("", base::Deadline::never(), b.clock.now());
        b.settle();
        b.store.observeType("lock:\xff", KeyType::String);
        b.store.observeValue("lock:\xff", {KeyType::String, 5, {"token"}});
        b.settle();
        QCOMPARE(b.model.rowCount(), 2);
        QCOMPARE(b.cell(0, KeyTableModel::KeyColumn), QStringLiteral("lock:\\xff"));
        QCOMPARE(b.cell(0, KeyTableModel::TypeColumn), QStringLiteral("string"));
        QCOMPARE(b.cell(0, KeyTableModel::ValueColumn), QStringLiteral("token"));
        QCOMPARE(b.cell(0, KeyTableModel::TimeLeftColumn), QStringLiteral("5.000 s"));
        QCOMPARE(b.cell(1, KeyTableModel::KeyColumn), QStringLiteral("(empty key)"));
        QCOMPARE(b.cell(1, KeyTableModel::TimeLeftColumn), QStringLiteral("no expiry"));
        QCOMPARE(b.cell(1, KeyTableModel::EndColumn), QString());
        QCOMPARE(b.model.index(0, 0).data(KeyTableModel::KeyRole).toByteArray(), QByteArray("lock:\xff"));
        const QString accessible =
            b.model.index(0, KeyTableModel::TimeLeftColumn).data(Qt::AccessibleTextRole).toString();
        QCOMPARE(accessible, QStringLiteral("Time left: 5.000 s"));
    }

    /// Title and texts of a column come from one description.
    void everyColumn_hasATitleWordsAndAnAnswer()
    {
        Fixture b;
        b.observe("k", 60s);
        b.store.observeType("k", KeyType::String);
        b.settle();
        b.store.observeType("k", KeyType::String);
        b.store.observeValue("k", {KeyType::String, 1, {"v"}});
        b.store.setAnalysis("k", {QStringLiteral("lock.token"), QStringLiteral("A token"), true, "v", true, 1, 2});
        b.settle();
        QSet<QString> titles;
        for (int column = 0; column < KeyTableModel::ColumnCount; ++column) {
            titles += b.model.headerData(column, Qt::Horizontal).toString();
            QVERIFY2(!b.cell(0, column).isEmpty(), qPrintable(b.model.headerData(column, Qt::Horizontal).toString()));
        }
        QCOMPARE(titles.size(), qsizetype(KeyTableModel::ColumnCount));
        QVERIFY(!titles.contains(QString()));
        const QString toolTip = b.model.index(0, KeyTableModel::TimeLeftColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(toolTip.contains(QStringLiteral("Expires: ")), qPrintable(toolTip));
    }

    /// A tool tip that looks like HTML would be interpreted as HTML, and its pictures loaded.
    void toolTips_areTheTextItself()
    {
        const QByteArray hostile("<img src=\"file:///etc/hostname\"><b>bold</b> &amp; \\App");
        Fixture b;
        b.observe(hostile, 60s);
        b.settle();
        b.store.observeValue(hostile, {KeyType::String, hostile.size(), {hostile}});
        b.settle();
        for (const int column : {KeyTableModel::KeyColumn, KeyTableModel::ValueColumn}) {
            const QString shown = b.model.index(0, column).data(Qt::ToolTipRole).toString();
            QTextDocument document;
            document.setHtml(shown);
            QCOMPARE(document.toPlainText(), QString::fromUtf8(hostile));
            QVERIFY(!shown.contains(QStringLiteral("<img")) && Qt::mightBeRichText(shown));
        }
    }

    void frozenTime_doesNotCountDown()
    {
        Fixture b;
        b.observe("k", 8s);
        b.settle();
        b.clock.advance(1s);
        b.time.freeze(b.clock.now());
        const QString end = b.cell(0, KeyTableModel::EndColumn);
        b.clock.advance(3s);
        QCOMPARE(b.cell(0, KeyTableModel::TimeLeftColumn), QStringLiteral("7.000 s"));
        QCOMPARE(b.cell(0, KeyTableModel::EndColumn), end); // The expiry is a moment that does not change.
        b.time.freeze(std::nullopt);
        QCOMPARE(b.cell(0, KeyTableModel::TimeLeftColumn), QStringLiteral("4.000 s"));
    }

    void goneKeys_areThoseThatWentAndHaveNotComeBack()
    {
        Fixture b;
        const rows::EndedRows endedRows(b.list);
        b.list.setFilter({{}, {}});
        b.observe("expires", 1s);
        b.observe("released", 60s);
        b.observe("taken again", 60s);
        b.observe("filtered", 60s);
        b.settle();
        b.clock.advance(2s);
        for (const char *key : {"expires", "taken again", "released"})
            b.store.observeAbsent(key, b.clock.now());
        b.settle();
        b.observe("taken again", 60s);
        b.list.setFilter({base::Glob("released"), {}});
        b.settle();
        const auto text = [&](base::MonotonicTime since) {
            QByteArrayList parts;
            for (const auto &key : endedRows.since(since))
                parts += key.key + (key.state == keys::KeyState::Expired ? " expired" : " removed");
            std::ranges::sort(parts);
            return parts.join(", ");
        };
        QCOMPARE(text(b.clock.now() - 1s), QByteArray("expires expired, released removed"));
        b.clock.advance(2min);
        QCOMPARE(text(b.clock.now() - 1min), QByteArray());
    }

    void manyGone_areFewRemembered()
    {
        Fixture b;
        const rows::EndedRows endedRows(b.list);
        b.list.setFilter({{}, {}});
        for (int i = 0; i < 5000; ++i)
            b.observe("k" + QByteArray::number(i), 60s);
        b.settle();
        for (int i = 0; i < 5000; ++i)
            b.store.observeAbsent("k" + QByteArray::number(i), b.clock.now());
        b.settle();
        QCOMPARE(endedRows.since(b.clock.now() - 1s).size(), rows::EndedRows::maxRows);
    }

    void passingTime_emitsNothing()
    {
        Fixture b;
        b.observe("k", 5s);
        b.settle();
        QSignalSpy changed(&b.model, &QAbstractItemModel::dataChanged);
        QSignalSpy layout(&b.model, &QAbstractItemModel::layoutChanged);
        for (int i = 0; i < 100; ++i) {
            b.clock.advance(40ms);
            b.settle();
        }
        QCOMPARE(changed.size() + layout.size(), 0);
    }

    void thousandsOfNewKeys_areFewSignals()
    {
        Fixture b;
        QSignalSpy inserted(&b.model, &QAbstractItemModel::rowsInserted);
        QSignalSpy layout(&b.model, &QAbstractItemModel::layoutChanged);
        for (int i = 0; i < 5000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(i * 7919 % 5000 + 1));
        b.settle();
        QCOMPARE(b.model.rowCount(), 5000);
        QVERIFY2(inserted.size() + layout.size() <= 3, "one insertion and one rearrangement");
    }

    /// The selection follows its keys when rows are sorted, filtered, added or extended.
    void selection_followsItsKeys()
    {
        Fixture b;
        for (int i = 0; i < 200; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.settle();
        QItemSelectionModel selection(&b.model);
        const auto rowFlags = QItemSelectionModel::Select | QItemSelectionModel::Rows;
        selection.select(b.model.index(17, 0), rowFlags);
        selection.select(b.model.index(150, 0), rowFlags);
        const auto chosen = [&] {
            QSet<QByteArray> keys;
            for (const QModelIndex &index : selection.selectedRows())
                keys.insert(index.data(KeyTableModel::KeyRole).toByteArray());
            return keys;
        };
        const QSet<QByteArray> both {"k17", "k150"};
        QCOMPARE(chosen(), both);

        b.model.sort(KeyTableModel::KeyColumn, Qt::DescendingOrder);
        b.settle();
        QCOMPARE(chosen(), both);
        b.observe("k17", 9000s);
        b.observe("another", 1s);
        b.settle();
        QCOMPARE(chosen(), both);
        for (int i = 0; i < 100; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(5000 - i));
        b.model.sort(KeyTableModel::TimeLeftColumn, Qt::AscendingOrder);
        b.settle();
        QCOMPARE(chosen(), both);
        b.list.setFilter({base::Glob("k1*"), {}});
        b.settle();
        QCOMPARE(chosen(), both);
        b.list.setFilter({base::Glob("k17"), {}});
        b.settle();
        QCOMPARE(chosen(), QSet<QByteArray> {"k17"});
    }

    void randomLife_passesTheModelTester()
    {
        Fixture b;
        QRandomGenerator random(5);
        QItemSelectionModel selection(&b.model);
        for (int round = 0; round < 120; ++round) {
            for (int i = random.bounded(60); i > 0; --i) {
                const QByteArray key = "k" + QByteArray::number(random.bounded(300));
                if (random.bounded(4) == 0)
                    b.store.observeAbsent(key, b.clock.now());
                else
                    b.observe(key, std::chrono::milliseconds(random.bounded(1, 100'000)));
            }
            if (random.bounded(6) == 0)
                b.model.sort(random.bounded(5), random.bounded(2) ? Qt::AscendingOrder : Qt::DescendingOrder);
            if (random.bounded(8) == 0)
                b.list.setFilter({base::Glob(random.bounded(2) ? "k1*" : ""), {}});
            if (b.model.rowCount() > 0)
                selection.select(b.model.index(random.bounded(b.model.rowCount()), 0), QItemSelectionModel::Toggle);
            b.clock.advance(std::chrono::milliseconds(random.bounded(900)));
            b.settle();
        }
        QVERIFY(b.model.rowCount() > 0);
    }
};

LATCHKEY_WINDOW_TEST(TestKeyTableModel)

} // namespace tst_keytablemodel

#include "tst_keytablemodel.moc"
