#pragma once

#include <QByteArray>

namespace latchkey::base {

/// Whether a part in braces decides the key's cluster slot: from the first `{` to the first `}` behind it, if not
/// empty.
[[nodiscard]] bool hasHashTag(const QByteArray &key);

/// The key, in braces unless it has a hash tag. Keys with a suffix behind it are in the key's cluster slot, except for
/// a key with a `}` and no hash tag: no suffix has that slot.
[[nodiscard]] QByteArray withHashTag(const QByteArray &key);

} // namespace latchkey::base
