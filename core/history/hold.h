#pragma once

#include "core/keyspace/happening.h"

namespace latchkey::history {

/// Between which times something has happened.
struct Span
{
    base::MonotonicTime notBefore;
    base::MonotonicTime notAfter;

    [[nodiscard]] base::MonotonicTime middle() const { return notBefore + (notAfter - notBefore) / 2; }
    [[nodiscard]] std::chrono::nanoseconds uncertainty() const { return (notAfter - notBefore) / 2; }
    friend bool operator==(const Span &, const Span &) = default;
};

/// Something that was done to a lock from here. A value.
struct OwnAct
{
    enum class Kind : quint8 {
        Deleted,
        Released,
        PutBack,      ///< What was deleted or released.
        EndSet,       ///< It has this end since.
        EndTakenAway, ///< It has none since.
        EndSetBack,   ///< It has the end again that it had before.
    };

    Kind kind = Kind::Deleted;
    Span when;
    std::optional<base::Deadline> deadline {}; ///< Its end from then on; absent: unknown, or it is gone.

    friend bool operator==(const OwnAct &, const OwnAct &) = default;
};

/// An end that a key had while it was held. A value.
struct KnownEnd
{
    Span since; ///< It got it between these times.
    base::Deadline deadline;

    friend bool operator==(const KnownEnd &, const KnownEnd &) = default;
};

/// One time that a lock was held: from when to when, by whom, and how it ended. A value.
///
/// What was not seen is absent, and what was worked out rather than seen is marked: nothing is made up to fill it in.
struct Hold
{
    /// How it came to be.
    enum class Start : quint8 {
        Unseen,     ///< It was there when somebody began to look.
        Acquired,   ///< The lock was free.
        HandedOver, ///< The lock was taken over from its holder.
        Replaced,   ///< Another's hold is in its place; what was between them was not seen.
    };

    static constexpr std::size_t mostExtensions = 256;
    static constexpr std::size_t mostOwnActs = 64;
    static constexpr std::size_t mostEnds = mostExtensions;

    QByteArray key;
    keyspace::NodeIndex node = 0;
    std::optional<QByteArray> holder; ///< As its owner's function reads it from the value.
    bool isHolderInferred = false;    ///< The value was read only after another may have written it.
    Start start = Start::Unseen;
    Span from;                                      ///< Of Unseen: when it was seen first.
    std::optional<Span> until;                      ///< Absent: it is still held, as far as is known.
    std::vector<base::MonotonicTime> extensions;    ///< When each was seen, the last mostExtensions of them.
    qsizetype extensionCount = 0;                   ///< All of them.
    std::optional<std::chrono::milliseconds> lease; ///< The longest time left that was seen; absent: never, or unknown.
    std::optional<base::Deadline> deadline;         ///< When it ends, or was to end; absent: unknown.
    std::vector<KnownEnd> ends; ///< All that it has had, the last mostEnds of them; empty as long as it was but one.
    keyspace::Ending ending = keyspace::Ending::None; ///< Unknown also where another's is in its place.
    std::optional<std::chrono::nanoseconds> late;     ///< Of an expired one: how long after its deadline that was seen.
    keyspace::Source endSource = keyspace::Source::Poll; ///< What has shown its end.
    bool isInferred = false;                             ///< Its start or its end was worked out.
    bool mayBeOurRead = false; ///< The server may have removed it only because somebody of us asked.
    bool overlaps = false;     ///< Another holder had the lock at the same time, or took it before this one let go.
    std::optional<std::chrono::nanoseconds> gapBefore; ///< How long the lock was free before; absent: unknown.
    /// What was done to it from here, the last mostOwnActs of it; none of that is an extension. One that was put back
    /// goes on.
    std::vector<OwnAct> ownActs;

    /// It has this end from now on. since: when it got it, unless it is the end that it had, measured again.
    void setEnd(const base::Deadline &end, const Span &since);
    [[nodiscard]] bool isOver() const { return until.has_value(); }
    /// It was deleted or released from here.
    [[nodiscard]] bool isEndedHere() const { return isOver() && endSource == keyspace::Source::Act; }
    /// From its start to its end, or to now.
    [[nodiscard]] std::chrono::nanoseconds duration(base::MonotonicTime now) const
    {
        return (until ? until->middle() : now) - from.middle();
    }

    friend bool operator==(const Hold &, const Hold &) = default;
};

} // namespace latchkey::history
