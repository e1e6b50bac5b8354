#pragma once

#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::schedules {

/// How a command blocks in the server until it can be answered, such as BLPOP.
///
/// Within a transaction no command blocks: without data it is answered at once, as after a timeout. So code between a
/// client and a server that controls the timing sends blocking commands in a transaction. A value type.
struct BlockingWait
{
    /// Time after which the server gives up; absent: it waits forever.
    std::optional<std::chrono::milliseconds> timeout {};
    std::size_t place = 0;          ///< Index of the timeout among the command's words.
    bool endsWithNullArray = false; ///< Reply after a timeout: null array; else null bulk or count.
    bool isFromNow = false;         ///< XREAD with `$`: the answer depends on the time of arrival.
    std::vector<qint64> awaited {}; ///< For WAIT and WAITAOF: required numbers of confirmed copies, by kind.

    /// Returns whether this is the reply after a timeout.
    [[nodiscard]] bool isInVain(const resp::Reply &reply) const;
};

/// Returns how the command blocks; absent: it is answered at once, possibly by an error.
[[nodiscard]] std::optional<BlockingWait> waitingOf(const resp::Command &command);
/// Does the same for one command, or for a transaction from MULTI to EXEC, in which no command blocks.
[[nodiscard]] std::optional<BlockingWait> waitingOf(const resp::Commands &commands);

/// Returns the command with the shortest timeout. The command must be one that blocks.
[[nodiscard]] resp::Command withShortWait(const resp::Command &command);

/// Returns the commands to send instead, in which nothing blocks.
[[nodiscard]] resp::Commands withoutWaiting(const resp::Command &command);
/// Returns the reply to the command from the replies to withoutWaiting().
[[nodiscard]] resp::Reply replyWithoutWaiting(const resp::Replies &replies);

} // namespace latchkey::schedules
