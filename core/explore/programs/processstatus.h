#pragma once

#include "core/explore/shim/programclock.h"

// The state of running processes, from /proc. `process`: ID in decimal digits.

namespace latchkey::programs {

/// Returns the line of the process's status with this name; empty: no such process.
[[nodiscard]] QByteArray statusLine(const QByteArray &process, QByteArrayView name);

/// Returns whether there was a recent moment at which all threads slept. `clock`: that of the process; null: none.
[[nodiscard]] bool isAsleep(const QByteArray &process, const shim::ProgramClock *clock);

/// Returns the time for which the process and its ended children have computed.
[[nodiscard]] std::chrono::milliseconds computingTime(const QByteArray &process);

/// Returns whether the process and all its descendants use only the virtual clock.
[[nodiscard]] bool descendantsUseOnlyVirtualClock(const QByteArray &process, const shim::ProgramClock &clock);

} // namespace latchkey::programs
