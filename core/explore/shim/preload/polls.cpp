#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/next.h"
#include "core/explore/shim/preload/runtimereports.h"
#include "core/explore/shim/preload/waiting.h"
#include "core/explore/shim/preload/wake.h"

#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

// Waits for descriptors and signals. Calls with a timeout of zero do not wait, and calls without a timeout need no
// clock: both are passed on unchanged.

using namespace latchkey::shim::preload;
using latchkey::shim::never;
using latchkey::shim::PageTime;

namespace {

constexpr timespec atOnce {0, 0};

struct Abandoned
{
    Wait *wait;
    KernelMask before;
};

void abandon(void *abandoned)
{
    const auto *all = static_cast<Abandoned *>(abandoned);
    all->wait->release();
    restoreMask(all->before);
}

/// Waits by call(isLook, mask). During the call, the signals outside the mask are unblocked. isLook: whether to return
/// immediately. number: see Wait.
template<typename Call>
int waitFor(ProcessState &processState, std::int64_t nanoseconds, const sigset_t *wanted, std::int64_t *left, Call call,
            std::optional<std::uint64_t> number = {})
{
    Abandoned abandoned {};
    KernelMask mask = keepWakeOut(abandoned.before);
    if (wanted != nullptr) {
        std::memcpy(&mask, wanted, sizeof mask);
        mask &= ~wakeMask;
    }
    long result = 0;
    {
        PageTime deadline = 0;
        if (__builtin_add_overflow(processState.now(), nanoseconds, &deadline))
            deadline = never;
        Wait wait(processState, deadline, Wait::WokenBy::Signal, number);
        abandoned.wait = &wait;
        (void)takeWake();
        bool isLook = wait.isDue();
        do {
            result = block([&] { return call(isLook, &mask); }, abandon, &abandoned);
            isLook = wait.isDue() && wait.mayEnd();
        } while (result == -EINTR && takeWake());
        if (left != nullptr)
            *left = wait.left();
    }
    restoreMask(abandoned.before);
    return kernel::asResult(result);
}

int waitForPoll(ProcessState &processState, pollfd *descriptors, nfds_t count, std::int64_t nanoseconds,
                const sigset_t *mask)
{
    return waitFor(processState, nanoseconds, mask, nullptr, [=](bool isLook, const KernelMask *let) {
        timespec time = atOnce; // The kernel modifies it.
        return kernel::call(SYS_ppoll, descriptors, count, isLook ? &time : nullptr, let, sizeof *let);
    });
}

/// Waits by pselect6(). `left`: set to the remaining time; may be null.
int waitForSelect(ProcessState &processState, int count, fd_set *reads, fd_set *writes, fd_set *exceptions,
                  std::int64_t nanoseconds, const sigset_t *mask, std::int64_t *left)
{
    return waitFor(processState, nanoseconds, mask, left, [=](bool isLook, const KernelMask *let) {
        struct
        {
            const KernelMask *mask;
            std::size_t size;
        } const both {let, sizeof *let};
        timespec time = atOnce;
        return kernel::call(SYS_pselect6, count, reads, writes, exceptions, isLook ? &time : nullptr, &both);
    });
}

int waitForEpoll(ProcessState &processState, int set, epoll_event *events, int maximum, std::int64_t nanoseconds,
                 const sigset_t *mask)
{
    const std::int64_t timeout = untilReportedTimer(processState, nanoseconds);
    return waitFor(
        processState, timeout, mask, nullptr,
        [=](bool isLook, const KernelMask *let) {
            return kernel::call(SYS_epoll_pwait, set, events, maximum, isLook ? 0 : -1, let, sizeof *let);
        },
        lastReportedTimer());
}

void closeDescriptor(void *descriptor)
{
    ::close(*static_cast<int *>(descriptor));
}

/// Takes one of the pending signals. Returns its number, or -1 with errno EAGAIN.
int takeSignal(const sigset_t &set, siginfo_t &info)
{
    return kernel::asResult(kernel::call(SYS_rt_sigtimedwait, &set, &info, &atOnce, sizeof(KernelMask)));
}

/// Waits until the descriptor shows one of the signals, and takes it.
[[gnu::noinline]] int waitForSignal(ProcessState &processState, int descriptor, const sigset_t &set, siginfo_t &info,
                                    std::int64_t nanoseconds)
{
    pollfd pending {descriptor, POLLIN, 0};
    KernelMask awaited = 0;
    std::memcpy(&awaited, &set, sizeof awaited);
    for (;;) {
        const int ready = waitFor(processState, nanoseconds, nullptr, &nanoseconds, [&](bool isLook, const auto *let) {
            const KernelMask mask = *let | awaited; // No handler takes an awaited signal.
            timespec time = atOnce;
            return kernel::call(SYS_ppoll, &pending, 1, isLook ? &time : nullptr, &mask, sizeof mask);
        });
        if (ready == 0)
            errno = EAGAIN;
        if (ready <= 0)
            return -1;
        const int taken = takeSignal(set, info);
        if (taken >= 0 || nanoseconds == 0) // Otherwise another thread has taken the signal.
            return taken;
    }
}

/// Waits for one of the signals, which a descriptor shows while one is pending.
int waitForSignal(ProcessState &processState, const sigset_t &set, siginfo_t &info, std::int64_t nanoseconds)
{
    if (const int taken = takeSignal(set, info); taken >= 0)
        return taken;
    int descriptor = ::signalfd(-1, &set, SFD_CLOEXEC);
    if (descriptor < 0)
        return -1;
    volatile int result = 0;
    pthread_cleanup_push(closeDescriptor, &descriptor);
    result = waitForSignal(processState, descriptor, set, info, nanoseconds);
    pthread_cleanup_pop(0);
    const int error = errno;
    ::close(descriptor);
    errno = error;
    return result;
}

constexpr std::int64_t fromMilliseconds(int milliseconds)
{
    return std::int64_t {milliseconds} * 1'000'000;
}

/// Returns null if the page does not control the timeout.
ProcessState *homeOf(const timespec *time)
{
    return time != nullptr && isValid(*time) && time->tv_sec >= 0 && (time->tv_sec != 0 || time->tv_nsec != 0)
             ? stateOfWaits()
             : nullptr;
}

Next<int(pollfd *, nfds_t, int)> nextPoll("poll");
Next<int(pollfd *, nfds_t, const timespec *, const sigset_t *)> nextPpoll("ppoll");
Next<int(int, fd_set *, fd_set *, fd_set *, timeval *)> nextSelect("select");
Next<int(int, fd_set *, fd_set *, fd_set *, const timespec *, const sigset_t *)> nextPselect("pselect");
Next<int(const sigset_t *, siginfo_t *, const timespec *)> nextSigtimedwait("sigtimedwait");
Next<int(int, epoll_event *, int, int)> nextEpollWait("epoll_wait");
Next<int(int, epoll_event *, int, int, const sigset_t *)> nextEpollPwait("epoll_pwait");
Next<int(int, epoll_event *, int, const timespec *, const sigset_t *)> nextEpollPwait2("epoll_pwait2");

} // namespace

