#pragma once

#include "core/explore/shim/preload/processstate.h"

// Detection of clock readings without effect.
//
// CPython reads its clock whenever it takes one of its locks, even if there is no timeout. This happens about a hundred
// times at start and twice for each line read from a file. ProgramClock::readings() is used to detect whether a program
// used its clock between two moments, so these readings do not count. They are recognised by the next call: the same
// function, a few instructions later, waits for a semaphore without a timeout.

namespace latchkey::shim::preload {

/// Counts a reading. `caller`: return address of the reading function.
void countReading(ProcessState &processState, const void *caller);

} // namespace latchkey::shim::preload
