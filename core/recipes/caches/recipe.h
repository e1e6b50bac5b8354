#pragma once

#include "core/recipes/caches/cache.h"
#include "core/recipes/caches/guardoptions.h"
#include "core/recipes/caches/lifetime.h"

#include <QStringList>

#include <memory>

namespace latchkey::caches {

/// A promise that a cache recipe may make. The glossary in core/README.md defines each promise. The race finder
/// searches for schedules that break it.
enum class Promise : quint8 {
    NoImmortalData, ///< Data never stays behind without a TTL.
    NoImmortalKey,  ///< No other key of the recipe stays behind without a TTL, either.
    ForeignKeySafe, ///< A key of another type keeps its value and its TTL.
    NoTornRead,     ///< A reader sees one complete write, never parts of one or of two.
    OneRecompute,   ///< While the guard lasts, two clients never recompute the same miss.
};

/// Returns the id of a promise: `no-immortal-data`.
[[nodiscard]] QString promiseId(Promise promise);

/// The options of a cache. The catalogue entry states which options a recipe supports.
struct CacheOptions
{
    base::Key key;
    std::optional<base::Lease> lifetime; ///< Default: 30 s.
    std::optional<LifetimeUnit> unit;    ///< Default: milliseconds, if the recipe supports both units.
    bool onlyIfAbsent = false;           ///< Whether to write only if the key does not exist.
    std::optional<GuardOptions> guard;   ///< Options for `guarded`; absent: the defaults.
};

/// An entry of the catalogue: a recipe, its promises and its flaw.
///
/// A value, created by the class of its cache. The operations on it are in catalogue.h.
struct Recipe
{
    QString id;
    base::Text title;
    base::Text summary; ///< One sentence: its behaviour and its lesson.
    base::Text flaw;    ///< One sentence; empty for a recipe without a flaw.
    std::vector<Promise> promises;
    /// Commands that the recipe and its scripts send, which an ACL must permit. Optional commands are not included:
    /// TYPE, CLIENT and INFO.
    QStringList commands;
    bool holdsFields = false;        ///< Stores a hash instead of one value.
    bool hasUnit = false;            ///< Supports seconds and milliseconds.
    bool needsWholeSeconds = false;  ///< Requires a lifetime in whole seconds.
    bool canWriteIfAbsent = false;   ///< Supports writing only if the key does not exist.
    bool setsFieldLifetimes = false; ///< Sets the lifetime on fields if the server supports it; see HashHsetexCache.
    bool isGuarded = false;          ///< Has a guard with options; see makeGuarded().
    /// Function that returns whether a hash with these field names holds data, not only a placeholder. Null: it always
    /// does.
    bool (*isData)(const QList<QByteArray> &fields) = nullptr;
    /// Creates the cache. makeCache() has filled in the required options.
    std::unique_ptr<Cache> (*make)(const CacheOptions &options) = nullptr;
};

} // namespace latchkey::caches
