#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

// The shared memory page of a ProgramClock and the programs under its control.
//
// The page contains only numbers in atomics, no pointers and no Qt types, because the preloaded library compiles this
// file too. A program can write anything here. So the controlling side uses no value of the page as an index or an
// address.

namespace latchkey::shim {

/// Time on the page's clock, in nanoseconds: CLOCK_MONOTONIC as shown to a program, without the ticks of its readings.
using PageTime = std::int64_t;

inline constexpr PageTime never = std::numeric_limits<PageTime>::max();

/// Signal that wakes a thread waiting in poll() and similar calls: the last but one real-time signal (SIGRTMAX - 1). It
/// is sent only to processes with such a wait.
inline constexpr int wakeSignal = 63;

/// The view of the clock for one client. Written only by the controlling side.
struct PageView
{
    std::atomic<std::int64_t> ahead; ///< Lead of the date in nanoseconds; may be negative.
    std::atomic<std::int64_t> tick;  ///< Nanoseconds by which each reading of a process advances its clock.
    std::atomic<bool> areWaitsReal;  ///< Whether timeouts use the machine's clock; see ProgramClock::Waits.
};

/// A process under control. The process registers itself when the library is loaded and after a fork.
struct PageProcess
{
    std::atomic<std::int32_t> id; ///< 0: free.
    std::atomic<std::uint32_t> view;
    std::atomic<bool> hasMachineTimers;  ///< Whether the process has used one; see preload/machinetimers.cpp.
    std::atomic<std::uint32_t> readings; ///< Number of clock readings; see preload/idlereadings.h.
    std::atomic<std::int32_t> shownId;   ///< ID that the program sees; see preload/processids.h.
};

/// A waiting thread with a deadline on the page's clock.
struct PageWait
{
    std::atomic<std::int32_t>
        process; ///< 0: free. Stored first, so that the slot of a killed process can be identified.
    std::atomic<std::int32_t> thread;
    std::atomic<PageTime> deadline;     ///< `never` until the slot is filled in.
    std::atomic<std::uint64_t> number;  ///< Greater than that of each earlier wait of the thread.
    std::atomic<std::uint32_t> calls;   ///< Futex that counts wake-ups.
    std::atomic<bool> wakesBySignal;    ///< Whether the signal wakes the thread instead of the futex.
    std::atomic<bool> mayEnd;           ///< Whether the controlling side has woken the thread.
    std::atomic<bool> hasBeenSignalled; ///< Set by the signal handler of the process.
};

/// A timer of a process that ends on the page's clock: the controlling side then sends its signal or makes its
/// descriptor readable.
struct PageTimer
{
    enum Kind : std::int32_t { RealTime, Created, Descriptor }; ///< setitimer(), timer_create(), timerfd_create().

    std::atomic<std::int32_t> process; ///< 0: free.
    std::atomic<std::int32_t> kind;
    std::atomic<std::uint64_t> identity; ///< timer_t, or inode of the pipe that stands for a timerfd.
    std::atomic<std::int32_t> target;    ///< Number of the signal or descriptor.
    std::atomic<std::uint64_t> value;    ///< Value that is sent with the signal.
    std::atomic<std::int32_t> clock;     ///< clockid_t of absolute times.
    std::atomic<PageTime> deadline;      ///< `never`: stopped.
    std::atomic<std::int64_t> interval;  ///< Nanoseconds between further deadlines; 0: none.
    std::atomic<std::uint64_t> number;   ///< See PageWait::number.
};

/// The fork server of a process that forks other processes of its program; see preload/forkserver.h. Written by the
/// controlling side before the process starts.
struct PageForks
{
    /// A descriptor that every process of the program inherits from the controlling process.
    struct Inherited
    {
        std::int32_t descriptor;
        std::uint64_t device;
        std::uint64_t inode;
    };
    std::array<Inherited, 16> inherited;
    std::uint32_t inheritedCount;
    std::int32_t descriptor; ///< Inherited socket to the controlling side.
    std::uint64_t inode;     ///< Inode of the socket; 0: the process does not fork others.
    std::int32_t controller; ///< ID of the controlling process.
};

/// The addresses of a forked process, which sees those in the environment of the process that forked it; see
/// preload/redirections.cpp. Written by the controlling side before the process starts.
struct PageRedirections
{
    struct Port
    {
        std::uint16_t shown; ///< Port of 127.0.0.1 that the process sees; 0: no further ports.
        std::uint16_t real;
    };
    struct Path
    {
        std::array<char, 108> shown; ///< Path of a Unix socket, with a null character at the end; empty: none.
        std::array<char, 108> real;
    };
    std::array<Port, 8> ports;
    Path path;
};

/// The layout of the page.
struct Page
{
    static constexpr std::uint64_t rightMark = 0x4c4b'434c'4f43'4b31; // "LKCLOCK1"

