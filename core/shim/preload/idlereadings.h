#pragma once

#include "core/shim/preload/home.h"

// Readings of the clock that nobody goes by.
//
// CPython reads its clock whenever it takes one of its locks, in case there is a time-out, and there is none: some
// hundred times before its program has begun, and twice for each line that is read from a file. Whether a program has
// gone by its clock between two moments is worth knowing (ProgramClock::readings()), so these do not count. They are
// told by what comes next: the same function, a few instructions on, waits for a semaphore without a time-out.

namespace latchkey::shim::preload {

/// caller: where the thread goes on after it.
void countReading(Home &home, const void *caller);

} // namespace latchkey::shim::preload
