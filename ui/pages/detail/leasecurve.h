#pragma once

#include "core/inspect/history/history.h"
#include "ui/views/timeline/lanepainter.h"
#include "ui/views/timeline/timescale.h"

namespace latchkey::ui::detail {

/// The curve of the remaining time of a key, as far as it was observed. A value, independent of pixels.
///
/// The remaining time falls by one second per second, so a segment is described by its deadline. A change of the
/// deadline ends a segment and starts another one. The time between two observations belongs to neither.
struct LeaseCurve
{
    /// Maximum number of segments; the latest are kept. A screen cannot show more.
    static constexpr std::size_t maxSegments = 1000;

    /// A time span with one deadline.
    struct Segment
    {
        base::MonotonicTime from; ///< Start of the observed span.
        base::MonotonicTime to;   ///< End of the observed span; MonotonicTime::max() if the segment continues.
        base::Deadline deadline;
        std::optional<QByteArray> holder;
        bool isMoved = false;       ///< Whether the hold is that of the previous segment, with another deadline.
        bool isMovedByUser = false; ///< Whether the user of this program changed the deadline.

        [[nodiscard]] bool continues() const { return to == base::MonotonicTime::max(); }
        /// Returns the remaining time, not below zero. Absent without a deadline.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> leftAt(base::MonotonicTime time) const;
        friend bool operator==(const Segment &, const Segment &) = default;
    };

    /// The end of a hold.
    struct Finish
    {
        base::MonotonicTime at;
        timeline::EndMark mark = timeline::EndMark::Unknown;
        std::optional<base::Deadline> deadline; ///< Absent if unknown.

        friend bool operator==(const Finish &, const Finish &) = default;
    };

    std::vector<Segment> segments; ///< In chronological order.
    std::vector<Finish> finishes;

    /// Returns whether the key never had an expiry, so that there is no curve to show.
    [[nodiscard]] bool isFlat() const;
    /// Returns the segment that continues. Null if there is none.
    [[nodiscard]] const Segment *current() const;
    friend bool operator==(const LeaseCurve &, const LeaseCurve &) = default;
};

/// Computes the curve. `holds`: holds of one key, in chronological order.
[[nodiscard]] LeaseCurve curveOf(const std::deque<history::Hold> &holds);

/// The part of a curve that a chart shows, so that both the past renewals and the next expiry are visible. A value.
struct LeaseFrame
{
    base::MonotonicTime from;
    base::MonotonicTime now;
    base::MonotonicTime to;
    std::chrono::nanoseconds longestTime {}; ///< Largest remaining time within the frame; never zero.

    friend bool operator==(const LeaseFrame &, const LeaseFrame &) = default;
};

/// Returns a frame with the last leases, as far as they were observed, up to the deadline. The future is limited so
/// that the past stays readable.
[[nodiscard]] LeaseFrame frameOf(const LeaseCurve &curve, base::MonotonicTime now);

/// Returns a description of the chart for screen readers. `wallNow`, `now`: the same moment on both clocks.
[[nodiscard]] QString curveText(const LeaseCurve &curve, base::MonotonicTime now, base::WallTime wallNow);

} // namespace latchkey::ui::detail
