#include "ui/views/diagram/diagramlayout.h"

#include <algorithm>
#include <cmath>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using sequence::Lane;
using sequence::Message;
using sequence::Sequence;
using std::chrono::nanoseconds;

namespace {

// In lines of text.
constexpr double gutterLines = 4.8;
/// Widths of the space beside and between the lanes: the minimum, a comfortable width, and the maximum.
struct Widths
{
    double tight;
    double good;
    double ample;
};
constexpr Widths side {2.4, 3, 4};
constexpr Widths clientGap {2.4, 5, 14};
constexpr Widths wireGap {10, 14, 34}; ///< Between the last client and the first server, where commands are written.
constexpr double messageLines = 3.1;
constexpr double markLines = 2.1;
constexpr double noteLines = 1.7;
/// Minimum distance of two lines.
constexpr double rowGap = 0.15;
/// Longest time without events, in seconds, that is drawn to scale.
constexpr double toScale = DiagramLayout::maxGapLines / DiagramLayout::linesPerSecond;

/// Returns the time after `from`, limited by `to`, during which a client believed to hold a lock, or a server had one.
nanoseconds heldBetween(const Sequence &sequence, MonotonicTime from, MonotonicTime to)
{
    if (std::chrono::duration<double>(to - from).count() <= toScale)
        return {}; // A short time is drawn to scale, whether or not a lock is held.
    MonotonicTime last = from;
    const auto take = [&](const auto &spans) {
        for (const auto &span : spans) {
            if (span.from < to)
                last = std::max(last, std::min(span.until.value_or(sequence.endedAt().value_or(to)), to));
        }
    };
    take(sequence.beliefs());
    take(sequence.presences());
    return last - from;
}

} // namespace

DiagramLayout::DiagramLayout(const Sequence &sequence, const Metrics &metrics)
    : m_metrics(metrics)
    , m_gutter(gutterLines * metrics.line)
{
    placeLanes(sequence);
    placeRows(sequence);
}

/// Places clients at the left and servers at the right. In a narrow diagram, all distances shrink together. In a wide
/// diagram, the space for commands grows first. In a diagram that is too narrow for all lanes, the times are left out.
void DiagramLayout::placeLanes(const Sequence &sequence)
{
    std::vector<std::size_t> order;
    for (const auto kind : {Lane::Kind::Client, Lane::Kind::Server}) {
        for (std::size_t i = 0; i < sequence.lanes().size(); ++i) {
            if (sequence.lanes()[i].kind == kind)
                order.push_back(i);
        }
    }
    std::vector<Widths> widths {side};
    for (std::size_t i = 1; i < order.size(); ++i) {
        const bool isWire = sequence.lanes()[order[i]].kind != sequence.lanes()[order[i - 1]].kind;
        widths.push_back(isWire ? wireGap : clientGap);
    }
    widths.push_back(side);

    const auto total = [&](double Widths::*which) {
        double sum = m_gutter / m_metrics.line;
        for (const Widths &each : widths)
            sum += each.*which;
        return sum * m_metrics.line;
    };
    if (m_metrics.width < total(&Widths::tight))
        m_gutter = 0;
    const bool isTight = m_metrics.width < total(&Widths::good);
    const auto from = isTight ? &Widths::tight : &Widths::good;
    const auto to = isTight ? &Widths::good : &Widths::ample;
    const double range = total(to) - total(from);
    const double share = range <= 0 ? 0 : std::clamp((m_metrics.width - total(from)) / range, 0.0, 1.0);
    const auto between = [&](const Widths &each) {
        return (each.*from + (each.*to - each.*from) * share) * m_metrics.line;
    };

    m_lanes.assign(sequence.lanes().size(), 0);
    double x = m_gutter;
    for (std::size_t i = 0; i < order.size(); ++i) {
        x += between(widths[i]);
        m_lanes[order[i]] = x;
    }
    m_width = std::max(x + between(side), m_metrics.width);
    m_areNamesStaggered = between(clientGap) < clientGap.good * m_metrics.line;
}

double DiagramLayout::gapOf(nanoseconds time, nanoseconds held) const
{
    const double seconds = std::chrono::duration<double>(time).count();
    if (seconds <= toScale)
        return std::max(seconds, 0.0) * linesPerSecond * m_metrics.line;
    // Grows linearly at first, and then logarithmically.
    const double beyond = std::min(seconds, std::chrono::duration<double>(held).count()) / toScale;
    return maxGapLines * (1 + (beyond > 1 ? std::log(beyond) : 0)) * m_metrics.line;
}

