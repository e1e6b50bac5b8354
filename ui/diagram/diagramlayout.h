#pragma once

#include "core/sequence/sequence.h"

#include <QPointF>

#include <optional>
#include <vector>

namespace latchkey::ui::diagram {

/// The sizes that a diagram is laid out with, in pixels: those of its letters, and everything else by them.
struct Metrics
{
    double line = 16;   ///< A line of text.
    double width = 600; ///< That there is: lanes share it, unless they need more.
    double legend = 26; ///< The height that the signs need in that width.
};

/// Where what is in a Sequence stands: lanes beside each other, time from top to bottom.
///
/// The one idea: each line has the height that it takes to be read, and beside that time is as long as it was, up to a
/// limit. So a lease can be seen to run, two commands within a millisecond can be told apart, and an idle hour takes no
/// more than a hand's breadth. While somebody holds a lock time does not stop at the limit, but takes less and less
/// room; and what has once been given room keeps it, whatever comes next. A value, made anew when the sequence, the
/// zoom or the width has changed; it knows no painter. All is counted from the top left of the whole diagram, without
/// its heading.
class DiagramLayout final
{
public:
    /// A time without events that is longer is not drawn to scale any more, and said in words.
    static constexpr double mostGapLines = 7;
    /// So much of it a second takes.
    static constexpr double linesPerSecond = 1.2;

    DiagramLayout() = default;
    DiagramLayout(const sequence::Sequence &sequence, const Metrics &metrics);

    /// The middle of a lane.
    [[nodiscard]] double xOf(sequence::LaneIndex lane) const { return m_lanes.at(lane); }
    /// Of the column with the times, at the left.
    [[nodiscard]] double gutter() const { return m_gutter; }
    [[nodiscard]] double width() const { return m_width; }
    /// The lanes stand too close for their names side by side.
    [[nodiscard]] bool areNamesStaggered() const { return m_areNamesStaggered; }
    /// Of the names above the lanes.
    [[nodiscard]] double headingHeight() const { return (m_areNamesStaggered ? 3.8 : 2.2) * m_metrics.line; }
    [[nodiscard]] double legendHeight() const { return m_metrics.legend; }

    [[nodiscard]] std::size_t rowCount() const { return m_rows.size(); }
    [[nodiscard]] double topOf(std::size_t row) const { return m_rows[row].top; }
    [[nodiscard]] double heightOf(std::size_t row) const { return m_rows[row].height; }
    /// How long nothing had happened before, where that was too long to be shown as long as it was; else absent.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> cutBefore(std::size_t row) const;
    /// The middle of the line that is kept free for the sentence about an overlap, below that with which it began.
    [[nodiscard]] double noteOf(std::size_t overlap) const { return m_notes[overlap]; }

    /// Where a time is. After the last line it goes on, as far as a gap may.
    [[nodiscard]] double yAt(base::MonotonicTime time) const;
    /// Of all of it, at that time.
    [[nodiscard]] double heightAt(base::MonotonicTime now) const { return yAt(now) + 2 * m_metrics.line; }
    /// How long it takes at that time to grow by a pixel; absent: it has grown as far as it does before something new
    /// happens.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> pixelTime(base::MonotonicTime now) const;
    /// What lies in this strip happened between these times; those just outside it may be included.
    [[nodiscard]] std::pair<base::MonotonicTime, base::MonotonicTime> timesBetween(double top, double bottom) const;
    /// The rows that reach into this strip: from first up to the one before last.
    [[nodiscard]] std::pair<std::size_t, std::size_t> rowsBetween(double top, double bottom) const;
    /// The row at that height; absent: none is.
    [[nodiscard]] std::optional<std::size_t> rowAt(double y) const;

    /// Within a message's row: where its command is, and where its reply.
    [[nodiscard]] double commandOffset() const { return m_metrics.line * 1.25; }
    [[nodiscard]] double replyOffset() const { return m_metrics.line * 2.5; }

private:
    struct Place
    {
        double top = 0;
        double height = 0;
        base::MonotonicTime from;
        base::MonotonicTime to;
        double notes = 0;                 ///< What is kept free below it.
        std::chrono::nanoseconds held {}; ///< For so long after it somebody held something, if nothing happened.
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
    std::vector<Place> m_rows;
    std::vector<double> m_notes; ///< Of each overlap.
};

} // namespace latchkey::ui::diagram
