#pragma once

#include <QByteArray>
#include <QStringList>

namespace latchkey::base {

/// Returns a line of CSV (RFC 4180) in UTF-8, including its CRLF. Fields with a comma, a quote or a line break are
/// quoted.
[[nodiscard]] QByteArray csvLine(const QStringList &fields);

} // namespace latchkey::base
