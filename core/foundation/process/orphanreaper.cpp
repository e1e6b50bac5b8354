#include "core/foundation/process/orphanreaper.h"

#include <QRandomGenerator>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace latchkey::process {

namespace {

/// Returns whether the environment of the process contains exactly this entry.
bool hasEntry(const char *process, const QByteArray &entry)
{
    const QByteArray path = QByteArray("/proc/") + process + "/environ";
    const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    QByteArray environment;
    std::array<char, 4096> bytes {};
    for (ssize_t count = 0; (count = ::read(file, bytes.data(), bytes.size())) > 0;)
        environment.append(bytes.data(), count);
    ::close(file);
    return ('\0' + environment).contains('\0' + entry + '\0');
}

/// Kills all processes with the entry. Returns their number.
int endAll(const QByteArray &entry)
{
    int found = 0;
    DIR *folder = ::opendir("/proc");
    while (const dirent *item = folder == nullptr ? nullptr : ::readdir(folder)) {
        const long id = std::strtol(item->d_name, nullptr, 10);
        if (id > 0 && hasEntry(item->d_name, entry) && ::kill(static_cast<pid_t>(id), SIGKILL) == 0)
            ++found;
    }
    if (folder != nullptr)
        ::closedir(folder);
    return found;
}

/// Runs in the guard process; never returns.
[[noreturn]] void watch(int lifeline, const QByteArray &entry)
{
    ::setsid(); // Signals to the process group of the parent must not end the guard.
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
        std::signal(number, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_NAME, "latchkey-warden");
    // Closes all other descriptors, such as output pipes, so that their readers notice the end of the parent.
    ::dup2(lifeline, STDIN_FILENO);
    ::close_range(STDIN_FILENO + 1, UINT_MAX, 0);
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
    } // The parent is the only writer of this pipe, so the pipe closes at the end of the parent.
    // A process that is forking is found together with its child in the next round.
    while (endAll(entry) > 0)
        ::sched_yield();
    ::_exit(0);
}

} // namespace

OrphanReaper::OrphanReaper(QByteArray mark, pid_t process, int lifeline)
    : m_mark(std::move(mark))
    , m_process(process)
    , m_lifeline(lifeline)
{}

OrphanReaper::OrphanReaper(OrphanReaper &&other) noexcept
    : m_mark(std::move(other.m_mark))
    , m_process(std::exchange(other.m_process, 0))
    , m_lifeline(std::exchange(other.m_lifeline, -1))
{}

OrphanReaper::~OrphanReaper()
{
    if (m_process == 0)
        return;
    ::close(m_lifeline);
    while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {}
}

tl::expected<OrphanReaper, std::error_code> OrphanReaper::start()
{
    const QByteArray mark =
        QByteArray::number(::getpid()) + '-' + QByteArray::number(QRandomGenerator::system()->generate64(), 16);
    const QByteArray entry = variable() + '=' + mark;
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return tl::unexpected(std::error_code(errno, std::generic_category()));
    const pid_t process = ::fork();
    if (process == 0) {
        ::close(ends[1]);
        watch(ends[0], entry);
    }
    const int error = errno;
    ::close(ends[0]);
    if (process < 0) {
        ::close(ends[1]);
        return tl::unexpected(std::error_code(error, std::generic_category()));
    }
    return OrphanReaper(mark, process, ends[1]);
}

} // namespace latchkey::process
