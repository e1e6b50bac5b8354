#include "ui/diagram/diagramlayout.h"

#include <algorithm>

namespace latchkey::ui::diagram {

using base::MonotonicTime;
using sequence::Lane;
using sequence::Message;
using sequence::Sequence;
using std::chrono::nanoseconds;

namespace {

// In lines of text.
constexpr double gutterLines = 4.8;
/// What there is beside the lanes and between them: where there is no more room, where all of it is as wide as it has
/// to be, and where more would be too much.
struct Widths
{
    double tight;
    double good;
    double ample;
};
constexpr Widths side {1.8, 3, 4};
constexpr Widths clientGap {2.4, 5, 14};
constexpr Widths wireGap {10, 14, 34}; ///< Between the last client and the first server, where commands are written.
constexpr double messageLines = 3.1;
constexpr double markLines = 2.1;
/// What a line stands below the one before, at the least.
constexpr double rowGap = 0.15;

} // namespace

DiagramLayout::DiagramLayout(const Sequence &sequence, const Metrics &metrics)
    : m_metrics(metrics)
    , m_gutter(gutterLines * metrics.line)
{
    placeLanes(sequence);
    placeRows(sequence);
}

/// Clients at the left, servers at the right. Where there is little room all of them move together alike; where there
/// is much, it goes first to where commands are written.
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
        double sum = gutterLines;
        for (const Widths &each : widths)
            sum += each.*which;
        return sum * m_metrics.line;
    };
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

double DiagramLayout::gapOf(nanoseconds time) const
{
    const double lines = std::chrono::duration<double>(time).count() * linesPerSecond;
    return std::clamp(lines, 0.0, mostGapLines) * m_metrics.line;
}

void DiagramLayout::placeRows(const Sequence &sequence)
{
    m_rows.reserve(sequence.rows().size());
    double bottom = m_metrics.line * 0.5;
    for (const sequence::Row &row : sequence.rows()) {
        const auto *message = std::get_if<Message>(&row);
        Place place;
        place.from = timeOf(row);
        // What was said again later is still one line, and what came meanwhile stands below it.
        place.to = message != nullptr && message->count == 1 ? std::max(message->received, place.from) : place.from;
        place.height = (message != nullptr ? messageLines : markLines) * m_metrics.line;
        const auto quiet = m_rows.empty() ? nanoseconds(0) : place.from - m_rows.back().to;
        place.isCut = std::chrono::duration<double>(quiet).count() * linesPerSecond > mostGapLines;
        place.top = bottom + rowGap * m_metrics.line + gapOf(quiet);
        bottom = place.top + place.height;
        m_rows.push_back(place);
    }
}

std::optional<nanoseconds> DiagramLayout::cutBefore(std::size_t row) const
{
    if (row == 0 || !m_rows[row].isCut)
        return std::nullopt;
    return m_rows[row].from - m_rows[row - 1].to;
}

double DiagramLayout::yAt(MonotonicTime time) const
{
    // The last line that had begun by then.
    const auto after = std::ranges::upper_bound(m_rows, time, {}, &Place::from);
    if (after == m_rows.begin())
        return 0;
    const Place &last = *std::prev(after);
    const double bottom = last.top + last.height;
    if (time < last.to)
        return last.top + last.height / 2;
    const double free = after == m_rows.end() ? gapOf(nanoseconds::max()) : after->top - bottom;
    if (after != m_rows.end() && after->isCut) {
        const double share =
            std::chrono::duration<double>(time - last.to) / std::chrono::duration<double>(after->from - last.to);
        return bottom + free * std::clamp(share, 0.0, 1.0);
    }
    // A moment after a line ended belongs to it: what has come of the line begins there, not below.
    return time == last.to ? last.top + replyOffset() : bottom + std::min(gapOf(time - last.to), free);
}

bool DiagramLayout::isAtRest(MonotonicTime now) const
{
    return m_rows.empty() || gapOf(now - m_rows.back().to) >= mostGapLines * m_metrics.line;
}

std::pair<std::size_t, std::size_t> DiagramLayout::rowsBetween(double top, double bottom) const
{
    const auto first =
        std::ranges::partition_point(m_rows, [top](const Place &place) { return place.top + place.height < top; });
    const auto last =
        std::partition_point(first, m_rows.end(), [bottom](const Place &place) { return place.top <= bottom; });
    return {static_cast<std::size_t>(first - m_rows.begin()), static_cast<std::size_t>(last - m_rows.begin())};
}

std::optional<std::size_t> DiagramLayout::rowAt(double y) const
{
    const auto [first, last] = rowsBetween(y, y);
    return first < last ? std::optional(first) : std::nullopt;
}

} // namespace latchkey::ui::diagram
