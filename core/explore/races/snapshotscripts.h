#pragma once

#include "core/explore/races/snapshot.h"
#include "core/foundation/base/error.h"

// Commands that read and restore the content of a race finder's server. The commands use testbed-snapshot.lua,
// testbed-restore.lua and testbed-vary.lua, which must be loaded into the server.

namespace latchkey::races {

/// Returns the command that reads all keys.
[[nodiscard]] resp::Command snapshotCommand();
/// Parses the reply to snapshotCommand(). `grain`: unit to which lifetimes are rounded. Error (Protocol): malformed
/// reply.
[[nodiscard]] base::Result<Snapshot> snapshotFrom(const resp::Reply &reply, std::chrono::milliseconds grain);
/// Returns the command that replaces the server's content by the keys of the snapshot.
[[nodiscard]] resp::Command restoringCommand(const Snapshot &snapshot);
/// Returns the command that changes one key. `what`: `value`, `part` or `expiry`; `number`: number of the change, from
/// 1; see testbed-vary.lua. Its reply is 1, or 0 if there is no such change.
[[nodiscard]] resp::Command varyingCommand(const QByteArray &key, const QByteArray &what, int number);

} // namespace latchkey::races
