#pragma once

#include "core/explore/races/externalprogram.h"
#include "core/explore/races/rules.h"
#include "core/explore/races/state.h"

namespace latchkey::races {

/// Updates the owners of the keys after a program's command, or after the end of a lifetime (client: `noClient`). Adds
/// the effect on locks of other clients to the change. set: keys that the command has set without a visible change.
void follow(World &world, const ExternalProgram &program, const Snapshot &before, const Snapshot &after,
            ClientIndex client, const std::vector<QByteArray> &set, LockChange &change);

/// Keys of other clients that are equal before and after a command of the client. Only an experiment shows whether the
/// command has set such a key.
[[nodiscard]] std::vector<QByteArray> unchangedKeysOfOthers(const World &world, const Snapshot &before,
                                                            const Snapshot &after, ClientIndex client);

/// Records that the client is inside. The keys that this client was the last to write, except counters, become its
/// lock.
void claim(World &world, const ExternalProgram &program, ClientIndex client);
/// Records that the client is not inside any more.
void disclaim(World &world, ClientIndex client);

/// The lock of another client that the client has ended or changed between the two worlds; absent: there is none.
[[nodiscard]] std::optional<Ownership> robbedLock(const World &before, const World &after, ClientIndex client);

} // namespace latchkey::races
