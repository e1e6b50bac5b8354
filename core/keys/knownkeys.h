#pragma once

#include "core/keys/facts.h"
#include "core/keys/keytable.h"
#include "core/keys/rawvalue.h"

namespace latchkey::keys {

/// What is known of the keys of one server: of each its record, and of some their value and what was worked out.
/// Owned, and changed, by a KeyStore; all others only read it.
struct KnownKeys
{
    explicit KnownKeys(base::MonotonicTime epoch)
        : table(epoch)
    {}

    /// Null until somebody has read it.
    [[nodiscard]] const RawValue *value(KeyId id) const
    {
        const auto found = values.constFind(id);
        return found == values.cend() ? nullptr : &*found;
    }
    /// Null where nothing has been worked out.
    [[nodiscard]] const Facts *factsOf(KeyId id) const
    {
        const auto found = facts.constFind(id);
        return found == facts.cend() ? nullptr : &*found;
    }
    [[nodiscard]] bool isLive(KeyId id) const
    {
        return id.value < table.idLimit() && table.isUsed(id) && table.state(id) == KeyState::Live;
    }

    KeyTable table;
    RawValues values;
    FactsByKey facts;
};

} // namespace latchkey::keys
