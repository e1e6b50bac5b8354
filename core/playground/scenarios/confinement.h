#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/resp/command.h"

// A story file is untrusted input. Its commands must not reach another server, run forever, or use up this machine's
// memory.

namespace latchkey::scenarios {

/// Memory limit of each server of a story, in MiB. An empty server uses about 45 MiB.
inline constexpr int maxMegabytes = 256;

/// Limits the memory of a process to maxMegabytes. Error: Local.
[[nodiscard]] base::Result<void> confineMemory(qint64 processId);

/// Returns the command that denies administration commands and MIGRATE to all users of a server.
[[nodiscard]] resp::Command confiningCommand();

} // namespace latchkey::scenarios
