#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "core/keyspace/keys/rawvalue.h"
#include "core/redis/resp/reply.h"
#include "core/redis/resp/serverinfo.h"

#include <optional>
#include <variant>
#include <vector>

namespace latchkey::events {

/// Index of the node that has the key; 0 for a server with one node.
using NodeIndex = int;

/// The source of an observation.
enum class Source : quint8 {
    Scan,         ///< SCAN over all keys.
    Poll,         ///< Periodic request.
    Read,         ///< Read of the value.
    NotifiedRead, ///< Request after a change event.
    OwnCommand,   ///< Command of this program.
    Notification, ///< Notification of the server; no request was sent.
};

/// An observation that the key exists, without its expiry.
struct ExistsOnly
{
    friend bool operator==(const ExistsOnly &, const ExistsOnly &) = default;
};

/// An observation that the key exists and has this expiry. Only a request after a change event can show that the key is
/// new.
struct Exists
{
    base::Deadline deadline = base::Deadline::never();
    bool isNew = false;

    friend bool operator==(const Exists &, const Exists &) = default;
};

/// An observation that the key does not exist.
struct Gone
{
    friend bool operator==(const Gone &, const Gone &) = default;
};

/// A refusal of the server to answer for this key, which may exist or not.
struct AccessDenied
{
    friend bool operator==(const AccessDenied &, const AccessDenied &) = default;
};

/// The type of the value.
struct TypeReply
{
    keys::KeyType type = keys::KeyType::Unknown;

    friend bool operator==(const TypeReply &, const TypeReply &) = default;
};

/// The value, as far as it was read.
struct ValueReply
{
    keys::RawValue value;

    friend bool operator==(const ValueReply &, const ValueReply &) = default;
};

/// The expiries of those hash fields that have their own lifetime.
struct FieldExpiries
{
    keys::FieldDeadlines ends;

    friend bool operator==(const FieldExpiries &, const FieldExpiries &) = default;
};

/// A change event with the server's event name: `set`, `expire`, `del`, `expired` …; empty if unnamed. An event follows
/// the change, and an `expired` can be minutes late.
struct ChangeNotification
{
    QByteArray event;

    friend bool operator==(const ChangeNotification &, const ChangeNotification &) = default;
};

/// The time since any client last read or wrote the key, by OBJECT IDLETIME: the key has existed at least that long.
struct IdleTime
{
    std::chrono::seconds span {};

    /// The server rounds both times to whole seconds, and its cached clock can be a tenth of a second old.
    static constexpr std::chrono::seconds error {2};
    /// The server counts in 24 bits; a longer time is reported as a shorter one.
    static constexpr std::chrono::seconds longest {(1 << 24) - 1};

    /// Returns how long the key has existed at least.
    [[nodiscard]] std::chrono::seconds existedFor() const { return std::max(span - error, std::chrono::seconds(0)); }
    /// Returns the idle time for which existedFor() at `now` is the time since `existed`, in whole seconds.
    [[nodiscard]] static IdleTime ofKeyFrom(base::MonotonicTime existed, base::MonotonicTime now)
    {
        return {std::chrono::floor<std::chrono::seconds>(std::max(now, existed) - existed) + error};
    }
    friend bool operator==(const IdleTime &, const IdleTime &) = default;
};

/// The content of an observation.
using ObservationContent = std::variant<ExistsOnly, Exists, Gone, AccessDenied, TypeReply, ValueReply,
                                        ChangeNotification, FieldExpiries, IdleTime>;

/// Converts the answer to OBJECT IDLETIME. Absent if the server does not report it, as with an LFU eviction policy.
[[nodiscard]] std::optional<IdleTime> idleTimeFrom(const resp::Reply &reply);

/// Returns whether OBJECT IDLETIME of this server is correct for a key that was just written. Redis 8.0 does not record
/// the SET that creates a key, and reports the time since zero of its 24-bit clock: up to 194 days. False for unknown
/// servers.
[[nodiscard]] bool areIdleTimesTrue(const resp::ServerInfo &server);

/// The change events that a server reports.
struct EventCoverage
{
    enum class Depth : quint8 {
        None,   ///< No events, or not all.
        Keys,   ///< Names of the changed keys.
        Events, ///< Names of the changed keys, and the event.
    };

