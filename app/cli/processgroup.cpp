#include "app/cli/processgroup.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace latchkey::cli {

namespace {

/// Handlers are this program's, so they go; what is ignored was so before and stays. As exec does it, only earlier: a
/// handler that runs between fork and exec would speak for the wrong process.
void resetHandlers()
{
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
            std::signal(number, SIG_DFL);
    }
}

/// The child's part, between fork and exec: only calls that are safe there. Returns where exec fails.
void become(char *const *words, pid_t parent, const sigset_t &mask)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(1); // It has died before it could be asked to tell.
    resetHandlers();
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(words[0], words);
}

} // namespace

tl::expected<ProcessGroup, int> ProcessGroup::start(QList<QByteArray> words)
{
    std::vector<char *> arguments;
    for (QByteArray &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);

    // Closed by a successful exec; a failed one sends its errno.
    std::array<int, 2> report {};
    if (::pipe2(report.data(), O_CLOEXEC) != 0)
        return tl::unexpected(errno);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        become(arguments.data(), parent, before);
        const int error = errno;
        [[maybe_unused]] const ssize_t written = ::write(report[1], &error, sizeof error);
        ::_exit(127);
    }
    int error = child < 0 ? errno : 0;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(report[1]);
    if (child > 0) {
        // Here as well: whichever of the two comes first, nobody sees the child in our own group.
        ::setpgid(child, child);
        ssize_t count = 0;
        do {
            count = ::read(report[0], &error, sizeof error);
        } while (count < 0 && errno == EINTR);
        if (count > 0)
            ::waitpid(child, nullptr, 0);
    }
    ::close(report[0]);
    if (error != 0)
        return tl::unexpected(error);
    return ProcessGroup(child);
}

void ProcessGroup::signal(int number) const
{
    // The program may have moved on to another group, as a shell can; its process is still the one to tell.
    if (::kill(-m_leader, number) != 0 && !m_hasEnded)
        ::kill(m_leader, number);
}

std::optional<ProcessGroup::Change> ProcessGroup::nextChange()
{
    int status = 0;
    if (m_hasEnded || ::waitpid(m_leader, &status, WNOHANG | WUNTRACED) <= 0)
        return std::nullopt;
    if (WIFSTOPPED(status))
        return Change {Change::Kind::Stopped, WSTOPSIG(status)};
    m_hasEnded = true;
    return Change {Change::Kind::Ended, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)};
}

void ProcessGroup::adoptOrphans()
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool ProcessGroup::isGone() const
{
    while (m_hasEnded && ::waitpid(-m_leader, nullptr, WNOHANG) > 0) {}
    return m_hasEnded && ::kill(-m_leader, 0) != 0 && errno == ESRCH;
}

} // namespace latchkey::cli
