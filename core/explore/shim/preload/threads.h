#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

// The other threads of a process that forks others.
//
// A fork copies only the thread that calls it. Before the fork, every other thread is interrupted by a signal and waits
// in its handler. The forked process then creates a thread for each of them, which returns from the same handler: it
// continues where the signal has interrupted the other thread, with the same memory, registers and identity for the C
// library.

namespace latchkey::shim::preload {

/// Stops all other threads of this process. Returns false if one of them does not stop soon; then all continue.
[[nodiscard]] bool stopThreads();

/// Lets the stopped threads continue.
void continueThreads();

/// Creates the stopped threads anew, in a process that was forked meanwhile. Returns false if the system refuses it.
[[nodiscard]] bool recreateThreads();

} // namespace latchkey::shim::preload
