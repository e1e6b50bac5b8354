#pragma once

#include "core/foundation/base/error.h"

namespace latchkey::base {

/// Reads a size: a whole number and a unit of 1024, `500KB`, `100MB`, `2GB`; `B` for bytes. Errors (Usage) name the
/// text. Zero is accepted; negative numbers are refused.
[[nodiscard]] Result<qint64> parseByteSize(QStringView text);

/// Returns the size with one decimal digit if there are fewer than three digits before the point: `512 B`, `3.2 MB`,
/// `120 MB`. Whole numbers have no decimal.
[[nodiscard]] QString formatByteSize(qint64 bytes);

} // namespace latchkey::base
