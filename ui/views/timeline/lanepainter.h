#pragma once

#include "core/inspect/history/history.h"
#include "ui/kit/theme/appearance.h"
#include "ui/views/timeline/lanelayout.h"
#include "ui/views/timeline/timescale.h"

#include <QRectF>

class QPainter;

namespace latchkey::ui::timeline {

/// The sign at the end of a hold. Its shape shows the cause, without colour.
enum class EndMark : quint8 { None, Released, Expired, Deleted, Evicted, Flushed, Unknown };

[[nodiscard]] EndMark endMark(const history::Hold &hold);
/// Returns the meaning of the sign, for a legend.
[[nodiscard]] QString endMarkText(EndMark mark);

/// Returns the colour of a holder. Equal holders have equal colours. An unknown holder has a muted colour.
[[nodiscard]] QColor holderColour(const std::optional<QByteArray> &holder, const theme::Theme &theme);

/// Paints a sign. `centre`: centre of a square with side `size`.
void paintEndMark(QPainter &painter, EndMark mark, QPointF centre, double size, const theme::Theme &theme);

/// A painter of the boxes of one lane. A value, made for each paint event.
class LanePainter final
{
public:
    LanePainter(QPainter &painter, const TimeScale &scale, const theme::Theme &theme, base::MonotonicTime now)
        : m_painter(painter)
        , m_scale(scale)
        , m_theme(theme)
        , m_now(now)
    {}

    /// Paints a lane. `strip`: rectangle of the lane; position 0 of the scale is its left side. `current`: selected
    /// hold, or null.
    void paint(const std::deque<history::Hold> &holds, const std::vector<LaneBox> &boxes, const QRectF &strip,
               const history::Hold *current) const;
    /// Paints a time without observation over all lanes.
    void paintGap(const history::History::Gap &gap, const QRectF &area) const;

private:
    [[nodiscard]] QRectF rectOf(const LaneBox &box, const QRectF &strip) const;
    void paintHold(const history::Hold &hold, const QRectF &rect, const QRectF &strip) const;
    void paintTicks(const history::Hold &hold, const QRectF &rect, const QRectF &strip) const;
    void paintSeveral(const LaneBox &box, const QRectF &rect) const;

    QPainter &m_painter;         // Not owned.
    const TimeScale &m_scale;    // Not owned.
    const theme::Theme &m_theme; // Not owned.
    const base::MonotonicTime m_now;
};

} // namespace latchkey::ui::timeline
