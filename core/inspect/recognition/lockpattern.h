#pragma once

#include "core/foundation/base/error.h"
#include "core/foundation/base/glob.h"
#include "core/keyspace/keys/key.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace latchkey::recognition {

/// A user-defined description of locks: the names of the keys, and the location of the holder in the value.
///
/// It contains the fields of a small dialog, and is stored as a dialect with one Form. A dialect with more content has
/// no LockPattern, and is edited in the file. A value type.
struct LockPattern
{
    /// The location of the holder.
    enum class Where : quint8 {
        Shape,     ///< A known shape decodes the value; detail: the shape's id.
        JsonField, ///< The value is a JSON object; detail: the name of the field.
        HashField, ///< The key is a hash; detail: the name of the field.
    };

    QString id; ///< Empty: a new pattern.
    QString title;
    QByteArray keys; ///< Pattern for the whole name, in the filter's language; see wholeKey().
    keys::KeyType type = keys::KeyType::String;
    Where where = Where::Shape;
    QByteArray detail;

    friend bool operator==(const LockPattern &, const LockPattern &) = default;
};

/// Makes a glob for the whole key. As in the filter, `*` matches any characters and `?` matches one; in a text with
/// either of them, [a-z] is a set. Unlike in the filter, a text without both is the whole key, not a part of it.
[[nodiscard]] base::Glob wholeKey(const QByteArray &text);

/// Returns a pattern for names like this one, without knowledge of other keys (see SiblingNames): `lock:order:*` for
/// `lock:order:17`. Returns the key itself if its name has no parts.
[[nodiscard]] QByteArray namesLike(const QByteArray &key);

/// Writes the pattern as a dialect, in the text of a file. The id must be set. Error (Usage): the missing part.
[[nodiscard]] base::Result<QByteArray> dialectText(const LockPattern &pattern);

/// Reads a pattern that dialectText() wrote. Absent if the dialect contains more than a pattern can express.
[[nodiscard]] std::optional<LockPattern> lockPatternFrom(const QJsonObject &dialect);

} // namespace latchkey::recognition
