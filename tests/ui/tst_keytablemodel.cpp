#include "core/rows/rowstore.h"
#include "tests/support/manualclock.h"
#include "ui/keytable/keytablemodel.h"

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

using namespace latchkey;
using keys::KeyType;
using rows::RowFilter;
using rows::RowStore;
using ui::keytable::KeyTableModel;
using namespace std::chrono_literals;
using Mode = QAbstractItemModelTester::FailureReportingMode;

namespace {

struct Bench
{
    void observe(const QByteArray &key, std::chrono::milliseconds left)
    {
        store.observe(key, base::Deadline(clock.now() + left, 1ms), clock.now());
    }
    void settle()
    {
        while (store.commit()) {}
    }
    [[nodiscard]] QString cell(int row, int column) const { return model.index(row, column).data().toString(); }

    test::ManualClock clock;
    RowStore store {clock};
    KeyTableModel model {store, clock};
    QAbstractItemModelTester tester {&model, Mode::QtTest};
};

} // namespace

class TestKeyTableModel final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cells_wordWhatTheStoreKnows()
    {
        Bench b;
        b.observe("lock:\xff", 5s);
        b.store.observe("", base::Deadline::never(), b.clock.now());
        b.settle();
        b.store.observeType("lock:\xff", KeyType::String);
        b.store.observeValue("lock:\xff", {"token", 5, true});
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

    void passingTime_emitsNothing()
    {
        Bench b;
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
        Bench b;
        QSignalSpy inserted(&b.model, &QAbstractItemModel::rowsInserted);
        QSignalSpy layout(&b.model, &QAbstractItemModel::layoutChanged);
        for (int i = 0; i < 5000; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(i * 7919 % 5000 + 1));
        b.settle();
        QCOMPARE(b.model.rowCount(), 5000);
        QVERIFY2(inserted.size() + layout.size() <= 3, "one insertion and one rearrangement");
    }

    /// What is chosen stays chosen, wherever its row goes: when rows are sorted, filtered, added, extended.
    void selection_followsItsKeys()
    {
        Bench b;
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
        b.store.setFilter({keys::Glob("k1*"), RowFilter::Expiry::Any});
        b.settle();
        QCOMPARE(chosen(), both);
        b.store.setFilter({keys::Glob("k17"), RowFilter::Expiry::Any});
        b.settle();
        QCOMPARE(chosen(), QSet<QByteArray> {"k17"});
    }

    void randomLife_passesTheModelTester()
    {
        Bench b;
        QRandomGenerator random(5);
        QItemSelectionModel selection(&b.model);
        for (int round = 0; round < 120; ++round) {
            for (int i = random.bounded(60); i > 0; --i) {
                const QByteArray key = "k" + QByteArray::number(random.bounded(300));
                if (random.bounded(4) == 0)
                    b.store.observeGone(key, b.clock.now());
                else
                    b.observe(key, std::chrono::milliseconds(random.bounded(1, 100'000)));
            }
            if (random.bounded(6) == 0)
                b.model.sort(random.bounded(5), random.bounded(2) ? Qt::AscendingOrder : Qt::DescendingOrder);
            if (random.bounded(8) == 0)
                b.store.setFilter({keys::Glob(random.bounded(2) ? "k1*" : ""), RowFilter::Expiry::Any});
            if (b.model.rowCount() > 0)
                selection.select(b.model.index(random.bounded(b.model.rowCount()), 0), QItemSelectionModel::Toggle);
            b.clock.advance(std::chrono::milliseconds(random.bounded(900)));
            b.settle();
        }
        QVERIFY(b.model.rowCount() > 0);
    }
};

QTEST_GUILESS_MAIN(TestKeyTableModel)
#include "tst_keytablemodel.moc"
