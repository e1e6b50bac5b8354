#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QHeaderView>
#include <QTest>

namespace tst_direction {

using namespace latchkey;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::keytable::KeyTableModel;

namespace {

/// Returns the distances of the content of a header section from its left and right edge.
std::pair<int, int> gapsIn(const QImage &header, int left, int width)
{
    constexpr int border = 3; // Excludes round corners and the line below.
    const QRgb background = header.pixel(left + width / 2, border);
    int first = left + width;
    int last = left;
    for (int x = left + 2 * border; x < left + width - 2 * border; ++x) {
        for (int y = border; y < header.height() - border; ++y) {
            if (header.pixel(x, y) == background)
                continue;
            first = std::min(first, x);
            last = std::max(last, x);
        }
    }
    return {first - left, left + width - 1 - last};
}

} // namespace

/// Tests of the layout direction. They run twice, the second time from right to left: leading elements must be at the
/// leading side both times.
class TestDirection final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void headerTitles_standWhereReadingBegins()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        const QHeaderView &header = *fixture.table().horizontalHeader();
        const QImage picture = header.viewport()->grab().toImage();
        QCOMPARE(picture.devicePixelRatio(), 1.0);
        for (int column = 0; column < KeyTableModel::ColumnCount; ++column) {
            if (header.isSectionHidden(column))
                continue;
            const auto [left, right] =
                gapsIn(picture, header.sectionViewportPosition(column), header.sectionSize(column));
            const int leading = fixture.table().isRightToLeft() ? right : left;
            // In a mirrored header, Qt 6.5 and later reserve room for the arrow on both sides.
            const int most = column == header.sortIndicatorSection() ? 40 : 20;
            QVERIFY2(leading < most, qPrintable(QStringLiteral("%1: %2 %3").arg(column).arg(left).arg(right)));
        }
    }

    /// Focus by Tab sets the current row without selecting it.
    void arrow_choosesTheOnlyRow()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.table().setFocus(Qt::TabFocusReason);
        fixture.table().selectionModel()->setCurrentIndex(fixture.table().model()->index(0, 0),
                                                          QItemSelectionModel::NoUpdate);
        QCOMPARE(fixture.table().selectedCount(), 0);
        QTest::keyClick(&fixture.table(), Qt::Key_Down);
        QCOMPARE(fixture.table().selectedCount(), 1);
        QCOMPARE(fixture.table().selectedKeys(2).size(), std::size_t(1));
    }
};

LATCHKEY_WINDOW_TEST(TestDirection)

} // namespace tst_direction

#include "tst_direction.moc"
