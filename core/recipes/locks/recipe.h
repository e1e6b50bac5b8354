#pragma once

#include "core/recipes/catalogue/recipe.h"
#include "core/recipes/locks/compareform.h"
#include "core/recipes/locks/lock.h"

#include <memory>

namespace latchkey::locks {

/// The unit in which a lease is sent: seconds (EX) or milliseconds (PX).
enum class LeaseUnit : quint8 { Seconds, Milliseconds };

using catalogue::Promise;

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

/// An entry of the catalogue of locks.
///
/// A value, created by the class of its lock. The operations on it are in catalogue.h. Its commands do not include the
/// optional UNWATCH and DISCARD, the single commands of a CompareForm, and the polling of a hold (see LeaseWatchdog).
struct Recipe : catalogue::Recipe
{
    Recipe() { isLock = true; }

    LockValue value = LockValue::Constant;
    bool hasLease = false;
    bool hasToken = false; ///< Requires the token from acquire for a release.
    bool canExtend = false;
    bool hasForms = false;                ///< Supports LockOptions::form.
    bool failedAcquireChangesKey = false; ///< Changes the key even if the attempt is lost, whatever its type.
    bool needsOwnConnection = false;      ///< Uses WATCH: no other exchange may use its connection meanwhile.
    bool hasManyServers = false;          ///< Uses any number of servers at once.
    bool needsReplica = false;            ///< Requires a replica of the server; without one, no client gets the lock.
    bool renews = false;                  ///< Requires renewal by the holder: see renewUntilLost().
    /// Creates the lock. makeLock() has filled in the required options.
    std::unique_ptr<Lock> (*make)(const LockOptions &options) = nullptr;
};

} // namespace latchkey::locks
