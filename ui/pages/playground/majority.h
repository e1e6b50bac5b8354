#pragma once

#include "core/playground/playground/serverpool.h"
#include "ui/pages/playground/clientbelief.h"

namespace latchkey::ui::playground {

/// Returns the state of a lock that is decided by a majority of the servers.
///
/// `hold`: hold of the client, if it has one. The votes count the servers with the token of this hold. Without a hold,
/// or if no server has its token, they count the servers with the most frequent value.
[[nodiscard]] KeyServerState majorityStateOf(const latchkey::playground::ServerPool &serverPool, const base::Key &key,
                                             const std::optional<latchkey::playground::ClientProcess::Hold> &hold,
                                             const latchkey::playground::ClientPool &clientPool);

/// Returns the state of a key on one server in a few words: `client 1, for 8 s`.
[[nodiscard]] QString keyStateText(const latchkey::playground::ServerPool &serverPool, int server, const base::Key &key,
                                   const latchkey::playground::ClientPool &clientPool, base::MonotonicTime now);

} // namespace latchkey::ui::playground
