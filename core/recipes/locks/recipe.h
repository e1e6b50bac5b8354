#pragma once

#include "core/recipes/locks/compareform.h"
#include "core/recipes/locks/lock.h"

#include <QStringList>

#include <memory>

namespace latchkey::locks {

/// The unit in which a lease is sent: seconds (EX) or milliseconds (PX).
enum class LeaseUnit : quint8 { Seconds, Milliseconds };

/// A promise that a lock recipe may make. The glossary in core/README.md defines each promise. The race finder searches
/// for schedules that break it.
enum class Promise : quint8 {
    MutualExclusion,  ///< Two clients are never inside at once, within the lease that each live holder requested.
    CrashRelease,     ///< The lock of a dead holder becomes free.
    OwnerOnlyRelease, ///< A client never ends or changes another holder's lock.
    ContenderNeutral, ///< A failed acquire does not change the holder's lock.
    ClockFree,        ///< Mutual exclusion even if the clients' clocks disagree.
    Fenced,       ///< A resource that checks fencing tokens never accepts an older holder's write after a newer one's.
    FailoverSafe, ///< Mutual exclusion even if a replica that lacks the last writes takes over.
    RestartSafe,  ///< Mutual exclusion even if a server restarts and loses writes.
    ServerClockSafe, ///< Mutual exclusion even if a server's clock jumps forward.
    PartitionSafe,   ///< Mutual exclusion even if a client does not reach a server for a while.
};

/// Returns the id of a promise: `mutual-exclusion`.
[[nodiscard]] QString promiseId(Promise promise);

/// The options of a lock. The catalogue entry states which options a recipe supports.
struct LockOptions
{
    base::Key key;
    std::optional<base::Lease> lease;       ///< Default: 30 s, if the recipe has leases.
    std::optional<LeaseUnit> unit;          ///< Default: milliseconds, if the recipe supports both units.
    std::optional<base::OwnerToken> token;  ///< The user's password, for LockValue::Token; default: a random token.
    std::optional<QByteArray> value;        ///< Value for LockValue::Constant; default: `locking`.
    int servers = 1;                        ///< Number of servers, for recipes that use several.
    CompareForm form = CompareForm::Script; ///< For recipes with hasForms; ignored by others.
};

/// The value that a recipe writes into its locks.
enum class LockValue : quint8 {
    Constant, ///< The same for all clients: LockOptions::value.
    Deadline, ///< Expiry of the lock by its holder's clock.
    Token,    ///< Proof of the holder: a random token, or LockOptions::token.
};

/// An entry of the catalogue: a recipe, its promises and its flaw.
///
/// A value, created by the class of its lock. The operations on it are in catalogue.h.
struct Recipe
{
    QString id;
    base::Text title;
    base::Text summary; ///< One sentence: its behaviour and its lesson.
    base::Text flaw;    ///< One sentence; empty for a recipe without a flaw.
    std::vector<Promise> promises;
    /// Commands that the recipe and its scripts send, which an ACL must permit. Optional commands are not included:
    /// TYPE, CLIENT, INFO, UNWATCH, DISCARD, the single commands of a CompareForm, and the polling of a hold (see
    /// LeaseWatchdog).
    QStringList commands;
    LockValue value = LockValue::Constant;
    bool hasLease = false;
    bool hasUnit = false;      ///< Supports seconds and milliseconds.
    bool wholeSeconds = false; ///< Requires a lease in whole seconds.
    bool hasToken = false;     ///< Requires the token from acquire for a release.
    bool canExtend = false;
    bool hasForms = false;                ///< Supports LockOptions::form.
    bool failedAcquireChangesKey = false; ///< Changes the key even if the attempt is lost, whatever its type.
    bool needsOwnConnection = false;      ///< Uses WATCH: no other exchange may use its connection meanwhile.
    bool hasManyServers = false;          ///< Uses any number of servers at once.
    bool renews = false;                  ///< Requires renewal by the holder: see renewUntilLost().
    /// Creates the lock. makeLock() has filled in the required options.
    std::unique_ptr<Lock> (*make)(const LockOptions &options) = nullptr;

    [[nodiscard]] bool hasPromise(Promise promise) const;
};

} // namespace latchkey::locks
