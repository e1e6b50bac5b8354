#include "core/explore/programs/processpool.h"

#include "core/explore/races/attempt.h"

#include <QFile>

#include <algorithm>
#include <utility>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;
using namespace std::chrono_literals;

namespace {

/// Maximum age of a kept process without a virtual clock. Such a process may run into a timeout and reconnect.
constexpr auto longestKept = 2s;

/// Age at which a process is discarded for another, as the number of processes kept since. The search is breadth first:
/// it needs the oldest processes first, so a younger one is discarded if there is no room. But a node that the search
/// has left is never needed again.
constexpr qint64 oldestKept = 400;

/// Start value of the monotonic clock, large enough that a difference of two of its times is not negative.
constexpr base::MonotonicTime startOfTime(1000h);
constexpr auto folderPrefix = QLatin1String("latchkey-explore-");

/// A script that removes wake-ups of Node.js that are not behaviour of the program. Passed to every process; programs
/// other than Node.js ignore it.
constexpr auto nodeScript = QLatin1String(":/latchkey/programs/node.js");
constexpr auto nodeVariable = "NODE_OPTIONS";

/// Lead of the other clock. Both clocks show close numbers, see commonOffers(), but different days, hours, minutes and
/// seconds: a program may send any of them, such as the minute of a rate limiter.
constexpr auto otherAhead = 25h + 1min + 7'345ms;

/// Number of forks of a process, before it becomes an ordinary process. Forked processes have the same start-up
/// randomness, such as the order of sets in Python. Several start-ups are observed, so that behaviour that depends on
/// chance is detected.
constexpr int maxForks = 7;

/// Number of starts at a later time before a process is started that forks others for that time. Most such times are
/// needed only a few times.
constexpr int startsBeforeForks = 4;

/// Maximum number of processes that fork others.
constexpr std::size_t maxForkers = 12;

/// Number of process IDs between those of two processes, which are for threads and descendants.
constexpr std::uint32_t idsOfProcess = 61;

/// Returns the id of the process's first connection. It has the length of a token, and differs much from that of the
/// processes started before and after: multiples of the golden ratio are spread evenly.
qint64 clientIdOf(qint64 launch)
{
    constexpr qint64 least = 100'000'000;
    constexpr qint64 range = 899'000'000;
    constexpr qint64 goldenRatio = 618'033'989;
    return least + launch * goldenRatio % range;
}

} // namespace

ProcessPool::ProcessPool(const Program &program, std::optional<Clock> clock)
    : m_program(program)
    , m_maxKept(maxKept(program.servers))
    , m_clock(clock)
{}

Result<void> ProcessPool::open()
{
    auto reaper = process::OrphanReaper::start();
    if (!reaper)
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "no process can be started: %1"),
                       QString::fromStdString(reaper.error().message()));
    m_reaper.emplace(std::move(*reaper));
    auto folder = files::OwnedFolder::create(folderPrefix);
    if (!folder)
        return failure(std::move(folder.error()));
    QFile script(nodeScript);
    if (const QString copy = (*folder)->filePath(QStringLiteral("node.js")); !script.copy(copy))
        return failure(ErrorKind::Local, QStringLiteral("%1: %2").arg(copy, script.errorString()));
    m_folder = std::move(*folder);
    return {};
}

void ProcessPool::useMachineClock()
{
    m_clock.reset();
    m_startedAhead = {};
    m_forkers.clear();
}

Result<std::unique_ptr<Process>> ProcessPool::start(bool hasOtherClock, std::chrono::milliseconds begin)
{
    ++m_starts;
    QElapsedTimer time;
    time.start();
    std::unique_ptr<Process> &spare = m_startedAhead[hasOtherClock ? 1 : 0];
    auto process =
        spare && begin == 0ms ? Result<std::unique_ptr<Process>>(std::move(spare)) : launch(hasOtherClock, begin);
    if (!process)
        return process;
    if (m_clock && !spare) // Without a virtual clock, a connection timeout of the program might end before its use.
        launchAhead(hasOtherClock);
    if (mayFork() && !m_hasStartedOther)
        launchAhead(true);
    if (auto settled = (*process)->settle(); !settled)
        return failure(std::move(settled.error()));
    m_timeOfStarts += std::chrono::nanoseconds(time.nsecsElapsed());
    return process;
}

bool ProcessPool::mayFork() const
{
    return m_program.forksProcesses && m_clock && m_program.fixedPort == 0 && !m_cannotFork;
}

ProcessPool::Forker *ProcessPool::findForker(bool hasOtherClock, std::chrono::milliseconds begin)
{
    const auto found = std::ranges::find_if(m_forkers, [&](const Forker &forker) {
        return forker.hasOtherClock == hasOtherClock && forker.begin == begin;
    });
    return found == m_forkers.end() ? nullptr : &*found;
}

/// Starts a process that is to fork others, without waiting for its fork point.
Result<void> ProcessPool::addForker(bool hasOtherClock, std::chrono::milliseconds begin)
{
    auto process = launchNew(hasOtherClock, begin, true);
    if (!process)
        return failure(std::move(process.error()));
    if (m_forkers.size() >= maxForkers)
        m_forkers.pop_front();
    m_forkers.push_back({hasOtherClock, begin, *std::move(process)});
    return {};
}

