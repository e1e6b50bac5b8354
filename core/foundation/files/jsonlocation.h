#pragma once

#include <QByteArray>
#include <QStringList>

#include <optional>

namespace latchkey::files {

/// Returns the line, from 1, that contains the byte at this offset.
[[nodiscard]] int lineAt(const QByteArray &contents, qsizetype offset);

/// Returns the column, from 1 and in characters, of the byte at this offset of a UTF-8 text.
[[nodiscard]] int columnAt(const QByteArray &contents, qsizetype offset);

/// Returns the offset of the first repeated name within an object. Names are compared as they are written, without
/// resolving escapes. Absent if all names are unique. `contents`: valid JSON.
[[nodiscard]] std::optional<qsizetype> repeatedNameIn(const QByteArray &contents);

/// The position of a value's text in a JSON text.
struct JsonLocation
{
    qsizetype at = 0;
    qsizetype length = 0;
};

/// Returns the position of a value. Parameters: see lineOfJson().
[[nodiscard]] JsonLocation locateInJson(const QByteArray &contents, const QStringList &path);

/// Returns the line, from 1, of a value in a JSON text. Used for error messages, because a parsed value has no
/// position. `contents`: valid JSON. `path`: the steps to the value, each a member's name or `[3]`. If the value does
/// not exist, the result is the line of the last existing step.
[[nodiscard]] int lineOfJson(const QByteArray &contents, const QStringList &path);

} // namespace latchkey::files
