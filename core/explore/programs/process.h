#pragma once

#include "core/explore/programs/commandproxy.h"
#include "core/explore/programs/forkserver.h"
#include "core/explore/programs/processendpoint.h"
#include "core/explore/programs/program.h"
#include "core/explore/shim/programclock.h"
#include "core/foundation/process/child.h"
#include "core/foundation/process/orphanreaper.h"

namespace latchkey::programs {

/// A running process of a program, with its proxy in place of a server.
///
/// The process pauses whenever it waits for a reply, for any time; settle() waits for such a pause. With a virtual
/// clock, the process also pauses whenever it waits for a point in time. The child is killed if this program ends, even
/// if this program is killed. Owned by the code that uses it: ProcessPool while it is paused; ObservationTree or
/// ScheduleValidation while it runs.
class Process final
{
public:
    /// Start values of a virtual clock.
    struct Clock
    {
        base::MonotonicTime now;
        base::WallTime date;
        process::Launch::Variable variable; ///< Variable that disables wake-ups by the program's language engine.
        std::uint32_t firstId = 0;          ///< Number of the first process ID, different for each process.
        bool hasOtherIds = false;           ///< Whether the process has other IDs; see shim::shownId().
        bool servesForks = false;           ///< Whether the process shall fork others: see reachForkPoint().
    };

    /// Starts a process. `socket`: path of the process's Unix socket, where no file exists. `clientId`: that of its
    /// first connection, different for each process. `clock`: absent for the machine's clock. Error: Usage if there is
    /// no such program, otherwise Local.
    [[nodiscard]] static base::Result<std::unique_ptr<Process>> start(const Program &program,
                                                                      const process::OrphanReaper &reaper,
                                                                      const QString &socket, qint64 clientId,
                                                                      const std::optional<Clock> &clock = {});
    ~Process();
    Q_DISABLE_COPY_MOVE(Process)

    /// Waits until the process can fork others, before its first connection. Returns false if the process cannot: then
    /// it is settled. Errors as settle().
    [[nodiscard]] base::Result<bool> reachForkPoint();
    /// Returns whether the process is at its fork point, without waiting.
    [[nodiscard]] bool isAtForkPoint();
    /// Forks a process, which behaves as a new process of the program. Only at the fork point. `socket`, `clientId`: as
    /// for start(). Error (Local): the system refuses it.
    [[nodiscard]] base::Result<std::unique_ptr<Process>> fork(const Program &program, const QString &socket,
                                                              qint64 clientId);
    /// Makes this an ordinary process, which continues. Only at the fork point.
    void stopForking();

    /// Waits until the process has ended, or cannot continue without an event. Error (Protocol): timeout
    /// (Program::timeout), a program that cannot be explored, or a cancelled exploration.
    [[nodiscard]] base::Result<void> settle();

    [[nodiscard]] std::vector<races::Offer> offers() const { return m_proxy->offers(); }
    void answer(int conversation, const resp::Reply &reply) { m_proxy->answer(conversation, reply); }
    void closeConversation(int conversation) { m_proxy->closeConversation(conversation); }
    /// Sends a message of a subscription.
    void deliver(int conversation, const resp::Reply &message) { m_proxy->deliver(conversation, message); }
    /// Returns the servers to which the process has connected, one bit each.
    [[nodiscard]] quint32 connectedServers() const { return m_proxy->connectedServers(); }
    /// Returns the conversations that are open for messages, one bit each.
    [[nodiscard]] quint64 listening() const { return m_proxy->listening(); }

    /// Advances the virtual clock; see settle(). Only with a virtual clock.
    void advanceClock(std::chrono::milliseconds time) { m_clock->moveWithoutWaking(m_clock->now() + time); }
    /// Returns the time until the earliest wait of a thread ends on the virtual clock, rounded up; absent: no such
    /// wait.
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const;
    /// Records that an event follows: see dependsOnTime().
    void beginEvent();
    /// Returns whether the steps since beginEvent() depend on the time of the event. Such a process has read its clock,
    /// or has begun a new wait for a point in time. A wait that has ended or continues does not matter, because its
    /// point in time is absolute.
    [[nodiscard]] bool dependsOnTime() const;
    /// Returns whether the earliest wait is the same as at beginEvent().
    [[nodiscard]] bool continuesWait() const;
    /// Returns whether the process and all its descendants use only the virtual clock.
    [[nodiscard]] bool usesOnlyVirtualClock() const;

    /// Returns the number of IDs that the process, its descendants and their threads have had so far. It depends only
    /// on the behaviour of the process. 0 without a virtual clock.
    [[nodiscard]] quint32 idsShown() const { return m_clock ? m_clock->idsShown() : 0; }

    /// Returns whether the process has several threads that may send commands. A Node.js program runs in one thread.
    [[nodiscard]] bool hasThreads() const;

    /// Returns whether the process has ended, and all its commands have been answered.
    [[nodiscard]] bool isOver() const { return m_hasEnded && m_proxy->offers().empty(); }
    [[nodiscard]] int exitCode() const { return m_child.exitCode(); }
    /// Returns whether the process has neither sent anything nor ended since settle().
    [[nodiscard]] bool isStillSettled();
    /// Returns the last line of the process's output.
    [[nodiscard]] QString lastOutput();
    /// Returns the last line of output as part of an error message.
    [[nodiscard]] static base::Text lastOutputText(const QString &lastOutput);
    /// Returns the error of a process that has ended before its first command.
    [[nodiscard]] base::Error noCommandError();

    /// Whether the process has the other clock: see ProcessPool::Clock::differs.
    bool hasOtherClock = false;
    /// Time by which the clock of this process is behind the others, because its random waits are shorter; negative:
    /// ahead.
    std::chrono::milliseconds clockLag {};
    /// Own values of this process, in the order of their first use.
    QList<QByteArray> tokens;

private:
    explicit Process(const Program &program);
    [[nodiscard]] bool wakesAnotherThread();
    [[nodiscard]] bool hasAvoidedLibrary() const;
    [[nodiscard]] quint64 readings() const { return m_clock ? m_clock->readings(m_view) : 0; }
    [[nodiscard]] base::Error settleError() const;

    const std::chrono::milliseconds m_timeout;
    const std::function<bool()> m_isToStop;
    const bool m_usesFixedPort; ///< Whether the process always uses a fixed port.
    std::shared_ptr<CommandProxy> m_proxy;
    std::shared_ptr<CommandProxy> m_forkerProxy;             ///< Proxy of the process that forked this one; null: none.
    std::shared_ptr<const shim::ProgramClock> m_forkerClock; ///< Clock of the process that forked this one; null: none.
    std::shared_ptr<shim::ProgramClock> m_clock;             ///< Null: the machine's clock. Outlives the child.
    std::optional<ProcessEndpoint> m_endpoint;               ///< Absent: a forked process.
    std::shared_ptr<bool> m_isForking = std::make_shared<bool>(true); ///< Shared with the forked processes.
    std::unique_ptr<ForkServer> m_forkServer;                         ///< Null: the process forks no others.
    shim::ProgramClock::ViewNumber m_view = 0;
    process::Child m_child;                                // Ends before the proxy.
    quint64 m_readingsBefore = 0;                          ///< Clock readings before the event.
    std::vector<shim::ProgramClock::Timer> m_timersBefore; ///< Waits before the event.
    bool m_hasEnded = false;
};

} // namespace latchkey::programs
