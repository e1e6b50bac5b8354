#pragma once

#include "core/foundation/base/error.h"

namespace latchkey::base {

/// Parses a size: a whole number and a binary unit, such as `512B`, `500KB`, `100MB` or `2GB`; 1 KB is 1024 bytes.
/// Error (Usage): names the text. Zero is accepted; negative numbers are refused.
[[nodiscard]] Result<qint64> parseByteSize(QStringView text);

/// Returns the size with one decimal digit if there are fewer than three digits before the point: `512 B`, `3.2 MB`,
/// `120 MB`. Whole numbers have no decimal.
[[nodiscard]] QString formatByteSize(qint64 bytes);

} // namespace latchkey::base
