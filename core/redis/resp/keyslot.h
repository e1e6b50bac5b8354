#pragma once

#include "core/redis/resp/command.h"

#include <QByteArrayView>

#include <vector>

namespace latchkey::resp {

/// Number of slots of a cluster.
inline constexpr int slotCount = 16'384;

/// Returns the slot of a key: CRC-16 (XMODEM) of its hash tag, or of the whole key without one, modulo slotCount.
/// (Redis Cluster specification, key distribution model.)
[[nodiscard]] int slotOf(QByteArrayView key);

/// Returns the keys that determine the node of a command in a cluster. Empty for a command without keys, which any node
/// executes. Only the commands of this program are known; for any other command, the first argument counts as its key.
[[nodiscard]] std::vector<QByteArray> keysOf(const Command &command);

} // namespace latchkey::resp
