#include "core/keyspace/rows/rowlist.h"
#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/views/keytable/countdowngeometry.h"
#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytableview.h"

#include <QApplication>
#include <QHeaderView>
#include <QPaintEvent>
#include <QTest>

namespace tst_countdown {

using namespace latchkey;
using namespace latchkey::ui::keytable;
using keys::KeyStore;
using ui::theme::Appearance;
using namespace std::chrono_literals;

namespace {

/// Records which parts of a widget are painted.
class PaintWatch final : public QObject
{
public:
    explicit PaintWatch(QWidget &widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Paint) {
            ++count;
            area = area.united(static_cast<QPaintEvent *>(event)->region().boundingRect());
        }
        return false;
    }
    int count = 0;
    QRect area;
};

struct Fixture
{
    Fixture()
    {
        view.resize(1200, 600);
        view.setRows(&list);
    }
    void observe(const QByteArray &key, std::chrono::milliseconds left)
    {
        store.observe(key, base::Deadline(clock.now() + left, 1ms), clock.now());
        while (store.commit()) {}
    }
    test::ManualClock clock;
    Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    KeyStore store {clock};
    rows::RowList list {store};
    KeyTableView view {appearance, clock};
};

} // namespace

class TestCountdown final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void geometry_keepsTheTextInItsPlace_data()
    {
        QTest::addColumn<QRect>("cell");
        QTest::addColumn<QRect>("bar");
        QTest::addColumn<QRect>("text");
        QTest::addRow("wide") << QRect(100, 0, 250, 36) << QRect(112, 15, 114, 6) << QRect(238, 0, 100, 36);
        QTest::addRow("second row") << QRect(100, 36, 250, 36) << QRect(112, 51, 114, 6) << QRect(238, 36, 100, 36);
        QTest::addRow("too narrow for a bar") << QRect(0, 0, 150, 36) << QRect() << QRect(12, 0, 126, 36);
    }
    void geometry_keepsTheTextInItsPlace()
    {
        QFETCH(QRect, cell);
        const auto geometry = CountdownGeometry::of(cell, 100);
        QTEST(geometry.bar, "bar");
        QTEST(geometry.text, "text");
        QCOMPARE(geometry.unknown, QRect());
    }

    /// The bar shows the known part; a mark behind it stands for the unknown part.
    void geometry_leavesRoomForUnobservedKeys()
    {
        const auto whole = CountdownGeometry::of(QRect(100, 0, 250, 36), 100, true);
        const auto part = CountdownGeometry::of(QRect(100, 0, 250, 36), 100, false);
        QCOMPARE(part.text, whole.text);
        QCOMPARE(part.bar.left(), whole.bar.left());
        QCOMPARE(part.unknown.right(), whole.bar.right());
        QCOMPARE(part.unknown.width(), whole.bar.width() / 4);
        QVERIFY(part.filled(1.0).right() < part.unknown.left());
        QCOMPARE(CountdownGeometry::of(QRect(0, 0, 150, 36), 100, false).unknown, QRect());
    }

    void filled_isAShareOfTheBar_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("width");
        QTest::addRow("nothing") << 0.0 << 0;
        QTest::addRow("below nothing") << -3.0 << 0;
        QTest::addRow("next to nothing") << 0.001 << 6;
        QTest::addRow("half") << 0.5 << 50;
        QTest::addRow("everything") << 1.0 << 100;
        QTest::addRow("more than everything") << 7.0 << 100;
    }
    void filled_isAShareOfTheBar()
    {
        QFETCH(double, share);
        CountdownGeometry geometry;
        geometry.bar = QRect(10, 15, 100, 6);
        QTEST(geometry.filled(share).width(), "width");
    }

    void urgency_growsTowardsTheEnd()
    {
        const auto &theme = ui::theme::theme(ui::theme::Scheme::Light);
        QCOMPARE(urgencyColour(theme, 24h * 365 * 100), theme.good);
        QCOMPARE(urgencyColour(theme, 10s), theme.good);
        QCOMPARE(urgencyColour(theme, 10s - 1ms), theme.warning);
        QCOMPARE(urgencyColour(theme, 2s), theme.warning);
        QCOMPARE(urgencyColour(theme, 2s - 1ms), theme.critical);
        QCOMPARE(urgencyColour(theme, -1s), theme.critical);
    }

    void ticker_isFastOnlyWhileMillisecondsShow()
    {
        Fixture b;
        b.observe("slow", 60s);
        b.view.show();
        LATCHKEY_AWAIT(b.view.ticker().interval() == 200ms);
        b.observe("fast", 8s);
        LATCHKEY_AWAIT(b.view.ticker().interval() == 16ms);
        b.store.observeAbsent("fast", b.clock.now());
        while (b.store.commit()) {}
        b.clock.advance(5s);
        while (b.store.commit()) {}
        LATCHKEY_AWAIT(b.view.ticker().interval() == 200ms);
    }

    void ticker_restsWhileHidden()
    {
        Fixture b;
        b.observe("fast", 8s);
        b.view.show();
        LATCHKEY_AWAIT(b.view.ticker().interval() == 16ms);
        b.view.hide();
        QCOMPARE(b.view.ticker().interval(), 0ms);
    }

    void ticker_repaintsItsColumnAlone()
    {
        Fixture b;
        b.observe("fast", 8s);
        b.view.show();
        LATCHKEY_AWAIT(b.view.ticker().interval() == 16ms);
        PaintWatch watch(*b.view.viewport());
        const auto areThere = [&](int frames) {
            b.clock.advance(1ms); // A stopped clock causes no repaints.
            return watch.count >= frames;
        };
        LATCHKEY_AWAIT(areThere(3)); // The initial frames are over.
        const PaintWatch below(b.view);
        watch.count = 0;
        watch.area = {};
        LATCHKEY_AWAIT(areThere(5));
        QCOMPARE(below.count, 0); // The cells cover the widgets below, which must not be painted.
        const int left = b.view.columnViewportPosition(KeyTableModel::TimeLeftColumn);
        const int width = b.view.columnWidth(KeyTableModel::TimeLeftColumn);
        QVERIFY2(watch.area.left() >= left && watch.area.width() <= width,
                 qPrintable(QStringLiteral("%1+%2").arg(watch.area.left()).arg(watch.area.width())));
    }

    /// No other widget paints the background of the rows and of the free area.
    void everyPixel_isPainted_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<Qt::LayoutDirection>("direction");
        QTest::addColumn<bool>("isNarrow");
        QTest::addRow("none") << 0 << Qt::LeftToRight << false;
        QTest::addRow("two, one of them chosen") << 2 << Qt::LeftToRight << false;
        QTest::addRow("more than fit") << 40 << Qt::LeftToRight << false;
        QTest::addRow("columns narrower than the table") << 2 << Qt::LeftToRight << true;
        QTest::addRow("the same from right to left") << 2 << Qt::RightToLeft << true;
    }
    void everyPixel_isPainted()
    {
        QFETCH(int, rows);
        QFETCH(Qt::LayoutDirection, direction);
        QFETCH(bool, isNarrow);
        Fixture b;
        for (int i = 0; i < rows; ++i)
            b.observe("key " + QByteArray::number(i), 60s);
        b.view.setLayoutDirection(direction);
        if (isNarrow) {
            for (const int column : {KeyTableModel::KeyColumn, KeyTableModel::ValueColumn}) {
                b.view.horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
                b.view.horizontalHeader()->resizeSection(column, 100);
            }
        }
        b.view.show();
        b.view.selectRow(0);
        // Renders on a transparent image, where unpainted pixels are visible; grab() would paint a background.
        QImage picture(b.view.viewport()->size(), QImage::Format_ARGB32_Premultiplied);
        picture.fill(Qt::transparent);
        b.view.viewport()->render(&picture);
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x)
                QVERIFY2(qAlpha(picture.pixel(x, y)) == 255, qPrintable(QStringLiteral("%1, %2").arg(x).arg(y)));
        }
        if (rows <= 2)
            QCOMPARE(picture.pixelColor(5, picture.height() - 1), b.appearance.theme().surface);
    }

    /// A key press selects the row that it moves to, also if it is the only row.
    void keys_chooseRows()
    {
        Fixture b;
        for (int i = 0; i < 50; ++i)
            b.observe("key " + QByteArray::number(100 + i), std::chrono::seconds(60 + i));
        b.view.show();
        b.view.activateWindow();
        b.view.setFocus(Qt::TabFocusReason);
        LATCHKEY_AWAIT(b.view.hasFocus() && b.view.currentIndex().isValid());
        QCOMPARE(b.view.selectedCount(), 0); // Focus by Tab selects no row.
        const auto chosen = [&] {
            const auto ids = b.view.selectedKeys(2);
            return ids.size() == 1 ? b.store.known().table.key(ids.front()).toByteArray() : QByteArray();
        };
        QTest::keyClick(&b.view, Qt::Key_End);
        QCOMPARE(chosen(), QByteArray("key 149"));
        QTest::keyClick(&b.view, Qt::Key_Home);
        QCOMPARE(chosen(), QByteArray("key 100"));
        b.view.clearSelection();
        QTest::keyClick(&b.view, Qt::Key_Up);
        QCOMPARE(chosen(), QByteArray("key 100"));
    }

    void cells_showTheTimeAsItIsWhenTheyArePainted()
    {
        Fixture b;
        b.observe("k", 8s);
        const QModelIndex index = b.view.keyModel()->index(0, KeyTableModel::TimeLeftColumn);
        QCOMPARE(index.data().toString(), QStringLiteral("8.000 s"));
        b.clock.advance(1500ms);
        QCOMPARE(index.data().toString(), QStringLiteral("6.500 s"));
        b.clock.advance(7s);
        QCOMPARE(index.data().toString(), QStringLiteral("due"));
    }

    /// An unknown present state is neither counted down nor painted like a known one.
    void frozenTable_isGreyAndStill()
    {
        Fixture b;
        b.view.show();
        b.observe("urgent", 1500ms);
        const auto &theme = b.appearance.theme();
        const auto has = [&](const QColor &colour) {
            const QImage picture = b.view.viewport()->grab().toImage();
            for (int x = 0; x < picture.width(); ++x) {
                if (picture.pixelColor(x, b.view.rowHeight(0) / 2 + 1) == colour)
                    return true;
            }
            return false;
        };
        QVERIFY(has(theme.critical));
        b.view.freezeAt(b.clock.now());
        b.clock.advance(3s);
        QCOMPARE(b.view.keyModel()->index(0, KeyTableModel::TimeLeftColumn).data().toString(),
                 QStringLiteral("1.500 s"));
        QVERIFY(!has(theme.critical));
        LATCHKEY_AWAIT(b.view.ticker().interval() == 200ms);
        b.view.freezeAt(std::nullopt);
        QVERIFY(has(theme.critical));
    }

    /// Two locks with equal remaining times have equal colours, whatever their ages and their first observation.
    void colour_goesByTheTimeLeft()
    {
        Fixture b;
        b.view.show();
        b.observe("a", 20s);
        b.store.setUnseenFor(100ms);
        b.observe("b", 3600s);
        b.clock.advance(15s);
        b.observe("b", 3585s);
        b.observe("b", 5s); // Its expiry was changed just now.
        const QImage picture = b.view.viewport()->grab().toImage();
        for (const int row : {0, 1}) {
            const QRect cell = b.view.visualRect(b.view.keyModel()->index(row, KeyTableModel::TimeLeftColumn));
            QCOMPARE(picture.pixelColor(cell.left() + 14, cell.center().y() + 1), b.appearance.theme().warning);
        }
        // The first key existed when it was first seen.
        QVERIFY(!b.view.keyModel()->index(0, 0).data(KeyTableModel::StartSeenRole).toBool());
        QVERIFY(b.view.keyModel()->index(1, 0).data(KeyTableModel::StartSeenRole).toBool());
    }

    /// States that a user must distinguish at a glance have different pictures.
    void noExpiry_isPaintedDifferently()
    {
        Fixture b;
        b.view.show();
        b.observe("a", 60s);
        b.store.observe("b", base::Deadline::never(), b.clock.now());
        while (b.store.commit()) {}
        const QImage picture = b.view.viewport()->grab().toImage();
        const auto colours = [&](int row) {
            QSet<QRgb> found;
            const QRect cell = b.view.visualRect(b.view.keyModel()->index(row, KeyTableModel::TimeLeftColumn));
            for (int x = cell.left(); x < cell.right(); ++x)
                found.insert(picture.pixel(x, cell.center().y() + 1));
            return found;
        };
        const auto &theme = b.appearance.theme();
        QVERIFY(colours(0).contains(theme.good.rgb()));
        QVERIFY(!colours(1).contains(theme.good.rgb()));
        QVERIFY(colours(1).contains(ui::theme::tint(theme.endless, theme.surface, 0.22).rgb()));
    }
};

LATCHKEY_WINDOW_TEST(TestCountdown)

} // namespace tst_countdown

#include "tst_countdown.moc"
