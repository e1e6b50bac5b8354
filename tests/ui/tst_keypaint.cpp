#include "core/foundation/base/clock.h"
#include "tests/support/testprogram.h"
#include "ui/views/keytable/barpixmapcache.h"
#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytablemodel.h"
#include "ui/views/keytable/keytext.h"
#include "ui/views/keytable/monospacedtextpainter.h"
#include "ui/views/keytable/sawtooth.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QStandardItemModel>
#include <QTest>

namespace tst_keypaint {

using namespace latchkey::ui::keytable;

namespace {

QImage paper(qreal pixelRatio)
{
    QImage image((QSizeF(900, 40) * pixelRatio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(pixelRatio);
    image.fill(Qt::white);
    return image;
}

/// Returns the largest difference of two pixels, 0 to 255.
int difference(const QImage &one, const QImage &other)
{
    int most = 0;
    for (int y = 0; y < one.height(); ++y) {
        for (int x = 0; x < one.width(); ++x) {
            const QRgb a = one.pixel(x, y);
            const QRgb b = other.pixel(x, y);
            most = std::max(
                {most, std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
        }
    }
    return most;
}

/// Returns the first and the last column of pixels with content. -1 without content.
std::pair<int, int> inked(const QImage &image)
{
    int first = -1;
    int last = -1;
    for (int x = 0; x < image.width(); ++x) {
        for (int y = 0; y < image.height(); ++y) {
            if (image.pixel(x, y) == qRgb(255, 255, 255))
                continue;
            first = first < 0 ? x : first;
            last = x;
            break;
        }
    }
    return {first, last};
}

QFont monospaced()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSize(11);
    return font;
}

/// Returns the picture of a cell for a lock.
template<typename Delegate>
QImage cellOf(const latchkey::keys::KeyAnalysis &analysis, const QString &text, int width, const QString &icon = {})
{
    latchkey::ui::theme::Appearance appearance(*qApp);
    appearance.setMode(latchkey::ui::theme::Appearance::Mode::Light);
    const ShownTime time(latchkey::base::SystemClock::instance());
    const Delegate delegate(appearance, time, nullptr);
    QStandardItemModel model(1, 1);
    const QModelIndex index = model.index(0, 0);
    model.setData(index, text, Qt::DisplayRole);
    model.setData(index, QVariant::fromValue(analysis), KeyTableModel::AnalysisRole);
    model.setData(index, QVariant::fromValue(latchkey::keys::KeyState::Live), KeyTableModel::StateRole);
    model.setData(index, icon, KeyTableModel::KindIconRole);
    QImage image = paper(1);
    QPainter painter(&image);
    QStyleOptionViewItem option;
    option.rect = QRect(0, 0, width, 36);
    option.font = monospaced();
    delegate.paint(&painter, option, index);
    return image;
}

} // namespace

/// Tests of fast painting: the pictures must equal those of plain painting.
class TestKeyPaint final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sawTooth_fallsAndRisesVertically_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<double>("depth");
        QTest::addColumn<qreal>("pixelRatio");
        QTest::addColumn<int>("teeth");
        QTest::newRow("wide") << 300 << 0.5 << 1.0 << 5;
        QTest::newRow("scaled") << 300 << 0.5 << 2.0 << 5;
        QTest::newRow("narrow") << 24 << 1.0 << 1.0 << 2;
        QTest::newRow("hardly deep") << 60 << 0.01 << 1.0 << 5;
        QTest::newRow("no room") << 19 << 0.5 << 1.0 << 0;
    }
    void sawTooth_fallsAndRisesVertically()
    {
        QFETCH(const int, width);
        QFETCH(const double, depth);
        QFETCH(const qreal, pixelRatio);
        QFETCH(const int, teeth);
        SawTooth saw;
        QImage image = paper(pixelRatio);
        {
            QPainter painter(&image);
            saw.paint(painter, QRect(20, 5, width, 8), depth, Qt::blue);
            painter.fillRect(QRect(0, 0, 900, 40), Qt::white);
            saw.paint(painter, QRect(20, 5, width, 8), depth, Qt::blue); // From the cached picture.
        }
        const auto [first, last] = inked(image);
        if (teeth == 0) {
            QCOMPARE(first, -1);
            return;
        }
        QCOMPARE(first, static_cast<int>(20 * pixelRatio));
        const double end = (20 + teeth * 10) * pixelRatio;
        QVERIFY2(last < end && last >= end - 3 * pixelRatio, qPrintable(QString::number(last)));
        // Lowest pixel per column: it sinks along a tooth and rises at the next.
        const auto lowest = [&](int x) {
            int y = image.height() - 1;
            while (y >= 0 && qRed(image.pixel(x, y)) > 128)
                --y;
            return y;
        };
        const auto at = [&](double x) { return lowest(static_cast<int>((20 + x) * pixelRatio)); };
        QVERIFY(at(1) < at(5) || depth < 0.3);
        QVERIFY(at(1) < at(8));
        QVERIFY(at(12) < at(8));
        QVERIFY(at(18) > at(12));
    }

    void bar_looksLikeARoundedRectangle_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<qreal>("pixelRatio");
        for (const int width : {1, 3, 6, 7, 40, 120, 700}) {
            for (const qreal ratio : {1.0, 2.0})
                QTest::addRow("%d wide, scale %.0f", width, ratio) << width << ratio;
        }
    }
    void bar_looksLikeARoundedRectangle()
    {
        QFETCH(const int, width);
        QFETCH(const qreal, pixelRatio);
        const QRect rect(11, 9, width, 6);
        QImage ours = paper(pixelRatio);
        QImage wanted = paper(pixelRatio);
        BarPixmapCache bars;
        {
            QPainter painter(&ours);
            bars.paint(painter, QRect(11, 9, 2, 6), Qt::darkGreen); // Fills the cache, so that the next picture comes
                                                                    // from it.
            painter.fillRect(QRect(0, 0, 900, 40), Qt::white);
            bars.paint(painter, rect, Qt::darkGreen);
            QPainter reference(&wanted);
            reference.setRenderHint(QPainter::Antialiasing);
            reference.setPen(Qt::NoPen);
            reference.setBrush(Qt::darkGreen);
            reference.drawRoundedRect(rect, 3, 3);
        }
        QVERIFY(inked(ours).first >= 0);
        // A bar shorter than its two ends has no shape to compare; only its width is checked.
        if (width >= 6)
            QVERIFY2(difference(ours, wanted) <= 8, qPrintable(QString::number(difference(ours, wanted))));
        else
            QVERIFY(inked(ours).second < (11 + width) * pixelRatio);
    }

