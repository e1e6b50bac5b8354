#pragma once

#include "core/base/clock.h"

#include <QByteArray>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::recognition {

/// Somebody who has a lock, or a part of one, as the key says it. A value type; all of it comes from the server and may
/// be any bytes.
struct Holder
{
    enum class Access : quint8 { Exclusive, Read, Write };

    QByteArray bytes;                    ///< What identifies it, without the wrapper that it came in.
    Access access = Access::Exclusive;   ///< Of a lock that readers share.
    qint64 count = 1;                    ///< How often it has the lock, or how many permits.
    QByteArray host;                     ///< The machine's name, where the value says it.
    std::optional<qint64> pid;           ///< The process on that machine.
    QByteArray client;                   ///< The instance of the library: one process, or a part of one.
    QByteArray thread;                   ///< Of that instance.
    std::optional<qint64> connection;    ///< The number of its connection (CLIENT ID), where the value says it.
    QByteArray mac;                      ///< Six bytes: of the machine that made the token; empty where it is none.
    std::optional<base::WallTime> since; ///< When its token was made, by its own clock: when it began to wait.
    std::optional<base::WallTime> until; ///< When its hold ends, where the value says it.

    friend bool operator==(const Holder &, const Holder &) = default;
};

/// Somebody who stands in a queue for a lock. A value type.
struct Waiter
{
    QByteArray bytes;
    std::optional<base::WallTime> until; ///< From then on it counts as dead.

    friend bool operator==(const Waiter &, const Waiter &) = default;
};

/// What could be read out of a key and its companions. A value type.
struct Decoded
{
    std::vector<Holder> holders;          ///< Empty where nobody is recorded.
    std::vector<Waiter> waiters;          ///< In their order, where the server keeps one.
    bool isHolderRecorded = true;         ///< A constant or a mere deadline says nothing about who it was.
    bool isConstant = false;              ///< Every holder writes the same.
    bool isPartial = false;               ///< There is more than was read.
    qint64 holderCount = 0;               ///< How many hold it: more than holders where not all were read or recorded.
    std::optional<qint64> waitingClients; ///< Connections that wait to be told; each may be for many threads.
    std::optional<qint64> free;           ///< Permits that can be had.
    std::optional<qint64> fencing;        ///< The fencing number of this hold.
    std::optional<base::WallTime> deadline; ///< The end that stands in the value, on the clock of who wrote it.

    /// How often it is held, all holders together.
    [[nodiscard]] qint64 holdCount() const
    {
        qint64 sum = 0;
        for (const Holder &holder : holders)
            sum += holder.count;
        return std::max(sum, holderCount);
    }

    friend bool operator==(const Decoded &, const Decoded &) = default;
};

} // namespace latchkey::recognition
