#pragma once

#include "core/keys/facts.h"
#include "core/recognition/dialects.h"
#include "core/recognition/recognition.h"

namespace latchkey::inspection {

/// What a table says of a lock that was recognised; empty for what is none. Findings are counted by others.
[[nodiscard]] keys::Facts factsFrom(const recognition::Recognition &recognition, const recognition::Dialects &dialects);

} // namespace latchkey::inspection
