#pragma once

#include "core/base/error.h"
#include "core/resp/command.h"

// A story is somebody else's word: what it has a server do must not reach another server, take for ever, or take this
// machine's memory.

namespace latchkey::stage {

/// What each server of a story may take of this machine's memory; an empty one takes about 45 of it.
inline constexpr int mostMegabytes = 256;

/// Lets a process take no more than that. Error: Local.
[[nodiscard]] base::Result<void> confineMemory(qint64 processId);

/// Sent to a server, denies everybody administration, and MIGRATE.
[[nodiscard]] resp::Command confiningCommand();

} // namespace latchkey::stage
