#pragma once

#include "core/inspect/recognition/dialects.h"
#include "core/inspect/recognition/recognition.h"
#include "core/keyspace/keys/facts.h"

namespace latchkey::detection {

/// Returns the facts that a table shows of a recognised lock; empty if the key is not a lock. The number of findings is
/// set elsewhere.
[[nodiscard]] keys::Facts factsFrom(const recognition::Recognition &recognition, const recognition::Dialects &dialects);

} // namespace latchkey::detection
