#pragma once

#include "core/base/deadline.h"
#include "core/exchange/exchange.h"
#include "core/keys/rawvalue.h"

namespace latchkey::keyspace {

/// What a key was when somebody looked: its type, its value as far as it is read, and its end.
struct KeySnapshot
{
    base::Key key;
    keys::KeyType type = keys::KeyType::Unknown; ///< Unknown: there is no key.
    keys::RawValue value;
    QByteArray digest; ///< Of the whole value, where the value is not all of it and it could be read.
    base::Deadline deadline = base::Deadline::never();

    [[nodiscard]] bool exists() const { return type != keys::KeyType::Unknown; }
    /// Whether every byte of the value has been looked at. A value of more than 16 MiB is not read whole, and a
    /// server may not allow it (MEMORY USAGE, DUMP): then its beginning and its size stand for it.
    [[nodiscard]] bool isWhole() const;
    /// The same value, as far as both were read, and within what can be measured the same end.
    [[nodiscard]] bool agreesWith(const KeySnapshot &other) const;
};

enum class DeleteOutcome : quint8 {
    Deleted,
    Changed, ///< It is not what the snapshot shows; nothing was changed.
    Gone,
};

/// Reads a key for somebody who is about to decide over it: up to 64 KiB of a string, a few elements of a collection,
/// and of what is larger a digest.
[[nodiscard]] exchange::Exchange<KeySnapshot> takeSnapshot(base::Key key);

/// Deletes the key if it still is what the snapshot shows.
/// By WATCH: what is compared and what is deleted is one and the same state of the key, without a script; by a script
/// where the server is out of memory and takes no transaction. Needs a connection that nobody else sends over, on which
/// it leaves no WATCH behind.
[[nodiscard]] exchange::Exchange<DeleteOutcome> deleteIfUnchanged(KeySnapshot snapshot);

} // namespace latchkey::keyspace
