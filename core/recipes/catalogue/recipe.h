#pragma once

#include "core/foundation/base/error.h"

#include <QStringList>

#include <span>
#include <vector>

namespace latchkey::catalogue {

/// A promise that a recipe may make. The glossary in core/README.md defines each promise. The race finder searches for
/// schedules that break it.
enum class Promise : quint8 {
    // Locks
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
    // Caches
    NoImmortalData, ///< Data never stays behind without a TTL.
    NoImmortalKey,  ///< No other key of the recipe stays behind without a TTL, either.
    ForeignKeySafe, ///< A key of another type keeps its value and its TTL.
    NoTornRead,     ///< A reader sees one complete write, never parts of one or of two.
    OneRecompute,   ///< While the guard lasts, two clients never recompute the same miss.
};

/// Returns the id of a promise: `mutual-exclusion`.
[[nodiscard]] QString promiseId(Promise promise);

/// The common part of an entry of the catalogues: a recipe, its promises and its flaw.
///
/// A value. locks::Recipe and caches::Recipe add the options of a lock or a cache, and the function that creates it.
struct Recipe
{
    QString id;
    base::Text title;
    base::Text summary; ///< One sentence about the behaviour of the recipe and its lesson.
    base::Text flaw;    ///< One sentence; empty for a recipe without a flaw.
    std::vector<Promise> promises;
    /// Commands that the recipe and its scripts send, which an ACL must permit. Optional commands are not included:
    /// TYPE, CLIENT and INFO, and those that locks::Recipe names.
    QStringList commands;
    bool isLock = false;            ///< Whether the recipe is a lock and not a cache.
    bool hasUnit = false;           ///< Supports seconds and milliseconds.
    bool needsWholeSeconds = false; ///< Requires a lease or lifetime in whole seconds.

    [[nodiscard]] bool hasPromise(Promise promise) const;
    [[nodiscard]] QStringList promiseIds() const;
};

/// Returns the error (Usage) for an unknown id; it lists the valid ids.
[[nodiscard]] tl::unexpected<base::Error> unknownRecipe(QStringView id, const QStringList &ids);

/// Returns the recipe with this id. Error (Usage): unknown id; the error lists the valid ids.
template<typename AnyRecipe>
[[nodiscard]] base::Result<const AnyRecipe *> findRecipe(std::span<const AnyRecipe> recipes, QStringView id)
{
    QStringList ids;
    for (const AnyRecipe &recipe : recipes) {
        if (recipe.id == id)
            return &recipe;
        ids += recipe.id;
    }
    return unknownRecipe(id, ids);
}

/// Returns the error (Usage) for an option that a recipe does not support.
[[nodiscard]] tl::unexpected<base::Error> unsupported(const Recipe &recipe, const base::Text &option);

} // namespace latchkey::catalogue
