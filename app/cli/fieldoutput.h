#pragma once

#include "core/keys/fieldends.h"

#include <QJsonObject>
#include <QStringList>

namespace latchkey::cli {

// When the fields of a hash end, as ls and why tell it.

/// `fields: {size, asked, whole, ending, first: [{field, pttl_ms}]}`; nothing where no field is known to end.
void insertFieldEnds(QJsonObject &row, const keys::FieldEnds &ends, base::MonotonicTime now);

/// A line for each of the first fields to end, and one for what is not among them.
[[nodiscard]] QStringList fieldLines(const keys::FieldEnds &ends, base::MonotonicTime now);

/// How long the first field has left; of some field at least one ends.
[[nodiscard]] QString firstFieldText(const keys::FieldEnds &ends, base::MonotonicTime now);

} // namespace latchkey::cli
