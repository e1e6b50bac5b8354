#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

// What ProgramClock and the programs that go by it share: one piece of memory, mapped by all of them.
//
// Plain numbers in atomics, no pointers, no Qt: the preloaded library compiles this too. A program can write here what
// it likes, so the controlling side takes nothing from it for an index or an address.

namespace latchkey::shim {

/// Nanoseconds on the page's clock: what CLOCK_MONOTONIC shows to a program, but for the ticks of its own readings.
using PageTime = std::int64_t;

inline constexpr PageTime never = std::numeric_limits<PageTime>::max();

/// What wakes a thread that waits in poll() and the like: the last but one real-time signal (SIGRTMAX - 1). It is sent
/// to nobody else.
inline constexpr int wakeSignal = 63;

/// How one client sees the clock. Written by the controlling side only.
struct PageView
{
    std::atomic<std::int64_t> ahead; ///< Of its date, in nanoseconds; may be negative.
    std::atomic<std::int64_t> tick;  ///< By how much each reading of a process is later than the one before.
    std::atomic<bool> areWaitsReal;  ///< Its time-outs are the machine's; see ProgramClock::Waits.
};

/// A process that goes by the clock: it says so itself, when the library has been loaded or it has been forked.
struct PageProcess
{
    std::atomic<std::int32_t> id; ///< 0: free.
    std::atomic<std::uint32_t> view;
    std::atomic<bool> hasMachineTimers;  ///< It has set one, or waited so: see preload/machinetimers.cpp.
    std::atomic<std::uint32_t> readings; ///< How often it has read the clock; see preload/idlereadings.h.
};

/// A thread that waits for something, until the page's clock is there at the latest.
struct PageWait
{
    std::atomic<std::int32_t>
        process; ///< 0: free. Taken first, so that what a killed process leaves behind has a name.
    std::atomic<std::int32_t> thread;
    std::atomic<PageTime> deadline;     ///< `never` while it is not filled in.
    std::atomic<std::uint32_t> calls;   ///< A futex: how often it has been called. Woken through it, or by the signal.
    std::atomic<bool> wakesBySignal;    ///< Else through the futex.
    std::atomic<bool> hasBeenSignalled; ///< By its process's own handler.
};

/// The whole of it.
struct Page
{
    static constexpr std::uint64_t rightMark = 0x4c4b'434c'4f43'4b31; // "LKCLOCK1"

    std::uint64_t mark;
    std::uint64_t nonce;     ///< Tells it from the page of another run, whose process had the same number.
    std::int64_t dateOffset; ///< From the page's time to the date since 1970, in nanoseconds.
    alignas(64) std::atomic<PageTime> now;
    alignas(64) std::atomic<std::uint32_t> waitsUsed; ///< No wait beyond has ever been taken.
    std::atomic<std::uint32_t> refusals;              ///< Processes and waits for which there was no room.
    std::array<PageView, 256> views;
    std::array<PageProcess, 2048> processes;
    std::array<PageWait, 2048> waits;

    [[nodiscard]] std::span<PageWait> usedWaits()
    {
        return std::span(waits).first(std::min<std::size_t>(waitsUsed.load(), waits.size()));
    }
};

static_assert(std::atomic<PageTime>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// The variable that leads a process to its page: the controlling process, the page's descriptor there (and in children
/// that inherit it), the nonce, and the process's view, as decimal numbers with a space in between.
inline constexpr const char *variableName = "LATCHKEY_CLOCK";

} // namespace latchkey::shim
