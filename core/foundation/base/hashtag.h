#pragma once

#include <QByteArray>

namespace latchkey::base {

/// Returns whether the key has a hash tag, which alone determines its cluster slot. The hash tag is the text between
/// the first `{` and the next `}`, if not empty.
[[nodiscard]] bool hasHashTag(const QByteArray &key);

/// Returns a prefix for names of keys in the same cluster slot as this key. The prefix is the key itself if it has a
/// hash tag, otherwise the key in braces. If the key has a `}` but no hash tag, the prefix has another slot, because no
/// prefix with the same slot exists.
[[nodiscard]] QByteArray withHashTag(const QByteArray &key);

} // namespace latchkey::base
