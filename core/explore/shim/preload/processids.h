#pragma once

#include "core/explore/shim/preload/processstate.h"

#include <optional>

// Process IDs and thread IDs as the program sees them; see ProgramClock::showIds().

namespace latchkey::shim::preload {

/// Returns the next unused ID of the page, for a process or a thread.
[[nodiscard]] std::int32_t nextShownId(Page &page);

/// Gives this thread, the copy of another one, the shown ID of that thread.
void renewThreadId();

/// Makes a system call that has or returns an ID. Absent: the call has none.
[[nodiscard]] std::optional<long> callWithShownIds(long number, long a, long b, long c, long d);

} // namespace latchkey::shim::preload
