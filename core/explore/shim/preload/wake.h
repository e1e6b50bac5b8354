#pragma once

#include "core/explore/shim/preload/processstate.h"

// Wake-up of threads in poll() and similar calls by a signal.
//
// The signal is unblocked only during the call. The kernel unblocks the signal and starts the wait in one step, so a
// signal before the call is not missed.
//
// An additional descriptor would not work: programs close descriptors that they do not know, an epoll set belongs to
// the program, and select() supports only small numbers. The controlling side can signal only a process, by a pidfd,
// which cannot refer to another process. The handler passes the signal on to the threads that are due.

namespace latchkey::shim::preload {

/// A signal mask in the kernel's format.
using KernelMask = std::uint64_t;

inline constexpr KernelMask wakeMask = KernelMask {1} << (wakeSignal - 1);

/// Installs the handler and blocks the signal. After that, the signal is harmless.
void prepareToBeWoken(ProcessState &processState);

/// Returns whether this thread has received the signal since the last call.
[[nodiscard]] bool takeWake();

/// Blocks the signal in this thread. `before`: set to the previous mask. Returns the previous mask without the signal,
/// for use during a wait.
[[nodiscard]] KernelMask keepWakeOut(KernelMask &before);
void restoreMask(KernelMask before);

} // namespace latchkey::shim::preload
