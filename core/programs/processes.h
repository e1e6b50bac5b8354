#pragma once

#include "core/base/ownedfolder.h"
#include "core/programs/process.h"

#include <QElapsedTimer>

#include <deque>

namespace latchkey::programs {

using PointId = quint32;

/// The processes of one program: starts them, and keeps those that stand somewhere and may be of use there again.
///
/// To start one takes a hundred times as long as to tell one something, so that each is kept until it is needed at its
/// point, or there are too many. Owned by the Behaviour.
class Processes final
{
public:
    /// How the clock of a client is seen.
    struct Clock
    {
        std::chrono::milliseconds ahead {}; ///< By how much its date is.
        /// That every second process is given another date, and another count since its machine was started: whatever
        /// it sends because of that differs from what the first one sends.
        bool differs = true;
    };

    /// clock: absent for the machine's own.
    Processes(const Program &program, std::optional<Clock> clock);
    Q_DISABLE_COPY_MOVE(Processes)

    /// Before all else. Error (Local): no process can be started.
    [[nodiscard]] base::Result<void> open();
    [[nodiscard]] const std::optional<Clock> &clock() const { return m_clock; }
    /// From now on they go by the machine's.
    void leaveClock() { m_clock.reset(); }

    /// A fresh one, up to where it waits for us. isOther: one with the other clock. begin: so much later than the
    /// others. Errors as those of Process.
    [[nodiscard]] base::Result<std::unique_ptr<Process>> start(bool isOther, std::chrono::milliseconds begin);
    /// One that is kept for the point; null: there is none.
    [[nodiscard]] std::unique_ptr<Process> takeFrom(PointId point, bool isOther);
    void keep(PointId point, std::unique_ptr<Process> process);

    [[nodiscard]] qint64 starts() const { return m_starts; }
    /// How long it took to start them all, up to where each sent its first command.
    [[nodiscard]] std::chrono::nanoseconds timeOfStarts() const { return m_timeOfStarts; }

private:
    struct Kept
    {
        PointId point = 0;
        std::unique_ptr<Process> process;
        QElapsedTimer since;
    };

    const Program &m_program; // Not owned.
    std::optional<Clock> m_clock;
    std::optional<children::Warden> m_warden;    ///< Outlives all processes.
    std::unique_ptr<base::OwnedFolder> m_folder; ///< Of their Unix sockets, and what programs of Node are told first.
    std::deque<Kept> m_kept;                     ///< The latest last.
    qint64 m_starts = 0;
    std::chrono::nanoseconds m_timeOfStarts {};
};

} // namespace latchkey::programs
