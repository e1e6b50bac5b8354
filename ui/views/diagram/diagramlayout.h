#pragma once

#include "core/playground/sequence/sequence.h"

#include <QPointF>

#include <optional>
#include <vector>

namespace latchkey::ui::diagram {

/// The sizes of the layout of a diagram, in pixels. All other sizes derive from the text size.
struct Metrics
{
    double line = 16;   ///< Height of a line of text.
    double width = 600; ///< Available width. The lanes share it unless they need more.
    double legend = 26; ///< Height of the legend at that width.
};

/// The layout of a Sequence: lanes side by side, time from top to bottom.
///
/// Each row is as high as its text needs. The time between rows is drawn to scale up to a limit. A running lease is
/// therefore visible, two commands within a millisecond are separate, and an idle hour takes little space. Beyond the
/// limit, the space does not grow, except while a lock is held: then it grows logarithmically. Later events do not
/// change the space that is already used. A value, computed again after a change of sequence, zoom or width;
/// independent of the painter. Coordinates start at the top left of the diagram, without its heading.
class DiagramLayout final
{
public:
    /// Limit in lines: a longer time without events is cut and stated in words.
    static constexpr double maxGapLines = 7;
    /// Lines per second of time without events.
    static constexpr double linesPerSecond = 1.2;

    DiagramLayout() = default;
    DiagramLayout(const sequence::Sequence &sequence, const Metrics &metrics);

    /// Returns the centre of a lane.
    [[nodiscard]] double xOf(sequence::LaneIndex lane) const { return m_lanes.at(lane); }
    /// Returns the width of the column with the times, at the left; 0 if the lanes need its room.
    [[nodiscard]] double gutter() const { return m_gutter; }
    [[nodiscard]] double width() const { return m_width; }
    /// Returns whether the lanes are too close for their names to be side by side.
    [[nodiscard]] bool areNamesStaggered() const { return m_areNamesStaggered; }
    /// Returns the height of the names above the lanes.
    [[nodiscard]] double headingHeight() const { return (m_areNamesStaggered ? 3.8 : 2.2) * m_metrics.line; }
    [[nodiscard]] double legendHeight() const { return m_metrics.legend; }

    [[nodiscard]] std::size_t rowCount() const { return m_rows.size(); }
    [[nodiscard]] double topOf(std::size_t row) const { return m_rows[row].top; }
    [[nodiscard]] double heightOf(std::size_t row) const { return m_rows[row].height; }
    /// Returns the time without events before a row, if that time is too long to be drawn to scale. Absent otherwise.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> cutBefore(std::size_t row) const;
    /// Returns the centre of the line for the sentence about an overlap. It is below the row at which the overlap
    /// starts.
    [[nodiscard]] double noteOf(std::size_t overlap) const { return m_notes[overlap]; }

    /// Returns the y position of a time. After the last row it grows up to the limit of a gap.
    [[nodiscard]] double yAt(base::MonotonicTime time) const;
    /// Returns the height of the whole diagram at that time.
    [[nodiscard]] double heightAt(base::MonotonicTime now) const { return yAt(now) + 2 * m_metrics.line; }
    /// Returns the time in which the diagram grows by a pixel. Absent if it does not grow before the next event.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> pixelTime(base::MonotonicTime now) const;
    /// Returns the times of a horizontal strip. Events just outside the strip may be included.
    [[nodiscard]] std::pair<base::MonotonicTime, base::MonotonicTime> timesBetween(double top, double bottom) const;
    /// Returns the rows that intersect a strip, as a half-open range.
    [[nodiscard]] std::pair<std::size_t, std::size_t> rowsBetween(double top, double bottom) const;
    /// Returns the row at that height. Absent if there is none.
    [[nodiscard]] std::optional<std::size_t> rowAt(double y) const;

    /// Returns the offset of the command within the row of a message, in pixels. replyOffset() is that of the reply.
    [[nodiscard]] double commandOffset() const { return m_metrics.line * 1.25; }
    [[nodiscard]] double replyOffset() const { return m_metrics.line * 2.5; }

private:
    struct LanePosition
    {
        double top = 0;
        double height = 0;
        base::MonotonicTime from;
        base::MonotonicTime to;
        double notes = 0;                 ///< Height of the free space below the row.
        std::chrono::nanoseconds held {}; ///< Time after the row, without events, during which a lock was held.
        [[nodiscard]] double bottom() const { return top + height + notes; }
    };

    void placeLanes(const sequence::Sequence &sequence);
    void placeRows(const sequence::Sequence &sequence);
    void placeNotes(const sequence::Sequence &sequence);
    [[nodiscard]] double gapOf(std::chrono::nanoseconds time, std::chrono::nanoseconds held) const;

    Metrics m_metrics;
    std::vector<double> m_lanes;
    double m_gutter = 0;
    double m_width = 0;
    bool m_areNamesStaggered = false;
    std::vector<LanePosition> m_rows;
    std::vector<double> m_notes; ///< One per overlap.
};

} // namespace latchkey::ui::diagram
