#include "ui/pages/lab/forecastview.h"

#include "core/foundation/base/bytes.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <numeric>

namespace latchkey::ui::lab {

using rows::Forecast;

namespace {

constexpr double figuresHeight = 106;
constexpr double cardHeight = 66;
constexpr double rowHeight = 30;
constexpr double tallestRow = 48;
constexpr double barPart = 0.55; ///< Ratio to the height of a row.
constexpr double nameWidth = 190;
constexpr double countWidth = 80;
constexpr qsizetype maxNameLength = 60;

QString spanText(std::size_t span)
{
    switch (span) {
    case Forecast::Second:
        return ForecastView::tr("in the next second");
    case Forecast::Minute:
        return ForecastView::tr("in the next minute");
    case Forecast::Hour:
        return ForecastView::tr("in the next hour");
    case Forecast::Later:
        return ForecastView::tr("later");
    case Forecast::Never:
        return ForecastView::tr("never");
    }
    Q_UNREACHABLE();
}

/// Returns the cumulative count: keys that expire within the next second also expire within the next hour.
int endingWithin(const Forecast::Counts &counts, std::size_t span)
{
    return span > Forecast::Hour ? counts[span] : std::accumulate(counts.begin(), counts.begin() + span + 1, 0);
}

/// Returns the number of keys that expire within an hour.
int endingWithinHour(const Forecast::Counts &counts)
{
    return endingWithin(counts, Forecast::Hour);
}

} // namespace

ForecastView::ForecastView(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
{
    setObjectName(QStringLiteral("forecast"));
    setAccessibleName(tr("Expiry times"));
    setMinimumHeight(static_cast<int>(figuresHeight + 3 * rowHeight));
    connect(&appearance, &theme::Appearance::changed, this, qOverload<>(&QWidget::update));
}

int ForecastView::room() const
{
    return std::max(1, static_cast<int>((height() - figuresHeight - rowHeight) / rowHeight));
}

void ForecastView::setForecast(const Forecast &forecast)
{
    if (m_forecast == forecast)
        return;
    m_forecast = forecast;
    describe();
    update();
}

void ForecastView::describe()
{
    QStringList parts;
    for (std::size_t span = 0; span < Forecast::spanCount; ++span)
        parts += tr("%1 %2").arg(QLocale().toString(endingWithin(m_forecast.all, span)), spanText(span));
    for (const Forecast::Group &group : m_forecast.groups)
        parts +=
            tr("%1 of %2 in the next hour").arg(QLocale().toString(endingWithinHour(group.counts)), groupName(group));
    setAccessibleDescription(parts.join(tr(", ")));
}

QColor ForecastView::colourOf(std::size_t span) const
{
    const theme::Theme &theme = m_appearance.theme();
    switch (span) {
    case Forecast::Second:
        return theme.critical;
    case Forecast::Minute:
        return theme.warning;
    case Forecast::Hour:
        return theme.good;
    case Forecast::Later:
        return theme.muted;
    default:
        return theme.endless;
    }
}

QString ForecastView::groupName(const Forecast::Group &group) const
{
    return group.prefix.isEmpty() ? tr("no prefix") : base::printable(group.prefix, maxNameLength);
}

void ForecastView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area(rect());
    paintFigures(painter, {area.left(), area.top(), area.width(), cardHeight});
    painter.setPen(m_appearance.theme().muted);
    painter.drawText(QRectF(area.left(), area.top() + cardHeight, area.width(), figuresHeight - cardHeight),
                     Qt::AlignVCenter | Qt::AlignLeading, tr("Keys that expire in the next hour, by prefix"));
    int maximum = 1;
    for (const Forecast::Group &group : m_forecast.groups)
        maximum = std::max(maximum, endingWithinHour(group.counts));
    double top = area.top() + figuresHeight;
    // With few groups, the rows are higher and fill the area.
    const double places = static_cast<double>(m_forecast.groups.size()) + (m_forecast.otherGroups > 0 ? 1 : 0);
    const double height = std::clamp((area.bottom() - top) / std::max(1.0, places), rowHeight, tallestRow);
    for (const Forecast::Group &group : m_forecast.groups) {
        paintGroup(painter, group, {area.left(), top, area.width(), height}, maximum);
        top += height;
    }
    if (m_forecast.otherGroups > 0) {
        painter.setPen(m_appearance.theme().muted);
        painter.drawText(QRectF(area.left(), top, area.width(), height), Qt::AlignVCenter | Qt::AlignLeading,
                         m_forecast.otherGroups == 1 ? tr("and 1 other prefix")
                                                     : tr("and %n other prefixes", nullptr, m_forecast.otherGroups));
    }
}

void ForecastView::paintFigures(QPainter &painter, const QRectF &area) const
{
    const theme::Theme &theme = m_appearance.theme();
    constexpr double gap = 10;
    const double width =
        (area.width() - gap * static_cast<double>(Forecast::spanCount - 1)) / static_cast<double>(Forecast::spanCount);
    for (std::size_t span = 0; span < Forecast::spanCount; ++span) {
        const QRectF card(area.left() + (width + gap) * static_cast<double>(span), area.top(), width, area.height());
        painter.setPen(theme.border);
        painter.setBrush(theme.surface);
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 12, 12);
        QFont large = font();
        large.setPointSizeF(font().pointSizeF() * 1.6);
        large.setWeight(QFont::DemiBold);
        painter.setFont(large);
        painter.setPen(colourOf(span));
        painter.drawText(card.adjusted(14, 8, -10, -card.height() / 2 + 6), Qt::AlignVCenter | Qt::AlignLeading,
                         QLocale().toString(endingWithin(m_forecast.all, span)));
        painter.setFont(font());
        painter.setPen(theme.muted);
        painter.drawText(card.adjusted(14, card.height() / 2, -6, -6), Qt::AlignVCenter | Qt::AlignLeading,
                         QFontMetricsF(font()).elidedText(spanText(span), Qt::ElideRight, width - 20));
    }
}

void ForecastView::paintGroup(QPainter &painter, const Forecast::Group &group, const QRectF &row, int maximum) const
{
    const theme::Theme &theme = m_appearance.theme();
    painter.setFont(m_appearance.monospaced());
    painter.setPen(theme.text);
    const QString name = QFontMetricsF(painter.font()).elidedText(groupName(group), Qt::ElideMiddle, nameWidth - 14);
    painter.drawText(QRectF(row.left(), row.top(), nameWidth, row.height()), Qt::AlignVCenter | Qt::AlignLeading, name);
    const QRectF track(row.left() + nameWidth, row.center().y() - row.height() * barPart / 2,
                       row.width() - nameWidth - countWidth, row.height() * barPart);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.track);
    painter.drawRoundedRect(track, 4, 4);
    double left = track.left();
    for (const auto span : {Forecast::Second, Forecast::Minute, Forecast::Hour}) {
        const int count = group.counts[span];
        if (count == 0)
            continue;
        const double width = std::max(2.0, track.width() * count / maximum);
        painter.setBrush(colourOf(span));
        painter.drawRoundedRect(QRectF(left, track.top(), std::min(width, track.right() - left), track.height()), 3, 3);
        left += width;
    }
    painter.setFont(font());
    painter.setPen(theme.muted);
    painter.drawText(QRectF(row.right() - countWidth, row.top(), countWidth, row.height()),
                     Qt::AlignVCenter | Qt::AlignTrailing, QLocale().toString(endingWithinHour(group.counts)));
}

} // namespace latchkey::ui::lab
