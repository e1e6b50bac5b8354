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
};

/// Where what is in a Sequence stands: lanes beside each other, time from top to bottom.
///
/// The one idea: each line has the height that it takes to be read, and beside that time is as long as it was, up to a
/// limit. So a lease can be seen to run, two commands within a millisecond can be told apart, and an idle hour takes no
/// more than a hand's breadth. A value, made anew when the sequence, the zoom or the width has changed; it knows no
/// painter. All is counted from the top left of the whole diagram, without its heading.
class DiagramLayout final
{
public:
    /// A time without events that is longer is cut, and said in words.
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
    [[nodiscard]] double legendHeight() const { return 1.6 * m_metrics.line; }

    [[nodiscard]] std::size_t rowCount() const { return m_rows.size(); }
    [[nodiscard]] double topOf(std::size_t row) const { return m_rows[row].top; }
    [[nodiscard]] double heightOf(std::size_t row) const { return m_rows[row].height; }
    /// How long nothing had happened before, where that was cut; absent: it has been shown as long as it was.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> cutBefore(std::size_t row) const;

    /// Where a time is. After the last line it goes on, as far as a gap may.
    [[nodiscard]] double yAt(base::MonotonicTime time) const;
    /// Of all of it, at that time.
    [[nodiscard]] double heightAt(base::MonotonicTime now) const { return yAt(now) + 2 * m_metrics.line; }
    /// It has grown as far as it does before something new happens.
    [[nodiscard]] bool isAtRest(base::MonotonicTime now) const;
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
        bool isCut = false; ///< The time before it.
    };

    void placeLanes(const sequence::Sequence &sequence);
    void placeRows(const sequence::Sequence &sequence);
    [[nodiscard]] double gapOf(std::chrono::nanoseconds time) const;

    Metrics m_metrics;
    std::vector<double> m_lanes;
    double m_gutter = 0;
    double m_width = 0;
    bool m_areNamesStaggered = false;
    std::vector<Place> m_rows;
};

} // namespace latchkey::ui::diagram
