#pragma once

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/clock.h"
#include "core/foundation/base/text.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

// The ordered events between clients and servers: the content of a sequence diagram, without its layout.

namespace latchkey::sequence {

/// Index of a lane. Clients and servers share one numbering, in order of arrival.
using LaneIndex = std::size_t;

/// A participant: a client or a server.
struct Lane
{
    enum class Kind : quint8 { Client, Server };

    Kind kind = Kind::Client;
    QString name;          ///< Name of the current participant.
    bool isVacant = false; ///< Whether the client was removed; the next new client takes the lane.

    bool operator==(const Lane &) const = default;
};

/// A command of a client with its reply.
struct Message
{
    LaneIndex client = 0;
    LaneIndex server = 0;
    QString who; ///< Name of the client; its lane may belong to another client now.
    base::MonotonicTime sent;
    base::MonotonicTime received; ///< Time of the last reply, if the command was repeated.
    QString command;
    base::Text reply;
    bool isError = false;     ///< Whether the reply is an error or missing.
    int count = 1;            ///< Number of times the command was sent in one attempt.
    bool isReplyLost = false; ///< Whether the reply did not reach the client, so the client does not know the effect.
    QString shape {};         ///< Constant part of the command, used by the sequence to detect repetitions.
};

/// An event in a lane.
struct Mark
{
    enum class Kind : quint8 {
        Started,
        Crashed,
        Paused,
        Resumed,
        Lost,    ///< The client has detected that it lost the lock.
        Taken,   ///< The resource has accepted the client's write.
        Refused, ///< The resource has refused the write because of a smaller fencing token.
        // Events of servers:
        Killed,       ///< The server was killed and has lost its data.
        StartedEmpty, ///< The server has restarted without data.
        Restarted,    ///< The server has restarted with the data that it had saved.
        FailedOver,   ///< A replica has taken over for the server.
        ClockJumped,  ///< The clock of the server has jumped forward.
        Suspended,    ///< The server keeps its data but does not reply.
        Continued,
        LeaseEnded, ///< A key's lease has ended; text: the key.
    };

    LaneIndex lane = 0;
    Kind kind = Kind::Started;
    QString who;
    base::MonotonicTime at;
    base::Text text; ///< Additional text; may be empty.
};

/// A line of a diagram.
using Row = std::variant<Message, Mark>;
[[nodiscard]] base::MonotonicTime timeOf(const Row &row);

/// A change of a server's state.
enum class ServerEvent : quint8 { Killed, StartedEmpty, Restarted, FailedOver, ClockJumped, Suspended, Continued };

/// A period in which a client believed that it held a lock.
struct Belief
{
    LaneIndex lane = 0;
    QString who;
    base::Key key;
    base::MonotonicTime from;
    base::MonotonicTime validUntil = base::MonotonicTime::max(); ///< End of its lease; max: no lease.
    std::optional<base::MonotonicTime> until {};                 ///< Absent: the client still believes.
    base::MonotonicTime lapsed =
        base::MonotonicTime::max(); ///< Time from which no server had the key, after its expiry.

    /// Returns the time from which the belief is wrong.
    [[nodiscard]] base::MonotonicTime end() const { return std::min(validUntil, lapsed); }
};

/// A period in which a server had a lock's key.
struct Presence
{
    LaneIndex server = 0;
    base::Key key;
    std::optional<LaneIndex> holder; ///< Owner, if the content of the key identifies it.
    base::MonotonicTime from;
    std::optional<base::MonotonicTime> until {}; ///< Absent: the key still exists.
    int slot = 0; ///< First position that was free on the server, for drawing keys side by side.
    /// Expiry by the last reading; max: no TTL; absent: unknown.
    std::optional<base::MonotonicTime> ends {};
};

/// A period in which a participant could do nothing.
struct Absence
{
    enum class Kind : quint8 { Dead, Asleep };

    LaneIndex lane = 0;
    Kind kind = Kind::Dead;
    base::MonotonicTime from;
    std::optional<base::MonotonicTime> until; ///< Absent: the period continues.
};

/// A period in which several clients believed that they held the same lock.
struct Overlap
{
    base::Key key;
    QStringList who; ///< Names of all these clients.
    base::MonotonicTime from;
    std::optional<base::MonotonicTime> until; ///< Absent: the period continues.
};

/// A record of events. Its lines are sorted by time; they may arrive slightly out of order, because they come from
/// several processes.
///
/// Commands and marks are lines, and only a limited number is kept. Everything else is a period. A diagram is derived
/// from both, so this class knows nothing about drawing. A value type, filled by the code that receives the events; see
/// playground::SequenceRecorder. It has no signals: revision() shows whether it has changed.
class Sequence final
{
public:
    /// Maximum number of lines. Beyond it, the oldest lines are removed and counted by dropped().
    static constexpr std::size_t maxRows = 4000;

