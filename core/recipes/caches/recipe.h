#pragma once

#include "core/recipes/caches/cache.h"
#include "core/recipes/caches/guardoptions.h"
#include "core/recipes/caches/lifetime.h"

#include <memory>

namespace latchkey::caches {

using catalogue::Promise;

/// The options of a cache. The catalogue entry states which options a recipe supports.
struct CacheOptions
{
    base::Key key;
    std::optional<base::Lease> lifetime; ///< Default: 30 s.
    std::optional<LifetimeUnit> unit;    ///< Default: milliseconds, if the recipe supports both units.
    bool onlyIfAbsent = false;           ///< Whether to write only if the key does not exist.
    std::optional<GuardOptions> guard;   ///< Options for `guarded`; absent: the defaults.
};

/// An entry of the catalogue of caches.
///
/// A value, created by the class of its cache. The operations on it are in catalogue.h.
struct Recipe : catalogue::Recipe
{
    bool holdsFields = false;        ///< Stores a hash instead of one value.
    bool canWriteIfAbsent = false;   ///< Supports writing only if the key does not exist.
    bool setsFieldLifetimes = false; ///< Sets the lifetime on fields if the server supports it; see HashHsetexCache.
    bool isGuarded = false;          ///< Has a guard with options; see makeGuarded().
    /// Function that returns whether a hash with these field names holds data and not only a placeholder. Null: every
    /// hash holds data.
    bool (*isData)(const QList<QByteArray> &fields) = nullptr;
    /// Creates the cache. makeCache() has filled in the required options.
    std::unique_ptr<Cache> (*make)(const CacheOptions &options) = nullptr;
};

} // namespace latchkey::caches