void DiagramLayout::placeRows(const Sequence &sequence)
{
    // For each row, the number of overlaps that start at it.
    std::vector<int> notes(sequence.rows().size(), 0);
    for (const sequence::Overlap &overlap : sequence.overlaps()) {
        const auto after = std::ranges::upper_bound(sequence.rows(), overlap.from, {}, sequence::timeOf);
        if (after != sequence.rows().begin())
            ++notes[static_cast<std::size_t>(after - sequence.rows().begin()) - 1];
    }
    m_rows.reserve(sequence.rows().size());
    double bottom = m_metrics.line * 0.5;
    for (const sequence::Row &row : sequence.rows()) {
        const auto *message = std::get_if<Message>(&row);
        LanePosition position;
        position.from = timeOf(row);
        // A repeated message has one row; events between the repetitions are below it.
        position.to =
            message != nullptr && message->count == 1 ? std::max(message->received, position.from) : position.from;
        position.height = (message != nullptr ? messageLines : markLines) * m_metrics.line;
        position.notes = notes[m_rows.size()] * noteLines * m_metrics.line;
        double gap = 0;
        if (!m_rows.empty()) {
            LanePosition &before = m_rows.back();
            before.held = heldBetween(sequence, before.to, position.from);
            gap = gapOf(position.from - before.to, before.held);
        }
        position.top = bottom + rowGap * m_metrics.line + gap;
        bottom = position.bottom();
        m_rows.push_back(position);
    }
    if (!m_rows.empty())
        m_rows.back().held = heldBetween(sequence, m_rows.back().to, MonotonicTime::max());
    placeNotes(sequence);
}

void DiagramLayout::placeNotes(const Sequence &sequence)
{
    std::vector<int> placed(m_rows.size(), 0);
    for (const sequence::Overlap &overlap : sequence.overlaps()) {
        const auto after = std::ranges::upper_bound(m_rows, overlap.from, {}, &LanePosition::from);
        if (after == m_rows.begin()) {
            m_notes.push_back(0);
            continue;
        }
        const auto row = static_cast<std::size_t>(after - m_rows.begin()) - 1;
        const double first = m_rows[row].top + m_rows[row].height;
        m_notes.push_back(first + (placed[row]++ + 0.5) * noteLines * m_metrics.line);
    }
}

std::optional<nanoseconds> DiagramLayout::cutBefore(std::size_t row) const
{
    if (row == 0)
        return std::nullopt;
    const nanoseconds quiet = m_rows[row].from - m_rows[row - 1].to;
    return std::chrono::duration<double>(quiet).count() > toScale ? std::optional(quiet) : std::nullopt;
}

double DiagramLayout::yAt(MonotonicTime time) const
{
    // The last row that started at or before `time`.
    const auto after = std::ranges::upper_bound(m_rows, time, {}, &LanePosition::from);
    if (after == m_rows.begin())
        return 0;
    const LanePosition &last = *std::prev(after);
    if (time < last.to)
        return last.top + last.height / 2;
    // The end time of a row belongs to the row, so its effects start there. An exception is a row with a note below it.
    if (time == last.to && last.notes == 0)
        return last.top + (last.height > replyOffset() ? replyOffset() : last.height / 2);
    const double below = last.bottom() + gapOf(time - last.to, last.held);
    return after == m_rows.end() ? below : std::min(below, after->top);
}

std::optional<nanoseconds> DiagramLayout::pixelTime(MonotonicTime now) const
{
    if (m_rows.empty())
        return std::nullopt;
    const double seconds = std::chrono::duration<double>(now - m_rows.back().to).count();
    const double held = std::chrono::duration<double>(m_rows.back().held).count();
    if (seconds > toScale && seconds > held)
        return std::nullopt;
    const double slower = std::max(1.0, seconds / toScale);
    return nanoseconds(static_cast<qint64>(1e9 * slower / (linesPerSecond * m_metrics.line)));
}

std::pair<MonotonicTime, MonotonicTime> DiagramLayout::timesBetween(double top, double bottom) const
{
    const auto [first, last] = rowsBetween(top, bottom);
    return {first == 0 ? MonotonicTime::min() : m_rows[first - 1].from,
            last == m_rows.size() ? MonotonicTime::max() : m_rows[last].from};
}

std::pair<std::size_t, std::size_t> DiagramLayout::rowsBetween(double top, double bottom) const
{
    const auto first =
        std::ranges::partition_point(m_rows, [top](const LanePosition &position) { return position.bottom() < top; });
    const auto last = std::partition_point(first, m_rows.end(),
                                           [bottom](const LanePosition &position) { return position.top <= bottom; });
    return {static_cast<std::size_t>(first - m_rows.begin()), static_cast<std::size_t>(last - m_rows.begin())};
}

std::optional<std::size_t> DiagramLayout::rowAt(double y) const
{
    const auto [first, last] = rowsBetween(y, y);
    return first < last ? std::optional(first) : std::nullopt;
}

} // namespace latchkey::ui::diagram
