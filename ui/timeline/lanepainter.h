#pragma once

#include "core/history/history.h"
#include "ui/theme/appearance.h"
#include "ui/timeline/lanelayout.h"
#include "ui/timeline/timescale.h"

#include <QRectF>

class QPainter;

namespace latchkey::ui::timeline {

/// The sign that stands at the end of a hold, so that its cause can be told without colours.
enum class EndMark : quint8 { None, Released, Expired, Deleted, Evicted, Flushed, Unknown };

[[nodiscard]] EndMark endMark(const history::Hold &hold);
/// What the sign means, for a legend.
[[nodiscard]] QString endMarkText(EndMark mark);

/// The colour of a holder: the same wherever the holder is the same. Muted where the holder is not known.
[[nodiscard]] QColor holderColour(const std::optional<QByteArray> &holder, const theme::Theme &theme);

/// centre: of a square of this size.
void paintEndMark(QPainter &painter, EndMark mark, QPointF centre, double size, const theme::Theme &theme);

/// Paints the boxes of one lane into its strip. A value, made for each painting.
class LanePainter final
{
public:
    LanePainter(QPainter &painter, const TimeScale &scale, const theme::Theme &theme, base::MonotonicTime now)
        : m_painter(painter)
        , m_scale(scale)
        , m_theme(theme)
        , m_now(now)
    {}

    /// strip: the lane's; x of the scale's 0 is its left side. current: the hold that is chosen, or null.
    void paint(const std::deque<history::Hold> &holds, const std::vector<LaneBox> &boxes, const QRectF &strip,
               const history::Hold *current) const;
    /// A time in which nothing was seen, over all lanes.
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
