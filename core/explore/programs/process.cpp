#include "core/explore/programs/process.h"

#include "core/explore/programs/processendpoint.h"

#include <QDeadlineTimer>

#include <algorithm>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <vector>

namespace latchkey::programs {

using base::Error;
using base::ErrorKind;
using base::failure;
using base::Result;
using process::Launch;
using namespace std::chrono_literals;

namespace {

/// Maximum wait for a process that gets too little processor time, as a multiple of Program::timeout.
constexpr int maxTimeoutFactor = 10;

QByteArray contentsOf(const QByteArray &path)
{
    const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return {};
    QByteArray contents(4096, Qt::Uninitialized);
    const ssize_t count = ::read(file, contents.data(), static_cast<std::size_t>(contents.size()));
    ::close(file);
    contents.resize(std::max<ssize_t>(count, 0));
    return contents;
}

/// Returns whether the line of output may be the reason for the end of the program. Stack frames are indented, and
/// Node.js ends a stack trace with a brace and its version.
bool isInformative(const QByteArray &line)
{
    const QByteArray words = line.trimmed();
    return !words.isEmpty() && words != "}" && !line.startsWith(' ') && !line.startsWith('\t')
        && !words.startsWith("Node.js");
}

/// A sleeping thread, with its number of voluntary context switches.
struct Sleeper
{
    QByteArray thread;
    QByteArray sleeps;

    friend bool operator==(const Sleeper &, const Sleeper &) = default;
};

QByteArray lineOf(const QByteArray &status, QByteArrayView name)
{
    const qsizetype begin = status.indexOf(name);
    return begin < 0 ? QByteArray() : status.mid(begin, status.indexOf('\n', begin) - begin);
}

/// Returns whether the process is gone or a zombie.
bool isDead(const QByteArray &status)
{
    const QByteArray state = lineOf(status, "State:");
    return state.isEmpty() || state.contains("Z (") || state.contains("X (");
}

/// Returns whether the thread computes (R) or waits for a disk (D). In every other state it waits for an event.
bool hasRunningState(const QByteArray &status)
{
    const QByteArray state = lineOf(status, "State:");
    return state.contains("R (") || state.contains("D (");
}

/// Adds every thread of the process and of its descendants. Returns false if one of them is working.
bool addSleepers(const QByteArray &process, std::vector<Sleeper> &sleepers)
{
    const QByteArray tasks = "/proc/" + process + "/task";
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(tasks.constData()), ::closedir);
    if (!folder)
        return true;
    while (const dirent *entry = ::readdir(folder.get())) {
        if (entry->d_name[0] == '.')
            continue;
        const QByteArray task = tasks + '/' + entry->d_name;
        const QByteArray status = contentsOf(task + "/status");
        if (hasRunningState(status))
            return false;
        sleepers.push_back({entry->d_name, lineOf(status, "voluntary_ctxt_switches:")});
        for (const QByteArray &child : contentsOf(task + "/children").split(' ')) {
            if (!child.isEmpty() && !addSleepers(child, sleepers))
                return false;
        }
    }
    return true;
}

/// Adds the threads of all processes of the clock too: a descendant whose parent has ended is a child of another
/// process.
bool addSleepers(const QByteArray &process, const shim::ProgramClock *clock, std::vector<Sleeper> &sleepers)
{
    if (!addSleepers(process, sleepers))
        return false;
    for (const pid_t other : clock == nullptr ? std::vector<pid_t>() : clock->registered()) {
        const QByteArray id = QByteArray::number(other);
        const bool isKnown = std::ranges::find(sleepers, id, &Sleeper::thread) != sleepers.end();
        if (!isKnown && clock->usesOnlyVirtualClock(other) && !addSleepers(id, sleepers))
            return false;
    }
    return true;
}

/// Returns whether there was a recent moment at which all threads slept. `clock`: that of the process; null: none.
///
/// Threads are inspected one after the other. A thread that was asleep may be woken by the next one before that one
/// falls asleep. A thread that sleeps at both inspections without a new context switch has slept all the time. If this
/// is true of all threads, all slept at the end of the first inspection.
bool isAsleep(const QByteArray &process, const shim::ProgramClock *clock)
{
    std::vector<Sleeper> first;
    std::vector<Sleeper> second;
    // A process that has just died is not asleep. Its end is noticed soon.
    return addSleepers(process, clock, first) && addSleepers(process, clock, second) && first == second
        && !isDead(contentsOf("/proc/" + process + "/status"));
}

/// Returns the time for which the process and its ended children have computed.
std::chrono::milliseconds computingTime(const QByteArray &process)
{
    // The name of the program is in parentheses and may contain spaces.
    const QByteArray stat = contentsOf("/proc/" + process + "/stat");
    const QByteArrayList fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    constexpr qsizetype first = 11; // utime, stime, cutime and cstime.
    constexpr qsizetype count = 4;
    qint64 ticks = 0;
    for (const QByteArray &field : fields.mid(first, count))
        ticks += field.toLongLong();
    return std::chrono::milliseconds(ticks * 1000 / ::sysconf(_SC_CLK_TCK));
}

/// Returns whether the process and all its descendants use only the virtual clock.
bool isEachUnderControl(const QByteArray &process, const shim::ProgramClock &clock)
{
    const pid_t id = process.toInt();
    const QByteArray tasks = "/proc/" + process + "/task";
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(tasks.constData()), ::closedir);
    if (!folder || isDead(contentsOf("/proc/" + process + "/status")))
        return true;
    if (!clock.usesOnlyVirtualClock(id) || clock.hasMachineTimers(id))
        return false;
    while (const dirent *entry = ::readdir(folder.get())) {
        if (entry->d_name[0] == '.')
            continue;
        for (const QByteArray &child : contentsOf(tasks + '/' + entry->d_name + "/children").split(' ')) {
            if (!child.isEmpty() && !isEachUnderControl(child, clock))
                return false;
        }
    }
    return true;
}

} // namespace