    void emptyBar_isNotPainted()
    {
        QImage image = paper(1);
        {
            QPainter painter(&image);
            BarPixmapCache().paint(painter, QRect(), Qt::darkGreen);
            BarPixmapCache().paintHatched(painter, QRect(5, 5, 0, 6), Qt::darkGreen, Qt::black);
        }
        QCOMPARE(inked(image).first, -1);
    }

    void hatchedBars_areEqualAtEveryPosition()
    {
        BarPixmapCache bars;
        QImage one = paper(1);
        QImage other = paper(1);
        {
            QPainter painter(&one);
            bars.paintHatched(painter, QRect(11, 9, 40, 6), Qt::lightGray, Qt::black);
            QPainter second(&other);
            bars.paintHatched(second, QRect(114, 21, 40, 6), Qt::lightGray, Qt::black);
        }
        QCOMPARE(one.copy(11, 9, 40, 6), other.copy(114, 21, 40, 6));
        QVERIFY(difference(one.copy(20, 9, 1, 6), one.copy(21, 9, 1, 6)) > 0); // The bar has lines.
    }

    void figures_standWhereALaidOutTextDoes_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"9.123 s", "59 min 59 s", "due", "1", "\u8fd8\u6709 3 \u79d2"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void figures_standWhereALaidOutTextDoes()
    {
        QFETCH(const QString, text);
        const QRect rect(20, 4, 300, 30);
        for (const Qt::Alignment alignment : {Qt::AlignLeft, Qt::AlignRight}) {
            QImage ours = paper(1);
            QImage wanted = paper(1);
            {
                MonospacedTextPainter textPainter;
                QPainter painter(&ours);
                painter.setFont(monospaced());
                textPainter.paint(painter, rect, alignment, text);
                QPainter reference(&wanted);
                reference.setFont(monospaced());
                reference.drawText(rect, static_cast<int>((alignment | Qt::AlignVCenter).toInt()) | Qt::TextSingleLine,
                                   text);
            }
            const auto [first, last] = inked(ours);
            const auto [wantedFirst, wantedLast] = inked(wanted);
            QVERIFY(first >= rect.left() && last <= rect.right());
            QVERIFY2(std::abs(first - wantedFirst) <= 2 && std::abs(last - wantedLast) <= 2,
                     qPrintable(QStringLiteral("%1 to %2, and not %3 to %4")
                                    .arg(first)
                                    .arg(last)
                                    .arg(wantedFirst)
                                    .arg(wantedLast)));
            const auto [top, bottom] = inked(ours.transformed(QTransform().rotate(90)));
            const auto [wantedTop, wantedBottom] = inked(wanted.transformed(QTransform().rotate(90)));
            QVERIFY(std::abs(top - wantedTop) <= 1 && std::abs(bottom - wantedBottom) <= 1);
        }
    }

    /// The hold count is visible for any length of the holder's name.
    void holdCount_staysToBeSeen()
    {
        latchkey::keys::KeyAnalysis analysis;
        analysis.kind = QStringLiteral("redisson.RLock");
        analysis.isHolderRecorded = true;
        analysis.holder = QByteArray(120, 'x');
        const auto cell = [&](qint64 count, int width) {
            analysis.count = count;
            return cellOf<HolderDelegate>(analysis, holderText(analysis), width);
        };
        for (const int width : {90, 140, 170})
            QVERIFY(difference(cell(3, width), cell(7, width)) > 60);
        QVERIFY(cell(1, 140) == cellOf<KeyCellDelegate>(analysis, holderText(analysis), 140));
    }

    void kindOfLock_hasItsIcon()
    {
        latchkey::keys::KeyAnalysis analysis;
        analysis.kind = QStringLiteral("redisson.RLock");
        analysis.title = QStringLiteral("Redisson RLock");
        analysis.isCertain = true;
        const auto cell = [&](const QString &icon) {
            return cellOf<KindDelegate>(analysis, analysis.title, 190, icon);
        };
        const QImage plain = cell({});
        QVERIFY(difference(cell(QStringLiteral("lock")), plain) > 60);
        QVERIFY(difference(cell(QStringLiteral("readwrite")), cell(QStringLiteral("lock"))) > 60);
        // Without room, the delegate must not paint over the next cell.
        const QImage narrow = cellOf<KindDelegate>(analysis, analysis.title, 8, QStringLiteral("lock"));
        QVERIFY(inked(narrow.copy(QRect(9, 0, 400, 36))).first == -1);
    }
};

LATCHKEY_WINDOW_TEST(TestKeyPaint)

} // namespace tst_keypaint

#include "tst_keypaint.moc"
