#pragma once

#include "core/inspect/recognition/lockjson.h"
#include "core/inspect/recognition/recogniser.h"

namespace latchkey::cli {

/// Returns an error (Usage) if LATCHKEY_DIALECTS names a file that does not exist. Commands check it before they
/// connect.
[[nodiscard]] base::Result<void> checkUserDialects();

/// Returns all dialects, the user-defined ones first. An invalid file of the user is reported once and ignored.
[[nodiscard]] const recognition::Dialects &userDialects();

} // namespace latchkey::cli
