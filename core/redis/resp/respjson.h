#pragma once

#include "core/foundation/files/jsonnode.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

// Commands and replies in the files of this program. Readers throw base::Failure (Usage) for invalid input, with its
// position; see files::JsonNode.

namespace latchkey::resp {

/// Converts a command, such as `["SET", "k", "v"]`.
[[nodiscard]] QJsonValue commandJson(const Command &command);
[[nodiscard]] Command commandFrom(const files::JsonNode &node);

/// Converts a reply: `null`, a number, a text for a bulk string, `{"status": …}`, `{"error": …}`, or an array of these.
[[nodiscard]] QJsonValue replyJson(const Reply &reply);
/// Reads a result of replyJson(). A bulk string may also be `{"bulk": …}`, as in recordings of format 2.
[[nodiscard]] Reply replyFrom(const files::JsonNode &node);

} // namespace latchkey::resp
