#pragma once

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/deadline.h"

#include <compare>

namespace latchkey::keys {

/// The number of a key in a KeyTable. A number is valid while the key exists and is reused afterwards.
struct KeyId
{
    quint32 value = 0;

    friend auto operator<=>(KeyId, KeyId) = default;
};

[[nodiscard]] inline size_t qHash(KeyId id, size_t seed = 0)
{
    return ::qHash(id.value, seed);
}

/// The type of a key's value. The order is that in which a table sorts the types, nearly alphabetical.
enum class KeyType : quint8 {
    Hash,
    List,
    Set,
    Stream,
    String,
    SortedSet,
    Other,   ///< A type of a module.
    Refused, ///< The key exists, but the server refuses TYPE.
    Unknown, ///< The key does not exist, or its type was not read yet.
};

/// Converts the name of a type; Unknown for `none`, the reply to TYPE if the key does not exist.
[[nodiscard]] KeyType keyTypeFrom(const QByteArray &name);

/// Returns the name as in a reply to TYPE; `unknown` for Refused, and empty for Unknown.
[[nodiscard]] QString keyTypeName(KeyType type);

/// The state of a key: live, or the way in which it ended.
enum class KeyState : quint8 {
    Live,    ///< Existed when the server was last asked.
    Expired, ///< Expired: it existed until about its deadline.
    Removed, ///< Released or deleted before its deadline.
    Ended,   ///< Ended after its deadline, but not observed shortly before: Expired or Removed.
};

/// Returns how a key with this deadline ended. `lastSeen`: time at which the key was last seen; `goneAt`: time at which
/// the key was absent.
[[nodiscard]] KeyState endingOf(const base::Deadline &deadline, base::MonotonicTime lastSeen,
                                base::MonotonicTime goneAt);

/// The difference between a newly observed end of a living key and the known end.
enum class ExpiryChange : quint8 {
    None,    ///< The same end within the measuring error.
    Renewed, ///< Later, with about the full time left: the holder has renewed the lock.
    Moved,   ///< Any other end: another hold or another lease.
};

/// Compares two ends. `before`: the known end; `span`: the longest time left that was seen with it; `after`: the end
/// that was observed at `sampled`.
[[nodiscard]] ExpiryChange expiryChange(const base::Deadline &before, std::chrono::milliseconds span,
                                        const base::Deadline &after, base::MonotonicTime sampled);

/// Returns the time left at `time`, at least zero; zero without expiry.
[[nodiscard]] std::chrono::milliseconds leftAt(const base::Deadline &deadline, base::MonotonicTime time);

/// All data of one key in a KeyTable, as a value.
struct KeyRecord
{
    base::Key key;
    KeyType type = KeyType::Unknown;
    KeyState state = KeyState::Live;
    base::Deadline deadline = base::Deadline::never();
    std::chrono::milliseconds span {}; ///< Longest time left seen in this hold; the length of a full bar.
    base::MonotonicTime sampled;       ///< Time of the last observation.
    bool isStartSeen = false;          ///< True if the span is about the full TTL, not only what was left of it.
};

} // namespace latchkey::keys