    LaneIndex addServer(const QString &name);
    void rename(LaneIndex lane, const QString &name);
    /// Adds a client. It takes the first vacant client lane, or a new one.
    LaneIndex addClient(const QString &name);
    /// Removes the client from a lane. The client is dead from now on.
    void removeClient(LaneIndex lane, base::MonotonicTime at);

    /// Adds a message. A repetition in the same attempt is not added: it increases the count of the first one, and
    /// replaces its command, reply and time of the reply.
    void add(Message message);
    /// Ends the client's attempt. Later messages are not counted with earlier ones.
    void closeAttempt(LaneIndex client);
    void add(Mark mark);

    /// Starts a belief of the client, or changes the end of its belief. A belief in another key ends.
    void believe(LaneIndex client, const base::Key &key, base::MonotonicTime from, base::MonotonicTime validUntil);
    /// Ends the client's belief. Has no effect without a belief.
    void stopBelieving(LaneIndex client, base::MonotonicTime at);
    /// Records the content of a key on a server. `holder`: owner of the key; absent: unknown. `ends`: see Presence. A
    /// key that is gone at its expiry has lapsed. A lapse adds a mark. If no other server has the key, any belief in
    /// the key is wrong from then on.
    void recordKey(LaneIndex server, const base::Key &key, bool exists, std::optional<LaneIndex> holder,
                   base::MonotonicTime at, std::optional<base::MonotonicTime> ends = {});
    /// Ends the current absence of the participant, and starts an absence of this kind unless `kind` is absent. Has no
    /// effect if the current absence has this kind.
    void setAbsent(LaneIndex lane, std::optional<Absence::Kind> kind, base::MonotonicTime at);
    /// Adds a mark to a server's lane, and applies its effect: a killed or replaced server loses all keys
    /// (the keys of the new process have to be read), a suspended one starts an absence.
    void addServerEvent(LaneIndex server, ServerEvent event, base::MonotonicTime at);

    [[nodiscard]] const std::vector<Lane> &lanes() const { return m_lanes; }
    [[nodiscard]] const std::deque<Row> &rows() const { return m_rows; }
    [[nodiscard]] const std::deque<Belief> &beliefs() const { return m_beliefs; }
    [[nodiscard]] const std::deque<Presence> &presences() const { return m_presences; }
    [[nodiscard]] const std::deque<Absence> &absences() const { return m_absences; }
    [[nodiscard]] const std::deque<Overlap> &overlaps() const { return m_overlaps; }
    /// Ends the record. Unfinished periods stay open.
    void end(base::MonotonicTime at);
    [[nodiscard]] std::optional<base::MonotonicTime> endedAt() const { return m_endedAt; }
    /// Returns the number of removed lines at the beginning.
    [[nodiscard]] quint64 dropped() const { return m_dropped; }
    /// Returns the time of the first line, which is the zero point for readers. Does not change when lines are dropped.
    [[nodiscard]] base::MonotonicTime beginning() const { return m_beginning; }
    /// Returns the current conflict: several clients believe that they hold the same lock. Null if there is none.
    [[nodiscard]] const Overlap *conflict() const;
    /// Returns whether a belief or a presence is open and the record has not ended, so that the diagram changes with
    /// time alone.
    [[nodiscard]] bool isActive() const;
    /// Returns a number that changes with every change of the sequence.
    [[nodiscard]] quint64 revision() const { return m_revision; }
    /// Removes all lines and all finished periods. Lanes and open periods stay.
    void clear();
    /// Removes everything, including the lanes. Indexes of lanes become invalid.
    void reset();

private:
    void insert(Row row);
    void trim();
    void endPresences(LaneIndex server, base::MonotonicTime at);
    void endPresence(Presence &presence, base::MonotonicTime at);
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
    std::vector<quint64> m_attempts; ///< Line number for each lane; lines before it are not counted with later ones.
    quint64 m_dropped = 0;
    quint64 m_revision = 0;
    base::MonotonicTime m_beginning;
    std::optional<base::MonotonicTime> m_endedAt;
};

} // namespace latchkey::sequence
