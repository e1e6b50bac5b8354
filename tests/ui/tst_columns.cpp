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

    static QHeaderView &header(const MainWindowFixture &fixture) { return *fixture.table().horizontalHeader(); }
    static InspectorPage &page(const MainWindowFixture &fixture)
    {
        return *fixture.window.findChild<InspectorPage *>();
    }
    /// Drags in the header, by mouse.
    static void drag(const MainWindowFixture &fixture, int fromX, int toX)
    {
        QWidget *area = header(fixture).viewport();
        const int y = area->height() / 2;
        QTest::mousePress(area, Qt::LeftButton, {}, {fromX, y});
        for (const int x : {fromX + (toX > fromX ? 12 : -12), toX})
            QTest::mouseMove(area, {x, y});
        QTest::mouseRelease(area, Qt::LeftButton, {}, {toX, y});
    }
    static int rightEdgeOf(const MainWindowFixture &fixture, int column)
    {
        return header(fixture).sectionViewportPosition(column) + header(fixture).sectionSize(column) - 1;
    }
    /// Opens the server, in a window with room for all columns of locks.
    void open(MainWindowFixture &fixture)
    {
        fixture.window.resize(1400, 800);
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1 && !fixture.table().isColumnHidden(KeyTableModel::HolderColumn)
                       && !fixture.table().isColumnHidden(KeyTableModel::FindingsColumn));
        if (fixture.button("showDetails").isChecked())
            fixture.click("showDetails");
        LATCHKEY_AWAIT(fixture.window.width() == 1400 && fixture.table().width() > 1100);
    }
    static QMenu *openMenu(const MainWindowFixture &fixture)
    {
        Q_EMIT header(fixture).customContextMenuRequested(QPoint(10, 10));
        return qobject_cast<QMenu *>(QApplication::activePopupWidget());
    }
    static void fold(const MainWindowFixture &fixture, int column)
    {
        QMenu *menu = openMenu(fixture);
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
            MainWindowFixture fixture;
            open(fixture);
            width = fixture.table().columnWidth(KeyTableModel::HolderColumn) + 40;
            const int edge = rightEdgeOf(fixture, KeyTableModel::HolderColumn);
            drag(fixture, edge, edge + 40);
            QCOMPARE(fixture.table().columnWidth(KeyTableModel::HolderColumn), width);
            const int from = header(fixture).sectionViewportPosition(KeyTableModel::FindingsColumn) + 20;
            drag(fixture, from, header(fixture).sectionViewportPosition(KeyTableModel::KindColumn) + 10);
            QCOMPARE(header(fixture).visualIndex(KeyTableModel::FindingsColumn), 1);
            fold(fixture, KeyTableModel::KindColumn);
            QVERIFY(fixture.table().isColumnHidden(KeyTableModel::KindColumn));
            layout = page(fixture).saveLayout();
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
        MainWindowFixture fixture;
        open(fixture);
        const QByteArray before = fixture.settings.inspectorLayout();
        const int edge = rightEdgeOf(fixture, KeyTableModel::HolderColumn);
        drag(fixture, edge, edge + 40);
        LATCHKEY_AWAIT(fixture.settings.inspectorLayout() != before);
        QCOMPARE(fixture.settings.inspectorLayout(), page(fixture).saveLayout());
    }

    void reset_restoresTheUsualColumns()
    {
        MainWindowFixture fixture;
        open(fixture);
        const int width = fixture.table().columnWidth(KeyTableModel::HolderColumn);
        QVERIFY(!openMenu(fixture)->findChild<QAction *>(QStringLiteral("resetColumns"))->isEnabled());
        QApplication::activePopupWidget()->close();
        const int edge = rightEdgeOf(fixture, KeyTableModel::HolderColumn);
        drag(fixture, edge, edge + 40);
        const int from = header(fixture).sectionViewportPosition(KeyTableModel::FindingsColumn) + 20;
        drag(fixture, from, header(fixture).sectionViewportPosition(KeyTableModel::KindColumn) + 10);
        fold(fixture, KeyTableModel::KindColumn);
        QMenu *menu = openMenu(fixture);
        menu->findChild<QAction *>(QStringLiteral("resetColumns"))->trigger();
        menu->close();
        QVERIFY(!fixture.table().isColumnHidden(KeyTableModel::KindColumn));
        QCOMPARE(header(fixture).visualIndex(KeyTableModel::FindingsColumn), int(KeyTableModel::FindingsColumn));
        QCOMPARE(fixture.table().columnWidth(KeyTableModel::HolderColumn), width);
    }

    /// The table cannot scroll sideways, so no column may push another one out of it.
    void wideColumn_leavesRoomForTheOthers()
    {
        MainWindowFixture fixture;
        open(fixture);
        const int edge = rightEdgeOf(fixture, KeyTableModel::HolderColumn);
        drag(fixture, edge, edge + 3000);
        LATCHKEY_AWAIT(header(fixture).length() <= fixture.table().viewport()->width());
        QVERIFY(fixture.table().columnWidth(KeyTableModel::KeyColumn) >= 100);
        QVERIFY(!fixture.table().isColumnHidden(KeyTableModel::FindingsColumn));
    }

    void keyColumn_staysFirst()
    {
        MainWindowFixture fixture;
        open(fixture);
        drag(fixture, 20, header(fixture).sectionViewportPosition(KeyTableModel::HolderColumn) + 60);
        QCOMPARE(header(fixture).visualIndex(KeyTableModel::KeyColumn), 0);
    }

    void menu_hasAShortcut()
    {
        MainWindowFixture fixture;
        open(fixture);
        fixture.table().setFocus();
        QTest::keyClick(&fixture.table(), Qt::Key_0, Qt::AltModifier);
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
