#pragma once

#include "core/playground/scenarios/expectationchecker.h"
#include "core/redis/exchange/exchange.h"

#include <map>
#include <vector>

// The requests of a player to the servers of a story and their replicas. Indexes: those of the driver.

namespace latchkey::scenarios {

/// User name by which replicas log in.
inline constexpr auto replicaUser = "replica";

/// Reads the current content of the key.
[[nodiscard]] exchange::Exchange<ObservedKey> readKey(base::Key key, int server);

/// Confines servers (see confinement.h), and permits replicas with this password. The result is always true.
[[nodiscard]] exchange::Exchange<bool> confined(int first, int count, QByteArray password);
/// Makes a server the replica of the server behind the relay. The result is always true.
[[nodiscard]] exchange::Exchange<bool> follow(int replica, quint16 port, QByteArray password);
/// Makes a replica a primary. The result is always true.
[[nodiscard]] exchange::Exchange<bool> promoted(int replica);
/// Returns whether every server has these replicas in sync: they have the data and the replication ID of the server,
/// and it sends them its writes. `replicas`: by server.
[[nodiscard]] exchange::Exchange<bool> haveInSync(std::map<int, std::vector<int>> replicas);

} // namespace latchkey::scenarios