Process::Process(const Program &program)
    : m_timeout(program.timeout)
    , m_isToStop(program.isCancelled)
    , m_usesFixedPort(program.fixedPort != 0)
{}

Result<std::unique_ptr<Process>> Process::start(const Program &program, const process::OrphanReaper &reaper,
                                                const QString &socket, qint64 clientId,
                                                const std::optional<Clock> &clock)
{
    auto endpoint = ProcessEndpoint::open(program.servers, program.fixedPort, socket);
    if (!endpoint)
        return failure(std::move(endpoint.error()));
    Launch launch;
    launch.words = program.words;
    launch.environment = {{process::OrphanReaper::variable(), reaper.mark()}};
    endpoint->applyTo(launch);
    launch.input = Launch::Channel::Nothing;
    launch.output = Launch::Channel::Piped;
    launch.errors = Launch::Errors::WithOutput;
    launch.hasOwnGroup = true;
    std::unique_ptr<Process> process(new Process(program));
    if (clock) {
        auto made = shim::ProgramClock::create(program.clockLibrary, clock->now, clock->date);
        if (!made)
            return failure(std::move(made.error()));
        process->m_clock = std::move(*made);
        // Advance per reading, so small that 10,000 readings stay below 1 ms. So equal waits have equal length.
        process->m_view = process->m_clock->addView({{}, std::chrono::nanoseconds(1)});
        process->m_clock->showIds(clock->firstId, clock->hasOtherIds);
        launch.environment += clock->variable;
        process->m_clock->show(process->m_view, launch);
    }
    if (const auto started = process->m_child.start(launch); !started) {
        if (auto refusal = endpoint->refusal(started.error()))
            return failure(*std::move(refusal));
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 cannot be started: %2"),
                       QString::fromLocal8Bit(program.words.value(0)),
                       QString::fromStdString(started.error().message()));
    }
    auto listeners = endpoint->takeListeners();
    if (!listeners)
        return failure(std::move(listeners.error()));
    process->m_proxy = std::make_unique<CommandProxy>(*std::move(listeners), clientId);
    return process;
}

