#pragma once

#include "core/base/error.h"
#include "core/races/snapshot.h"

// How a server of the race finder's is asked what it holds, and made to hold it again: testbed-snapshot.lua and
// testbed-restore.lua, which it has to know.

namespace latchkey::races {

/// The question.
[[nodiscard]] resp::Command snapshotCommand();
/// What it answers. grain: what lifetimes are rounded to. Error: it does not say.
[[nodiscard]] base::Result<Snapshot> snapshotFrom(const resp::Reply &reply, std::chrono::milliseconds grain);
/// Makes the server hold the snapshot's keys, and nothing else.
[[nodiscard]] resp::Command restoringCommand(const Snapshot &snapshot);

} // namespace latchkey::races
