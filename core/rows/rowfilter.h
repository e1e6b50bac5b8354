#pragma once

#include "core/keys/glob.h"
#include "core/keys/knownkeys.h"

#include <vector>

namespace latchkey::rows {

/// Something that can be true of a key. A new one is a new constant, and nothing else has to know of it; constants are
/// told apart by their address.
struct Condition
{
    bool (*holds)(const keys::KnownKeys &known, keys::KeyId id) = nullptr;
};

/// Something of it ends: the key, or fields of it.
inline constexpr Condition isExpiring {[](const keys::KnownKeys &known, keys::KeyId id) {
    return !known.table.deadline(id).isNever() || known.fieldEndsOf(id) != nullptr;
}};
/// Something of it stays: of a hash of which only some fields end, both are true.
inline constexpr Condition isPersistent {
    [](const keys::KnownKeys &known, keys::KeyId id) { return known.endOf(id).isNever(); }};
/// Recognised as a lock.
inline constexpr Condition isLock {[](const keys::KnownKeys &known, keys::KeyId id) {
    const keys::Facts *facts = known.factsOf(id);
    return facts != nullptr && !facts->kind.isEmpty();
}};

/// Something is wrong with it.
inline constexpr Condition hasFindings {[](const keys::KnownKeys &known, keys::KeyId id) {
    const keys::Facts *facts = known.factsOf(id);
    return facts != nullptr && facts->findings > 0;
}};

/// Which keys are shown: those whose names match, and of which all of the conditions hold.
struct RowFilter
{
    keys::Glob glob;
    std::vector<const Condition *> conditions {}; // Not owned: constants.

    [[nodiscard]] bool matches(const keys::KnownKeys &known, keys::KeyId id) const
    {
        for (const Condition *condition : conditions) {
            if (!condition->holds(known, id))
                return false;
        }
        return glob.matches(known.table.key(id));
    }

    friend bool operator==(const RowFilter &, const RowFilter &) = default;
};

} // namespace latchkey::rows
