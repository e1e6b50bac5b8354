#pragma once

#include <QByteArray>

namespace latchkey::base {

/// Returns whether the key has a hash tag, which alone decides its cluster slot: the text between the first `{` and the
/// next `}`, if not empty.
[[nodiscard]] bool hasHashTag(const QByteArray &key);

/// Returns a prefix for names of keys in the same cluster slot as this key. The prefix is the key itself if it has a
/// hash tag, otherwise the key in braces. It has another slot if the key has a `}` but no hash tag: no prefix has that
/// slot.
[[nodiscard]] QByteArray withHashTag(const QByteArray &key);

} // namespace latchkey::base
