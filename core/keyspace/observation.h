#pragma once

#include "core/keys/fieldends.h"
#include "core/keys/rawvalue.h"

#include <variant>
#include <vector>

namespace latchkey::keyspace {

/// Which of a server's nodes a key is on: 0 where there is only one.
using NodeIndex = int;

/// How something came to be known.
enum class Source : quint8 {
    Scan,   ///< A walk through all keys.
    Poll,   ///< Asked again because it was time.
    Read,   ///< Asked for its value.
    Event,  ///< The server said that something has happened, and it was asked then.
    Act,    ///< What we did ourselves.
    Notice, ///< The server has said it unasked, and nothing was asked yet.
};

/// The key was there; nothing else was asked.
struct Met
{
    friend bool operator==(const Met &, const Met &) = default;
};

/// The key is there and ends then. Whether it came to be just now is known only of what an event has told.
struct Exists
{
    base::Deadline deadline = base::Deadline::never();
    bool isNew = false;

    friend bool operator==(const Exists &, const Exists &) = default;
};

/// There is no such key.
struct Gone
{
    friend bool operator==(const Gone &, const Gone &) = default;
};

/// The server does not say anything of this key, to us: it may be there or not.
struct Hidden
{
    friend bool operator==(const Hidden &, const Hidden &) = default;
};

/// What kind of value it holds.
struct Typed
{
    keys::KeyType type = keys::KeyType::Unknown;

    friend bool operator==(const Typed &, const Typed &) = default;
};

/// What it holds, as far as it was read.
struct Valued
{
    keys::RawValue value;

    friend bool operator==(const Valued &, const Valued &) = default;
};

/// When the fields of a hash end that have a lifetime of their own.
struct FieldsEnd
{
    keys::FieldEnds ends;

    friend bool operator==(const FieldsEnd &, const FieldsEnd &) = default;
};

/// The server has said that something happened to it, in the event's own word: `set`, `expire`, `del`, `expired` …;
/// empty where it does not say what. It is said after it has happened, and an `expired` can be minutes late.
struct Announced
{
    QByteArray event;

    friend bool operator==(const Announced &, const Announced &) = default;
};

/// What can be learned of a key.
using Knowledge = std::variant<Met, Exists, Gone, Hidden, Typed, Valued, Announced, FieldsEnd>;

/// How much a server tells unasked.
struct Hearing
{
    enum class Depth : quint8 {
        Nothing, ///< Nothing, or not everything.
        Touches, ///< Which keys something has happened to.
        Words,   ///< That, and what it was.
    };

    Depth depth = Depth::Nothing;
    bool tellsOfFlushes = false;
    base::MonotonicTime since; ///< Everything that has happened from then on is told.

    friend bool operator==(const Hearing &, const Hearing &) = default;
};

/// One thing that was learned of one key. A value: the code that learns something makes one, and everybody who listens
/// is given the same.
struct Observation
{
    QByteArray key;
    Knowledge what;
    base::MonotonicTime asked;    ///< It was so at some time from here …
    base::MonotonicTime answered; ///< … to here.
    Source source = Source::Poll;
    bool isInferred = false; ///< Worked out from other answers; the server has not said it of this key.
    NodeIndex node = 0;

    friend bool operator==(const Observation &, const Observation &) = default;
};

using Observations = std::vector<Observation>;

/// What was learned from the answer to a PTTL: its milliseconds, -1 or -2.
[[nodiscard]] Knowledge existenceFrom(qint64 pttl, base::MonotonicTime asked, base::MonotonicTime answered);

/// Is told what was observed, in the order in which it was.
class ObservationListener
{
public:
    ObservationListener() = default;
    virtual ~ObservationListener();
    Q_DISABLE_COPY_MOVE(ObservationListener)

    virtual void observed(const Observations &observations) = 0;
    /// No key was there any more between these times.
    virtual void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) = 0;

    // For those who draw conclusions from what was not said:

    /// From now on this is how much the node tells.
    virtual void hearingChanged(NodeIndex node, const Hearing &hearing);
    /// All keys of some database have gone at once, maybe of ours; said in order with what is announced of keys.
    virtual void flushAnnounced(NodeIndex node, base::MonotonicTime heard);
    /// All that has happened before that time has been handed on.
    virtual void heardUpTo(NodeIndex node, base::MonotonicTime time);
};

/// Hands on what is observed of a server to everybody who wants to hear it: in order, and to each the same.
///
/// Owned by the code that watches a server. Listeners are not owned; they come and go between observations, not within.
class FanOut final
{
public:
    void add(ObservationListener &listener) { m_listeners.push_back(&listener); }
    /// In front of those that are there.
    void addFirst(ObservationListener &listener) { m_listeners.insert(m_listeners.begin(), &listener); }
    void remove(ObservationListener &listener) { std::erase(m_listeners, &listener); }

    void hand(const Observations &observations) const;
    void handEmptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) const;
    void handHearing(NodeIndex node, const Hearing &hearing) const;
    void handFlush(NodeIndex node, base::MonotonicTime heard) const;
    void handHeardUpTo(NodeIndex node, base::MonotonicTime time) const;

private:
    std::vector<ObservationListener *> m_listeners; // Not owned.
};

} // namespace latchkey::keyspace
