#pragma once

#include "core/keys/facts.h"
#include "core/keys/fieldends.h"
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
    /// Null where no field is known to have a lifetime of its own.
    [[nodiscard]] const FieldEnds *fieldEndsOf(KeyId id) const
    {
        const auto found = fieldEnds.constFind(id);
        return found == fieldEnds.cend() ? nullptr : &*found;
    }
    /// When the key ends by itself, as far as is known: after its TTL, or with its last field.
    [[nodiscard]] base::Deadline endOf(KeyId id) const
    {
        const base::Deadline own = table.deadline(id);
        const FieldEnds *fields = fieldEndsOf(id);
        return fields != nullptr && fields->wholeEnd().at() < own.at() ? fields->wholeEnd() : own;
    }
    [[nodiscard]] bool isLive(KeyId id) const
    {
        return id.value < table.idLimit() && table.isUsed(id) && table.state(id) == KeyState::Live;
    }

    KeyTable table;
    RawValues values;
    FactsByKey facts;
    QHash<KeyId, FieldEnds> fieldEnds;
};

} // namespace latchkey::keys
