#pragma once

#include "core/shim/preload/home.h"

// A thread that waits in poll() and the like is woken by a signal, which is let in for the length of that call only:
// the kernel does both in one step, so that none comes too early and is missed.
//
// Why a signal, and not a descriptor to wait for beside the program's own: programs close descriptors that they do not
// know, an epoll set is theirs, and select() has but so many numbers. The controlling side can only tell a process, by
// the descriptor of the process, which cannot mean another one. The handler passes it on to the threads whose time has
// come.

namespace latchkey::shim::preload {

/// A signal mask as the kernel has it.
using KernelMask = std::uint64_t;

inline constexpr KernelMask wakeMask = KernelMask {1} << (wakeSignal - 1);

/// Handler and mask: from here on the signal does no harm.
void prepareToBeWoken(Home &home);

/// Whether the signal has come to this thread since this was asked last.
[[nodiscard]] bool takeWake();

/// Keeps the signal out of this thread, and gives the mask as it was before, but for the signal: to be let in with.
[[nodiscard]] KernelMask keepWakeOut(KernelMask &before);
void restoreMask(KernelMask before);

} // namespace latchkey::shim::preload
