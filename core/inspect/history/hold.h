#pragma once

#include "core/foundation/base/timeinterval.h"
#include "core/keyspace/events/keyevent.h"

namespace latchkey::history {

/// A change of a lock by this program. A value type.
struct OwnChange
{
    enum class Kind : quint8 {
        Deleted,
        Released,
        Restored,       ///< Restored after a delete or release.
        ExpirySet,      ///< A new expiry was set.
        ExpiryRemoved,  ///< The expiry was removed.
        ExpiryRestored, ///< The former expiry was restored.
    };

    Kind kind = Kind::Deleted;
    base::TimeInterval when;
    std::optional<base::Deadline> deadline {}; ///< Expiry after the change; absent if it is unknown, or if the key
                                               ///< does not exist.

    friend bool operator==(const OwnChange &, const OwnChange &) = default;
};

/// An expiry that a key had while it was held. A value.
struct KnownExpiry
{
    base::TimeInterval since; ///< Interval in which the expiry was set.
    base::Deadline deadline;

    friend bool operator==(const KnownExpiry &, const KnownExpiry &) = default;
};

/// One hold of a lock: its times, its holder, and how it ended. A value.
///
/// A member that was not observed is absent; a member that was derived is marked.
struct Hold
{
    /// Start of the hold.
    enum class Start : quint8 {
        Unseen,     ///< Existed at the first read.
        Acquired,   ///< Acquired when the lock was free.
        HandedOver, ///< Taken over from the holder.
        Replaced,   ///< Replaced an earlier hold; the time between was not observed.
    };

    static constexpr std::size_t maxExtensions = 256;
    static constexpr std::size_t maxOwnChanges = 64;
    static constexpr std::size_t maxEnds = maxExtensions;

    QByteArray key;
    events::NodeIndex node = 0;
    std::optional<QByteArray> holder; ///< Holder that HolderOf read from the value.
    bool isHolderInferred = false;    ///< Whether the value was read so late that another client may have written it.
    Start start = Start::Unseen;
    base::TimeInterval from;                         ///< Interval of the start; for Unseen, interval of the first read.
    std::optional<base::TimeInterval> until;         ///< Interval of the end; absent: still held, as far as known.
    std::vector<base::MonotonicTime> extensions;     ///< Times of the last maxExtensions extensions.
    qsizetype extensionCount = 0;                    ///< Number of all extensions by the holder.
    std::optional<std::chrono::milliseconds> lease;  ///< Longest observed TTL; absent if there is no expiry or it is
                                                     ///< unknown.
    std::optional<base::Deadline> deadline;          ///< Expiry now or at the end; absent: unknown.
    std::vector<KnownExpiry> ends;                   ///< The last maxEnds expiries; empty if there was only one.
    events::Ending ending = events::Ending::None;    ///< Kind of end; Unknown also if another hold replaced it.
    bool isHandedOver = false;                       ///< Whether another holder took the lock while it was held.
    std::optional<std::chrono::nanoseconds> late;    ///< Delay between deadline and observation, for Expired.
    events::Source endSource = events::Source::Poll; ///< Source of the observation of the end.
    bool isInferred = false;                         ///< The start or the end was derived.
    bool mayBeOwnRead = false;                       ///< Whether a read by this program may have triggered the removal.
    bool overlaps = false; ///< Another holder had the lock at the same time, or took it before the release.
    std::optional<std::chrono::nanoseconds> gapBefore; ///< Time for which the lock was free before; absent: unknown.
    bool isGapUncertain = false; ///< Whether gapBefore is unknown because its ends were not observed exactly enough.
    /// The last maxOwnChanges changes by this program. None of them counts as an extension. A restored lock continues
    /// its hold.
    std::vector<OwnChange> ownChanges;

    /// Sets the current expiry. `since`: time at which it was set, unless the known expiry was only measured again.
    void setEnd(const base::Deadline &end, const base::TimeInterval &since);
    [[nodiscard]] bool isOver() const { return until.has_value(); }
    /// Returns whether this program deleted or released the lock.
    [[nodiscard]] bool isEndedByUs() const { return isOver() && endSource == events::Source::OwnCommand; }
    /// Returns the time from the start to the end, or to now.
    [[nodiscard]] std::chrono::nanoseconds duration(base::MonotonicTime now) const
    {
        return (until ? until->middle() : now) - from.middle();
    }

    /// Returns the bounds of the time from the start to the end, or to now. They differ by the uncertainty of both.
    [[nodiscard]] std::chrono::nanoseconds shortestDuration(base::MonotonicTime now) const
    {
        return std::max((until ? until->earliest : now) - from.latest, std::chrono::nanoseconds(0));
    }
    [[nodiscard]] std::chrono::nanoseconds longestDuration(base::MonotonicTime now) const
    {
        return (until ? until->latest : now) - from.earliest;
    }
    /// Returns the largest error of duration().
    [[nodiscard]] std::chrono::nanoseconds durationUncertainty() const
    {
        return from.uncertainty() + (until ? until->uncertainty() : std::chrono::nanoseconds(0));
    }

    friend bool operator==(const Hold &, const Hold &) = default;
};

} // namespace latchkey::history
