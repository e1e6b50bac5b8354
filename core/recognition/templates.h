#pragma once

#include <QByteArray>
#include <QHash>

namespace latchkey::recognition {

/// What may stand in angle brackets in the name of a companion or channel: `<key>`, `<tagged>`, `<hashtag>` (see
/// base::withHashTag()), `<value>`, and the named groups of the pattern that the key's name matched.
using Variables = QHash<QByteArray, QByteArray>;

/// The key in braces unless it holds a `{`: the rule of Redisson, which takes also a `{` without a `}` for a hash tag.
[[nodiscard]] QByteArray taggedName(const QByteArray &key);

/// The text with each `<name>` replaced; a name that is no variable stays as it is.
[[nodiscard]] QByteArray expand(const QByteArray &text, const Variables &variables);

/// The names in angle brackets.
[[nodiscard]] QByteArrayList variablesIn(const QByteArray &text);

} // namespace latchkey::recognition
