#include "core/explore/shim/preload/descriptors.h"

#include "core/explore/shim/preload/procfiles.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace latchkey::shim::preload {

namespace {

bool isSame(const struct stat &a, const struct stat &b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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

ProcPath pathOf(const char *folder, int descriptor)
{
    return ProcPath() << "/proc/self/" << folder << static_cast<std::uint64_t>(descriptor);
}

/// Returns whether a lock of the file belongs to this process.
bool isLocked(int descriptor)
{
    ProcLines lines(pathOf("fdinfo/", descriptor).text());
    while (const char *line = lines.next()) {
        if (std::strncmp(line, "lock:", 5) == 0)
            return true;
    }
    return !lines.isOpen();
}

/// Returns whether the descriptor refers to an object with this name; see readlink(). `name`: its beginning.
bool isNamed(int descriptor, std::string_view name)
{
    std::array<char, 64> text {};
    const long length = kernel::call(SYS_readlink, pathOf("fd/", descriptor).text(), text.data(), text.size());
    return length > 0 && std::string_view(text.data(), static_cast<std::size_t>(length)).starts_with(name);
}

/// Returns the number after a label in the line; absent: there is no such label.
std::optional<std::uint64_t> numberIn(const char *line, const char *label, int base)
{
    const char *const at = std::strstr(line, label);
    return at == nullptr ? std::nullopt : std::optional(std::strtoull(at + std::strlen(label), nullptr, base));
}

constexpr int hexadecimal = 16;

/// Returns the value of an event count; absent: it is unknown, or that of a semaphore.
std::optional<std::int64_t> eventCount(int descriptor)
{
    ProcLines lines(pathOf("fdinfo/", descriptor).text());
    std::optional<std::int64_t> count;
    while (const char *line = lines.next()) {
        if (const auto value = numberIn(line, "eventfd-count:", hexadecimal))
            count = static_cast<std::int64_t>(*value);
        if (numberIn(line, "eventfd-semaphore:", hexadecimal).value_or(0) != 0)
            return std::nullopt;
    }
    return count;
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

constexpr int settableFlags = O_NONBLOCK | O_APPEND;

} // namespace

/// Adds a descriptor that each forked process opens for itself. Returns false if only this process may have it.
bool Descriptors::add(int number, std::uint64_t inode, std::uint32_t mode, Kinds kinds)
{
    const long flags = kernel::call(SYS_fcntl, number, F_GETFL);
    if (flags < 0 || m_count == m_descriptors.size())
        return false;
    Descriptor &descriptor = m_descriptors[m_count];
    descriptor.number = number;
    descriptor.flags = static_cast<int>(flags);
    descriptor.closesOnExec = (kernel::call(SYS_fcntl, number, F_GETFD) & FD_CLOEXEC) != 0;
    descriptor.inode = inode;
    if (S_ISREG(mode)) {
        descriptor.kind = Kind::File;
        descriptor.state = kernel::call(SYS_lseek, number, 0, SEEK_CUR);
        if ((flags & O_ACCMODE) != O_RDONLY || isLocked(number))
            return false;
    } else if (kinds != Kinds::EventLoops || !addObject(descriptor, mode)) {
        return false;
    }
    ++m_count;
    return true;
}

/// Completes the descriptor of an object of an event loop.
bool Descriptors::addObject(Descriptor &descriptor, std::uint32_t mode)
{
    if (S_ISFIFO(mode)) {
        descriptor.kind = Kind::Pipe;
        return isNamed(descriptor.number, "pipe:"); // Not a named one, which has other users.
    }
    if (isNamed(descriptor.number, "anon_inode:[eventfd]")) {
        descriptor.kind = Kind::EventCount;
        const auto count = eventCount(descriptor.number);
        descriptor.state = count.value_or(0);
        return count.has_value();
    }
    descriptor.kind = Kind::EventSet;
    return isNamed(descriptor.number, "anon_inode:[eventpoll]") && addWatched(descriptor.number);
}

/// Adds the elements of an event set from lines such as this:
/// tfd:       11 events:       19 data:                b  pos:0 ino:1b8286e sdev:f
bool Descriptors::addWatched(int set)
{
    ProcLines lines(pathOf("fdinfo/", set).text());
    while (const char *line = lines.next()) {
        const auto number = numberIn(line, "tfd:", 10);
        if (!number)
            continue;
        const auto inode = numberIn(line, "ino:", hexadecimal);
        struct stat about {};
        // A set keeps a descriptor that was closed while a copy of it is open.
        if (m_watchedCount == m_watched.size() || !inode || kernel::call(SYS_fstat, *number, &about) != 0
            || about.st_ino != *inode)
            return false;
        m_watched[m_watchedCount++] = {set, static_cast<int>(*number),
                                       static_cast<std::uint32_t>(numberIn(line, "events:", hexadecimal).value_or(0)),
                                       numberIn(line, "data:", hexadecimal).value_or(0)};
    }
    return lines.isOpen();
}

bool Descriptors::hasBothEnds(const Descriptor &pipe) const
{
    const auto has = [&](int mode) {
        return std::any_of(m_descriptors.begin(), m_descriptors.begin() + m_count, [&](const Descriptor &each) {
            return each.kind == Kind::Pipe && each.inode == pipe.inode && (each.flags & O_ACCMODE) == mode;
        });
    };
    return has(O_RDONLY) && has(O_WRONLY);
}

/// Returns whether no other process can have the other end of a pipe.
bool Descriptors::areNotedCompletely() const
{
    return std::all_of(m_descriptors.begin(), m_descriptors.begin() + m_count,
                       [this](const Descriptor &each) { return each.kind != Kind::Pipe || hasBothEnds(each); });
}

bool Descriptors::note(const ProcessState &here, int control, Kinds kinds)
{
    if (!hasPlainOutput())
        return false;
    m_outputFlags = static_cast<int>(kernel::call(SYS_fcntl, STDOUT_FILENO, F_GETFL));
    const bool areAllNoted = forEachNumber("/proc/self/fd", [&](int number, int folder) {
        struct stat about {};
        if (number == folder || number == control || number == here.descriptor || number == STDOUT_FILENO
            || number == STDERR_FILENO)
            return true;
        return kernel::call(SYS_fstat, number, &about) == 0
            && (isStateless(about) || isInherited(here.page->forks, number, about)
                || add(number, about.st_ino, about.st_mode, kinds));
    });
    return areAllNoted && areNotedCompletely();
}

/// Gives a descriptor of this process the number and the flags of a noted one.
bool Descriptors::replace(long own, const Descriptor &by) const
{
    return own >= 0 && kernel::call(SYS_dup3, own, by.number, by.closesOnExec ? O_CLOEXEC : 0) >= 0;
}

/// Opens a pipe with the same contents for all its descriptors, which include this reading end.
bool Descriptors::renewPipe(const Descriptor &end) const
{
    std::array<int, 2> own {};
    int length = 0;
    if (kernel::call(SYS_ioctl, end.number, FIONREAD, &length) != 0
        || kernel::call(SYS_pipe2, own.data(), O_CLOEXEC) != 0
        || (length != 0 && kernel::call(SYS_tee, end.number, own[1], length, 0) != length))
        return false;
    for (const Descriptor &each : std::span(m_descriptors).first(m_count)) {
        if (each.kind != Kind::Pipe || each.inode != end.inode)
            continue;
        const int mine = (each.flags & O_ACCMODE) == O_RDONLY ? own[0] : own[1];
        if (kernel::call(SYS_fcntl, mine, F_SETFL, each.flags & settableFlags) != 0 || !replace(mine, each))
            return false;
    }
    return kernel::call(SYS_close, own[0]) == 0 && kernel::call(SYS_close, own[1]) == 0;
}

bool Descriptors::renew(const Descriptor &descriptor) const
{
    const auto isFirst = [&](const Descriptor &each) {
        return each.kind == Kind::Pipe && each.inode == descriptor.inode && (each.flags & O_ACCMODE) == O_RDONLY;
    };
    long own = -1;
    switch (descriptor.kind) {
    case Kind::File:
        own = kernel::call(SYS_openat, AT_FDCWD, pathOf("fd/", descriptor.number).text(),
                           descriptor.flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW));
        if (own < 0 || kernel::call(SYS_lseek, own, descriptor.state, SEEK_SET) != descriptor.state)
            return false;
        break;
    case Kind::Pipe:
        return std::find_if(m_descriptors.begin(), m_descriptors.end(), isFirst) != &descriptor
            || renewPipe(descriptor);
    case Kind::EventCount:
        own = kernel::call(SYS_eventfd2, descriptor.state, O_CLOEXEC | (descriptor.flags & O_NONBLOCK));
        break;
    case Kind::EventSet:
        own = kernel::call(SYS_epoll_create1, O_CLOEXEC);
        break;
    }
    return replace(own, descriptor) && kernel::call(SYS_close, own) == 0;
}

bool Descriptors::renew(int output) const
{
    if (kernel::call(SYS_fcntl, output, F_SETFL, m_outputFlags & settableFlags) != 0
        || kernel::call(SYS_dup3, output, STDOUT_FILENO, 0) < 0 || kernel::call(SYS_dup3, output, STDERR_FILENO, 0) < 0)
        return false;
    for (const Descriptor &each : std::span(m_descriptors).first(m_count)) {
        if (!renew(each))
            return false;
    }
    return std::all_of(m_watched.begin(), m_watched.begin() + m_watchedCount, [](const Watched &each) {
        epoll_event event {};
        event.events = each.events;
        event.data.u64 = each.data;
        return kernel::call(SYS_epoll_ctl, each.set, EPOLL_CTL_ADD, each.number, &event) == 0;
    });
}

} // namespace latchkey::shim::preload
