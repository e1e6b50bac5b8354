#include "core/explore/shim/preload/forkserver.h"

#include "core/explore/shim/preload/processstate.h"
#include "core/explore/shim/preload/procfiles.h"

#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace latchkey::shim::preload {

namespace {

/// A regular file that is open for reading.
struct OpenFile
{
    int descriptor = -1;
    int flags = 0;
    std::int64_t position = 0;
    bool closesOnExec = false;
};

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
    std::array<OpenFile, 16> files {};
    std::size_t fileCount = 0;
    std::array<Mapping, 256> mappings {};
    std::size_t mappingCount = 0;
};

bool isSame(const struct stat &a, const struct stat &b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool hasInode(int descriptor, std::uint64_t inode, mode_t type)
{
    struct stat about {};
    return kernel::call(SYS_fstat, descriptor, &about) == 0 && (about.st_mode & S_IFMT) == type
        && about.st_ino == inode;
}

/// Returns whether the device has no state: null, zero, random and urandom.
bool isStateless(const struct stat &about)
{
    constexpr unsigned memoryDevices = 1;
    const unsigned number = minor(about.st_rdev);
    return S_ISCHR(about.st_mode) && major(about.st_rdev) == memoryDevices
        && (number == 3 || number == 5 || number == 8 || number == 9);
}

/// Returns whether a started process would share the descriptor with this one, too.
bool isInherited(const PageForks &forks, int descriptor, const struct stat &about)
{
    const auto known =
        std::span(forks.inherited).first(std::min<std::size_t>(forks.inheritedCount, forks.inherited.size()));
    return std::any_of(known.begin(), known.end(), [&](const PageForks::Inherited &each) {
        return each.descriptor == descriptor && each.device == about.st_dev && each.inode == about.st_ino;
    });
}

/// Returns whether a lock of the file belongs to this process.
bool isLocked(int descriptor)
{
    ProcLines lines((ProcPath() << "/proc/self/fdinfo/" << static_cast<std::uint64_t>(descriptor)).text());
    while (const char *line = lines.next()) {
        if (std::strncmp(line, "lock:", 5) == 0)
            return true;
    }
    return !lines.isOpen();
}

/// Adds a file that each forked process opens for itself. Returns false if it may be shared only with this process.
bool addFile(ForkPoint &point, int descriptor, const struct stat &about)
{
    const long flags = kernel::call(SYS_fcntl, descriptor, F_GETFL);
    if (!S_ISREG(about.st_mode) || flags < 0 || (flags & O_ACCMODE) != O_RDONLY || isLocked(descriptor)
        || point.fileCount == point.files.size())
        return false;
    point.files[point.fileCount++] = {descriptor, static_cast<int>(flags),
                                      kernel::call(SYS_lseek, descriptor, 0, SEEK_CUR),
                                      (kernel::call(SYS_fcntl, descriptor, F_GETFD) & FD_CLOEXEC) != 0};
    return true;
}

/// Returns whether standard output and standard error are the same pipe, for writing.
bool hasPlainOutput()
{
    struct stat out {};
    struct stat error {};
    return kernel::call(SYS_fstat, STDOUT_FILENO, &out) == 0 && kernel::call(SYS_fstat, STDERR_FILENO, &error) == 0
        && S_ISFIFO(out.st_mode) && isSame(out, error)
        && (kernel::call(SYS_fcntl, STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY;
}

/// Returns whether a forked process can have the same descriptors, independent of those of this process.
bool checkDescriptors(const ProcessState &here, ForkPoint &point)
{
    const long folder = kernel::call(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || !hasPlainOutput())
        return false;
    struct Entry // The kernel's.
    {
        std::uint64_t inode;
        std::int64_t offset;
        std::uint16_t length;
        std::uint8_t type;
        char name[1];
    };
    alignas(Entry) std::array<char, 2048> entries {};
    bool isFine = true;
    for (long count = 0;
         isFine && (count = kernel::call(SYS_getdents64, folder, entries.data(), entries.size())) > 0;) {
        for (long at = 0; isFine && at < count;) {
            const auto *const entry = reinterpret_cast<const Entry *>(entries.data() + at);
            at += entry->length;
            const char *const name = entries.data() + (reinterpret_cast<const char *>(&entry->name) - entries.data());
            const auto descriptor = static_cast<int>(std::strtol(name, nullptr, 10));
            struct stat about {};
            if (name[0] == '.' || descriptor == folder || descriptor == point.control || descriptor == here.descriptor
                || descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)
                continue;
            isFine = kernel::call(SYS_fstat, descriptor, &about) == 0
                  && (isStateless(about) || isInherited(here.page->forks, descriptor, about)
                      || addFile(point, descriptor, about));
        }
    }
    (void)kernel::call(SYS_close, folder);
    return isFine;
}

/// Parses a line such as this; otherwise returns null:
/// 7f0000000000-7f0000025000 rw-s 00000000 00:01 1234    /memfd:latchkey-clock (deleted)
const char *permissionsIn(const char *line, Mapping &mapping)
{
    char *end = nullptr;
    mapping.begin = std::strtoull(line, &end, 16);
    if (end == line || *end != '-')
        return nullptr;
    mapping.end = std::strtoull(end + 1, &end, 16);
    return *end == ' ' && std::strlen(end) > 4 ? end + 1 : nullptr;
}

/// Returns whether all memory is copied by a fork, except the page. Notes the private writable mappings.
bool checkMemory(const ProcessState &here, ForkPoint &point)
{
    ProcLines lines("/proc/self/smaps");
    if (!lines.isOpen())
        return false;
    while (const char *line = lines.next()) {
        Mapping mapping;
        const char *const permissions = permissionsIn(line, mapping);
        if (permissions == nullptr) {
            if (std::strncmp(line, "VmFlags:", 8) == 0 && std::strstr(line, "dc") != nullptr)
                return false; // MADV_DONTFORK
            continue;
        }
        const bool isWritable = permissions[1] == 'w';
        if (isWritable && permissions[3] == 's' && mapping.begin != reinterpret_cast<std::uintptr_t>(here.page))
            return false;
        if (isWritable && permissions[3] == 'p' && point.mappingCount < point.mappings.size())
            point.mappings[point.mappingCount++] = mapping;
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

/// Returns whether the process has another thread or any child.
bool hasCompany()
{
    struct stat threads {};
    constexpr nlink_t one = 3; // Links of a folder with one folder in it.
    siginfo_t child {};
    return kernel::call(SYS_stat, "/proc/self/task", &threads) != 0 || threads.st_nlink != one
        || kernel::call(SYS_waitid, P_ALL, 0, &child, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT | __WALL,
                        nullptr)
               != -ECHILD;
}

/// Returns whether the process can be forked unnoticed.
bool check(const ProcessState &here, ForkPoint &point)
{
    return here.process != nullptr && !here.areWaitsReal() && hasInode(here.descriptor, here.pageInode, S_IFREG)
        && !hasCompany() && !hasTimersOrSignals(here)
        && kernel::call(SYS_prctl, PR_GET_TID_ADDRESS, &point.threadId) == 0 && point.threadId != nullptr
        && *point.threadId == kernel::threadId()
        && kernel::call(SYS_get_robust_list, 0, &point.robustList, &point.robustListSize) == 0
        && checkDescriptors(here, point) && checkMemory(here, point);
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

/// Opens the file anew, because a forked descriptor shares its position.
bool reopen(const OpenFile &file)
{
    const auto number = static_cast<std::uint64_t>(file.descriptor);
    const long own = kernel::call(SYS_openat, AT_FDCWD, (ProcPath() << "/proc/self/fd/" << number).text(),
                                  file.flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW));
    const bool isOpen = own >= 0 && kernel::call(SYS_lseek, own, file.position, SEEK_SET) == file.position
                     && kernel::call(SYS_dup3, own, file.descriptor, file.closesOnExec ? O_CLOEXEC : 0) >= 0;
    return isOpen && kernel::call(SYS_close, own) == 0;
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
    for (std::size_t i = 0; i < point.fileCount; ++i) {
        if (!reopen(point.files[i]))
            return false;
    }
    return kernel::call(SYS_dup3, request.output, STDOUT_FILENO, 0) >= 0
        && kernel::call(SYS_dup3, request.output, STDERR_FILENO, 0) >= 0 && replacePage(request.page)
        && kernel::call(SYS_close, request.page) == 0 && kernel::call(SYS_close, request.output) == 0;
}

/// Forks a process for each request. Returns in these, and in this process if it shall continue. Ends the process if
/// the controlling side has closed the socket.
void serve(const ForkPoint &point)
{
    for (Request request; receive(point.control, request); request = {}) {
        if (request.page < 0) {
            (void)kernel::call(SYS_close, point.control);
            return;
        }
        const long forked = kernel::call(SYS_clone, CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
                                         nullptr, nullptr, point.threadId, nullptr);
        if (forked == 0) {
            const bool hasBegun = begin(point, request);
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
        return serve(point);
    (void)kernel::call(SYS_close, point.control);
}

} // namespace latchkey::shim::preload
