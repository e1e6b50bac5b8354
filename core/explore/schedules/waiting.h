#pragma once

#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::schedules {

/// The blocking behaviour of a command such as BLPOP, which waits in the server until there is an answer.
///
/// Within a transaction no command blocks: without data, the server answers at once, as after a timeout. Code that must
/// not block sends the command in a transaction; see withoutWaiting(). A value type.
struct BlockingWait
{
    /// Timeout of the command; absent: none.
    std::optional<std::chrono::milliseconds> timeout {};
    std::size_t timeoutIndex = 0;   ///< Index of the timeout among the command's words.
    bool endsWithNullArray = false; ///< Reply after a timeout: null array; else null bulk or count.
    bool isFromNow = false;         ///< XREAD with `$`: the answer depends on the time of arrival.
    std::vector<qint64> awaited {}; ///< For WAIT and WAITAOF: the required numbers of copies, in command order.

    /// Returns whether the reply is that of a timeout: nil, or too few copies.
    [[nodiscard]] bool isTimeoutReply(const resp::Reply &reply) const;
};

/// Returns how the command blocks; absent: it is answered at once, possibly by an error.
[[nodiscard]] std::optional<BlockingWait> waitingOf(const resp::Command &command);
/// Returns how a list with a single command blocks; absent for a transaction from MULTI to EXEC, which never blocks.
[[nodiscard]] std::optional<BlockingWait> waitingOf(const resp::Commands &commands);

/// Returns the number of replicas for which the command waits, if it is WAIT; absent for any other command.
[[nodiscard]] std::optional<qint64> awaitedReplicas(const resp::Command &command);

/// Returns the command with a timeout of 1 ms. The command must be one that blocks.
[[nodiscard]] resp::Command withShortWait(const resp::Command &command);

/// Returns the commands to send in place of a blocking command: a transaction with it.
[[nodiscard]] resp::Commands withoutWaiting(const resp::Command &command);
/// Extracts the reply to the blocking command from the three replies to withoutWaiting().
[[nodiscard]] resp::Reply replyWithoutWaiting(const resp::Replies &replies);

} // namespace latchkey::schedules
