#pragma once

#include "core/playground/serverpool.h"
#include "ui/clients/clientbelief.h"

namespace latchkey::ui::clients {

/// Returns the state of a lock that is decided by a majority of the servers.
///
/// `hold`: hold of the client, if it has one. Then the votes count the servers that hold the lock for this client.
/// Otherwise they count the servers that hold it for the most frequent holder.
[[nodiscard]] Truth truthOfMajority(const playground::ServerPool &serverPool, const base::Key &key,
                                    const std::optional<playground::ClientProcess::Hold> &hold,
                                    const playground::ClientPool &clientPool);

/// Returns the state of a key on one server in a few words: `client 1, for 8 s`.
[[nodiscard]] QString seenText(const playground::ServerPool &serverPool, int server, const base::Key &key,
                               const playground::ClientPool &clientPool, base::MonotonicTime now);

} // namespace latchkey::ui::clients
