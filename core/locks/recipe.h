#pragma once

#include "core/locks/compareform.h"
#include "core/locks/lock.h"

#include <QStringList>

#include <memory>

namespace latchkey::locks {

/// In which unit a lease travels: EX takes whole seconds, PX milliseconds.
enum class LeaseUnit : quint8 { Seconds, Milliseconds };

/// What a lock recipe may promise. Each has its own faults and a run that would break it; see the glossary in
/// core/README.md.
enum class Promise : quint8 {
    MutualExclusion,  ///< Never two inside at once, while the lease lasts that each living holder has asked for.
    CrashRelease,     ///< A dead holder's lock becomes free.
    OwnerOnlyRelease, ///< Nobody ends or changes a lock that another holds.
    ContenderNeutral, ///< A failed acquire leaves the holder's lock as it is.
    ClockFree,        ///< Mutual exclusion also where the clients' clocks disagree.
    Fenced,           ///< A resource that looks at fencing numbers never takes an older holder's write after a newer's.
};

/// The promise's identifier, `mutual-exclusion`.
[[nodiscard]] QString promiseId(Promise promise);

/// What a user may say about a lock; which of it a recipe has a use for is in its catalogue entry.
struct LockOptions
{
    base::Key key;
    std::optional<base::Lease> lease;       ///< Absent: 30 s where the recipe has leases.
    std::optional<LeaseUnit> unit;          ///< Absent: milliseconds where the recipe lets choose.
    std::optional<base::OwnerToken> token;  ///< The user's own password, for LockValue::Token; absent: a random one.
    std::optional<QByteArray> value;        ///< For LockValue::Constant; absent: `locking`.
    int servers = 1;                        ///< How many there are, for recipes that use several.
    CompareForm form = CompareForm::Script; ///< For recipes that hasForms; others do not look at it.
};

/// What a recipe writes into its locks.
enum class LockValue : quint8 {
    Constant, ///< The same for everybody: LockOptions::value.
    Deadline, ///< When the lock ends, by the clock of the client that holds it.
    Token,    ///< What proves the holder: a random token, or LockOptions::token.
};

/// One entry of the catalogue: what a recipe is, what it promises, what is wrong with it.
///
/// A value, made by the class of the lock that it is about. What is done with it is in catalogue.h.
struct Recipe
{
    QString id;
    base::Text title;
    base::Text summary; ///< One sentence: what it does and what it teaches.
    base::Text flaw;    ///< One sentence; empty for a recipe without one.
    std::vector<Promise> promises;
    /// What a user has to be permitted for it, in an ACL: the commands that it sends, and those that its scripts call.
    /// Not among them is what is done without where it is denied: TYPE, CLIENT and INFO, and the looks at a hold (see
    /// HoldKeeper).
    QStringList commands;
    LockValue value = LockValue::Constant;
    bool hasLease = false;
    bool hasUnit = false;      ///< Lets choose between seconds and milliseconds.
    bool wholeSeconds = false; ///< Its leases are whole seconds.
    bool hasToken = false;     ///< Release needs the token that acquire gave.
    bool canExtend = false;
    bool hasForms = false;           ///< Compares its token in the form that LockOptions::form says.
    bool writesWhenBusy = false;     ///< A lost attempt writes all the same, whatever the key holds.
    bool needsOwnConnection = false; ///< Uses WATCH: no other exchange may use its connection meanwhile.
    bool hasManyServers = false;     ///< Uses any number of servers at once.
    bool renews = false;             ///< Its holder has to renew it: see renewUntilLost().
    /// Makes the lock; makeLock() has filled in what the recipe needs.
    std::unique_ptr<Lock> (*make)(const LockOptions &options) = nullptr;

    [[nodiscard]] bool hasPromise(Promise promise) const;
};

} // namespace latchkey::locks
