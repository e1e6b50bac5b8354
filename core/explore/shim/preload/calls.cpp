#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/processids.h"
#include "core/explore/shim/preload/waiting.h"

#include <cstdarg>
#include <unistd.h>

// Replacement of syscall(), which libstdc++, Rust and others use to wait on futexes, and some programs to read clocks.

using namespace latchkey::shim::preload;

namespace {

/// Waits on a futex with a timeout. Returns nothing if the call is something else.
std::optional<long> waitOnFutex(long address, long operation, long value, long time, long mask)
{
    const auto command = operation & FUTEX_CMD_MASK;
    if (time == 0 || stateOfWaits() == nullptr || (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
        || (command == FUTEX_WAIT_BITSET && static_cast<std::uint32_t>(mask) != FUTEX_BITSET_MATCH_ANY))
        return std::nullopt;
    const timespec &given = *reinterpret_cast<const timespec *>(time);
    if (!isValid(given) || given.tv_sec < 0)
        return -EINVAL;
    const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    const Moment moment = command == FUTEX_WAIT ? Moment::after(toNanoseconds(given)) : Moment::at(clock, given);
    auto &futex = *reinterpret_cast<std::atomic<std::uint32_t> *>(address);
    const auto expected = static_cast<std::uint32_t>(value);
    if (futex.load() != expected)
        return -EAGAIN;
    switch (waitForCall(futex, expected, (operation & FUTEX_PRIVATE_FLAG) != 0, moment)) {
    case WaitResult::Called:
        return 0;
    case WaitResult::TimedOut:
        return -ETIMEDOUT;
    case WaitResult::Interrupted:
        break;
    }
    return -EINTR;
}

} // namespace

extern "C" long syscall(long number, ...) noexcept
{
    // Reads the maximum number of arguments. The kernel ignores arguments that the caller did not pass.
    va_list arguments;
    va_start(arguments, number);
    const long a = va_arg(arguments, long);
    const long b = va_arg(arguments, long);
    const long c = va_arg(arguments, long);
    const long d = va_arg(arguments, long);
    const long e = va_arg(arguments, long);
    const long f = va_arg(arguments, long);
    va_end(arguments);

    if (number == SYS_futex) {
        if (const auto result = waitOnFutex(a, b, c, d, f))
            return kernel::asResult<long>(*result);
    } else if (number == SYS_clock_gettime && processState() != nullptr) {
        return clock_gettime(static_cast<clockid_t>(a), reinterpret_cast<timespec *>(b));
    }
    if (const auto result = callWithShownIds(number, a, b, c, d))
        return kernel::asResult<long>(*result);
    return kernel::asResult<long>(kernel::raw(number, a, b, c, d, e, f));
}
