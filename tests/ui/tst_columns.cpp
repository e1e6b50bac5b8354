#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/views/keytable/columnchoices.h"

#include <QHeaderView>
#include <QMenu>

namespace tst_columns {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;
using ui::inspector::InspectorPage;
using ui::keytable::ColumnChoices;
using ui::keytable::KeyTableModel;

/// Tests of the columns as the user arranges them: hidden, moved and resized, in the real window.
class TestColumns final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    static QHeaderView &header(const MainWindowFixture &bench) { return *bench.table().horizontalHeader(); }
    static InspectorPage &page(const MainWindowFixture &bench) { return *bench.window.findChild<InspectorPage *>(); }
    /// Drags in the header, by mouse.
    static void drag(const MainWindowFixture &bench, int fromX, int toX)
    {
        QWidget *area = header(bench).viewport();
        const int y = area->height() / 2;
        QTest::mousePress(area, Qt::LeftButton, {}, {fromX, y});
        for (const int x : {fromX + (toX > fromX ? 12 : -12), toX})
            QTest::mouseMove(area, {x, y});
        QTest::mouseRelease(area, Qt::LeftButton, {}, {toX, y});
    }
    static int rightEdgeOf(const MainWindowFixture &bench, int column)
    {
        return header(bench).sectionViewportPosition(column) + header(bench).sectionSize(column) - 1;
    }
    /// Opens the server, in a window with room for all columns of locks.
    void open(MainWindowFixture &bench)
    {
        bench.window.resize(1400, 800);
        test::openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1 && !bench.table().isColumnHidden(KeyTableModel::HolderColumn)
                       && !bench.table().isColumnHidden(KeyTableModel::FindingsColumn));
        if (bench.button("showDetails").isChecked())
            bench.click("showDetails");
        LATCHKEY_AWAIT(bench.window.width() == 1400 && bench.table().width() > 1100);
    }
    static QMenu *openMenu(const MainWindowFixture &bench)
    {
        Q_EMIT header(bench).customContextMenuRequested(QPoint(10, 10));
        return qobject_cast<QMenu *>(QApplication::activePopupWidget());
    }
    static void fold(const MainWindowFixture &bench, int column)
    {
        QMenu *menu = openMenu(bench);
        QVERIFY(menu != nullptr);
        menu->actions().at(column - 1)->trigger();
        menu->close();
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<TestServer>();
        QVERIFY((*server)({"SET", "lock:order", "1"}).isOk());
    }
    void cleanup() { server.reset(); }

    void arrangement_isKeptForTheNextWindow()
    {
        QByteArray layout;
        int width = 0;
        {
            MainWindowFixture bench;
            open(bench);
            width = bench.table().columnWidth(KeyTableModel::HolderColumn) + 40;
            const int edge = rightEdgeOf(bench, KeyTableModel::HolderColumn);
            drag(bench, edge, edge + 40);
            QCOMPARE(bench.table().columnWidth(KeyTableModel::HolderColumn), width);
            const int from = header(bench).sectionViewportPosition(KeyTableModel::FindingsColumn) + 20;
            drag(bench, from, header(bench).sectionViewportPosition(KeyTableModel::KindColumn) + 10);
            QCOMPARE(header(bench).visualIndex(KeyTableModel::FindingsColumn), 1);
            fold(bench, KeyTableModel::KindColumn);
            QVERIFY(bench.table().isColumnHidden(KeyTableModel::KindColumn));
            layout = page(bench).saveLayout();
        }
        MainWindowFixture next;
        page(next).restoreLayout(layout);
        open(next);
        QVERIFY(next.table().isColumnHidden(KeyTableModel::KindColumn));
        QCOMPARE(header(next).visualIndex(KeyTableModel::FindingsColumn), 1);
        QCOMPARE(next.table().columnWidth(KeyTableModel::HolderColumn), width);
        // Another server has the same columns.
        next.workspace.open(server->endpoint());
        QCOMPARE(header(next).visualIndex(KeyTableModel::FindingsColumn), 1);
    }

    /// A crash of the program loses no arrangement.
    void arrangement_isSavedAtOnce()
    {
        MainWindowFixture bench;
        open(bench);
        const QByteArray before = bench.settings.inspectorLayout();
        const int edge = rightEdgeOf(bench, KeyTableModel::HolderColumn);
        drag(bench, edge, edge + 40);
        LATCHKEY_AWAIT(bench.settings.inspectorLayout() != before);
        QCOMPARE(bench.settings.inspectorLayout(), page(bench).saveLayout());
    }

    void reset_restoresTheUsualColumns()
    {
        MainWindowFixture bench;
        open(bench);
        const int width = bench.table().columnWidth(KeyTableModel::HolderColumn);
        QVERIFY(!openMenu(bench)->findChild<QAction *>(QStringLiteral("resetColumns"))->isEnabled());
        QApplication::activePopupWidget()->close();
        const int edge = rightEdgeOf(bench, KeyTableModel::HolderColumn);
        drag(bench, edge, edge + 40);
        const int from = header(bench).sectionViewportPosition(KeyTableModel::FindingsColumn) + 20;
        drag(bench, from, header(bench).sectionViewportPosition(KeyTableModel::KindColumn) + 10);
        fold(bench, KeyTableModel::KindColumn);
        QMenu *menu = openMenu(bench);
        menu->findChild<QAction *>(QStringLiteral("resetColumns"))->trigger();
        menu->close();
        QVERIFY(!bench.table().isColumnHidden(KeyTableModel::KindColumn));
        QCOMPARE(header(bench).visualIndex(KeyTableModel::FindingsColumn), int(KeyTableModel::FindingsColumn));
        QCOMPARE(bench.table().columnWidth(KeyTableModel::HolderColumn), width);
    }

    /// The table cannot scroll sideways, so no column may push another one out of it.
    void wideColumn_leavesRoomForTheOthers()
    {
        MainWindowFixture bench;
        open(bench);
        const int edge = rightEdgeOf(bench, KeyTableModel::HolderColumn);
        drag(bench, edge, edge + 3000);
        LATCHKEY_AWAIT(header(bench).length() <= bench.table().viewport()->width());
        QVERIFY(bench.table().columnWidth(KeyTableModel::KeyColumn) >= 100);
        QVERIFY(!bench.table().isColumnHidden(KeyTableModel::FindingsColumn));
    }

    void keyColumn_staysFirst()
    {
        MainWindowFixture bench;
        open(bench);
        drag(bench, 20, header(bench).sectionViewportPosition(KeyTableModel::HolderColumn) + 60);
        QCOMPARE(header(bench).visualIndex(KeyTableModel::KeyColumn), 0);
    }

    void menu_hasAShortcut()
    {
        MainWindowFixture bench;
        open(bench);
        bench.table().setFocus();
        QTest::keyClick(&bench.table(), Qt::Key_0, Qt::AltModifier);
        QVERIFY(QApplication::activePopupWidget() != nullptr);
        QCOMPARE(QApplication::activePopupWidget()->objectName(), QStringLiteral("columnMenu"));
        QApplication::activePopupWidget()->close();
    }

    void choices_areReadAsWritten()
    {
        ColumnChoices choices;
        choices.shown = {{KeyTableModel::TypeColumn, true}, {KeyTableModel::EndColumn, false}};
        choices.widths = {{KeyTableModel::HolderColumn, 300}};
        choices.order = {0, 7, 1, 2, 3, 4, 5, 6};
        QCOMPARE(ColumnChoices::fromBytes(choices.toBytes()), choices);
        QCOMPARE(ColumnChoices::fromBytes("nonsense"), ColumnChoices());
        QCOMPARE(ColumnChoices::fromBytes(choices.toBytes().chopped(3)), ColumnChoices());
    }
    void impossibleChoices_areIgnored()
    {
        ColumnChoices choices;
        choices.shown = {{KeyTableModel::KeyColumn, false}, {99, true}};
        choices.widths = {{KeyTableModel::HolderColumn, -1}, {KeyTableModel::KindColumn, 1'000'000}};
        choices.order = {0, 1, 1, 2, 3, 4, 5, 6};
        QCOMPARE(ColumnChoices::fromBytes(choices.toBytes()), ColumnChoices());
        choices.order = {1, 0, 2, 3, 4, 5, 6, 7};
        QVERIFY(ColumnChoices::fromBytes(choices.toBytes()).order.isEmpty());
    }
};

LATCHKEY_WINDOW_TEST(TestColumns)

} // namespace tst_columns

#include "tst_columns.moc"
