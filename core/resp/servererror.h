#pragma once

#include "core/base/error.h"
#include "core/resp/reply.h"

#include <optional>

namespace latchkey::resp {

/// The typed error behind an error reply: its kind from the prefix (`NOPERM`, `WRONGTYPE`, `MOVED` …), also where a
/// script wraps it (`ERR Error running script …: -READONLY …`), its message one sentence around the server's own words.
/// The list of prefixes is that of Redis 7 and 8; what is not on it is OtherServerError.
[[nodiscard]] base::Error serverError(const Reply &errorReply);

/// Why a server has closed the connection, where it said so before: it says that once, unasked, and whatever it was
/// asked meanwhile it leaves unanswered. replies: what came of those that were due.
[[nodiscard]] std::optional<base::Error> farewell(const Replies &replies);

} // namespace latchkey::resp
