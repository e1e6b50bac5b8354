#pragma once

#include "core/base/error.h"
#include "core/keys/glob.h"
#include "core/keys/key.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace latchkey::recognition {

/// What a user says of locks of their own: how their keys are named, and where in the value the holder stands.
///
/// It holds what a person can say in a few fields, and is written as a dialect of one form. What a file says beyond
/// that has no LockPattern, and is changed in the file. A value type.
struct LockPattern
{
    /// Where the holder stands.
    enum class Where : quint8 {
        Shape,     ///< The value has a shape that is known, which decodes it; detail: the shape's id.
        JsonField, ///< The value is a JSON object; detail: the name of the field.
        HashField, ///< The key is a hash; detail: the name of the field.
    };

    QString id; ///< Empty: a new one.
    QString title;
    QByteArray keys; ///< For the whole name, in the language of the filter: see wholeKey().
    keys::KeyType type = keys::KeyType::String;
    Where where = Where::Shape;
    QByteArray detail;

    friend bool operator==(const LockPattern &, const LockPattern &) = default;
};

/// As in the filter, `*` and `?` stand for any characters and, beside them, [a-z] is a set; but without them it is the
/// whole key, not a part.
[[nodiscard]] keys::Glob wholeKey(const QByteArray &text);

/// What all keys like this one are called, as far as their name tells: `lock:order:*` for `lock:order:17`; the key
/// itself where its name has no parts.
[[nodiscard]] QByteArray namesLike(const QByteArray &key);

/// The pattern as a dialect, in the text of a file; its id has to be given. Error (Usage): what is missing.
[[nodiscard]] base::Result<QByteArray> dialectText(const LockPattern &pattern);

/// The pattern that dialectText() wrote; absent for a dialect that says more than a pattern can.
[[nodiscard]] std::optional<LockPattern> lockPatternFrom(const QJsonObject &dialect);

} // namespace latchkey::recognition
