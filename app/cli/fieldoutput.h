#pragma once

#include "core/keyspace/keys/fielddeadlines.h"

#include <QStringList>

namespace latchkey::cli {

// The expiries of hash fields, as printed by ls and why.

/// Returns a line for each of the first fields to expire, and one for the remaining fields.
[[nodiscard]] QStringList fieldLines(const keys::FieldDeadlines &ends, base::MonotonicTime now);

/// Returns the remaining time of the first field. At least one field must expire.
[[nodiscard]] QString firstFieldText(const keys::FieldDeadlines &ends, base::MonotonicTime now);

} // namespace latchkey::cli
