#include "core/explore/shim/pagetimers.h"

#include <QByteArray>
#include <QFile>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace latchkey::shim {

namespace {

/// Sends the signal of a timer, as the kernel does.
void sendSignal(pid_t process, quint64 inode, const PageTimer &timer)
{
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0U));
    if (descriptor < 0)
        return;
    siginfo_t information {};
    information.si_signo = timer.target.load();
    information.si_code = SI_TIMER;
    const std::uint64_t value = timer.value.load();
    std::memcpy(&information.si_value, &value, sizeof information.si_value);
    const bool hasInformation = timer.kind.load() == PageTimer::Created;
    if (hasMapped(process, inode))
        ::syscall(SYS_pidfd_send_signal, descriptor, timer.target.load(), hasInformation ? &information : nullptr, 0U);
    ::close(descriptor);
}

QByteArray descriptorPath(const PageTimer &timer)
{
    return "/proc/" + QByteArray::number(timer.process.load()) + "/fd/" + QByteArray::number(timer.target.load());
}

/// Adds to the number of expirations that the program can read from the timer's descriptor.
void addExpirations(const PageTimer &timer, quint64 count)
{
    const int pipe = ::open(descriptorPath(timer).constData(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (pipe < 0)
        return;
    quint64 unread = 0;
    if (::read(pipe, &unread, sizeof unread) == sizeof unread)
        count += unread;
    [[maybe_unused]] const ssize_t written = ::write(pipe, &count, sizeof count);
    ::close(pipe);
}

} // namespace

bool hasMapped(pid_t process, quint64 inode)
{
    QFile maps(QStringLiteral("/proc/%1/maps").arg(process));
    if (!maps.open(QIODevice::ReadOnly))
        return false;
    // 7f0000000000-7f0000025000 rw-s 00000000 00:01 1234    /memfd:latchkey-clock (deleted)
    const QByteArray wanted = ' ' + QByteArray::number(inode) + ' ';
    for (const QByteArray &line : maps.readAll().split('\n')) {
        if (line.contains(pageName) && line.contains(wanted))
            return true;
    }
    return false;
}

void sendWakeSignal(pid_t process, quint64 inode)
{
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0U));
    if (descriptor < 0)
        return;
    if (hasMapped(process, inode))
        ::syscall(SYS_pidfd_send_signal, descriptor, wakeSignal, nullptr, 0U);
    ::close(descriptor);
}

bool isOpen(const PageTimer &timer)
{
    struct stat about {};
    return ::stat(descriptorPath(timer).constData(), &about) == 0 && S_ISFIFO(about.st_mode)
        && about.st_ino == timer.identity.load();
}

void expire(Page &page, PageTimer &timer, PageTime now, quint64 inode)
{
    const PageTime deadline = timer.deadline.load();
    const std::int64_t interval = timer.interval.load();
    const std::int64_t count = interval > 0 ? 1 + (now - deadline) / interval : 1;
    timer.number.store(page.waitsBegun.fetch_add(1));
    timer.deadline.store(interval > 0 ? deadline + count * interval : never);
    if (timer.kind.load() != PageTimer::Descriptor)
        sendSignal(timer.process.load(), inode, timer);
    else if (isOpen(timer))
        addExpirations(timer, static_cast<quint64>(count));
}

} // namespace latchkey::shim
