#pragma once

#include "core/base/error.h"

namespace latchkey::base {

/// Reads a size as people type it: a whole number and a unit of 1024, `500KB`, `100MB`, `2GB`; `B` for bytes.
/// Errors (Usage) name the text. Negative numbers are refused; zero is read.
[[nodiscard]] Result<qint64> parseByteSize(QStringView text);

/// Size with one digit after the point where it has less than three before it: `512 B`, `3.2 MB`, `120 MB`.
[[nodiscard]] QString formatByteSize(qint64 bytes);

} // namespace latchkey::base
