#include "ui/views/diagram/diagramlegend.h"

#include "ui/views/diagram/diagramtext.h"

#include <QGuiApplication>
#include <QPainter>

#include <array>

namespace latchkey::ui::diagram {

using sequence::Lane;
using theme::Theme;
using theme::tint;

namespace {

/// Returns the texts in the order of Sign.
std::array<QString, 4> legendTexts()
{
    return {DiagramText::tr("client believes it holds the lock"), DiagramText::tr("lock on the server"),
            DiagramText::tr("lease over"), DiagramText::tr("two clients inside")};
}

// In lines of text.
constexpr double signGap = 1.2;
constexpr double legendLines = 1.6;

double signWidth(const QFontMetricsF &metrics, const QString &text)
{
    return 1.1 * metrics.height() + metrics.horizontalAdvance(text);
}

/// Places the signs in rows from left to right. Returns the x position and the row of each sign.
std::vector<std::pair<double, int>> placeSigns(const QFontMetricsF &metrics, double width)
{
    const double left = 0.6 * metrics.height();
    std::vector<std::pair<double, int>> places;
    double x = left;
    int row = 0;
    for (const QString &text : legendTexts()) {
        const double wanted = signWidth(metrics, text);
        if (x > left && x + wanted > width) {
            ++row;
            x = left;
        }
        places.emplace_back(x, row);
        x += wanted + signGap * metrics.height();
    }
    return places;
}

double heightWith(const QFont &font, double width)
{
    const QFontMetricsF metrics(font);
    return legendLines * metrics.height() * (placeSigns(metrics, width).back().second + 1);
}

/// Returns the font of the legend: the largest with which the legend is at most this high. Its size is limited, because
/// the legend need not grow with the zoom.
QFont legendFont(QFont text, double width, double maximum)
{
    constexpr double largest = 1.4; // Factors to the size of the application font.
    constexpr double step = 0.1;
    const double smallest = QGuiApplication::font().pointSizeF();
    double size = std::min(text.pointSizeF(), smallest * largest);
    text.setPointSizeF(size);
    while (size > smallest && heightWith(text, width) > maximum) {
        size = std::max(smallest, size - step * smallest);
        text.setPointSizeF(size);
    }
    return text;
}

} // namespace

DiagramLegend::DiagramLegend(QPainter &painter, const DiagramSubject &subject)
    : m_painter(painter)
    , m_subject(subject)
{}

double DiagramLegend::height(const QFont &text, double width, double diagramHeight)
{
    constexpr double share = 1.0 / 6;
    return heightWith(legendFont(text, width, share * diagramHeight), width);
}

void DiagramLegend::paint(const QRectF &rect) const
{
    const Theme &theme = m_subject.theme;
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.fillRect(rect, theme.surface);
    m_painter.setPen(theme.border);
    m_painter.drawLine(rect.topLeft(), rect.topRight());
    constexpr double rounding = 0.5;
    m_painter.setFont(legendFont(m_subject.text, rect.width(), rect.height() + rounding));
    const QFontMetricsF metrics(m_painter.font());
    const double unit = metrics.height();
    const auto places = placeSigns(metrics, rect.width());
    const double rowHeight = rect.height() / (places.back().second + 1);
    for (std::size_t sign = 0; sign < places.size(); ++sign) {
        const double left = rect.left() + places[sign].first;
        const double top = rect.top() + places[sign].second * rowHeight;
        paintSign(static_cast<Sign>(sign), QRectF(left, top + rowHeight / 2 - 0.4 * unit, 0.7 * unit, 0.8 * unit));
        m_painter.setPen(theme.muted);
        m_painter.drawText(QRectF(left + unit, top, rect.width(), rowHeight), Qt::AlignVCenter | Qt::AlignLeft,
                           legendTexts().at(sign));
    }
    m_painter.restore();
}

void DiagramLegend::paintSign(Sign sign, const QRectF &box) const
{
    const Theme &theme = m_subject.theme;
    switch (sign) {
    case Sign::Believes:
        paintAllClients(box);
        break;
    case Sign::Has:
        m_painter.setPen(QPen(theme.good, 1.5));
        m_painter.setBrush(tint(theme.good, theme.surface, 0.3));
        m_painter.drawRect(box);
        break;
    case Sign::Past:
        m_painter.fillRect(box, QBrush(theme.critical, Qt::Dense4Pattern));
        m_painter.setPen(QPen(theme.critical, 1.5));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
        break;
    case Sign::Two:
        m_painter.fillRect(box, tint(theme.critical, theme.surface, 0.16));
        m_painter.fillRect(QRectF(box.left(), box.top(), 4, box.height()), theme.critical);
        break;
    }
}

/// Paints a box with one stripe for each of the first clients, in the colour of its lane.
void DiagramLegend::paintAllClients(const QRectF &box) const
{
    constexpr std::size_t maximum = 3;
    std::vector<sequence::LaneIndex> lanes;
    const auto &all = m_subject.sequence.lanes();
    for (std::size_t i = 0; i < all.size() && lanes.size() < maximum; ++i) {
        if (all[i].kind == Lane::Kind::Client && !all[i].isVacant)
            lanes.push_back(i);
    }
    if (lanes.empty())
        lanes.push_back(all.size()); // Colour of the lane that is added next.
    const double width = box.width() / static_cast<double>(lanes.size());
    double left = box.left();
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    for (const sequence::LaneIndex lane : lanes) {
        m_painter.fillRect(QRectF(left, box.top(), width, box.height()), laneColour(lane, m_subject.theme));
        left += width;
    }
    m_painter.setRenderHint(QPainter::Antialiasing);
}

} // namespace latchkey::ui::diagram
