#pragma once

#include <QRect>

namespace latchkey::ui::keytable {

/// Free space at the left and right of what a cell shows, in pixels.
inline constexpr int cellMargin = 12;

/// Where the parts of a countdown cell are: a bar at the left, the text at its right, the text's place being fixed so
/// that digits do not push the bar about.
struct CountdownGeometry
{
    QRect bar;
    QRect unknown; ///< Behind the bar: what it cannot show, of a key whose start nobody saw. Else empty.
    QRect text;
    QRect teeth; ///< Over the bar: for the saw-tooth of a lease that is renewed.

    /// cell: of the table. textWidth: of the longest text that is to fit.
    [[nodiscard]] static CountdownGeometry of(const QRect &cell, int textWidth, bool isStartSeen = true);

    /// The filled part of the bar for a share between 0 and 1; anything above nothing shows at least a dot.
    [[nodiscard]] QRect filled(double share) const;
};

} // namespace latchkey::ui::keytable
