#pragma once

#include "core/leases/glob.h"
#include "core/leases/leasetable.h"

namespace latchkey::leases {

/// Which leases are shown.
struct LeaseFilter
{
    enum class Expiry : quint8 { Any, Expiring, Persistent };

    Glob glob;
    Expiry expiry = Expiry::Any;

    [[nodiscard]] bool matches(const LeaseTable &table, LeaseId id) const
    {
        if (expiry != Expiry::Any && (expiry == Expiry::Persistent) != table.deadline(id).isNever())
            return false;
        return glob.matches(table.key(id));
    }

    friend bool operator==(const LeaseFilter &, const LeaseFilter &) = default;
};

} // namespace latchkey::leases
