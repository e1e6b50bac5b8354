#pragma once

#include "core/resp/command.h"
#include "core/resp/reply.h"

#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::resp {

/// How a command waits in the server until there is something to answer, as BLPOP and its kind do.
///
/// Within a transaction none of them waits: what is not there is answered at once, as if the time were up. So whoever
/// stands between a client and a server, and decides when what happens, sends them like that. A value.
struct Waiting
{
    /// After which the server gives up; absent: it never does.
    std::optional<std::chrono::milliseconds> timeout {};
    std::size_t place = 0;          ///< Of the time-out among the command's words.
    bool endsWithNullArray = false; ///< In vain, in RESP2; else it is a null bulk string, or a count.
    bool isFromNow = false;         ///< XREAD with `$`: what it is answered hangs on when it has come.
    std::vector<qint64> awaited {}; ///< Of WAIT and WAITAOF: how many copies of each kind are to be confirmed.

    /// Whether that is the reply to one whose time is up.
    [[nodiscard]] bool isInVain(const Reply &reply) const;
};

/// Absent: it is answered at once, be it by an error.
[[nodiscard]] std::optional<Waiting> waitingOf(const Command &command);
/// Of one command, or of a transaction from MULTI to EXEC, in which nothing waits.
[[nodiscard]] std::optional<Waiting> waitingOf(const Commands &commands);

/// The command with a time-out that nobody notices; it must be one that waits.
[[nodiscard]] Command withShortWait(const Command &command);

/// The command as it is sent where nothing may wait.
[[nodiscard]] Commands withoutWaiting(const Command &command);
/// What the command is answered, of the replies to these.
[[nodiscard]] Reply replyWithoutWaiting(const Replies &replies);

} // namespace latchkey::resp
