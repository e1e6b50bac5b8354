#pragma once

#include "core/programs/process.h"

#include <QElapsedTimer>
#include <QHash>
#include <QSet>

#include <deque>
#include <map>

namespace latchkey::programs {

using PointId = quint32;

/// What a process is told in one of its conversations.
struct Event
{
    quint8 conversation = 0;
    bool isLost = false; ///< The conversation ends instead of the reply.
    resp::Reply reply;

    friend bool operator==(const Event &, const Event &) = default;
};

/// Where a process stands after it has been told this and that, and what it does there.
struct Point
{
    PointId parent = 0;
    Event event;                      ///< That has brought it here.
    std::vector<races::Offer> offers; ///< Its own values stand as ownValue(), others' as tokenName().
    quint32 rooms = 0;                ///< Which of the places that it has told of it is inside of: a bit each.
    int tokens = 0;                   ///< How many values of its own it has sent by now.
    int commands = 0;                 ///< How many commands it has sent by now.
    int exitCode = 0;
    bool isOver = false;
    bool isCut = false; ///< It has sent as many commands as it may.
};

/// What a program has been seen to do after each history of replies.
///
/// Between two replies a process is a function of the replies that it has had, and of its clock. So one is run only for
/// a history that none has had before, fed the replies of that history; and it stays where it has come to, ready for
/// the next reply there. Whatever is long enough and differs between two runs of one history is the process's own
/// value, its token. What others see of it is a value of the same look, and theirs to it as well, so that it can be
/// parsed where a token has parts. A client that goes on sending the same after the same replies is taken to do so for
/// ever: see endlessRetries().
/// Shared by the runs of all clients. The processes are its own.
class Behaviour final
{
public:
    explicit Behaviour(Program program);
    Q_DISABLE_COPY_MOVE(Behaviour)

    static constexpr PointId start = 0;
    /// Finds out what it does first; before everything else. Error: it cannot be explored.
    [[nodiscard]] base::Result<void> open();
    [[nodiscard]] const Point &operator[](PointId point) const { return m_points[point]; }
    /// Where it comes to from there. Once that fails, trouble() says why, and it stays where it is.
    [[nodiscard]] PointId after(PointId point, const Event &event);
    [[nodiscard]] const std::optional<base::Error> &trouble() const { return m_trouble; }

    /// A fresh process, at the start. Errors as those of Process; Protocol: it does anything else than others before.
    [[nodiscard]] base::Result<std::unique_ptr<Process>> begin();
    /// Tells the process, which stands at the one point, what brings it to the other. Errors as begin().
    [[nodiscard]] base::Result<void> advance(Process &process, const Event &event, PointId to);

    [[nodiscard]] qint64 starts() const { return m_starts; }
    /// How long it took to start them all, up to where each sent its first command.
    [[nodiscard]] std::chrono::nanoseconds timeOfStarts() const { return m_timeOfStarts; }
    [[nodiscard]] bool wasCut() const { return m_wasCut; }
    [[nodiscard]] bool hasRooms() const { return !m_rooms.isEmpty(); }
    [[nodiscard]] const Program &program() const { return m_program; }
    /// Of the processes that have ended otherwise than with 0: by exit code what the first of them printed last.
    [[nodiscard]] const std::map<int, QString> &failedEnds() const { return m_failedEnds; }
    /// How often a client had done the same in vain, at least, when it was taken to do so for ever; absent: none was.
    [[nodiscard]] std::optional<int> endlessRetries() const { return m_endlessRetries; }

private:
    struct Parked
    {
        PointId point = start;
        std::unique_ptr<Process> process;
        QElapsedTimer since;
    };

    [[nodiscard]] base::Result<PointId> learn(PointId from, const Event &event);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> processAt(PointId point);
    [[nodiscard]] base::Result<std::unique_ptr<Process>> freshProcessAt(PointId point);
    void park(PointId point, std::unique_ptr<Process> process);
    [[nodiscard]] base::Result<bool> goesOnSo(Process &process, const std::vector<PointId> &round);
    [[nodiscard]] std::vector<races::Offer> offersOf(const Process &process) const;
    void addLookalikes(const Process &one, const Process &other);
    [[nodiscard]] base::Result<void> match(Process &process, const Point &point) const;
    [[nodiscard]] base::Result<void> compare(Process &one, Process &other, std::vector<races::Offer> &offers);
    [[nodiscard]] bool isKnown(const std::vector<races::Offer> &offers) const;
    [[nodiscard]] Point pointFor(Process &process, PointId from, const Event &event, std::vector<races::Offer> offers);
    [[nodiscard]] quint32 roomsAfter(PointId from, const Event &event);
    [[nodiscard]] std::vector<PointId> roundBefore(const Point &point) const;
    void tell(Process &process, const Event &event) const;

    const Program m_program;
    std::optional<children::Warden> m_warden; ///< Outlives all processes.
    std::vector<Point> m_points;
    QHash<std::pair<PointId, QByteArray>, PointId> m_children; ///< By the point and the event.
    std::deque<Parked> m_parked;                               ///< The latest last.
    QSet<QByteArray> m_constants;                              ///< Long words that were the same in two processes.
    QHash<QByteArray, int> m_rooms;
    /// What stands for the values of the other clients, and what a process is told instead; the longest name first.
    std::vector<std::pair<QByteArray, QByteArray>> m_lookalikes;
    int m_valuesWithLookalike = 0; ///< The first so many values of every client.
    std::map<int, QString> m_failedEnds;
    std::optional<int> m_endlessRetries;
    std::optional<base::Error> m_trouble;
    qint64 m_starts = 0;
    std::chrono::nanoseconds m_timeOfStarts {};
    bool m_wasCut = false;
};

} // namespace latchkey::programs
