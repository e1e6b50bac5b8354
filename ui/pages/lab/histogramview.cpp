#include "ui/pages/lab/histogramview.h"

#include "ui/pages/lab/histogramgeometry.h"

#include <QLocale>
#include <QPainter>

namespace latchkey::ui::lab {

using latchkey::lab::DelayStatistics;
using std::chrono::nanoseconds;

namespace {

constexpr int maxBars = 40;
constexpr double radius = 12;

/// Formats milliseconds with their known precision: one decimal below ten.
QString millisecondsText(nanoseconds time)
{
    const double milliseconds = std::chrono::duration<double, std::milli>(time).count();
    return QLocale().toString(milliseconds, 'f', milliseconds < 10 ? 1 : 0);
}

QFont smallFont(const QFont &font)
{
    QFont small = font;
    small.setPointSizeF(font.pointSizeF() * 0.85);
    return small;
}

} // namespace

HistogramView::HistogramView(const QString &title, theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_title(title)
{
    setAccessibleName(title);
    connect(&appearance, &theme::Appearance::changed, this, qOverload<>(&QWidget::update));
}

void HistogramView::setLateness(const DelayStatistics &lateness, const QString &empty)
{
    m_lateness = lateness;
    m_empty = empty;
    const QString keys =
        lateness.count() == 1 ? tr("1 key") : tr("%n keys", nullptr, static_cast<int>(lateness.count()));
    setAccessibleDescription(lateness.count() == 0 ? empty : keys + QStringLiteral(": ") + figures());
    update();
}

QString HistogramView::figures() const
{
    return tr("half within %1 ms, 90 % within %2, 99 % within %3, the last after %4")
        .arg(millisecondsText(m_lateness.quantile(0.5)), millisecondsText(m_lateness.quantile(0.9)),
             millisecondsText(m_lateness.quantile(0.99)), millisecondsText(m_lateness.quantile(1)));
}

/// Returns the same figures in the short notation of statistics, for the screen.
QString HistogramView::shortFigures() const
{
    return tr("p50 %1   p90 %2   p99 %3   max %4 ms")
        .arg(millisecondsText(m_lateness.quantile(0.5)), millisecondsText(m_lateness.quantile(0.9)),
             millisecondsText(m_lateness.quantile(0.99)), millisecondsText(m_lateness.quantile(1)));
}

void HistogramView::paintEvent(QPaintEvent *)
{
    const theme::Theme &theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.border);
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);

    const QRectF inner = QRectF(rect()).adjusted(14, 10, -14, -8);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(inner, Qt::AlignTop | Qt::AlignLeading, m_title);
    const double line = QFontMetricsF(bold).height();
    painter.setFont(smallFont(font()));
    painter.setPen(theme.muted);
    if (m_lateness.count() == 0) {
        painter.drawText(inner.adjusted(0, line, 0, 0), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
        return;
    }
    const QFontMetricsF small(painter.font());
    const QRectF row(inner.left(), inner.top() + line, inner.width(), small.height() + 4);
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignLeading,
                     small.elidedText(shortFigures(), Qt::ElideRight, row.width()));
    const double left = small.horizontalAdvance(QLocale().toString(100'000)) + 6;
    paintPlot(painter, {inner.left() + left, row.bottom() + 1.5 * small.height(), inner.width() - left,
                        inner.bottom() - row.bottom() - 3.5 * small.height()});
}

void HistogramView::paintPlot(QPainter &painter, const QRectF &plot) const
{
    const theme::Theme &theme = m_appearance.theme();
    const HistogramGeometry geometry(m_lateness.histogram(maxBars), plot);
    const QFontMetricsF metrics(painter.font());
    const double line = metrics.height();

    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const int count : geometry.countTicks()) {
        const double y = geometry.y(count);
        painter.setPen(theme.border);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(0, y - line / 2, plot.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter,
                         QLocale().toString(count));
    }
    painter.setPen(theme.muted);
    for (const nanoseconds time : geometry.timeTicks())
        painter.drawText(QRectF(geometry.x(time) - 40, plot.bottom() + 2, 80, line), Qt::AlignHCenter | Qt::AlignTop,
                         millisecondsText(time));
    painter.drawText(QRectF(plot.left(), plot.bottom() + line, plot.width(), line), Qt::AlignCenter,
                     tr("milliseconds late"));
    painter.drawText(QRectF(0, plot.top() - 1.6 * line, plot.left() - 6, line), Qt::AlignRight, tr("keys"));

    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    for (std::size_t i = 0; i < geometry.histogram().bars.size(); ++i)
        painter.drawRect(geometry.bar(i));
    double free = plot.left() - 1000; // Start of the free room for labels. Two labels that are too close are merged
                                      // into one.
    for (const auto &[share, text] : {std::pair(0.5, tr("p50")), std::pair(0.99, tr("p99"))}) {
        const double x = geometry.x(m_lateness.quantile(share));
        painter.setPen(QPen(theme.warning, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        painter.setPen(theme.warning);
        const double width = metrics.horizontalAdvance(text) + 4;
        const double from = std::min(x - width / 2, plot.right() - width);
        if (from < free)
            continue;
        painter.drawText(QRectF(from, plot.top() - line - 2, width, line), Qt::AlignCenter, text);
        free = from + width;
    }
}

} // namespace latchkey::ui::lab
