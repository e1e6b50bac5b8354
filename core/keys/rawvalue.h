#pragma once

#include "core/keys/key.h"

#include <QHash>
#include <QList>

namespace latchkey::keys {

/// What was read of a key's value, as the server gave it: words are the business of those who show it.
///
/// A string: its first bytes, as one part. A list or set: its first elements. A hash: fields and values in turn. A
/// sorted set: members and scores in turn. A stream: no parts. A value type.
struct RawValue
{
    KeyType type = KeyType::Unknown;
    qint64 size = 0;         ///< Bytes of a string, elements (pairs, entries) of a collection.
    QList<QByteArray> parts; ///< Of a collection each up to longestPart bytes.
    /// Of a recording without values: each part is a digest, by which it can be told from others and nothing else.
    bool isLeftOut = false;

    static constexpr qsizetype longestPart = 1024;

    /// How many parts make an element: two where they come in pairs.
    [[nodiscard]] int partsPerElement() const { return type == KeyType::Hash || type == KeyType::SortedSet ? 2 : 1; }
    /// How many elements of a collection were read.
    [[nodiscard]] qsizetype elementsRead() const { return parts.size() / partsPerElement(); }
    /// A string's bytes, as far as they were read; empty for a collection.
    [[nodiscard]] QByteArray bytes() const
    {
        return type == KeyType::String && !parts.isEmpty() ? parts.front() : QByteArray();
    }
    /// Every byte of a string has been read.
    [[nodiscard]] bool isWholeString() const { return type == KeyType::String && !isLeftOut && bytes().size() >= size; }

    friend bool operator==(const RawValue &, const RawValue &) = default;
};

using RawValues = QHash<KeyId, RawValue>;

} // namespace latchkey::keys
