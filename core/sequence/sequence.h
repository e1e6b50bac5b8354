#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

// What happened between clients and servers, in order: all that a sequence diagram shows, without a pixel.

namespace latchkey::sequence {

/// A lane's place among all of them: clients and servers are counted together, in the order in which they came.
using LaneIndex = std::size_t;

/// One who takes part.
struct Lane
{
    enum class Kind : quint8 { Client, Server };

    Kind kind = Kind::Client;
    QString name;          ///< Of who has it now.
    bool isVacant = false; ///< Its client was taken away: the next that comes takes its place.

    bool operator==(const Lane &) const = default;
};

/// A command of a client with its reply.
struct Message
{
    LaneIndex client = 0;
    LaneIndex server = 0;
    QString who; ///< The client's name: its lane may be another's by now.
    base::MonotonicTime sent;
    base::MonotonicTime received; ///< Of the last, where it was said again.
    QString command;
    base::Text reply;
    bool isError = false;     ///< The reply is one, or none came.
    int count = 1;            ///< How often it was said, in one attempt.
    bool isReplyLost = false; ///< None came, or it did not arrive: what the server has done is not known to the client.
    QString shape {};         ///< What is the same each time it is said; the sequence's own.
};

/// What has befallen a lane.
struct Mark
{
    enum class Kind : quint8 {
        Started,
        Crashed,
        Paused,
        Resumed,
        Lost,    ///< It has found out that the lock is not its own any more.
        Taken,   ///< The resource has taken its write.
        Refused, ///< The resource has refused it: its fencing number was too small.
        // Of servers:
        Killed,       ///< And all that it had is gone.
        StartedEmpty, ///< It is there again, with nothing in it.
        Frozen,       ///< It keeps what it has, and answers nobody.
        Thawed,
        LeaseEnded, ///< The time of a key was over; text: the key.
    };

    LaneIndex lane = 0;
    Kind kind = Kind::Started;
    QString who;
    base::MonotonicTime at;
    base::Text text; ///< What else there is to say; may be empty.
};

/// What gets a line of its own in a diagram.
using Row = std::variant<Message, Mark>;
[[nodiscard]] base::MonotonicTime timeOf(const Row &row);

/// What becomes of a server.
enum class ServerEvent : quint8 { Killed, StartedEmpty, Frozen, Thawed };

/// A time during which a client believed that it held a lock.
struct Belief
{
    LaneIndex lane = 0;
    QString who;
    base::Key key;
    base::MonotonicTime from;
    base::MonotonicTime validUntil = base::MonotonicTime::max(); ///< By its lease; max: it has none.
    std::optional<base::MonotonicTime> until {};                 ///< Absent: it still does.
    base::MonotonicTime lapsed = base::MonotonicTime::max(); ///< When no server had it any more, its time being over.

    /// From here on it is mistaken.
    [[nodiscard]] base::MonotonicTime end() const { return std::min(validUntil, lapsed); }
};

/// A time during which a server had a lock's key.
struct Presence
{
    LaneIndex server = 0;
    base::Key key;
    std::optional<LaneIndex> holder; ///< Whose it was, where what the key holds tells that.
    base::MonotonicTime from;
    std::optional<base::MonotonicTime> until {}; ///< Absent: it is still there.
    int slot = 0; ///< The first that no other key of the server had at that time: they stand side by side.
    /// When its time is over, by the last look; max: it has no lifetime; absent: that is not known.
    std::optional<base::MonotonicTime> ends {};
};

/// A time during which somebody could do nothing.
struct Absence
{
    enum class Kind : quint8 { Dead, Asleep };

    LaneIndex lane = 0;
    Kind kind = Kind::Dead;
    base::MonotonicTime from;
    std::optional<base::MonotonicTime> until; ///< Absent: it goes on.
};

/// A time during which several clients believed that they held one lock.
struct Overlap
{
    base::Key key;
    QStringList who; ///< All of them.
    base::MonotonicTime from;
    std::optional<base::MonotonicTime> until; ///< Absent: they still do.
};

/// The course of events. Its lines are kept in the order of their times, though they may come a little out of it, as
/// they do from several processes.
///
/// The one idea: commands and marks are lines, of which only so many are kept, and everything else lasts from a time to
/// a time. What a diagram paints follows from the two, so this knows nothing of it. A value type; the code that hears
/// what happens fills it, see playground::SequenceRecorder. It has no signals: revision() tells whether it has changed.
class Sequence final
{
public:
    /// When there are more lines than this the oldest go, and dropped() counts them.
    static constexpr std::size_t mostRows = 4000;