Process::~Process()
{
    if (!m_child.isGroupGone())
        m_child.signal(SIGKILL); // Descendants may outlive the child.
}

Result<void> Process::settle()
{
    const QDeadlineTimer deadline(m_timeout);
    const QDeadlineTimer last(maxTimeoutFactor * m_timeout);
    const QByteArray id = QByteArray::number(m_child.id());
    const auto computed = computingTime(id);
    for (;;) {
        // The order matters: everything that the process sent before it ended or slept has then arrived for
        // readInput().
        m_hasEnded = m_hasEnded || !m_child.isRunning();
        const bool sleeps = m_hasEnded || isAsleep(id, m_clock.get());
        const auto hasArrived = m_proxy->readInput();
        if (!hasArrived)
            return failure(hasArrived.error());
        if (m_clock && m_clock->hasSoughtProcess())
            return failure(ErrorKind::Protocol,
                           QT_TRANSLATE_NOOP("core", "it uses the process ID of another client to find out whether "
                                                     "that process is alive, which is not explored"));
        const bool isAlone = m_hasEnded && (!m_proxy->hasOpenConversation() || m_child.isGroupGone());
        const bool waitsForUs = !m_proxy->offers().empty() || (m_clock && timer()) || m_proxy->listening() != 0;
        if (!*hasArrived && sleeps && !wakesAnotherThread() && (isAlone || waitsForUs))
            return m_proxy->numberConversations();
        if (m_isToStop && m_isToStop())
            return failure(ErrorKind::Protocol,
                           QT_TRANSLATE_NOOP("core", "it was stopped while it had sent no command yet"));
        if (*hasArrived && !last.hasExpired())
            continue;
        // On a busy machine, the process gets little processor time.
        const auto isStarved = [&] { return !sleeps && computingTime(id) - computed < m_timeout; };
        if (deadline.hasExpired() && (last.hasExpired() || !isStarved()))
            return failure(settleError());
        // The process may send more before it sleeps, which takes only a moment.
        m_proxy->wait(m_proxy->offers().empty() ? 2ms : 50us);
        if (m_child.isRunning())
            (void)m_child.waitForEvent(QDeadlineTimer(0));
    }
}

/// Wakes the next thread whose wait is over on the virtual clock, after the earlier ones have continued. Threads that
/// are due at once would otherwise race, and the next commands would depend on chance. Returns whether any is due.
bool Process::wakesAnotherThread()
{
    return m_clock && m_clock->wakeNext();
}

std::optional<std::chrono::milliseconds> Process::timer() const
{
    if (!m_clock || m_hasEnded)
        return std::nullopt;
    const auto timers = m_clock->timers();
    if (timers.empty())
        return std::nullopt;
    return std::chrono::ceil<std::chrono::milliseconds>(timers.front().at - m_clock->now());
}

void Process::beginEvent()
{
    if (!m_clock)
        return;
    m_readingsBefore = readings();
    m_timersBefore = m_clock->timers();
}

bool Process::dependsOnTime() const
{
    if (!m_clock)
        return false;
    const auto hasBegun = [this](const shim::ProgramClock::Timer &now) {
        return std::ranges::none_of(m_timersBefore, [&now](const shim::ProgramClock::Timer &before) {
            return before.process == now.process && before.thread == now.thread && now.number <= before.number;
        });
    };
    return readings() != m_readingsBefore || std::ranges::any_of(m_clock->timers(), hasBegun);
}

bool Process::continuesWait() const
{
    const auto timers = m_clock ? m_clock->timers() : std::vector<shim::ProgramClock::Timer>();
    return !timers.empty() && !m_timersBefore.empty() && timers.front() == m_timersBefore.front();
}

bool Process::usesOnlyVirtualClock() const
{
    return m_clock && (m_hasEnded || isEachUnderControl(QByteArray::number(m_child.id()), *m_clock));
}

