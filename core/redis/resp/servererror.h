#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/resp/reply.h"

#include <optional>

namespace latchkey::resp {

/// Returns the typed error for an error reply. The kind is derived from the prefix (`NOPERM`, `WRONGTYPE`, `MOVED` …),
/// also within a script's error (`ERR Error running script …: -READONLY …`). The message is one sentence with the
/// server's own text. The list of prefixes is that of Redis 7 and 8; an unlisted prefix gives OtherServerError. A reply
/// that is no error has an unexpected type and gives a Protocol error.
[[nodiscard]] base::Error serverError(const Reply &errorReply);

/// Returns whether a server that replies with this kind of error refuses nearly all commands for some time. A repeated
/// command may succeed.
[[nodiscard]] bool isTemporaryRefusal(base::ErrorKind kind);

/// Returns the error with which the server closes the connection, if the last reply is one: client limit or protected
/// mode. The server sends the reason once, without a request, and leaves open requests unanswered. `replies`: the
/// received part of the due replies.
[[nodiscard]] std::optional<base::Error> closingError(const Replies &replies);

} // namespace latchkey::resp
