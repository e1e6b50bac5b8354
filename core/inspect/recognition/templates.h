#pragma once

#include <QByteArray>
#include <QHash>

namespace latchkey::recognition {

/// The variables in angle brackets in the name of a companion or channel: `<key>`, `<tagged>`, `<hashtag>` (see
/// base::withHashTag()) and `<value>`. The named groups of the pattern that the key's name matched are variables too.
using Variables = QHash<QByteArray, QByteArray>;

/// Returns the key in braces unless it contains a `{`. This is Redisson's rule, which also takes a `{` without a `}`
/// for a hash tag.
[[nodiscard]] QByteArray taggedName(const QByteArray &key);

/// Returns the key of the fencing counter of a lock of Redisson, and of a lock of this project; see
/// locks::FencedLock::counterKey().
[[nodiscard]] QByteArray redissonFencingCounter(const QByteArray &lock);
[[nodiscard]] QByteArray latchkeyFencingCounter(const QByteArray &lock);

/// Returns the text with each `<name>` replaced; an unknown name stays.
[[nodiscard]] QByteArray expand(const QByteArray &text, const Variables &variables);

/// Returns the names in angle brackets.
[[nodiscard]] QByteArrayList variablesIn(const QByteArray &text);

} // namespace latchkey::recognition
