#pragma once

#include "core/foundation/base/clock.h"

namespace latchkey::base {

/// An interval that contains a time not known exactly, such as that of a change between two reads. A value.
///
/// The width of the interval is the measurement uncertainty. A Deadline is the other representation of an uncertain
/// time: a best estimate with a tolerance.
struct TimeInterval
{
    MonotonicTime earliest;
    MonotonicTime latest; ///< Not before `earliest`.

    [[nodiscard]] MonotonicTime middle() const { return earliest + (latest - earliest) / 2; }
    /// Returns the largest distance of the time from middle(): half of the width.
    [[nodiscard]] std::chrono::nanoseconds uncertainty() const { return (latest - earliest) / 2; }

    friend bool operator==(const TimeInterval &, const TimeInterval &) = default;
};

} // namespace latchkey::base
