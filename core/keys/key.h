#pragma once

#include "core/base/bytes.h"
#include "core/base/deadline.h"

#include <compare>

namespace latchkey::keys {

/// A key by its number in a KeyTable, for as long as it exists; the number is used again afterwards.
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

/// What TYPE answers, as a type; Unknown where there is no key.
[[nodiscard]] KeyType keyTypeFrom(const QByteArray &name);

/// What TYPE would answer; empty for Unknown.
[[nodiscard]] QString keyTypeName(KeyType type);

/// Whether a key is there, and how it has gone.
enum class KeyState : quint8 {
    Live,    ///< There when the server was last asked.
    Expired, ///< Gone, and it was there until about its deadline.
    Removed, ///< Gone before its time: released or deleted.
    Gone,    ///< Gone after its deadline, but nobody had looked shortly before: either of the two.
};

/// How a key ended that was last seen at lastSeen with this deadline, and was not there at goneAt.
[[nodiscard]] KeyState endingOf(const base::Deadline &deadline, base::MonotonicTime lastSeen,
                                base::MonotonicTime goneAt);

/// What a second look at a living key's end says beside the first.
enum class EndChange : quint8 {
    None,    ///< The same end, as far as can be measured.
    Renewed, ///< Later, and it has about its full time again: what a holder does that lives.
    Moved,   ///< Any other: another hold, or another lease.
};

/// before: the end known so far, span: the longest time left that was seen with it; after: the end seen at sampled.
[[nodiscard]] EndChange endChange(const base::Deadline &before, std::chrono::milliseconds span,
                                  const base::Deadline &after, base::MonotonicTime sampled);

/// What is left at that time, not negative; zero without expiry.
[[nodiscard]] std::chrono::milliseconds leftAt(const base::Deadline &deadline, base::MonotonicTime time);

/// Everything that a KeyTable knows of one key, as a value.
struct KeyRecord
{
    base::Key key;
    KeyType type = KeyType::Unknown;
    KeyState state = KeyState::Live;
    base::Deadline deadline = base::Deadline::never();
    std::chrono::milliseconds
        span {};                 ///< The longest time left that was seen in this hold: what a full bar stands for.
    base::MonotonicTime sampled; ///< When the server was last asked.
    bool isStartSeen = false;    ///< The span is about what the key was given, not just what was left of it.
};

} // namespace latchkey::keys