    LaneIndex addServer(const QString &name);
    void rename(LaneIndex lane, const QString &name);
    /// Takes the first vacant lane of a client, else a new one.
    LaneIndex addClient(const QString &name);
    /// Its client is taken away, and is dead from now on.
    void vacate(LaneIndex lane, base::MonotonicTime at);

    /// What a client says again, in one attempt, is counted where it said it first.
    void add(Message message);
    /// The client has been answered: what it says from now on is not counted with what it said before.
    void closeAttempt(LaneIndex client);
    void add(Mark mark);

    /// From now on its client believes that; or its belief has another end.
    void believe(LaneIndex client, const base::Key &key, base::MonotonicTime from, base::MonotonicTime validUntil);
    /// Nothing happens where it believes nothing.
    void stopBelieving(LaneIndex client, base::MonotonicTime at);
    /// What a server has under the key, by the last look. holder: whose that is; absent: unknown. ends: see Presence.
    /// One that is gone when its time is over has lapsed: that gets a mark, and who believes in it is mistaken.
    void see(LaneIndex server, const base::Key &key, bool exists, std::optional<LaneIndex> holder,
             base::MonotonicTime at, std::optional<base::MonotonicTime> ends = {});
    void setAbsent(LaneIndex lane, std::optional<Absence::Kind> kind, base::MonotonicTime at);
    /// A mark in its lane, and what follows: a server that is killed has nothing any more, one that is frozen sleeps.
    void befall(LaneIndex server, ServerEvent event, base::MonotonicTime at);

    [[nodiscard]] const std::vector<Lane> &lanes() const { return m_lanes; }
    [[nodiscard]] const std::deque<Row> &rows() const { return m_rows; }
    [[nodiscard]] const std::deque<Belief> &beliefs() const { return m_beliefs; }
    [[nodiscard]] const std::deque<Presence> &presences() const { return m_presences; }
    [[nodiscard]] const std::deque<Absence> &absences() const { return m_absences; }
    [[nodiscard]] const std::deque<Overlap> &overlaps() const { return m_overlaps; }
    /// Nothing is written down any more: what goes on then stays open.
    void end(base::MonotonicTime at);
    [[nodiscard]] std::optional<base::MonotonicTime> endedAt() const { return m_endedAt; }
    /// Lines that have been given up, from the beginning.
    [[nodiscard]] quint64 dropped() const { return m_dropped; }
    /// The first line's time, and that from which a reader counts.
    [[nodiscard]] base::MonotonicTime beginning() const { return m_beginning; }
    /// Several clients believe now that they hold the same lock; null where that is not so.
    [[nodiscard]] const Overlap *conflict() const;
    /// Something in it goes on, so that it changes with time alone.
    [[nodiscard]] bool isUnderWay() const;
    /// Another number after every change.
    [[nodiscard]] quint64 revision() const { return m_revision; }
    /// Its lines and what lasted are forgotten; the lanes stay.
    void clear();

private:
    void insert(Row row);
    void trim();
    void endPresences(LaneIndex server, base::MonotonicTime at);
    void endPresence(Presence &seen, base::MonotonicTime at);
    void lapse(LaneIndex server, const base::Key &key, base::MonotonicTime at);
    [[nodiscard]] int freeSlot(LaneIndex server) const;
    void noteOverlap(const base::Key &key, base::MonotonicTime at);
    [[nodiscard]] Message *repeated(const Message &message);

    std::vector<Lane> m_lanes;
    std::deque<Row> m_rows;
    std::deque<Belief> m_beliefs;
    std::deque<Presence> m_presences;
    std::deque<Absence> m_absences;
    std::deque<Overlap> m_overlaps;
    std::vector<quint64> m_attempts; ///< Of each lane: the line number before which nothing is counted with anything.
    quint64 m_dropped = 0;
    quint64 m_revision = 0;
    base::MonotonicTime m_beginning;
    std::optional<base::MonotonicTime> m_endedAt;
};

} // namespace latchkey::sequence
