#pragma once

#include <QByteArray>

namespace latchkey::base {

/// Returns whether a part in braces decides the key's cluster slot: the part from the first `{` to the next `}`, if not
/// empty.
[[nodiscard]] bool hasHashTag(const QByteArray &key);

/// Returns the key, in braces unless it has a hash tag. Keys with a suffix after it are in the key's cluster slot. The
/// exception is a key with a `}` and no hash tag: no suffix has that slot.
[[nodiscard]] QByteArray withHashTag(const QByteArray &key);

} // namespace latchkey::base
