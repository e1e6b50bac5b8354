#pragma once

#include "core/caches/cache.h"
#include "core/caches/guardoptions.h"
#include "core/caches/lifetime.h"

#include <QStringList>

#include <memory>

namespace latchkey::caches {

/// What a cache recipe may promise. Each has its own faults and a run that would break it; see the glossary in
/// core/README.md.
enum class Promise : quint8 {
    NoImmortalData, ///< Whatever happens, no data stays behind without a lifetime.
    NoImmortalKey,  ///< Nor does any other key of the recipe.
    ForeignKeySafe, ///< A key that holds a value of another type keeps it, and its lifetime.
    NoTornRead,     ///< A reader sees all of one write, never some of it or parts of two.
    OneRecompute,   ///< While the guard lasts, no two clients recompute the same miss.
};

/// The promise's identifier, `no-immortal-data`.
[[nodiscard]] QString promiseId(Promise promise);

/// What a user may say about a cache; which of it a recipe has a use for is in its catalogue entry.
struct CacheOptions
{
    base::Key key;
    std::optional<base::Lease> lifetime; ///< Absent: 30 s.
    std::optional<LifetimeUnit> unit;    ///< Absent: milliseconds where the recipe lets choose.
    bool onlyIfAbsent = false;           ///< To write only where the key does not exist.
    std::optional<GuardOptions> guard;   ///< For `guarded`; absent: the defaults.
};

/// One entry of the catalogue: what a recipe is, what it promises, what is wrong with it.
///
/// A value, made by the class of the cache that it is about. What is done with it is in catalogue.h.
struct Recipe
{
    QString id;
    base::Text title;
    base::Text summary; ///< One sentence: what it does and what it teaches.
    base::Text flaw;    ///< One sentence; empty for a recipe without one.
    std::vector<Promise> promises;
    /// What a user has to be permitted for it, in an ACL: the commands that it sends, and those that its scripts call.
    /// Not among them is what is done without where it is denied: TYPE, CLIENT and INFO.
    QStringList commands;
    bool holdsFields = false;       ///< A hash, rather than one value.
    bool hasUnit = false;           ///< Lets choose between seconds and milliseconds.
    bool needsWholeSeconds = false; ///< Its lifetimes travel in seconds only.
    bool canWriteIfAbsent = false;  ///< On request, writes only where the key does not exist.
    bool endsByFields = false;      ///< Its lifetimes are those of fields, where the server has these: see HPTTL.
    bool isGuarded = false;         ///< Has a guard, which its options are about; see makeGuarded().
    /// Whether a hash of these fields holds data; null: any does.
    bool (*isData)(const QList<QByteArray> &fields) = nullptr;
    /// Makes the cache; makeCache() has filled in what the recipe needs.
    std::unique_ptr<Cache> (*make)(const CacheOptions &options) = nullptr;
};

} // namespace latchkey::caches
