#include "core/keyspace/rows/rowlist.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/keytable/keytableview.h"

#include <QApplication>
#include <QScrollBar>
#include <QTest>

namespace tst_selectionrestorer {

using namespace latchkey;
using namespace latchkey::ui::keytable;
using namespace std::chrono_literals;

namespace {

struct Fixture
{
    Fixture()
    {
        view.resize(900, 400);
        view.setRows(&list);
        view.show();
    }
    void observe(const QByteArray &key, std::chrono::milliseconds left)
    {
        store.observe(key, base::Deadline(clock.now() + left, 1ms), clock.now());
        settle();
    }
    void gone(const QByteArray &key)
    {
        store.observeAbsent(key, clock.now());
        settle();
    }
    void settle()
    {
        while (store.commit()) {}
    }
    void choose(const QByteArray &key) { view.selectRow(list.rowOf(*store.known().table.find(key))); }
    [[nodiscard]] QByteArrayList chosen() const
    {
        QByteArrayList keys;
        for (const keys::KeyId id : view.selectedKeys(100))
            keys += store.known().table.key(id).toByteArray();
        return keys;
    }
    [[nodiscard]] QByteArray current() const { return view.currentIndex().data(KeyTableModel::KeyRole).toByteArray(); }

    test::ManualClock clock;
    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    keys::KeyStore store {clock};
    rows::RowList list {store};
    KeyTableView view {appearance, clock};
};

} // namespace

class TestSelectionKeeper final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lockThatIsReleasedAndTakenAgain_staysChosen_data()
    {
        QTest::addColumn<std::chrono::milliseconds>("away");
        QTest::addRow("at once") << std::chrono::milliseconds(10);
        QTest::addRow("when nothing is left of it") << std::chrono::milliseconds(20'000);
    }
    void lockThatIsReleasedAndTakenAgain_staysChosen()
    {
        QFETCH(std::chrono::milliseconds, away);
        Fixture b;
        b.observe("a", 60s);
        b.observe("lock", 90s);
        b.observe("z", 120s);
        b.choose("lock");
        QCOMPARE(b.current(), QByteArray("lock"));
        b.gone("lock");
        QCOMPARE(b.chosen(), QByteArrayList());
        QCOMPARE(b.view.awaited(), QByteArrayList {"lock"});
        b.clock.advance(away);
        b.settle();
        b.observe("lock", 30s);
        QCOMPARE(b.chosen(), QByteArrayList {"lock"});
        QCOMPARE(b.current(), QByteArray("lock"));
        QCOMPARE(b.view.awaited(), QByteArrayList());
    }

    void newSelection_forgetsEndedKeys()
    {
        Fixture b;
        b.observe("other", 60s);
        b.observe("lock", 90s);
        b.choose("lock");
        b.gone("lock");
        b.choose("other");
        QCOMPARE(b.view.awaited(), QByteArrayList());
        b.observe("lock", 30s);
        QCOMPARE(b.chosen(), QByteArrayList {"other"});
        QCOMPARE(b.current(), QByteArray("other"));
    }

    void rowThatComesBack_doesNotScrollTheUsersRowsAway()
    {
        Fixture b;
        for (int i = 0; i < 100; ++i)
            b.observe("k" + QByteArray::number(i), std::chrono::seconds(100 + i));
        b.choose("k99");
        b.gone("k99");
        b.view.verticalScrollBar()->setValue(0);
        b.observe("k99", 500s);
        QCOMPARE(b.chosen(), QByteArrayList {"k99"});
        QCOMPARE(b.view.verticalScrollBar()->value(), 0);
    }

    void selectionHiddenByAFilter_isRestored()
    {
        Fixture b;
        b.observe("a", 60s);
        b.observe("b", 90s);
        b.choose("a");
        b.list.setFilter({base::Glob("b"), {}});
        b.settle();
        QCOMPARE(b.chosen(), QByteArrayList());
        b.list.setFilter({{}, {}});
        b.settle();
        QCOMPARE(b.chosen(), QByteArrayList {"a"});
    }

    void manyThatGo_areNotAllRemembered()
    {
        Fixture b;
        for (int i = 0; i < 500; ++i)
            b.store.observe("k" + QByteArray::number(i), base::Deadline(b.clock.now() + 60s, 1ms), b.clock.now());
        b.settle();
        b.view.selectAll();
        for (int i = 0; i < 500; ++i)
            b.store.observeAbsent("k" + QByteArray::number(i), b.clock.now());
        b.settle();
        QCOMPARE(b.view.awaited().size(), SelectionRestorer::maxKeys);
        b.view.setRows(nullptr);
        QCOMPARE(b.view.awaited(), QByteArrayList());
    }
};

LATCHKEY_WINDOW_TEST(TestSelectionKeeper)

} // namespace tst_selectionrestorer

#include "tst_selectionrestorer.moc"
