#include "ui/views/keytable/countdowngeometry.h"

#include <algorithm>
#include <cmath>

namespace latchkey::ui::keytable {

namespace {

constexpr int gap = 12;
constexpr int barHeight = 6;
constexpr int teethHeight = 10;
constexpr int teethGap = 2;
/// Minimum width of a readable bar. With less room, the text gets the room of the bar.
constexpr int minBarWidth = 24;
/// Divisor of the bar width for the unknown part of a time, and the gap before this part in pixels.
constexpr int unknownPart = 4;
constexpr int unknownGap = 2;

} // namespace

CountdownGeometry CountdownGeometry::of(const QRect &cell, int textWidth, bool isStartSeen)
{
    const QRect inner = cell.adjusted(cellMargin, 0, -cellMargin, 0);
    CountdownGeometry geometry;
    const int barWidth = inner.width() - textWidth - gap;
    if (barWidth < minBarWidth) {
        geometry.text = inner;
        return geometry;
    }
    geometry.bar = QRect(inner.left(), inner.center().y() - barHeight / 2 + 1, barWidth, barHeight);
    geometry.teeth = QRect(geometry.bar.left(), geometry.bar.top() - teethGap - teethHeight, barWidth, teethHeight);
    geometry.text = QRect(inner.right() - textWidth + 1, inner.top(), textWidth, inner.height());
    if (!isStartSeen) {
        geometry.unknown = geometry.bar.adjusted(barWidth - barWidth / unknownPart, 0, 0, 0);
        geometry.bar.setRight(geometry.unknown.left() - 1 - unknownGap);
    }
    return geometry;
}

QRect CountdownGeometry::filled(double share) const
{
    const double bounded = std::clamp(share, 0.0, 1.0);
    if (bar.isEmpty() || bounded <= 0)
        return {};
    const int width = std::max(bar.height(), static_cast<int>(std::lround(bounded * bar.width())));
    return {bar.left(), bar.top(), width, bar.height()};
}

} // namespace latchkey::ui::keytable