    Depth depth = Depth::None;
    bool reportsFlushes = false; ///< Flushes are reported; with Depth::None, they are reported with a delay.
    base::MonotonicTime since;   ///< Time since which all these changes are reported.
    bool mayEvict = false; ///< The server evicts keys at present, and does not report which. Not with Depth::Events.

    friend bool operator==(const EventCoverage &, const EventCoverage &) = default;
};

/// One observation of one key. A value type; all listeners receive the same observation.
struct Observation
{
    QByteArray key;
    ObservationContent content;
    base::MonotonicTime asked;    ///< Start of the interval that contains the observed state.
    base::MonotonicTime answered; ///< End of that interval.
    Source source = Source::Poll;
    bool isInferred = false; ///< Whether derived from other answers; the server has not reported it for this key.
    NodeIndex node = 0;

    friend bool operator==(const Observation &, const Observation &) = default;
};

using Observations = std::vector<Observation>;

/// Returns whether a change by this program made the observation, by the comparison just before the change. Such an
/// observation has one exact time; any other read has an interval. It may be delivered after a read or a notification
/// that reports the end by the change.
[[nodiscard]] constexpr bool isFromConditionalChange(const auto &seen)
{
    return seen.source == Source::Read && seen.asked == seen.answered;
}

/// Converts the answer to a PTTL: milliseconds, -1 (no expiry) or -2 (no such key).
[[nodiscard]] ObservationContent existenceFrom(qint64 pttl, base::MonotonicTime asked, base::MonotonicTime answered);

/// The command that removed, or exchanged, all keys of a database.
enum class FlushKind : quint8 {
    Any,  ///< FLUSHDB of some database, perhaps not the watched one, or an unknown command.
    All,  ///< FLUSHALL: the watched database was flushed.
    Swap, ///< SWAPDB of some databases: keys may have appeared, too.
};

/// A listener that receives the observations in their order.
class ObservationListener
{
public:
    ObservationListener() = default;
    virtual ~ObservationListener();
    Q_DISABLE_COPY_MOVE(ObservationListener)

    virtual void observed(const Observations &observations) = 0;
    /// Handles a database that was empty at some time between these two times.
    virtual void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) = 0;

    // For listeners that draw conclusions from missing events:

    /// Handles a change in the events that the node reports.
    virtual void eventCoverageChanged(NodeIndex node, const EventCoverage &eventCoverage);
    /// Handles a flush. Flushes and events of keys arrive in their order.
    virtual void flushAnnounced(NodeIndex node, base::MonotonicTime received, FlushKind kind);
    /// Handles the confirmation that all changes before that time have been delivered.
    virtual void receivedUpTo(NodeIndex node, base::MonotonicTime time);
};

/// A dispatcher: it delivers each observation to all listeners, always in the same order.
///
/// Owned by the code that watches a server. Listeners are not owned; add and remove them only between observations.
class ObservationDispatcher final
{
public:
    void add(ObservationListener &listener) { m_listeners.push_back(&listener); }
    /// Adds a listener before all others.
    void addFirst(ObservationListener &listener) { m_listeners.insert(m_listeners.begin(), &listener); }
    void remove(ObservationListener &listener) { std::erase(m_listeners, &listener); }

    /// Calls ObservationListener::observed() of every listener, unless there are no observations. The functions below
    /// call the corresponding function of every listener.
    void deliver(const Observations &observations) const;
    void deliverEmptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) const;
    void deliverEventCoverage(NodeIndex node, const EventCoverage &eventCoverage) const;
    void deliverFlush(NodeIndex node, base::MonotonicTime received, FlushKind kind) const;
    void deliverReceivedUpTo(NodeIndex node, base::MonotonicTime time) const;

private:
    std::vector<ObservationListener *> m_listeners; // Not owned.
};

} // namespace latchkey::events