extern "C" {

int poll(pollfd *descriptors, nfds_t count, int milliseconds)
{
    ProcessState *const here = milliseconds > 0 ? stateOfWaits() : nullptr;
    return here == nullptr ? nextPoll(descriptors, count, milliseconds)
                           : waitForPoll(*here, descriptors, count, fromMilliseconds(milliseconds), nullptr);
}

int ppoll(pollfd *descriptors, nfds_t count, const timespec *time, const sigset_t *mask)
{
    ProcessState *const here = homeOf(time);
    return here == nullptr ? nextPpoll(descriptors, count, time, mask)
                           : waitForPoll(*here, descriptors, count, toNanoseconds(*time), mask);
}

/// Called in place of poll() by programs compiled with _FORTIFY_SOURCE.
int __poll_chk(pollfd *descriptors, nfds_t count, int milliseconds, std::size_t) // NOLINT(bugprone-reserved-identifier)
{
    return poll(descriptors, count, milliseconds);
}

int __ppoll_chk(pollfd *descriptors, nfds_t count, const timespec *time, // NOLINT(bugprone-reserved-identifier)
                const sigset_t *mask, std::size_t)
{
    return ppoll(descriptors, count, time, mask);
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, timeval *time)
{
    const timespec precise = time == nullptr ? timespec {} : timespec {time->tv_sec, time->tv_usec * 1000};
    ProcessState *const here = time == nullptr ? nullptr : homeOf(&precise);
    if (here == nullptr)
        return nextSelect(count, reads, writes, exceptions, time);
    std::int64_t left = 0;
    const int result = waitForSelect(*here, count, reads, writes, exceptions, toNanoseconds(precise), nullptr, &left);
    const timespec rest = toTimespec(left);
    *time = {rest.tv_sec, rest.tv_nsec / 1000};
    return result;
}

int pselect(int count, fd_set *reads, fd_set *writes, fd_set *exceptions, const timespec *time, const sigset_t *mask)
{
    ProcessState *const here = homeOf(time);
    return here == nullptr
             ? nextPselect(count, reads, writes, exceptions, time, mask)
             : waitForSelect(*here, count, reads, writes, exceptions, toNanoseconds(*time), mask, nullptr);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const timespec *time)
{
    ProcessState *const here = homeOf(time);
    if (here == nullptr)
        return nextSigtimedwait(set, info, time);
    siginfo_t received {};
    const int result = waitForSignal(*here, *set, received, toNanoseconds(*time));
    if (result < 0)
        return result;
    if (received.si_code == SI_TKILL) // As in the C library, which sends it for raise().
        received.si_code = SI_USER;
    if (info != nullptr)
        *info = received;
    return result;
}

int epoll_wait(int set, epoll_event *events, int maximum, int milliseconds)
{
    ProcessState *const here = milliseconds > 0 ? stateOfWaits() : nullptr;
    return here == nullptr ? nextEpollWait(set, events, maximum, milliseconds)
                           : waitForEpoll(*here, set, events, maximum, fromMilliseconds(milliseconds), nullptr);
}

int epoll_pwait(int set, epoll_event *events, int maximum, int milliseconds, const sigset_t *mask)
{
    ProcessState *const here = milliseconds > 0 ? stateOfWaits() : nullptr;
    return here == nullptr ? nextEpollPwait(set, events, maximum, milliseconds, mask)
                           : waitForEpoll(*here, set, events, maximum, fromMilliseconds(milliseconds), mask);
}

int epoll_pwait2(int set, epoll_event *events, int maximum, const timespec *time, const sigset_t *mask)
{
    ProcessState *const here = homeOf(time);
    return here == nullptr ? nextEpollPwait2(set, events, maximum, time, mask)
                           : waitForEpoll(*here, set, events, maximum, toNanoseconds(*time), mask);
}

} // extern "C"
