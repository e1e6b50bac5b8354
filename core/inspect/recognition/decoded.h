#pragma once

#include "core/foundation/base/clock.h"

#include <QByteArray>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::recognition {

/// A holder of a lock, or of a part of it, as read from the key. A value type. All data come from the server and may be
/// any bytes.
struct Holder
{
    enum class Access : quint8 { Exclusive, Read, Write };

    QByteArray bytes;                    ///< Identity, without the wrapper.
    Access access = Access::Exclusive;   ///< Access to a lock shared by readers.
    qint64 count = 1;                    ///< Hold count, or number of permits.
    QByteArray host;                     ///< Host name, if the value contains it.
    std::optional<qint64> pid;           ///< Process id on that host.
    QByteArray client;                   ///< Library instance: a process, or a part of one.
    QByteArray thread;                   ///< Thread of that instance.
    std::optional<qint64> connection;    ///< Connection number (CLIENT ID), if the value contains it.
    QByteArray mac;                      ///< MAC address (six bytes) of the machine that made the token; empty: none.
    std::optional<base::WallTime> since; ///< Creation time of the token, by the holder's clock: the start of its wait.
    std::optional<base::WallTime> until; ///< End of the hold, if the value contains it.

    friend bool operator==(const Holder &, const Holder &) = default;
};

/// A client in the queue of a lock. A value type.
struct Waiter
{
    QByteArray bytes;
    std::optional<base::WallTime> until; ///< Time from which the waiter counts as dead.

    friend bool operator==(const Waiter &, const Waiter &) = default;
};

/// The content decoded from a key and its companion keys. A value type.
struct LockContent
{
    std::vector<Holder> holders;  ///< Empty if no holder is recorded.
    std::vector<Waiter> waiters;  ///< Waiters, in order if the server stores one.
    bool isHolderRecorded = true; ///< False: the value is a constant or a deadline, which identifies no holder.
    bool isConstant = false;      ///< All holders write the same value.
    bool isPartial = false;       ///< The key contains more than was read.
    bool isOverfull = false;      ///< More holders than a lock of this kind admits.
    qint64 holderCount = 0;       ///< Number of holders; larger than `holders` if not all were read or recorded.
    std::optional<qint64> waitingClients;   ///< Connections that wait for a message; each may serve many threads.
    std::optional<qint64> free;             ///< Available permits.
    std::optional<qint64> fencing;          ///< Fencing number of this hold.
    std::optional<base::WallTime> deadline; ///< Deadline in the value, by the writer's clock.

    /// Returns the hold count of all holders together.
    [[nodiscard]] qint64 holdCount() const
    {
        qint64 sum = 0;
        for (const Holder &holder : holders)
            sum += holder.count;
        return std::max(sum, holderCount);
    }

    friend bool operator==(const LockContent &, const LockContent &) = default;
};

} // namespace latchkey::recognition
