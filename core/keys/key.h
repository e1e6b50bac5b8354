#pragma once

#include "core/base/bytes.h"
#include "core/base/deadline.h"

#include <compare>

namespace latchkey::keys {

/// A row of the store for as long as its key exists; the number is used again afterwards.
struct KeyId
{
    quint32 value = 0;

    friend auto operator<=>(KeyId, KeyId) = default;
};

[[nodiscard]] inline size_t qHash(KeyId id, size_t seed = 0)
{
    return ::qHash(id.value, seed);
}

/// What a key holds. In the order of the names, which is how a table sorts them.
enum class KeyType : quint8 { Hash, List, Set, Stream, String, SortedSet, Other, Unknown };

/// Whether a key is there.
enum class KeyState : quint8 {
    Live,    ///< There when the server was last asked.
    Expired, ///< Gone, and its deadline had passed by then.
    Removed, ///< Gone before its time: released or deleted.
};

/// A short look at what a key holds, as much as fits a table's cell.
struct ValuePreview
{
    QByteArray text;    ///< A string's first bytes, or a collection's first elements, written out.
    qint64 size = 0;    ///< Bytes of a string, elements of a collection.
    bool isText = true; ///< The bytes are the value's own; else text describes it.

    friend bool operator==(const ValuePreview &, const ValuePreview &) = default;
};

/// Everything that the store knows of one key, as a value for whoever shows it.
struct KeyRecord
{
    base::Key key;
    KeyType type = KeyType::Unknown;
    KeyState state = KeyState::Live;
    base::Deadline deadline = base::Deadline::never();
    std::chrono::milliseconds
        span {};                 ///< The longest time left that was seen in this hold: what a full bar stands for.
    base::MonotonicTime sampled; ///< When the server was last asked.
};

} // namespace latchkey::keys
