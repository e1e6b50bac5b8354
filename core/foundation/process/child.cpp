#include "core/foundation/process/child.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace latchkey::process {

using namespace std::chrono_literals;

namespace {

constexpr auto endPollInterval = 20ms;

/// Disables the notifier now and deletes it later, because its slot may be the caller.
void retire(std::unique_ptr<QSocketNotifier> &notifier)
{
    if (!notifier)
        return;
    notifier->setEnabled(false);
    notifier.release()->deleteLater();
}

/// Opens a pidfd (Linux 5.3, glibc 2.36); -1 if not supported.
int openProcess(pid_t id)
{
    return static_cast<int>(::syscall(SYS_pidfd_open, id, 0U));
}

/// Calls write() without raising SIGPIPE if the reader has ended. Neither ends this process nor changes its handling of
/// SIGPIPE.
ssize_t writeQuietly(int descriptor, const QByteArray &bytes)
{
    sigset_t brokenPipe;
    sigset_t before;
    sigset_t pending;
    ::sigemptyset(&brokenPipe);
    ::sigaddset(&brokenPipe, SIGPIPE);
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, &brokenPipe, &before);
    const ssize_t count = ::write(descriptor, bytes.constData(), static_cast<std::size_t>(bytes.size()));
    const int error = errno;
    if (count < 0 && error == EPIPE && ::sigismember(&pending, SIGPIPE) == 0) {
        constexpr timespec atOnce {};
        ::sigtimedwait(&brokenPipe, nullptr, &atOnce); // Removes the SIGPIPE that this write caused.
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return count;
}

} // namespace

Child::Child(QObject *parent)
    : QObject(parent)
{
    m_endPoll.setInterval(endPollInterval);
    connect(&m_endPoll, &QTimer::timeout, this, &Child::check);
}

Child::~Child()
{
    disconnect();
    kill();
    closeReadEnd();
    closeWriteEnd();
}

tl::expected<void, std::error_code> Child::start(const Launch &launch)
{
    const auto launched = spawn(launch);
    if (!launched)
        return tl::unexpected(launched.error());
    adopt(*launched, launch.hasOwnGroup, {});
    return {};
}

void Child::adopt(const StartedProcess &started, bool hasOwnGroup, const QByteArray &output)
{
    m_id = started.id;
    m_hasOwnGroup = hasOwnGroup;
    m_readEnd = started.output;
    m_writeEnd = started.input;
    m_output = output;
    if (m_readEnd >= 0) {
        m_reading = std::make_unique<QSocketNotifier>(m_readEnd, QSocketNotifier::Read);
        connect(m_reading.get(), &QSocketNotifier::activated, this, &Child::read);
    }
    if (m_writeEnd >= 0) {
        m_writing = std::make_unique<QSocketNotifier>(m_writeEnd, QSocketNotifier::Write);
        m_writing->setEnabled(false);
        connect(m_writing.get(), &QSocketNotifier::activated, this, &Child::flush);
    }
    watchEnd();
}

void Child::watchEnd()
{
    m_endDescriptor = openProcess(m_id);
    if (m_endDescriptor < 0)
        return m_endPoll.start();
    m_end = std::make_unique<QSocketNotifier>(m_endDescriptor, QSocketNotifier::Read);
    connect(m_end.get(), &QSocketNotifier::activated, this, &Child::check);
}

void Child::signal(int number) const
{
    if (m_id <= 0)
        return;
    // The program may have moved to another group, as shells do, so the process itself gets the signal.
    if ((!m_hasOwnGroup || ::kill(-m_id, number) != 0) && !m_hasEnded)
        ::kill(m_id, number);
}

void Child::kill()
{
    if (!isRunning())
        return;
    signal(SIGKILL);
    siginfo_t info {};
    while (::waitid(P_PID, static_cast<id_t>(m_id), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
    check();
}

void Child::check()
{
    int status = 0;
    while (isRunning() && ::waitpid(m_id, &status, WNOHANG | WUNTRACED) > 0) {
        if (WIFSTOPPED(status)) {
            Q_EMIT stopped(WSTOPSIG(status));
            continue;
        }
        m_hasEnded = true;
        m_exitCode = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        m_endPoll.stop();
        retire(m_end);
        if (m_endDescriptor >= 0)
            ::close(std::exchange(m_endDescriptor, -1));
        closeWriteEnd();
        read(); // Reads the last output.
        Q_EMIT ended(m_exitCode);
    }
}

bool Child::waitForEvent(QDeadlineTimer deadline)
{
    while (isRunning()) {
        // A kernel without pidfd cannot report the end, so the end is polled.
        const qint64 longest = m_endDescriptor < 0 ? endPollInterval.count() : std::numeric_limits<int>::max();
        const qint64 left = deadline.isForever() ? longest : std::min(longest, deadline.remainingTime());
        std::array<pollfd, 2> waiting {{{m_readEnd, POLLIN, 0}, {m_endDescriptor, POLLIN, 0}}};
        const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(left));
        const bool hasArrived = read();
        check();
        if (hasArrived || !isRunning())
            return true;
        if (ready <= 0 && deadline.hasExpired())
            return false;
    }
    return false;
}

void Child::write(const QByteArray &bytes)
{
    if (m_writeEnd < 0 || m_hasInputEnded)
        return;
    m_unwritten += bytes;
    flush();
}

void Child::endInput()
{
    m_hasInputEnded = true;
    if (m_writeEnd >= 0)
        flush();
}

void Child::flush()
{
    while (!m_unwritten.isEmpty()) {
        const ssize_t count = writeQuietly(m_writeEnd, m_unwritten);
        if (count >= 0) {
            m_unwritten.remove(0, count);
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            return closeWriteEnd(); // The reader has closed the pipe.
        }
    }
    if (m_unwritten.isEmpty() && m_hasInputEnded)
        return closeWriteEnd();
    m_writing->setEnabled(!m_unwritten.isEmpty());
}

/// Reads the available output. The limit exceeds the capacity of a pipe, and bounds the loop for a program that writes
/// continuously.
bool Child::read()
{
    std::array<char, 64 * 1024> buffer {};
    constexpr qsizetype maxReadSize = 16 * static_cast<qsizetype>(buffer.size());
    const qsizetype before = m_output.size();
    bool isAtEnd = false;
    while (m_readEnd >= 0 && !isAtEnd && m_output.size() - before < maxReadSize) {
        const ssize_t count = ::read(m_readEnd, buffer.data(), buffer.size());
        if (count > 0)
            m_output.append(buffer.data(), count);
        else if (count < 0 && errno == EAGAIN)
            break;
        else
            isAtEnd = count == 0 || errno != EINTR;
    }
    const bool hasArrived = m_output.size() > before;
    if (isAtEnd)
        closeReadEnd();
    if (hasArrived)
        Q_EMIT outputReceived();
    if (isAtEnd)
        Q_EMIT outputEnded();
    return hasArrived;
}

void Child::closeReadEnd()
{
    retire(m_reading);
    if (m_readEnd >= 0)
        ::close(std::exchange(m_readEnd, -1));
}

void Child::closeWriteEnd()
{
    retire(m_writing);
    m_unwritten.clear();
    if (m_writeEnd >= 0)
        ::close(std::exchange(m_writeEnd, -1));
}

void Child::adoptOrphans()
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool Child::isGroupGone() const
{
    while (m_hasEnded && ::waitpid(-m_id, nullptr, WNOHANG) > 0) {}
    return m_hasEnded && ::kill(-m_id, 0) != 0 && errno == ESRCH;
}

} // namespace latchkey::process