bool Process::hasThreads() const
{
    const QByteArray status = contentsOf("/proc/" + QByteArray::number(m_child.id()) + "/status");
    return !lineOf(status, "Name:").endsWith("node") && lineOf(status, "Threads:").mid(8).trimmed().toInt() > 1;
}

Error Process::settleError() const
{
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_timeout).count();
    if (!m_proxy->offers().empty())
        return {ErrorKind::Protocol,
                base::Text::counted(
                    seconds,
                    QT_TRANSLATE_NOOP(
                        "core", "it has been computing for %n seconds while it waits, so its next step is unknown"))};
    if (m_proxy->connectedServers() == 0 && m_usesFixedPort)
        return {ErrorKind::Protocol,
                base::Text::counted(seconds,
                                    QT_TRANSLATE_NOOP("core", "it has run for %n seconds without a connection to the "
                                                              "port of --fixed-port"))};
    if (m_proxy->connectedServers() == 0)
        return {ErrorKind::Protocol,
                base::Text::counted(seconds,
                                    QT_TRANSLATE_NOOP("core", "it has run for %n seconds without a connection to the "
                                                              "server that it was given: let it read REDIS_URL, or "
                                                              "REDIS_HOST and REDIS_PORT, or REDIS_SOCKET, from its "
                                                              "environment, or give --fixed-port the port that it "
                                                              "uses"))};
    if (isAsleep(QByteArray::number(m_child.id()), m_clock.get()))
        return {ErrorKind::Protocol,
                base::Text::counted(seconds,
                                    QT_TRANSLATE_NOOP("core", "it has waited for %n seconds without a request and has "
                                                              "not ended: let it close its connections at its end, "
                                                              "such as by quit() in Node.js"))};
    return {
        ErrorKind::Protocol,
        base::Text::counted(seconds, QT_TRANSLATE_NOOP("core", "it has sent no command that reads or writes a key for "
                                                               "%n seconds and has not ended"))};
}

Error Process::noCommandError()
{
    const QString output = lastOutput();
    const base::Text last = lastOutputText(output);
    if (m_proxy->connectedServers() != 0 || m_usesFixedPort)
        return {ErrorKind::Protocol,
                base::Text(QT_TRANSLATE_NOOP("core", "it has ended with exit code %1 before its first command; %2"),
                           exitCode(), last)};
    // A program that has ended without an error may have found another server at its own port.
    if (exitCode() != 0 && !output.contains(QStringLiteral("refused"), Qt::CaseInsensitive))
        return {ErrorKind::Protocol,
                base::Text(QT_TRANSLATE_NOOP("core", "it ended with exit code %1 and did not connect to the server of "
                                                     "REDIS_URL; %2"),
                           exitCode(), last)};
    return {ErrorKind::Protocol,
            base::Text(QT_TRANSLATE_NOOP("core", "it ended with exit code %1 and did not connect to the server of "
                                                 "REDIS_URL; for a program with a fixed port, use --fixed-port; %2"),
                       exitCode(), last)};
}

bool Process::isStillSettled()
{
    if (m_hasEnded)
        return true; // An ended process cannot change any more.
    const auto hasArrived = m_proxy->readInput();
    return hasArrived && !*hasArrived && m_child.isRunning();
}

QString Process::lastOutput()
{
    m_child.readNow();
    const QList<QByteArray> lines = m_child.output().trimmed().split('\n');
    const auto informative = std::find_if(lines.crbegin(), lines.crend(), isInformative);
    const QByteArray &line = informative == lines.crend() ? lines.constLast() : *informative;
    return QString::fromLocal8Bit(line.trimmed().right(200));
}

base::Text Process::lastOutputText(const QString &lastOutput)
{
    return lastOutput.isEmpty() ? base::Text(QT_TRANSLATE_NOOP("core", "it has printed nothing"))
                                : base::Text(QT_TRANSLATE_NOOP("core", "last output: %1"), lastOutput);
}

} // namespace latchkey::programs
