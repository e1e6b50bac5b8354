#pragma once

#include "core/base/error.h"
#include "core/resp/reply.h"

namespace latchkey::resp {

/// The typed error behind an error reply: its kind from the prefix (`NOPERM`, `WRONGTYPE`, `MOVED` …), also where a
/// script wraps it (`ERR Error running script …: -READONLY …`), its message one sentence around the server's own words.
/// The list of prefixes is that of Redis 7 and 8; what is not on it is OtherServerError.
[[nodiscard]] base::Error serverError(const Reply &errorReply);

} // namespace latchkey::resp
