#include "core/foundation/process/launch.h"

#include <QFile>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace latchkey::process {

namespace {

/// A descriptor that is closed with its owner.
class Descriptor final
{
public:
    explicit Descriptor(int number = -1)
        : m_number(number)
    {}
    Descriptor(Descriptor &&other) noexcept
        : m_number(other.release())
    {}
    Descriptor &operator=(Descriptor &&other) noexcept
    {
        std::swap(m_number, other.m_number);
        return *this;
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor()
    {
        if (m_number >= 0)
            ::close(m_number);
    }

    [[nodiscard]] int number() const { return m_number; }
    int release() { return std::exchange(m_number, -1); }

private:
    int m_number;
};

/// The data for the child, prepared before the fork. After the fork, only async-signal-safe calls are allowed.
struct Plan
{
    std::vector<QByteArray> texts; ///< Storage that words and environment point into.
    std::vector<char *> words;
    std::vector<char *> environment;
    QByteArray folder;
    std::array<Descriptor, 2> channels; ///< The child's standard input and output; -1: inherited.
    bool mergesErrors = false;
    bool hasOwnGroup = false;
    bool killedWithParent = false;
    const std::function<bool()> *preExecHook = nullptr;
    std::vector<int> inherited;
    std::vector<int> ignoredSignals;
    pid_t parent = ::getpid();
    sigset_t mask {}; ///< Signal mask before the block.
};

std::error_code lastError()
{
    return {errno, std::generic_category()};
}

/// Restores the default action of SIGCHLD, because waitpid() fails while SIGCHLD is ignored.
void makeChildrenWaitable()
{
    struct sigaction before {};
    ::sigaction(SIGCHLD, nullptr, &before);
    if (before.sa_handler == SIG_IGN)
        std::signal(SIGCHLD, SIG_DFL);
}

void fillEnvironment(const Launch &launch, Plan &plan)
{
    const auto isChanged = [&launch](const QByteArray &entry) {
        for (const Launch::Variable &variable : launch.environment) {
            if (entry.startsWith(variable.name + '='))
                return true;
        }
        return false;
    };
    for (char **entry = ::environ; *entry != nullptr; ++entry) {
        if (!isChanged(*entry))
            plan.texts.emplace_back(*entry);
    }
    for (const Launch::Variable &variable : launch.environment) {
        if (variable.value)
            plan.texts.push_back(variable.name + '=' + *variable.value);
    }
}

/// Opens a channel. `ours`: this process's end of a pipe. Returns false and sets errno on failure.
bool openChannel(Launch::Channel channel, bool isInput, Descriptor &theirs, Descriptor &ours)
{
    if (channel == Launch::Channel::Inherited)
        return true;
    if (channel == Launch::Channel::Nothing) {
        theirs = Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC));
        return theirs.number() >= 0;
    }
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return false;
    theirs = Descriptor(isInput ? ends[0] : ends[1]);
    ours = Descriptor(isInput ? ends[1] : ends[0]);
    return ::fcntl(ours.number(), F_SETFL, O_NONBLOCK) == 0;
}

/// Resets signal handlers, which belong to this program; ignored signals stay ignored. The same happens in exec, but
/// later: until then, a handler would run in the wrong process.
void resetHandlers()
{
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
            std::signal(number, SIG_DFL);
    }
}

/// Discards signals to the parent's group that arrived between fork and setpgid(); they were not meant for the child.
/// All signals are blocked in the child, and ignoring them briefly discards the pending ones.
void discardOldGroupSignals()
{
    for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP}) {
        struct sigaction before {};
        ::sigaction(number, nullptr, &before);
        std::signal(number, SIG_IGN);
        ::sigaction(number, &before, nullptr);
    }
}

