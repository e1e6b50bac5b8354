#include "core/explore/programs/process.h"

#include "core/explore/programs/processendpoint.h"
#include "core/explore/programs/processstatus.h"

#include <QDeadlineTimer>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
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

/// Returns whether the line of output may be the reason for the end of the program. Stack frames are indented, and
/// Node.js ends a stack trace with a brace and its version.
bool isInformative(const QByteArray &line)
{
    const QByteArray words = line.trimmed();
    return !words.isEmpty() && words != "}" && !line.startsWith(' ') && !line.startsWith('\t')
        && !words.startsWith("Node.js");
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
        if (clock->servesForks && (process->m_forkServer = ForkServer::open()))
            process->m_forkServer->applyTo(*process->m_clock, launch);
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
    process->m_proxy = std::make_shared<CommandProxy>(*std::move(listeners), clientId);
    process->m_endpoint = *std::move(endpoint);
    if (process->m_forkServer)
        process->m_forkServer->closeOtherEnd();
    return process;
}

Result<bool> Process::reachForkPoint()
{
    if (m_forkServer && m_forkServer->state() != ForkServer::State::Ready) {
        if (auto settled = settle(); !settled)
            return failure(std::move(settled.error()));
    }
    if (isAtForkPoint())
        return true;
    m_forkServer.reset(); // If the process creates a socket later, it does not serve forks.
    return false;
}

bool Process::isAtForkPoint()
{
    return m_forkServer && m_forkServer->state() == ForkServer::State::Ready;
}

Result<std::unique_ptr<Process>> Process::fork(const Program &program, const QString &socket, qint64 clientId)
{
    auto endpoint = ProcessEndpoint::open(program.servers, 0, socket);
    if (!endpoint)
        return failure(std::move(endpoint.error()));
    auto clock = m_clock->forForked(m_clock->now(), m_clock->wallNow());
    if (!clock)
        return failure(std::move(clock.error()));
    std::unique_ptr<Process> forked(new Process(program));
    forked->m_clock = *std::move(clock);
    forked->m_view = m_view;
    forked->m_forkerProxy = m_proxy;
    forked->m_forkerClock = m_clock;
    forked->m_isForking = m_isForking;
    endpoint->redirectFrom(*m_endpoint, *forked->m_clock);
    const auto started = m_forkServer->fork(forked->m_clock->descriptor());
    if (!started)
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "no process can be forked"));
    m_child.readNow();
    forked->m_child.adopt(*started, true, m_child.output());
    auto listeners = endpoint->takeListeners();
    if (!listeners)
        return failure(std::move(listeners.error()));
    forked->m_proxy = std::make_shared<CommandProxy>(*std::move(listeners), clientId);
    return forked;
}

void Process::stopForking()
{
    m_forkServer->release();
    m_forkServer.reset();
    *m_isForking = false;
}

/// Returns whether a forked process has behaved differently from a started one: it has avoided the library.
bool Process::hasAvoidedLibrary() const
{
    if (!m_forkerProxy)
        return false;
    if (*m_isForking) {
        const auto hasArrived = m_forkerProxy->readInput();
        if (!hasArrived || *hasArrived || m_forkerProxy->connectedServers() != 0)
            return true;
    }
    return m_forkerClock->hasLostDescendant();
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
        if (isAtForkPoint())
            return {};
        const auto hasArrived = m_proxy->readInput();
        if (!hasArrived)
            return failure(hasArrived.error());
        if (hasAvoidedLibrary())
            return failure(ErrorKind::Protocol,
                           QT_TRANSLATE_NOOP("core", "it behaves differently if it is forked from another process"));
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
    return m_clock && (m_hasEnded || descendantsUseOnlyVirtualClock(QByteArray::number(m_child.id()), *m_clock));
}

bool Process::hasThreads() const
{
    const QByteArray id = QByteArray::number(m_child.id());
    return !statusLine(id, "Name:").endsWith("node") && statusLine(id, "Threads:").mid(8).trimmed().toInt() > 1;
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
