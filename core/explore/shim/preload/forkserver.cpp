#include "core/explore/shim/preload/forkserver.h"

#include "core/explore/shim/preload/descriptors.h"
#include "core/explore/shim/preload/procfiles.h"
#include "core/explore/shim/preload/threads.h"

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace latchkey::shim::preload {

namespace {

/// A function of V8 that Node.js exports: the process is one of Node.js.
constexpr const char *symbolOfNode = "_ZN2v82V818SetFlagsFromStringEPKc";

/// A part of the memory that the process has changed or may change.
struct Mapping
{
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

/// State of the process at its fork point.
struct ForkPoint
{
    int control = -1; ///< Socket to the controlling side.
    int controller = 0;
    int *threadId = nullptr; ///< Where the C library stores the ID of this thread.
    robust_list_head *robustList = nullptr;
    std::size_t robustListSize = 0;
    bool isNode = false;
    int (*seedRandomness)() = nullptr; ///< Of OpenSSL, which does not notice the fork.
    Descriptors descriptors;
    std::array<Mapping, 1024> mappings {}; ///< Private, writable and mostly in use.
    std::size_t mappingCount = 0;
};

bool hasInode(int descriptor, std::uint64_t inode, mode_t type)
{
    struct stat about {};
    return kernel::call(SYS_fstat, descriptor, &about) == 0 && (about.st_mode & S_IFMT) == type
        && about.st_ino == inode;
}

/// Parses a line such as this; otherwise returns null:
/// 7f0000000000-7f0000025000 rw-s 00000000 00:01 1234    /memfd:latchkey-clock (deleted)
const char *permissionsIn(const char *line, Mapping &mapping)
{
    char *end = nullptr;
    const std::uintptr_t begin = std::strtoull(line, &end, 16);
    if (end == line || *end != '-')
        return nullptr;
    mapping = {begin, std::strtoull(end + 1, &end, 16)};
    return *end == ' ' && std::strlen(end) > 4 ? end + 1 : nullptr;
}

/// Returns whether at least half of the mapping is in use, from a line such as this:
/// Rss:                 136 kB
bool isMostlyUsed(const char *line, const Mapping &mapping)
{
    constexpr const char *label = "Rss:";
    constexpr std::uintptr_t unit = 1024;
    return std::strncmp(line, label, std::strlen(label)) == 0
        && std::strtoull(line + std::strlen(label), nullptr, 10) * unit >= (mapping.end - mapping.begin) / 2;
}

/// Makes a fork copy the mapping. V8 excludes its heap, so that programs that Node.js starts begin sooner.
bool letFork(const ForkPoint &point, const Mapping &mapping)
{
    return point.isNode && kernel::call(SYS_madvise, mapping.begin, mapping.end - mapping.begin, MADV_DOFORK) == 0;
}

/// Returns whether all memory is copied by a fork, except the page. Notes the private writable mappings.
bool checkMemory(const ProcessState &here, ForkPoint &point)
{
    ProcLines lines("/proc/self/smaps");
    if (!lines.isOpen())
        return false;
    Mapping mapping;
    bool isCopied = false;
    while (const char *line = lines.next()) {
        if (const char *const permissions = permissionsIn(line, mapping)) {
            const bool isWritable = permissions[1] == 'w';
            isCopied = isWritable && permissions[3] == 'p';
            if (isWritable && !isCopied && mapping.begin != reinterpret_cast<std::uintptr_t>(here.page))
                return false;
        } else if (isCopied && isMostlyUsed(line, mapping) && point.mappingCount < point.mappings.size()) {
            point.mappings[point.mappingCount++] = mapping;
        } else if (std::strncmp(line, "VmFlags:", 8) == 0 && std::strstr(line, "dc") != nullptr
                   && !letFork(point, mapping)) {
            return false;
        }
    }
    return true;
}

/// Returns whether the process has timers or signals, which a forked process would not have.
bool hasTimersOrSignals(const ProcessState &here)
{
    const std::int32_t process = kernel::processId();
    for (const PageTimer &timer : here.page->timers) {
        if (timer.process.load() == process)
            return true;
    }
    for (const int which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
        itimerval timer {};
        if (kernel::call(SYS_getitimer, which, &timer) != 0 || timer.it_value.tv_sec != 0
            || timer.it_value.tv_usec != 0)
            return true;
    }
    std::uint64_t pending = 0;
    return kernel::call(SYS_rt_sigpending, &pending, sizeof pending) != 0 || pending != 0
        || here.process->hasMachineTimers.load();
}

/// Returns whether the process has no other thread.
bool isSingleThreaded()
{
    struct stat threads {};
    constexpr nlink_t one = 3; // Links of a folder with one folder in it.
    return kernel::call(SYS_stat, "/proc/self/task", &threads) == 0 && threads.st_nlink == one;
}

bool hasChildren()
{
    siginfo_t child {};
    return kernel::call(SYS_waitid, P_ALL, 0, &child, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT | __WALL,
                        nullptr)
        != -ECHILD;
}

/// Returns whether another thread waits until a time on the page's clock: a forked process has another page.
bool hasTimedWaits(const ProcessState &here)
{
    const auto waits = here.page->usedWaits();
    return std::any_of(waits.begin(), waits.end(),
                       [own = kernel::processId()](const PageWait &wait) { return wait.process.load() == own; });
}

/// Returns whether the process, whose other threads are stopped, can be forked unnoticed.
bool checkStopped(const ProcessState &here, ForkPoint &point)
{
    return !hasChildren() && !hasTimersOrSignals(here) && !hasTimedWaits(here)
        && kernel::call(SYS_prctl, PR_GET_TID_ADDRESS, &point.threadId) == 0 && point.threadId != nullptr
        && *point.threadId == kernel::threadId()
        && kernel::call(SYS_get_robust_list, 0, &point.robustList, &point.robustListSize) == 0
        && point.descriptors.note(here, point.control,
                                  point.isNode ? Descriptors::Kinds::EventLoops : Descriptors::Kinds::Files)
        && checkMemory(here, point);
}

/// Returns whether the process can be forked unnoticed. If so, its other threads are stopped.
bool check(const ProcessState &here, ForkPoint &point)
{
    point.isNode = ::dlsym(RTLD_DEFAULT, symbolOfNode) != nullptr;
    if (point.isNode)
        point.seedRandomness = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "RAND_poll"));
    if (here.process == nullptr || here.areWaitsReal() || !hasInode(here.descriptor, here.pageInode, S_IFREG)
        || (!point.isNode && !isSingleThreaded()) || !stopThreads())
        return false;
    const bool isFine = checkStopped(here, point);
    if (!isFine)
        continueThreads();
    return isFine;
}

/// The descriptors of a request; -1: the process shall continue, as an ordinary process.
struct Request
{
    int page = -1;
    int output = -1;
};

/// Waits for a request. Returns false if the controlling side has closed the socket.
bool receive(int control, Request &request)
{
    char byte = 0;
    iovec data {&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Request))> space {};
    msghdr message {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    long count = 0;
    do {
        count = kernel::call(SYS_recvmsg, control, &message, MSG_CMSG_CLOEXEC);
    } while (count == -EINTR);
    const cmsghdr *const header = CMSG_FIRSTHDR(&message);
    if (count == 1 && header != nullptr && header->cmsg_len == CMSG_LEN(sizeof request))
        std::memcpy(&request, CMSG_DATA(header), sizeof request);
    return count == 1;
}

bool send(int control, std::int32_t word)
{
    return kernel::call(SYS_sendto, control, &word, sizeof word, MSG_NOSIGNAL, nullptr, 0) == sizeof word;
}

/// Copies the memory that a program is likely to change, at once: one page fault for each page would take most of the
/// time of a short process.
void copyMemory(const ForkPoint &point)
{
    constexpr int populateWrite = 23; // MADV_POPULATE_WRITE, since Linux 5.14.
    constexpr std::uintptr_t longest = std::uintptr_t {32} << 20;
    for (std::size_t i = 0; i < point.mappingCount; ++i) {
        const Mapping &mapping = point.mappings[i];
        if (mapping.end - mapping.begin <= longest)
            (void)kernel::call(SYS_madvise, mapping.begin, mapping.end - mapping.begin, populateWrite);
    }
}

/// Makes a forked process independent of this one. Returns false if the system refuses it.
bool begin(const ForkPoint &point, const Request &request)
{
    if (kernel::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0
        || kernel::call(SYS_getppid) != point.controller || kernel::call(SYS_setpgid, 0, 0) != 0
        || kernel::call(SYS_set_robust_list, point.robustList, point.robustListSize) != 0)
        return false;
    copyMemory(point);
    return point.descriptors.renew(request.output) && replacePage(request.page)
        && kernel::call(SYS_close, request.page) == 0 && kernel::call(SYS_close, request.output) == 0
        && recreateThreads();
}

/// Gives this process other random numbers than the process that has forked it. OpenSSL notices a fork by the process
/// ID, which is the same. Its readings of the clock are not those of the program.
void seedRandomness(ProcessState &here, const ForkPoint &point)
{
    if (point.seedRandomness == nullptr)
        return;
    const std::int64_t ticks = here.ticks.load();
    const std::uint32_t readings = here.process->readings.load();
    const int error = errno;
    (void)point.seedRandomness();
    errno = error;
    here.ticks.store(ticks);
    here.process->readings.store(readings);
}

/// Forks a process for each request. Returns in these, and in this process if it shall continue. Ends the process if
/// the controlling side has closed the socket.
void serve(ProcessState &here, const ForkPoint &point)
{
    for (Request request; receive(point.control, request); request = {}) {
        if (request.page < 0) {
            (void)kernel::call(SYS_close, point.control);
            continueThreads();
            return;
        }
        const long forked = kernel::call(SYS_clone, CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
                                         nullptr, nullptr, point.threadId, nullptr);
        if (forked == 0) {
            const bool hasBegun = begin(point, request);
            if (hasBegun)
                seedRandomness(here, point);
            if (!send(point.control, hasBegun ? kernel::processId() : 0) || !hasBegun)
                (void)kernel::call(SYS_exit_group, EXIT_FAILURE);
            (void)kernel::call(SYS_close, point.control);
            return;
        }
        (void)kernel::call(SYS_close, request.page);
        (void)kernel::call(SYS_close, request.output);
        if (forked < 0 && !send(point.control, 0))
            break;
    }
    (void)kernel::call(SYS_exit_group, EXIT_SUCCESS);
}

} // namespace

void serveForks()
{
    static std::atomic<bool> hasBegun;
    ProcessState *const here = processState();
    if (here == nullptr || here->page->forks.inode == 0 || hasBegun.exchange(true))
        return;
    ForkPoint point;
    point.control = here->page->forks.descriptor;
    point.controller = here->page->forks.controller;
    // Only the process that the controlling side has started, not its children.
    if (kernel::call(SYS_getppid) != point.controller || !hasInode(point.control, here->page->forks.inode, S_IFSOCK))
        return;
    const bool canFork = check(*here, point);
    if (send(point.control, canFork ? 1 : 0) && canFork)
        return serve(*here, point);
    if (canFork)
        continueThreads(); // The controlling side has given up waiting.
    (void)kernel::call(SYS_close, point.control);
}

} // namespace latchkey::shim::preload
