#include "core/explore/shim/preload/waiting.h"

#include "core/explore/shim/preload/kernel.h"

#include <array>

namespace latchkey::shim::preload {

namespace {

std::int64_t machineTime(clockid_t clock)
{
    timespec time {};
    (void)kernel::call(SYS_clock_gettime, clock, &time);
    return toNanoseconds(time);
}

/// Cleanup of a cancelled thread, which first removes its deadline.
struct Abandoned
{
    Wait *wait;
    void (*further)(void *);
    void *with;
};

void abandonWait(void *abandoned)
{
    const auto *all = static_cast<Abandoned *>(abandoned);
    if (all->wait != nullptr)
        all->wait->release();
    if (all->further != nullptr)
        all->further(all->with);
}

WaitResult endingOf(long result)
{
    return result == -ETIMEDOUT ? WaitResult::TimedOut
         : result == -EINTR     ? WaitResult::Interrupted
                                : WaitResult::Called;
}

/// Waits on the machine's clock, or without a timeout.
WaitResult waitOnMachine(std::atomic<std::uint32_t> &futex, std::uint32_t value, bool isPrivate, std::int64_t until,
                         Abandoned &abandoned)
{
    const timespec time = toTimespec(until);
    return endingOf(block(
        [&] {
            return kernel::call(SYS_futex, &futex, FUTEX_WAIT_BITSET | (isPrivate ? FUTEX_PRIVATE_FLAG : 0), value,
                                until == never ? nullptr : &time, nullptr, FUTEX_BITSET_MATCH_ANY);
        },
        abandonWait, &abandoned));
}

long waitOnBoth(std::atomic<std::uint32_t> &futex, std::uint32_t value, bool isPrivate,
                std::atomic<std::uint32_t> &calls, std::uint32_t callsBefore)
{
    const auto waiter = [](const std::atomic<std::uint32_t> &word, std::uint32_t expected, bool isOurs) {
        return futex_waitv {expected, reinterpret_cast<std::uintptr_t>(&word),
                            static_cast<__u32>(FUTEX_32 | (isOurs ? FUTEX_PRIVATE_FLAG : 0)), 0};
    };
    const std::array<futex_waitv, 2> waiters {waiter(futex, value, isPrivate), waiter(calls, callsBefore, false)};
    return kernel::call(SYS_futex_waitv, waiters.data(), waiters.size(), 0, nullptr, 0);
}

} // namespace

PageTime later(PageTime now, std::int64_t nanoseconds)
{
    PageTime sum = 0;
    return __builtin_add_overflow(now, nanoseconds, &sum) ? never : sum;
}

void reportMachineTimer()
{
    ProcessState *const here = stateOfWaits();
    if (here != nullptr && here->process != nullptr)
        here->process->hasMachineTimers.store(true, std::memory_order_relaxed);
}

Wait::Wait(ProcessState &processState, PageTime deadline, WokenBy by, std::optional<std::uint64_t> number)
    : m_home(processState)
    , m_deadline(deadline)
{
    if (deadline == never)
        return;
    m_slot = takePlace(processState.page->waits, &PageWait::process);
    if (m_slot == nullptr) {
        processState.page->refusals.fetch_add(1);
        return;
    }
    const auto end = static_cast<std::uint32_t>(m_slot - processState.page->waits.data() + 1);
    std::uint32_t used = processState.page->waitsUsed.load();
    while (used < end && !processState.page->waitsUsed.compare_exchange_weak(used, end)) {}
    m_slot->deadline.store(never); // Clears the value of an earlier owner.
    m_slot->thread.store(kernel::threadId());
    m_slot->wakesBySignal.store(by == WokenBy::Signal);
    m_slot->mayEnd.store(false);
    m_slot->hasBeenSignalled.store(false);
    m_slot->number.store(number ? *number : processState.page->waitsBegun.fetch_add(1));
    m_slot->deadline.store(deadline);
}

std::int64_t Wait::left() const
{
    return m_deadline == never ? never : std::max<std::int64_t>(0, m_deadline - m_home.now());
}

void Wait::release()
{
    if (m_slot == nullptr)
        return;
    m_slot->deadline.store(never);
    m_slot->process.store(0);
    m_slot = nullptr;
}

Moment Moment::after(std::int64_t nanoseconds)
{
    ProcessState *const here = stateOfWaits();
    return {here, later(here != nullptr ? here->now() : machineTime(CLOCK_MONOTONIC), nanoseconds)};
}

Moment Moment::at(clockid_t clock, const timespec &time)
{
    const PageTime moment = toNanoseconds(time);
    const auto count = countOf(clock);
    ProcessState *const here = preload::processState();
    if (moment == never)
        return none();
    if (here == nullptr || !count)
        return {nullptr, later(machineTime(CLOCK_MONOTONIC), moment - machineTime(clock))};
    const PageTime onPage = moment - shownAhead(*here, *count);
    if (here->areWaitsReal())
        return {nullptr, later(machineTime(CLOCK_MONOTONIC), onPage - here->now())};
    return {here, onPage};
}

timespec onMachine(clockid_t clock, const timespec &time)
{
    ProcessState *const here = processState();
    const auto count = countOf(clock);
    if (here == nullptr || !count)
        return time;
    return toTimespec(later(machineTime(clock), toNanoseconds(time) - shownAhead(*here, *count) - here->now()));
}

WaitResult waitForCall(std::atomic<std::uint32_t> &futex, std::uint32_t value, bool isPrivate, const Moment &moment,
                       void (*abandon)(void *), void *with)
{
    if (moment.processState() == nullptr) {
        Abandoned abandoned {nullptr, abandon, with};
        return waitOnMachine(futex, value, isPrivate, moment.nanoseconds(), abandoned);
    }
    Wait wait(*moment.processState(), moment.nanoseconds(), Wait::WokenBy::Futex);
    Abandoned abandoned {&wait, abandon, with};
    std::atomic<std::uint32_t> *const calls = wait.calls();
    if (calls == nullptr)
        return waitOnMachine(futex, value, isPrivate, never, abandoned);
    for (;;) {
        const std::uint32_t callsBefore = calls->load();
        if (wait.isDue())
            return WaitResult::TimedOut;
        const long result =
            block([&] { return waitOnBoth(futex, value, isPrivate, *calls, callsBefore); }, abandonWait, &abandoned);
        if (result == -EINTR)
            return WaitResult::Interrupted;
        // The futex is not read, because the caller may have destroyed it.
        if (result == 0 || calls->load() == callsBefore)
            return WaitResult::Called;
    }
}

std::int64_t sleep(ProcessState &processState, std::int64_t nanoseconds)
{
    // The kernel restarts a futex wait without a timeout after a signal handler. A sleep must not be restarted, so it
    // needs a timeout.
    constexpr timespec longest {std::int64_t {100} * 365 * 86400, 0};

    Wait wait(processState, later(processState.now(), nanoseconds), Wait::WokenBy::Futex);
    Abandoned abandoned {&wait, nullptr, nullptr};
    std::atomic<std::uint32_t> neverCalled {0};
    std::atomic<std::uint32_t> &calls = wait.calls() != nullptr ? *wait.calls() : neverCalled;
    for (;;) {
        const std::uint32_t callsBefore = calls.load();
        if (wait.isDue())
            return 0;
        const long result = block([&] { return kernel::call(SYS_futex, &calls, FUTEX_WAIT, callsBefore, &longest); },
                                  abandonWait, &abandoned);
        if (result == -EINTR)
            return std::max<std::int64_t>(wait.left(), 1);
    }
}

} // namespace latchkey::shim::preload
