#pragma once

#include "core/keyspace/keys/fielddeadlines.h"

#include <QJsonObject>
#include <QStringList>

namespace latchkey::cli {

// The expiries of hash fields, as printed by ls and why.

/// Inserts `fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}`. Inserts nothing if no field is known to
/// expire.
void insertFieldEnds(QJsonObject &row, const keys::FieldDeadlines &ends, base::MonotonicTime now);

/// Returns a line for each of the first fields to expire, and one for the remaining fields.
[[nodiscard]] QStringList fieldLines(const keys::FieldDeadlines &ends, base::MonotonicTime now);

/// Returns the remaining time of the first field. At least one field must expire.
[[nodiscard]] QString firstFieldText(const keys::FieldDeadlines &ends, base::MonotonicTime now);

} // namespace latchkey::cli
