#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "core/keyspace/keys/keyanalysis.h"
#include "core/keyspace/keys/keytable.h"
#include "core/keyspace/keys/rawvalue.h"

namespace latchkey::keys {

/// The known data of the keys of one server: a record for each key, and for some keys a value, an analysis and the
/// expiries of fields. Owned and changed by a KeyStore; other code only reads it.
struct KnownKeys
{
    explicit KnownKeys(base::MonotonicTime epoch)
        : table(epoch)
    {}

    /// Returns the value; null until it was read.
    [[nodiscard]] const RawValue *value(KeyId id) const
    {
        const auto found = values.constFind(id);
        return found == values.cend() ? nullptr : &*found;
    }
    /// Returns the analysis of the key; null without one.
    [[nodiscard]] const KeyAnalysis *analysisOf(KeyId id) const
    {
        const auto found = analysis.constFind(id);
        return found == analysis.cend() ? nullptr : &*found;
    }
    /// Returns the expiries of the fields; null if no field is known to have a TTL.
    [[nodiscard]] const FieldDeadlines *fieldEndsOf(KeyId id) const
    {
        const auto found = fieldEnds.constFind(id);
        return found == fieldEnds.cend() ? nullptr : &*found;
    }
    /// Returns when the key ends as far as is known: after its TTL, or with its last field.
    [[nodiscard]] base::Deadline endOf(KeyId id) const
    {
        const base::Deadline own = table.deadline(id);
        const FieldDeadlines *fields = fieldEndsOf(id);
        return fields != nullptr && fields->wholeEnd().at() < own.at() ? fields->wholeEnd() : own;
    }
    /// Returns a time before the first observation at which the key existed; absent: unknown.
    [[nodiscard]] std::optional<base::MonotonicTime> existedAt(KeyId id) const
    {
        const auto found = existed.constFind(id);
        return found == existed.cend() ? std::nullopt : std::optional(*found);
    }
    [[nodiscard]] bool isLive(KeyId id) const
    {
        return id.value < table.idLimit() && table.isUsed(id) && table.state(id) == KeyState::Live;
    }

    KeyTable table;
    RawValues values;
    AnalysisByKey analysis;
    QHash<KeyId, FieldDeadlines> fieldEnds;
    QHash<KeyId, base::MonotonicTime> existed; ///< See existedAt().
};

} // namespace latchkey::keys
