#pragma once

#include "core/explore/shim/preload/processstate.h"

#include <optional>

// Reports of a language runtime about the program on the calling thread.
//
// An event loop also wakes up for timers that the program has cleared and for the runtime's own tasks, and reads the
// clock each time. A script in the runtime reports what the program itself does, by setting environment variables.
// This library replaces setenv(), so these variables are not set. For Node.js, the script is
// resources/programs/node.js:
//   LATCHKEY_NEXT_TIMER  end of the next active timer, in milliseconds on CLOCK_MONOTONIC; 0: there is none
//   LATCHKEY_LAST_TIMER  number of the active timer that began last; the numbers grow in the order of the beginnings
//   LATCHKEY_CLOCK_READ  the program has read a clock of elapsed time

namespace latchkey::shim::preload {

/// Returns the timeout of an event loop's wait: until the next reported timer if the given timeout ends earlier,
/// otherwise the given timeout. In nanoseconds; `never` without an active timer.
[[nodiscard]] std::int64_t untilReportedTimer(const ProcessState &processState, std::int64_t nanoseconds);

/// Returns the number of the active timer that began last; absent without reports.
[[nodiscard]] std::optional<std::uint64_t> lastReportedTimer();

/// Returns whether the program's readings of elapsed time are reported, so that those of its event loop do not count.
[[nodiscard]] bool areReadingsReported();

} // namespace latchkey::shim::preload
