#pragma once

#include "core/foundation/base/glob.h"
#include "core/keyspace/keys/knownkeys.h"

#include <vector>

namespace latchkey::rows {

/// A property that a key may have. To add one, define a new constant; no other code needs to know it. Constants are
/// compared by address.
struct KeyCondition
{
    bool (*holds)(const keys::KnownKeys &known, keys::KeyId id) = nullptr;
};

/// The key or one of its fields expires.
inline constexpr KeyCondition isExpiring {[](const keys::KnownKeys &known, keys::KeyId id) {
    return !known.table.deadline(id).isNever() || known.fieldEndsOf(id) != nullptr;
}};
/// The key has no TTL, and not all of its fields are known to expire. A hash of which only some fields expire meets
/// both conditions.
inline constexpr KeyCondition isPersistent {
    [](const keys::KnownKeys &known, keys::KeyId id) { return known.endOf(id).isNever(); }};
/// The key is recognised as a lock.
inline constexpr KeyCondition isLock {[](const keys::KnownKeys &known, keys::KeyId id) {
    const keys::KeyAnalysis *analysis = known.analysisOf(id);
    return analysis != nullptr && !analysis->kind.isEmpty();
}};

/// The key has findings.
inline constexpr KeyCondition hasFindings {[](const keys::KnownKeys &known, keys::KeyId id) {
    const keys::KeyAnalysis *analysis = known.analysisOf(id);
    return analysis != nullptr && analysis->findings > 0;
}};

/// A filter of the shown keys: the name must match and all conditions must hold.
struct RowFilter
{
    base::Glob glob;
    std::vector<const KeyCondition *> conditions {}; // Not owned: constants.

    [[nodiscard]] bool matches(const keys::KnownKeys &known, keys::KeyId id) const
    {
        for (const KeyCondition *condition : conditions) {
            if (!condition->holds(known, id))
                return false;
        }
        return glob.matches(known.table.key(id));
    }

    friend bool operator==(const RowFilter &, const RowFilter &) = default;
};

} // namespace latchkey::rows
