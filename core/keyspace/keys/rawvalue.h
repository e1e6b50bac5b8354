#pragma once

#include "core/keyspace/keys/key.h"

#include <QHash>
#include <QList>

namespace latchkey::keys {

/// The part of a key's value that was read, as the server returned it. Wording is left to the code that shows it.
///
/// A string: its first bytes, as one part. A list or set: its first elements. A hash: fields and values in turn. A
/// sorted set: members and scores in turn. A stream: no parts. A value type.
struct RawValue
{
    KeyType type = KeyType::Unknown;
    qint64 size = 0;         ///< Bytes of a string; elements (pairs, entries) of a collection.
    QList<QByteArray> parts; ///< Parts; each up to maxPartLength bytes in a collection.
    /// True for a value from a recording without values: each part is a digest, which only shows whether two parts are
    /// equal.
    bool isLeftOut = false;

    static constexpr qsizetype maxPartLength = 1024;

    /// Returns the number of parts per element: two for pairs.
    [[nodiscard]] int partsPerElement() const { return type == KeyType::Hash || type == KeyType::SortedSet ? 2 : 1; }
    /// Returns the number of elements that were read.
    [[nodiscard]] qsizetype elementsRead() const { return parts.size() / partsPerElement(); }
    /// Returns the bytes of a string, as far as they were read; empty for a collection.
    [[nodiscard]] QByteArray bytes() const
    {
        return type == KeyType::String && !parts.isEmpty() ? parts.front() : QByteArray();
    }
    /// Returns whether every byte of a string was read.
    [[nodiscard]] bool isWholeString() const { return type == KeyType::String && !isLeftOut && bytes().size() >= size; }

    friend bool operator==(const RawValue &, const RawValue &) = default;
};

using RawValues = QHash<KeyId, RawValue>;

} // namespace latchkey::keys
