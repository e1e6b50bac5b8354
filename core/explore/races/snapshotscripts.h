#pragma once

#include "core/explore/races/snapshot.h"
#include "core/foundation/base/error.h"

// Commands that read and restore the content of a race finder's server. They use testbed-snapshot.lua and
// testbed-restore.lua, which must be loaded into the server.

namespace latchkey::races {

/// The command that reads all keys.
[[nodiscard]] resp::Command snapshotCommand();
/// Parses the reply to snapshotCommand(). grain: unit to which lifetimes are rounded. Error (Protocol): malformed
/// reply.
[[nodiscard]] base::Result<Snapshot> snapshotFrom(const resp::Reply &reply, std::chrono::milliseconds grain);
/// The command that replaces the server's content by the keys of the snapshot.
[[nodiscard]] resp::Command restoringCommand(const Snapshot &snapshot);

} // namespace latchkey::races
