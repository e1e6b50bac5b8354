#pragma once

#include "core/foundation/base/deadline.h"
#include "core/keyspace/keys/rawvalue.h"
#include "core/redis/exchange/exchange.h"

#include <optional>

namespace latchkey::watching {

/// A key as it was read at one time: its type, its value as far as read, and its expiry.
struct KeySnapshot
{
    /// Largest dump, in bytes, that is kept.
    static constexpr qsizetype maxDumpBytes = 1024LL * 1024;

    base::Key key;
    keys::KeyType type = keys::KeyType::Unknown; ///< Unknown: the key does not exist.
    keys::RawValue value;
    QByteArray digest; ///< Digest of the whole value; empty for a string that was read whole, or without a dump.
    QByteArray dump;   ///< DUMP of the value; empty if too large or not readable.
    base::Deadline deadline = base::Deadline::never();
    std::optional<base::WallTime>
        endsAt; ///< Expiry by the server's clock; absent if the server does not report it (PEXPIRETIME).

    [[nodiscard]] bool exists() const { return type != keys::KeyType::Unknown; }
    /// Returns whether the whole value was read. A value of more than 16 MiB is not read whole, and a server may deny
    /// MEMORY USAGE or DUMP. Then the beginning and the size represent the value.
    [[nodiscard]] bool isWhole() const;
    /// Returns whether the key can be restored exactly.
    [[nodiscard]] bool isRestorable() const { return !dump.isEmpty(); }
    /// Returns whether both have the same value, as far as read, and the same expiry within the measurement error.
    [[nodiscard]] bool agreesWith(const KeySnapshot &other) const;
};

/// Tolerance for an expiry measured twice, in addition to the uncertainty of the measurement: the local clock and the
/// server's clock may run at slightly different speeds.
constexpr std::chrono::milliseconds expiryTolerance {20};

/// Reads a key before it is changed: up to 64 KiB of a string, or a few elements of a collection. Also reads the dump
/// that restores the key, and makes a digest of a value that is not a whole string.
[[nodiscard]] exchange::Exchange<KeySnapshot> takeSnapshot(base::Key key);
/// Sends WATCH for the key, then reads it as takeSnapshot() does. The WATCH stays in place after an error and for a key
/// that does not exist.
[[nodiscard]] exchange::Exchange<KeySnapshot> watchAndTakeSnapshot(base::Key key);

/// Returns the DUMP of a key of any type. Empty if it is too large, or if the server lacks or denies the commands.
[[nodiscard]] exchange::Exchange<QByteArray> dumpOf(base::Key key);

} // namespace latchkey::watching
