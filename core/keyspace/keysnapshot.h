#pragma once

#include "core/base/deadline.h"
#include "core/exchange/exchange.h"
#include "core/keys/rawvalue.h"

#include <optional>

namespace latchkey::keyspace {

/// What a key was when somebody looked: its type, its value as far as it is read, and its end.
struct KeySnapshot
{
    /// A value that is larger in the server's own form is not kept.
    static constexpr qsizetype mostKept = 1024LL * 1024;

    base::Key key;
    keys::KeyType type = keys::KeyType::Unknown; ///< Unknown: there is no key.
    keys::RawValue value;
    QByteArray digest; ///< Of the whole value, where the value is not all of it and it could be read.
    QByteArray dump;   ///< The whole value in the server's own form; empty where it is too large or could not be read.
    base::Deadline deadline = base::Deadline::never();
    std::optional<base::WallTime>
        endsAt; ///< The same by the server's clock; absent where it does not say (PEXPIRETIME).

    [[nodiscard]] bool exists() const { return type != keys::KeyType::Unknown; }
    /// Whether every byte of the value has been looked at. A value of more than 16 MiB is not read whole, and a
    /// server may not allow it (MEMORY USAGE, DUMP): then its beginning and its size stand for it.
    [[nodiscard]] bool isWhole() const;
    /// Whether the key could be made anew as it was.
    [[nodiscard]] bool isKept() const { return !dump.isEmpty(); }
    /// The same value, as far as both were read, and within what can be measured the same end.
    [[nodiscard]] bool agreesWith(const KeySnapshot &other) const;
};

/// Two clocks that run at slightly different speeds move an end by less than this in a day of looking.
constexpr std::chrono::milliseconds clockSlack {20};

/// Reads a key for somebody who is about to decide over it: up to 64 KiB of a string, a few elements of a collection,
/// of what is larger a digest, and what is needed to make it anew.
[[nodiscard]] exchange::Exchange<KeySnapshot> takeSnapshot(base::Key key);
/// The same, and from before that on the key is watched (WATCH): also where it fails, or there is no such key.
[[nodiscard]] exchange::Exchange<KeySnapshot> watchAndTakeSnapshot(base::Key key);

/// What DUMP says: the whole value in the server's own form, whatever its type; empty where it is too large, or where
/// the server is too old for the question or does not allow it.
[[nodiscard]] exchange::Exchange<QByteArray> dumpOf(base::Key key);

} // namespace latchkey::keyspace
