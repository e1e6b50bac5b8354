#pragma once

#include "core/keyspace/keys/keyanalysis.h"

namespace latchkey::ui::keytable {

/// Returns the title of the kind of lock. Empty if the key is no lock.
[[nodiscard]] QString kindTitle(const keys::KeyAnalysis &analysis);

/// Returns a title of the kind of lock that fits its column: "Token lock" for "Token lock, library unknown". A kind
/// with a short title has it unchanged. Empty if the key is no lock.
[[nodiscard]] QString shortKindTitle(const keys::KeyAnalysis &analysis);

} // namespace latchkey::ui::keytable