    std::uint64_t mark;
    std::uint64_t nonce;     ///< Distinguishes the page from that of an earlier process with the same ID.
    std::int64_t dateOffset; ///< Offset from the page's time to the date since 1970, in nanoseconds.
    std::uint32_t firstId;   ///< Number of the first shown ID; see shownId().
    bool hasOtherIds;        ///< See shownId().
    bool areIdsShown;        ///< Whether the programs see these IDs instead of the kernel's.
    PageForks forks;
    PageRedirections redirections;
    alignas(64) std::atomic<PageTime> now;
    alignas(64) std::atomic<std::uint32_t> waitsUsed; ///< Upper bound of the slots ever used.
    std::atomic<std::uint32_t> refusals;              ///< Processes and waits for which there was no room.
    std::atomic<std::uint64_t> waitsBegun;            ///< Number of timed waits and timers so far.
    std::atomic<std::uint32_t> idsShown;              ///< Number of IDs that programs have seen so far.
    std::atomic<bool> hasSoughtProcess;               ///< Whether a program has used an ID of no process of this page.
    std::atomic<bool> hasLostDescendant; ///< Whether a descendant of a forked process has not found its page.
    std::array<PageView, 256> views;
    std::array<PageProcess, 2048> processes;
    std::array<PageWait, 2048> waits;
    std::array<PageTimer, 128> timers;

    [[nodiscard]] std::span<PageWait> usedWaits()
    {
        return std::span(waits).first(std::min<std::size_t>(waitsUsed.load(), waits.size()));
    }
};

/// Lower bound of the process IDs that programs see. IDs of the kernel are smaller.
inline constexpr std::int32_t minShownId = 1'000'000'000;

/// Returns the n-th process ID that programs see, of ten digits. The kernel's IDs are short, and two of them often have
/// digits in common, so a program that uses one in its token would have a token that is not recognised. `isOther`: IDs
/// with and without it differ in every digit but the first.
[[nodiscard]] constexpr std::int32_t shownId(std::uint32_t n, bool isOther)
{
    constexpr std::uint32_t count = 390'625;       // 5^8: each of the last eight digits is one of five.
    constexpr std::uint32_t goldenRatio = 241'419; // Multiples of the golden ratio are spread evenly.
    auto rest = static_cast<std::uint32_t>(std::uint64_t {n} * goldenRatio % count);
    std::int32_t digits = 0;
    for (int place = 0; place < 8; ++place, rest /= 5)
        digits = digits * 10 + static_cast<std::int32_t>(2 * (rest % 5)) + (isOther ? 1 : 0);
    constexpr std::int32_t secondDigit = 100'000'000;
    return minShownId + (isOther ? 5 * secondDigit : 0) + digits;
}

static_assert(std::atomic<PageTime>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Environment variable with the address of a process's page: ID of the controlling process, descriptor of the page in
/// that process (and in children that inherit it), nonce, and view of the process. The values are decimal numbers
/// separated by spaces.
inline constexpr const char *variableName = "LATCHKEY_CLOCK";

} // namespace latchkey::shim
