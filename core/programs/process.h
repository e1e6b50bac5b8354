#pragma once

#include "core/children/child.h"
#include "core/children/warden.h"
#include "core/programs/program.h"
#include "core/programs/proxy.h"
#include "core/shim/programclock.h"

namespace latchkey::programs {

/// One process of a program, from its start on, with the server that it believes to have.
///
/// It stands still wherever it waits for a reply, for as long as one likes: settle() brings it to such a point. Where
/// it has a clock of ours, so it does wherever it waits for a moment to come. Ends with this process, also where that
/// is killed. Owned by the Behaviour.
class Process final
{
public:
    /// What a process's clock shows as it begins.
    struct Clock
    {
        base::MonotonicTime now;
        base::WallTime date;
        children::Launch::Variable variable; ///< That keeps the program's engine from waking up of its own accord.
    };

    /// socket: a path where nothing is, for its Unix socket. clock: absent for the machine's own. Error: Usage where
    /// there is no such program, else Local.
    [[nodiscard]] static base::Result<std::unique_ptr<Process>> start(const Program &program,
                                                                      const children::Warden &warden,
                                                                      const QString &socket,
                                                                      const std::optional<Clock> &clock = {});
    ~Process();
    Q_DISABLE_COPY_MOVE(Process)

    /// Waits until it can go no further by itself: it waits for replies alone, or has ended. Error (Protocol): it does
    /// neither within the program's patience, what it does cannot be explored, or the program says that it is to stop.
    [[nodiscard]] base::Result<void> settle();

    [[nodiscard]] std::vector<races::Offer> offers() const { return m_proxy->offers(); }
    void answer(int conversation, const resp::Reply &reply) { m_proxy->answer(conversation, reply); }
    void drop(int conversation) { m_proxy->drop(conversation); }
    /// A message of what it has subscribed to.
    void tell(int conversation, const resp::Reply &message) { m_proxy->tell(conversation, message); }
    /// Which of its conversations are open for messages, a bit each.
    [[nodiscard]] quint64 listening() const { return m_proxy->listening(); }

    /// Lets time go by for it; see settle(). It must have a clock of ours.
    void pass(std::chrono::milliseconds time) { m_clock->moveTo(m_clock->now() + time); }
    /// In how long it goes on by itself that waits for a moment to come, rounded up; absent: it does not.
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const;
    /// See shim::ProgramClock.
    [[nodiscard]] quint64 readings() const { return m_clock ? m_clock->readings(m_view) : 0; }
    /// It and all that it has started go by our clock, and by no other.
    [[nodiscard]] bool isUnderControl() const;

    /// It has ended, and everything that it has sent has been dealt with.
    [[nodiscard]] bool isOver() const { return m_hasEnded && m_proxy->offers().empty(); }
    [[nodiscard]] int exitCode() const { return m_child.exitCode(); }
    /// Nothing has come from it since it settled, and it has not ended meanwhile.
    [[nodiscard]] bool isUndisturbed();
    /// The end of what it has printed.
    [[nodiscard]] QString lastWords();
    /// The same within a sentence.
    [[nodiscard]] static base::Text told(const QString &lastWords);
    /// Of a process that has ended before its first command.
    [[nodiscard]] base::Error whyNoCommand();
    [[nodiscard]] bool hasAskedForResp3() const { return m_proxy->hasAskedForResp3(); }

    /// It has the other clock: see Processes.
    bool isOther = false;
    /// How often it had read its clock before it was told something last.
    quint64 readingsBefore = 0;
    /// Values that are this process's own, in the order in which it has sent them first.
    QList<QByteArray> tokens;

private:
    explicit Process(const Program &program);
    [[nodiscard]] bool isWoken() const;
    [[nodiscard]] base::Error whyNotSettled() const;

    const std::chrono::milliseconds m_patience;
    const std::function<bool()> m_isToStop;
    const bool m_insists; ///< On a port, which it has.
    std::unique_ptr<Proxy> m_proxy;
    std::unique_ptr<shim::ProgramClock> m_clock; ///< Null: it goes by the machine's. Outlives the child.
    shim::ProgramClock::ViewNumber m_view = 0;
    children::Child m_child; // Ends before its server does.
    bool m_hasEnded = false;
};

} // namespace latchkey::programs
