#pragma once

#include "core/keys/glob.h"
#include "core/keys/keytable.h"

namespace latchkey::rows {

/// Which leases are shown.
struct RowFilter
{
    enum class Expiry : quint8 { Any, Expiring, Persistent };

    keys::Glob glob;
    Expiry expiry = Expiry::Any;

    [[nodiscard]] bool matches(const keys::KeyTable &table, keys::KeyId id) const
    {
        if (expiry != Expiry::Any && (expiry == Expiry::Persistent) != table.deadline(id).isNever())
            return false;
        return glob.matches(table.key(id));
    }

    friend bool operator==(const RowFilter &, const RowFilter &) = default;
};

} // namespace latchkey::rows
