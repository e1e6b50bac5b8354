#pragma once

#include <QRect>

namespace latchkey::ui::keytable {

/// Free space at the left and right of the content of a cell, in pixels.
inline constexpr int cellMargin = 12;

/// The layout of a countdown cell: a bar at the left, the text at its right. The width of the text area is fixed, so
/// that changing digits do not resize the bar. In a narrow cell, all areas except the text are empty.
struct CountdownGeometry
{
    QRect bar;
    QRect unknown; ///< Area after the end of the bar for the unknown part of the original TTL, for a key that existed
                   ///< when it was first seen. Empty otherwise.
    QRect text;
    QRect teeth; ///< Area above the bar for the saw-tooth of a renewed lease.

    /// Computes the layout. `cell`: rectangle of the table cell. `textWidth`: width of the longest text, in pixels.
    [[nodiscard]] static CountdownGeometry of(const QRect &cell, int textWidth, bool isStartSeen = true);

    /// Returns the filled part of the bar. `share`: 0 to 1. A share above 0 is at least as wide as the bar is high.
    [[nodiscard]] QRect filled(double share) const;
};

} // namespace latchkey::ui::keytable
