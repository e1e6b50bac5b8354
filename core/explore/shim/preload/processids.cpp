#include "core/explore/shim/preload/processids.h"

#include "core/explore/shim/preload/next.h"

#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// Replacements of the functions that return process IDs and thread IDs, and of those that accept them. IDs that
// programs see are greater than all IDs of the kernel, so every function accepts both.

namespace latchkey::shim::preload {

namespace {

struct ThreadId
{
    int real = 0;
    int shown = 0;
};

/// The ID of the calling thread. After a fork, it is that of the parent's thread, until the next call.
[[gnu::tls_model("initial-exec")]] thread_local ThreadId ownThread;

/// Returns the state of this process if the program sees other IDs; otherwise null.
ProcessState *stateOfIds()
{
    ProcessState *const here = processState();
    return here != nullptr && here->page->areIdsShown ? here : nullptr;
}

/// Returns the ID that programs see for a process of the page; for all others, the given ID.
int shownProcess(int real)
{
    const ProcessState *const here = stateOfIds();
    if (here == nullptr || real <= 0)
        return real;
    if (here->process != nullptr && here->process->id.load() == real)
        return here->process->shownId.load();
    for (const PageProcess &process : here->page->processes) {
        if (process.id.load() == real)
            return process.shownId.load();
    }
    return real;
}

int shownThread()
{
    const ProcessState *const here = stateOfIds();
    const int real = kernel::threadId();
    const int process = kernel::processId();
    if (here == nullptr || real == process)
        return shownProcess(real);
    if (ownThread.real != real)
        ownThread = {real, nextShownId(*here->page)};
    return ownThread.shown;
}

/// Returns the kernel's ID of a process or, if negative, of a process group. Records an ID of no process of the page:
/// only the machine knows whether another client's process exists.
int realProcess(int shown)
{
    const int id = shown < 0 ? -(shown + 1) + 1 : shown;
    const ProcessState *const here = stateOfIds();
    if (here == nullptr || id < minShownId)
        return shown;
    for (const PageProcess &process : here->page->processes) {
        if (const int real = process.id.load(); real != 0 && process.shownId.load() == id)
            return shown < 0 ? -real : real;
    }
    here->page->hasSoughtProcess.store(true);
    return shown;
}

int realThread(int shown)
{
    return shown == ownThread.shown && ownThread.real == kernel::threadId() ? ownThread.real : realProcess(shown);
}

int realProcess(long shown)
{
    return realProcess(static_cast<int>(shown));
}

/// Returns whether the main thread of the process computes, which includes its exit until its parent can see it.
bool isComputing(int real)
{
    std::array<char, 32> path {"/proc/"};
    char *const digits = path.data() + std::strlen(path.data());
    char *const end = std::to_chars(digits, path.data() + path.size() - sizeof "/stat", real).ptr;
    std::memcpy(end, "/stat", sizeof "/stat");
    const auto file = static_cast<int>(kernel::call(SYS_openat, AT_FDCWD, path.data(), O_RDONLY | O_CLOEXEC));
    if (file < 0)
        return false;
    std::array<char, 64> text {}; // The number, the name of at most 15 characters, and the state.
    (void)kernel::call(SYS_read, file, text.data(), text.size() - 1);
    (void)kernel::call(SYS_close, file);
    const char *const nameEnd = std::strrchr(text.data(), ')');
    return nameEnd != nullptr && (std::strncmp(nameEnd, ") R", 3) == 0 || std::strncmp(nameEnd, ") D", 3) == 0);
}

} // namespace

std::int32_t nextShownId(Page &page)
{
    return shownId(page.firstId + page.idsShown.fetch_add(1), page.hasOtherIds);
}

void renewThreadId()
{
    if (ownThread.real != 0)
        ownThread.real = kernel::threadId();
}

std::optional<long> callWithShownIds(long number, long a, long b, long c, long d)
{
    switch (number) {
    case SYS_getpid:
        return shownProcess(kernel::processId());
    case SYS_getppid:
        return shownProcess(static_cast<int>(kernel::call(SYS_getppid)));
    case SYS_gettid:
        return shownThread();
    case SYS_kill:
    case SYS_pidfd_open:
        return kernel::call(number, realProcess(a), b);
    case SYS_tgkill:
        return kernel::call(number, realProcess(a), realThread(static_cast<int>(b)), c);
    case SYS_wait4:
        return kernel::call(number, realProcess(a), b, c, d);
    default:
        return std::nullopt;
    }
}

} // namespace latchkey::shim::preload

using namespace latchkey::shim::preload;

extern "C" {

pid_t getpid() noexcept
{
    return shownProcess(kernel::processId());
}

pid_t getppid() noexcept
{
    return shownProcess(static_cast<int>(kernel::call(SYS_getppid)));
}

pid_t gettid() noexcept
{
    return shownThread();
}

int kill(pid_t process, int number) noexcept
{
    return kernel::asResult(kernel::call(SYS_kill, realProcess(process), number));
}

int killpg(pid_t group, int number) noexcept
{
    return kernel::asResult(kernel::call(SYS_kill, -realProcess(group), number));
}

int tgkill(pid_t process, pid_t thread, int number)
{
    return kernel::asResult(kernel::call(SYS_tgkill, realProcess(process), realThread(thread), number));
}

int sigqueue(pid_t process, int number, const sigval value) noexcept
{
    static Next<decltype(::sigqueue)> next("sigqueue");
    return next(realProcess(process), number, value);
}

pid_t waitpid(pid_t process, int *status, int options)
{
    static Next<decltype(::waitpid)> next("waitpid"); // A cancellation point.
    const int real = realProcess(process);
    // A check of a child that is about to end would find it alive by chance. The parent checks when the child has ended
    // or waits, at the latest after two seconds.
    constexpr int maxChecks = 20'000;
    constexpr timespec checkInterval {0, 100'000};
    for (int checks = 0;; ++checks) {
        const bool mayEnd =
            checks < maxChecks && (options & WNOHANG) != 0 && real > 0 && stateOfIds() != nullptr && isComputing(real);
        const pid_t ended = next(real, status, options);
        if (ended != 0 || !mayEnd)
            return ended;
        (void)kernel::call(SYS_nanosleep, &checkInterval, nullptr);
    }
}

pid_t wait4(pid_t process, int *status, int options, rusage *usage) noexcept
{
    static Next<pid_t(pid_t, int *, int, rusage *)> next("wait4");
    return next(realProcess(process), status, options, usage);
}

int waitid(idtype_t type, id_t id, siginfo_t *information, int options)
{
    static Next<decltype(::waitid)> next("waitid"); // A cancellation point.
    const bool isProcess = type == P_PID || type == P_PGID;
    return next(type, isProcess ? static_cast<id_t>(realProcess(static_cast<pid_t>(id))) : id, information, options);
}

pid_t getpgid(pid_t process) noexcept
{
    return kernel::asResult(kernel::call(SYS_getpgid, realProcess(process)));
}

int setpgid(pid_t process, pid_t group) noexcept
{
    return kernel::asResult(kernel::call(SYS_setpgid, realProcess(process), realProcess(group)));
}

pid_t getsid(pid_t process) noexcept
{
    return kernel::asResult(kernel::call(SYS_getsid, realProcess(process)));
}

int pidfd_open(pid_t process, unsigned flags) noexcept
{
    return kernel::asResult(kernel::call(SYS_pidfd_open, realProcess(process), flags));
}

} // extern "C"
