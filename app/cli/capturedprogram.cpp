#include "app/cli/capturedprogram.h"

#include "core/base/bytes.h"

#include <QDeadlineTimer>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

tl::unexpected<base::Error> cannotRun(const QByteArray &program, int error)
{
    return failure(ErrorKind::Local,
                   QStringLiteral("cannot run \"%1\": %2")
                       .arg(base::printable(program, 100), QString::fromLocal8Bit(std::strerror(error))));
}

/// 0, or the errno of what did not work. output: becomes the program's standard output.
int spawn(const QList<QByteArray> &words, int output, pid_t &id)
{
    std::vector<QByteArray> copies(words.begin(), words.end());
    std::vector<char *> pointers;
    pointers.reserve(copies.size() + 1);
    for (QByteArray &word : copies)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    const int error = ::posix_spawnp(&id, pointers.front(), &actions, nullptr, pointers.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
}

int waitForExit(pid_t id)
{
    constexpr int nobodyKnows = 255;
    int status = 0;
    pid_t ended = 0;
    do {
        ended = ::waitpid(id, &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0)
        return nobodyKnows;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

Result<CapturedProgram> CapturedProgram::start(const QList<QByteArray> &words)
{
    std::signal(SIGCHLD, SIG_DFL); // Whose children are ignored cannot wait for them.
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return cannotRun(words.front(), errno);
    pid_t id = 0;
    const int error = spawn(words, ends[1], id);
    ::close(ends[1]);
    if (error != 0) {
        ::close(ends[0]);
        return cannotRun(words.front(), error);
    }
    return CapturedProgram(id, ends[0]);
}

CapturedProgram::CapturedProgram(CapturedProgram &&other) noexcept
    : m_id(other.m_id)
    , m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_exitCode(other.m_exitCode)
    , m_output(std::move(other.m_output))
{}

CapturedProgram::~CapturedProgram()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

bool CapturedProgram::waitFor(std::chrono::milliseconds time)
{
    const QDeadlineTimer deadline(time, Qt::PreciseTimer);
    while (m_descriptor >= 0) {
        pollfd waiting {m_descriptor, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(deadline.remainingTime()));
        if (ready > 0)
            read();
        else
            return false;
    }
    return true;
}

void CapturedProgram::signal(int number) const
{
    ::kill(m_id, number);
}

/// What is there. The end of the output is taken for the end of the program, and waited for.
void CapturedProgram::read()
{
    std::array<char, 64 * 1024> buffer {};
    const ssize_t count = ::read(m_descriptor, buffer.data(), buffer.size());
    if (count > 0) {
        m_output.append(buffer.data(), count);
    } else if (count == 0 || errno != EINTR) {
        ::close(std::exchange(m_descriptor, -1));
        m_exitCode = waitForExit(m_id);
    }
}

} // namespace latchkey::cli
