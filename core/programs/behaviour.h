#pragma once

#include "core/programs/lookalikes.h"
#include "core/programs/rooms.h"

#include <QHash>
#include <QSet>

#include <map>

namespace latchkey::programs {

/// What a program has been seen to do after each history of replies, and of the time that has gone by.
///
/// Between two replies a process is a function of the replies that it has had, and of its clock. So one is run only for
/// a history that none has had before, fed the replies of that history; and it stays where it has come to, ready for
/// the next reply there. Whatever is long enough and differs between two runs of one history is the process's own
/// value, its token. What others see of it is a value of the same look, and theirs to it as well, so that it can be
/// parsed where a token has parts. A client that goes on sending the same after the same replies is taken to do so for
/// ever: see endlessRetries().
/// Where its clock is ours, the two runs begin at different times of day: what differs because of that shows whether it
/// sends times. Those of one client cannot stand for another's, and that has to be known from the start.
/// Shared by the runs of all clients, or where they send times by those of one. The processes are its own.
class Behaviour final
{
public:
    /// clock: absent where it is not ours.
    Behaviour(const Program &program, std::optional<Processes::Clock> clock);
    Q_DISABLE_COPY_MOVE(Behaviour)

    static constexpr PointId start = 0;
    /// Finds out what it does first; before everything else. Error: it cannot be explored.
    [[nodiscard]] base::Result<void> open();
    [[nodiscard]] const Point &operator[](PointId point) const { return m_points[point]; }
    /// Where it comes to from there. Once that fails, trouble() says why, and it stays where it is.
    [[nodiscard]] PointId after(PointId point, const Event &event);
    [[nodiscard]] const std::optional<base::Error> &trouble() const { return m_trouble; }

    /// A fresh process, at the start, or where it stands that begins so much later. Errors as those of Process;
    /// Protocol: it does anything else than others before.
    [[nodiscard]] base::Result<std::unique_ptr<Process>> begin(std::chrono::milliseconds time);
    /// Tells the process, which stands at the one point, what brings it to the other. Errors as begin().
    [[nodiscard]] base::Result<void> advance(Process &process, const Event &event, PointId to);

    /// Its clock is ours; known once it is open.
    [[nodiscard]] bool isClockControlled() const { return m_processes.clock().has_value(); }
    /// It has come to go by another clock as well.
    [[nodiscard]] bool hasOtherClocks() const { return m_hasOtherClocks; }
    /// It has waited for a moment to come.
    [[nodiscard]] bool hasWaited() const { return m_hasWaited; }
    /// What it sends may hang on the time of day: it is to be learned anew, for each client with a clock that does not
    /// differ. trouble() is there then.
    [[nodiscard]] bool maySendTimes() const { return m_maySendTimes; }

    [[nodiscard]] const Processes &processes() const { return m_processes; }
    [[nodiscard]] bool wasCut() const { return m_wasCut; }
    [[nodiscard]] bool hasRooms() const { return !m_rooms.isEmpty(); }
    /// Of the processes that have ended otherwise than with 0: by exit code what the first of them printed last.
    [[nodiscard]] const std::map<int, QString> &failedEnds() const { return m_failedEnds; }
    /// How often a client had done the same in vain, at least, when it was taken to do so for ever; absent: none was.
    [[nodiscard]] std::optional<int> endlessRetries() const { return m_endlessRetries; }

private:
    [[nodiscard]] base::Result<PointId> find(PointId from, const Event &event);
    [[nodiscard]] base::Result<PointId> learn(PointId from, const Event &event);
    [[nodiscard]] PointId shifted(PointId base, std::chrono::milliseconds begin, std::chrono::milliseconds time,
                                  const Waited &waited);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> processAt(PointId point, bool isOther);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> freshProcessAt(PointId point, bool isOther);
    void keep(PointId point, std::unique_ptr<Process> process);
    [[nodiscard]] base::Result<bool> goesOnSo(Process &process, const std::vector<PointId> &round);
    [[nodiscard]] base::Result<void> match(Process &process, const Point &point) const;
    [[nodiscard]] base::Result<void> compare(Process &one, Process &other, std::vector<races::Offer> &offers);
    [[nodiscard]] base::Error differs(const QString &before, const QString &now) const;
    [[nodiscard]] bool isKnown(const std::vector<races::Offer> &offers) const;
    [[nodiscard]] Point pointFor(Process &process, PointId from, const Event &event, std::vector<races::Offer> offers);
    [[nodiscard]] base::Result<void> tell(Process &process, const Event &event) const;
    [[nodiscard]] base::Result<void> catchUp(Process &process, const Event &event, bool goesOn) const;

    const Program &m_program; // Not owned.
    Processes m_processes;
    std::vector<Point> m_points;
    QHash<std::pair<PointId, QByteArray>, PointId> m_children; ///< By the point and the event.
    /// By the base, when it has begun, how late it is, and how long what it has sent has waited.
    std::map<std::tuple<PointId, qint64, qint64, Waited>, PointId> m_shifted;
    QSet<QByteArray> m_constants; ///< Long words that were the same in two processes.
    Rooms m_rooms;
    Lookalikes m_lookalikes;
    std::map<int, QString> m_failedEnds;
    std::optional<int> m_endlessRetries;
    std::optional<base::Error> m_trouble;
    bool m_wasCut = false;
    bool m_hasOtherClocks = false;
    bool m_hasWaited = false;
    bool m_maySendTimes = false;
};

} // namespace latchkey::programs