/// Moves the descriptors to the standard numbers. They are first copied to numbers above the standard three, so that no
/// descriptor overwrites another: pipe2() or open() returns a standard number if one was closed.
void moveIntoPlace(const Plan &plan)
{
    std::array<int, 2> moved {-1, -1};
    for (std::size_t i = 0; i < moved.size(); ++i) {
        if (plan.channels[i].number() >= 0)
            moved[i] = ::fcntl(plan.channels[i].number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        if (moved[i] >= 0)
            ::dup2(moved[i], static_cast<int>(i));
    }
    if (plan.mergesErrors)
        ::dup2(STDOUT_FILENO, STDERR_FILENO);
}

/// Runs in the child between fork and exec. Returns only if the change of the folder, Launch::preExecHook or exec
/// fails.
void execInChild(const Plan &plan)
{
    if (!plan.folder.isEmpty() && ::chdir(plan.folder.constData()) != 0)
        return;
    if (plan.hasOwnGroup) {
        ::setpgid(0, 0);
        discardOldGroupSignals();
    }
    // Called before PR_SET_PDEATHSIG, because a change of privileges would clear that setting.
    if (*plan.preExecHook && !(*plan.preExecHook)())
        return;
    if (plan.killedWithParent) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != plan.parent)
            ::_exit(1); // The parent ended before the setting took effect.
    }
    resetHandlers();
    for (const int number : plan.ignoredSignals)
        std::signal(number, SIG_IGN);
    moveIntoPlace(plan);
    for (const int descriptor : plan.inherited)
        ::fcntl(descriptor, F_SETFD, 0);
    ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
    ::execvpe(plan.words.front(), plan.words.data(), plan.environment.data());
}

/// Waits until exec has succeeded or failed. Success closes the pipe; failure sends errno through it.
std::error_code outcomeOf(pid_t child, const Descriptor &report)
{
    int error = 0;
    ssize_t count = 0;
    do {
        count = ::read(report.number(), &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    if (count <= 0)
        return {};
    ::waitpid(child, nullptr, 0);
    return {error, std::generic_category()};
}

tl::expected<pid_t, std::error_code> forkInto(Plan &plan)
{
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return tl::unexpected(lastError());
    const Descriptor report(ends[0]);
    Descriptor toReport(ends[1]);
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &plan.mask);
    const pid_t child = ::fork();
    if (child == 0) {
        // Keeps the pipe above the standard channels, which may have been closed.
        const int kept = ::fcntl(toReport.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        execInChild(plan);
        const int error = errno;
        [[maybe_unused]] const ssize_t written = ::write(kept, &error, sizeof error);
        ::_exit(127);
    }
    const std::error_code notForked = child < 0 ? lastError() : std::error_code();
    ::sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
    if (notForked)
        return tl::unexpected(notForked);
    ::close(toReport.release());
    // Set here as well as in the child, so that the child is never observed in the parent's group.
    if (plan.hasOwnGroup)
        ::setpgid(child, child);
    if (const std::error_code notRun = outcomeOf(child, report))
        return tl::unexpected(notRun);
    return child;
}

} // namespace

QList<QByteArray> Launch::wordsFrom(const QString &program, const QStringList &arguments)
{
    QList<QByteArray> words {QFile::encodeName(program)};
    for (const QString &argument : arguments)
        words += argument.toLocal8Bit();
    return words;
}

tl::expected<StartedProcess, std::error_code> spawn(const Launch &launch)
{
    Plan plan;
    plan.mergesErrors = launch.errors == Launch::Errors::WithOutput;
    plan.hasOwnGroup = launch.hasOwnGroup;
    plan.killedWithParent = launch.killedWithParent;
    plan.preExecHook = &launch.preExecHook;
    plan.folder = launch.folder;
    plan.inherited.assign(launch.inherited.begin(), launch.inherited.end());
    plan.ignoredSignals.assign(launch.ignoredSignals.begin(), launch.ignoredSignals.end());
    std::array<Descriptor, 2> ours;
    if (!openChannel(launch.input, true, plan.channels[0], ours[0])
        || !openChannel(launch.output, false, plan.channels[1], ours[1]))
        return tl::unexpected(lastError());

    plan.texts.assign(launch.words.begin(), launch.words.end());
    const std::size_t wordCount = plan.texts.size();
    fillEnvironment(launch, plan);
    for (std::size_t i = 0; i < plan.texts.size(); ++i)
        (i < wordCount ? plan.words : plan.environment).push_back(plan.texts[i].data());
    plan.words.push_back(nullptr);
    plan.environment.push_back(nullptr);

    makeChildrenWaitable();
    const auto child = forkInto(plan);
    if (!child)
        return tl::unexpected(child.error());
    return StartedProcess {*child, ours[0].release(), ours[1].release()};
}

} // namespace latchkey::process
