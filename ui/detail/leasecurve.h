#pragma once

#include "core/history/history.h"
#include "ui/timeline/lanepainter.h"
#include "ui/timeline/timescale.h"

namespace latchkey::ui::detail {

/// The saw-tooth of a key: how long it had left at which time, as far as that was seen. A value; it knows no pixels.
///
/// What is left falls by a second each second, so a stretch of it is told by its deadline alone. Where the deadline was
/// moved a stretch ends and another begins; what lies between two looks belongs to neither.
struct LeaseCurve
{
    /// More of them than these, the last ones, are of no use on a screen.
    static constexpr std::size_t mostStretches = 1000;

    /// A time in which it had one deadline.
    struct Stretch
    {
        base::MonotonicTime from; ///< It is known to be so from here …
        base::MonotonicTime to;   ///< … to here; the end of time for what goes on.
        base::Deadline deadline;
        std::optional<QByteArray> holder;
        bool isMoved = false;     ///< The same hold as in the stretch before, whose end was moved between them …
        bool isMovedHere = false; ///< … by the user of this program.

        [[nodiscard]] bool goesOn() const { return to == base::MonotonicTime::max(); }
        /// What was left then, not below zero; absent without a deadline.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> leftAt(base::MonotonicTime time) const;
        friend bool operator==(const Stretch &, const Stretch &) = default;
    };

    /// The end of a hold.
    struct Finish
    {
        base::MonotonicTime at;
        timeline::EndMark mark = timeline::EndMark::Unknown;
        std::optional<base::Deadline> deadline; ///< Absent: unknown.

        friend bool operator==(const Finish &, const Finish &) = default;
    };

    std::vector<Stretch> stretches; ///< In their order.
    std::vector<Finish> finishes;

    /// Nothing has ended, and nothing ever will: there is no more to see than that.
    [[nodiscard]] bool isFlat() const;
    /// The one that goes on; null where there is none.
    [[nodiscard]] const Stretch *current() const;
    friend bool operator==(const LeaseCurve &, const LeaseCurve &) = default;
};

/// holds: of one key, in their order.
[[nodiscard]] LeaseCurve curveOf(const std::deque<history::Hold> &holds);

/// Which part of a curve a picture shows, so that a person sees both the teeth and where it goes from here. A value.
struct LeaseFrame
{
    base::MonotonicTime from;
    base::MonotonicTime now;
    base::MonotonicTime to;
    std::chrono::nanoseconds most {}; ///< The most that was left in that time; never zero.

    friend bool operator==(const LeaseFrame &, const LeaseFrame &) = default;
};

/// Some leases back, as far as it was watched, and on to the deadline, as far as the past stays readable beside it.
[[nodiscard]] LeaseFrame frameOf(const LeaseCurve &curve, base::MonotonicTime now);

/// What the picture shows, for those who cannot see it. wallNow, now: the same moment on both clocks.
[[nodiscard]] QString curveText(const LeaseCurve &curve, base::MonotonicTime now, base::WallTime wallNow);

} // namespace latchkey::ui::detail
