#pragma once

#include "core/foundation/base/text.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <optional>

// Replies for clients that have chosen RESP3. The exploration itself uses RESP2, so that the protocol of a client has
// no effect on the schedules. The same reply has other types in RESP3, depending on the command: maps, sets, doubles,
// pairs, and one null.

namespace latchkey::programs {

/// Appends the reply to the commands as a server sends it in RESP3. `commands`: one command, or a transaction from
/// MULTI to EXEC or DISCARD.
void encodeAsResp3(const resp::Commands &commands, const resp::Reply &reply, QByteArray &wire);

/// Appends a message of a subscription, or the confirmation of one, as push data.
void encodeAsPush(const resp::Reply &message, QByteArray &wire);

/// Returns the reason why a client with RESP3 that sends this command cannot be explored; absent: no reason.
[[nodiscard]] std::optional<base::Text> unsupportedInResp3(const resp::Command &command);

} // namespace latchkey::programs
