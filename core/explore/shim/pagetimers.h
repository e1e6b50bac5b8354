#pragma once

#include "core/explore/shim/page.h"

#include <QtGlobal>

#include <sys/types.h>

// The controlling side's actions on processes and timers of a page. `inode`: that of the page.

namespace latchkey::shim {

/// Name of the page's memory in /proc.
inline constexpr auto pageName = "latchkey-clock";

/// Returns whether the process has mapped this page, so that it has loaded the library and has not executed another
/// program since.
[[nodiscard]] bool hasMapped(pid_t process, quint64 inode);

/// Wakes the threads of the process that wait in poll() and similar calls. The pidfd refers to one process even if its
/// ID is reused, so no other process receives the signal.
void sendWakeSignal(pid_t process, quint64 inode);

/// Returns whether the program has not closed the timer's descriptor.
[[nodiscard]] bool isOpen(const PageTimer &timer);

/// Starts the timer's next interval, and notifies the program of the end of the last one.
void expire(Page &page, PageTimer &timer, PageTime now, quint64 inode);

} // namespace latchkey::shim