/// Starts a process without waiting for its first command. The process is forked from another if possible.
Result<std::unique_ptr<Process>> ProcessPool::launch(bool hasOtherClock, std::chrono::milliseconds begin)
{
    // The first process with the other clock is started, so that a forked process is compared with a started one.
    const bool isFirstOther = hasOtherClock && !std::exchange(m_hasStartedOther, true);
    if (!mayFork() || isFirstOther || (begin != 0ms && m_startsAt[begin]++ < startsBeforeForks))
        return launchNew(hasOtherClock, begin, false);
    if (findForker(hasOtherClock, begin) == nullptr) {
        if (auto added = addForker(hasOtherClock, begin); !added)
            return failure(std::move(added.error()));
    }
    Forker &forker = *findForker(hasOtherClock, begin);
    const auto canFork = forker.process->reachForkPoint();
    if (!canFork)
        return failure(canFork.error());
    if (*canFork)
        return launchFrom(forker);
    m_cannotFork = true;
    auto process = std::move(forker.process);
    m_forkers.clear();
    return process;
}

/// Forks a process. A forker that has forked enough becomes an ordinary process, and is replaced by a new one: so
/// start-up is observed several times, and forked processes are compared with started ones.
Result<std::unique_ptr<Process>> ProcessPool::launchFrom(Forker &forker)
{
    const auto [hasOtherClock, begin] = std::pair(forker.hasOtherClock, forker.begin);
    if (forker.forks == maxForks) {
        auto process = std::move(forker.process);
        std::erase_if(m_forkers, [](const Forker &each) { return !each.process; });
        process->stopForking();
        return process;
    }
    const QString socket = nextSocket();
    auto process = forker.process->fork(m_program, socket, clientIdOf(m_launches));
    if (!process) {
        m_cannotFork = true;
        m_forkers.clear();
        return launchNew(hasOtherClock, begin, false);
    }
    (*process)->hasOtherClock = hasOtherClock;
    ++m_forks;
    if (++forker.forks == maxForks / 2 && begin == 0ms)
        (void)addForker(hasOtherClock, begin); // The next one.
    return process;
}

/// Starts or forks a process that is used later. Does not wait.
void ProcessPool::launchAhead(bool hasOtherClock)
{
    std::unique_ptr<Process> &spare = m_startedAhead[hasOtherClock ? 1 : 0];
    if (!mayFork() || (hasOtherClock && !m_hasStartedOther)) {
        m_hasStartedOther = m_hasStartedOther || hasOtherClock;
        if (auto next = launchNew(hasOtherClock, 0ms, false))
            spare = std::move(*next);
        return;
    }
    Forker *const forker = findForker(hasOtherClock, 0ms);
    if (forker == nullptr) {
        (void)addForker(hasOtherClock, 0ms);
    } else if (forker->process->isAtForkPoint()) {
        if (auto next = launchFrom(*forker))
            spare = std::move(*next);
    }
}

/// Returns the path for the next process's Unix socket.
QString ProcessPool::nextSocket()
{
    return m_folder->filePath(QString::number(++m_launches));
}

/// Starts a process without waiting for its first command.
Result<std::unique_ptr<Process>> ProcessPool::launchNew(bool hasOtherClock, std::chrono::milliseconds begin,
                                                        bool servesForks)
{
    std::optional<Process::Clock> clock;
    if (m_clock) {
        const auto since = begin + (hasOtherClock && m_clock->differs ? otherAhead : 0ms);
        const QByteArray script = QFile::encodeName(m_folder->filePath(QStringLiteral("node.js")));
        const QByteArray given = qgetenv(nodeVariable);
        clock = {
            startOfTime + since,
            races::Attempt::startOfTime() + since + m_clock->ahead,
            {nodeVariable, QByteArray("--require") + ' ' + script + (given.isEmpty() ? QByteArray() : ' ' + given)},
            static_cast<std::uint32_t>(m_launches) * idsOfProcess,
            hasOtherClock,
            servesForks};
    }
    const QString socket = nextSocket();
    auto process = Process::start(m_program, *m_reaper, socket, clientIdOf(m_launches), clock);
    if (process)
        (*process)->hasOtherClock = hasOtherClock;
    return process;
}

std::unique_ptr<Process> ProcessPool::takeFrom(TreeNodeId node, bool hasOtherClock)
{
    if (!m_clock)
        std::erase_if(m_kept, [](const PausedProcess &paused) {
            return std::chrono::milliseconds(paused.since.elapsed()) > longestKept;
        });
    for (auto kept = m_kept.begin(); kept != m_kept.end();) {
        const bool isAlike = !m_clock || !m_clock->differs || kept->process->hasOtherClock == hasOtherClock;
        if (kept->node != node || !isAlike) {
            ++kept;
            continue;
        }
        std::unique_ptr<Process> process = std::move(kept->process);
        kept = m_kept.erase(kept);
        if (process->isStillSettled())
            return process;
    }
    return nullptr;
}

void ProcessPool::keep(TreeNodeId node, std::unique_ptr<Process> process)
{
    ++m_keeps;
    if (m_kept.size() >= m_maxKept && m_keeps - m_kept.front().number <= oldestKept)
        return;
    if (m_kept.size() >= m_maxKept)
        m_kept.pop_front();
    PausedProcess &paused = m_kept.emplace_back();
    paused.node = node;
    paused.number = m_keeps;
    paused.process = std::move(process);
    paused.since.start();
}

} // namespace latchkey::programs
