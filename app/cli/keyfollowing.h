#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/historyoutput.h"
#include "app/cli/limits.h"
#include "core/foundation/base/lease.h"
#include "core/redis/net/endpoint.h"

#include <functional>

namespace latchkey::cli {

/// A request to observe a key for some time. A value.
struct FollowRequest
{
    net::Endpoint endpoint; ///< Server, or node of a cluster, that has the key.
    base::Key key;
    std::chrono::milliseconds time {};
    bool existed = true; ///< Whether the key existed just before; if not, it may appear.
    QString name;        ///< Operation and key, for messages.
};

/// A function that prints the history of a key with its coverage. `lastTimeout`: timeout for a last read of the key; it
/// is short after a signal, because the user waits for the end.
using PrintFollowed = std::function<void(const ObservedHolds &observed, const events::Coverage &coverage,
                                         std::chrono::milliseconds lastTimeout)>;

/// Observes one key for some time, or until a signal, and prints the result. Another signal ends the process.
[[nodiscard]] ExitCode followKey(const FollowRequest &followed, const Limits &limits, const PrintFollowed &print);

} // namespace latchkey::cli
