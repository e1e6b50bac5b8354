#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/next.h"
#include "core/explore/shim/preload/processstate.h"
#include "core/explore/shim/preload/waiting.h"

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Timers that end on the page's clock. The controlling side sends their signals, which the kernel delivers as usual. A
// timerfd is a pipe to which the controlling side writes the number of expirations.

using namespace latchkey::shim::preload;
using latchkey::shim::never;
using latchkey::shim::PageTime;
using latchkey::shim::PageTimer;

namespace {

Next<int(int, itimerval *)> nextGetitimer("getitimer");
Next<int(int, const itimerval *, itimerval *)> nextSetitimer("setitimer");
Next<int(clockid_t, sigevent *, timer_t *)> nextCreate("timer_create");
Next<int(timer_t, int, const itimerspec *, itimerspec *)> nextSettime("timer_settime");
Next<int(timer_t, itimerspec *)> nextGettime("timer_gettime");
Next<int(timer_t)> nextOverrun("timer_getoverrun");
Next<int(timer_t)> nextDelete("timer_delete");
Next<int(int, int)> nextFdCreate("timerfd_create");
Next<int(int, int, const itimerspec *, itimerspec *)> nextFdSettime("timerfd_settime");
Next<int(int, itimerspec *)> nextFdGettime("timerfd_gettime");

/// Finds the timer of this process. A descriptor may be that of a parent. Null: not set.
PageTimer *find(const ProcessState &here, PageTimer::Kind kind, std::uint64_t identity)
{
    const std::int32_t process = kernel::processId();
    for (PageTimer &timer : here.page->timers) {
        const std::int32_t owner = timer.process.load();
        if ((owner == process || (kind == PageTimer::Descriptor && owner != 0)) && timer.kind.load() == kind
            && timer.identity.load() == identity)
            return &timer;
    }
    return nullptr;
}

/// Adds a stopped timer. Null if there are too many; then it ends on the machine's clock.
PageTimer *add(const ProcessState &here, PageTimer::Kind kind, std::uint64_t identity, int target)
{
    PageTimer *const timer = takePlace(here.page->timers, &PageTimer::process);
    if (timer == nullptr) {
        here.page->refusals.fetch_add(1);
        return nullptr;
    }
    timer->deadline.store(never);
    timer->interval.store(0);
    timer->kind.store(kind);
    timer->identity.store(identity);
    timer->target.store(target);
    timer->value.store(0);
    timer->clock.store(CLOCK_MONOTONIC);
    return timer;
}

/// Returns the remaining time and the interval; both zero if the timer is stopped.
itimerspec remaining(const ProcessState &here, const PageTimer *timer)
{
    if (timer == nullptr || timer->deadline.load() == never)
        return {};
    const std::int64_t left = std::max<std::int64_t>(1, timer->deadline.load() - here.now());
    return {toTimespec(timer->interval.load()), toTimespec(left)};
}

/// Starts the timer, or stops it if the time is zero. `moment`: the clock of an absolute time.
void set(const ProcessState &here, PageTimer &timer, const itimerspec &value, std::optional<clockid_t> moment = {})
{
    const PageTime time = toNanoseconds(value.it_value);
    timer.deadline.store(never);
    timer.interval.store(toNanoseconds(value.it_interval));
    if (time == 0)
        return;
    const auto count = moment ? countOf(*moment) : std::nullopt;
    timer.number.store(here.page->waitsBegun.fetch_add(1));
    timer.deadline.store(count && time != never ? time - shownAhead(here, *count) : later(here.now(), time));
}

itimerval toTimeval(const itimerspec &value)
{
    return {{value.it_interval.tv_sec, value.it_interval.tv_nsec / 1000},
            {value.it_value.tv_sec, value.it_value.tv_nsec / 1000}};
}

/// Returns whether the descriptor may be a timerfd of this library, and its identity.
bool isTimerPipe(int descriptor, std::uint64_t &inode)
{
    struct stat about {};
    if (kernel::call(SYS_fstat, descriptor, &about) != 0 || !S_ISFIFO(about.st_mode))
        return false;
    inode = about.st_ino;
    return true;
}

/// Removes the expirations that the program has not read.
void drain(int descriptor)
{
    int size = 0;
    std::uint64_t count = 0;
    while (kernel::call(SYS_ioctl, descriptor, FIONREAD, &size) == 0 && size > 0
           && kernel::call(SYS_read, descriptor, &count, sizeof count) > 0) {}
}

/// Opens both ends of a pipe as one descriptor, which therefore never reaches its end. Returns the descriptor, or the
/// negative errno.
long openPipe(int flags)
{
    int ends[2] {};
    if (const long result = kernel::call(SYS_pipe2, ends, O_CLOEXEC); result < 0)
        return result;
    char path[] = "/proc/self/fd/0000000000";
    char *end = path + sizeof "/proc/self/fd/" - 1;
    char digits[12];
    int count = 0;
    for (int rest = ends[0]; rest != 0 || count == 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    while (count > 0)
        *end++ = digits[--count];
    *end = '\0';
    const long both = kernel::call(SYS_openat, AT_FDCWD, path, O_RDWR | flags);
    (void)kernel::call(SYS_close, ends[0]);
    (void)kernel::call(SYS_close, ends[1]);
    return both;
}

} // namespace

extern "C" {

int setitimer(__itimer_which_t which, const itimerval *value, itimerval *before) noexcept
{
    ProcessState *const here = which == ITIMER_REAL && value != nullptr ? stateOfWaits() : nullptr;
    if (here == nullptr)
        return nextSetitimer(static_cast<int>(which), value, before);
    PageTimer *timer = find(*here, PageTimer::RealTime, 0);
    if (before != nullptr)
        *before = toTimeval(remaining(*here, timer));
    const timespec first {value->it_value.tv_sec, value->it_value.tv_usec * 1000};
    const timespec interval {value->it_interval.tv_sec, value->it_interval.tv_usec * 1000};
    if (!isValid(first) || !isValid(interval) || first.tv_sec < 0 || interval.tv_sec < 0)
        return kernel::asResult(-EINVAL);
    if (timer == nullptr && toNanoseconds(first) == 0)
        return 0;
    if (timer == nullptr)
        timer = add(*here, PageTimer::RealTime, 0, SIGALRM);
    if (timer == nullptr) {
        reportMachineTimer();
        return nextSetitimer(static_cast<int>(which), value, before);
    }
    set(*here, *timer, {interval, first});
    return 0;
}

int getitimer(__itimer_which_t which, itimerval *value) noexcept
{
    ProcessState *const here = which == ITIMER_REAL ? stateOfWaits() : nullptr;
    if (here == nullptr)
        return nextGetitimer(static_cast<int>(which), value);
    *value = toTimeval(remaining(*here, find(*here, PageTimer::RealTime, 0)));
    return 0;
}

unsigned alarm(unsigned seconds) noexcept
{
    const itimerval value {{0, 0}, {static_cast<time_t>(seconds), 0}};
    itimerval before {};
    if (setitimer(ITIMER_REAL, &value, &before) != 0)
        return 0;
    const bool roundsUp =
        before.it_value.tv_usec >= 500'000 || (before.it_value.tv_sec == 0 && before.it_value.tv_usec > 0);
    return static_cast<unsigned>(before.it_value.tv_sec) + (roundsUp ? 1 : 0);
}

useconds_t ualarm(useconds_t first, useconds_t interval) noexcept
{
    const itimerval value {{interval / 1'000'000, interval % 1'000'000}, {first / 1'000'000, first % 1'000'000}};
    itimerval before {};
    if (setitimer(ITIMER_REAL, &value, &before) != 0)
        return static_cast<useconds_t>(-1);
    return static_cast<useconds_t>(before.it_value.tv_sec * 1'000'000 + before.it_value.tv_usec);
}

int timer_create(clockid_t clock, sigevent *event, timer_t *created) noexcept
{
    const int result = nextCreate(clock, event, created);
    ProcessState *const here = stateOfWaits();
    if (result != 0 || here == nullptr || !countOf(clock) || (event != nullptr && event->sigev_notify != SIGEV_SIGNAL))
        return result;
    const auto identity = reinterpret_cast<std::uintptr_t>(*created);
    PageTimer *const timer = add(*here, PageTimer::Created, identity, event == nullptr ? SIGALRM : event->sigev_signo);
    if (timer != nullptr) {
        timer->value.store(event == nullptr ? identity
                                            : reinterpret_cast<std::uintptr_t>(event->sigev_value.sival_ptr));
        timer->clock.store(clock);
    }
    return result;
}

int timer_settime(timer_t created, int flags, const itimerspec *value, itimerspec *before) noexcept
{
    ProcessState *const here = stateOfWaits();
    PageTimer *const timer =
        here == nullptr ? nullptr : find(*here, PageTimer::Created, reinterpret_cast<std::uintptr_t>(created));
    if (timer == nullptr) {
        if (toNanoseconds(value->it_value) != 0)
            reportMachineTimer();
        return nextSettime(created, flags, value, before);
    }
    if (!isValid(value->it_value) || !isValid(value->it_interval))
        return kernel::asResult(-EINVAL);
    if (before != nullptr)
        *before = remaining(*here, timer);
    set(*here, *timer, *value, (flags & TIMER_ABSTIME) != 0 ? std::optional(timer->clock.load()) : std::nullopt);
    return 0;
}

int timer_gettime(timer_t created, itimerspec *value) noexcept
{
    ProcessState *const here = stateOfWaits();
    PageTimer *const timer =
        here == nullptr ? nullptr : find(*here, PageTimer::Created, reinterpret_cast<std::uintptr_t>(created));
    if (timer == nullptr)
        return nextGettime(created, value);
    *value = remaining(*here, timer);
    return 0;
}

int timer_getoverrun(timer_t created) noexcept
{
    ProcessState *const here = stateOfWaits();
    const bool isOurs =
        here != nullptr && find(*here, PageTimer::Created, reinterpret_cast<std::uintptr_t>(created)) != nullptr;
    return isOurs ? 0 : nextOverrun(created);
}

int timer_delete(timer_t created) noexcept
{
    ProcessState *const here = stateOfWaits();
    if (here != nullptr) {
        if (PageTimer *const timer = find(*here, PageTimer::Created, reinterpret_cast<std::uintptr_t>(created)))
            timer->process.store(0);
    }
    return nextDelete(created);
}

int timerfd_create(clockid_t clock, int flags) noexcept
{
    ProcessState *const here = stateOfWaits();
    if (here == nullptr || !countOf(clock) || (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0)
        return nextFdCreate(clock, flags);
    const long pipe = openPipe(flags); // The flags are those of open().
    std::uint64_t inode = 0;
    if (pipe < 0 || !isTimerPipe(static_cast<int>(pipe), inode))
        return nextFdCreate(clock, flags);
    PageTimer *const timer = add(*here, PageTimer::Descriptor, inode, static_cast<int>(pipe));
    if (timer == nullptr) {
        (void)kernel::call(SYS_close, pipe);
        return nextFdCreate(clock, flags);
    }
    timer->clock.store(clock);
    return static_cast<int>(pipe);
}

int timerfd_settime(int descriptor, int flags, const itimerspec *value, itimerspec *before) noexcept
{
    ProcessState *const here = stateOfWaits();
    std::uint64_t inode = 0;
    PageTimer *const timer =
        here != nullptr && isTimerPipe(descriptor, inode) ? find(*here, PageTimer::Descriptor, inode) : nullptr;
    if (timer == nullptr) {
        if (toNanoseconds(value->it_value) != 0)
            reportMachineTimer();
        return nextFdSettime(descriptor, flags, value, before);
    }
    if (!isValid(value->it_value) || !isValid(value->it_interval))
        return kernel::asResult(-EINVAL);
    if (before != nullptr)
        *before = remaining(*here, timer);
    drain(descriptor);
    timer->process.store(kernel::processId());
    timer->target.store(descriptor);
    set(*here, *timer, *value, (flags & TFD_TIMER_ABSTIME) != 0 ? std::optional(timer->clock.load()) : std::nullopt);
    return 0;
}

int timerfd_gettime(int descriptor, itimerspec *value) noexcept
{
    ProcessState *const here = stateOfWaits();
    std::uint64_t inode = 0;
    PageTimer *const timer =
        here != nullptr && isTimerPipe(descriptor, inode) ? find(*here, PageTimer::Descriptor, inode) : nullptr;
    if (timer == nullptr)
        return nextFdGettime(descriptor, value);
    *value = remaining(*here, timer);
    return 0;
}

} // extern "C"
