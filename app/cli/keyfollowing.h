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
    bool wasThere = true; ///< False: the key did not exist just before, and may appear.
    QString name;         ///< Operation and key, for messages.
};

/// Observes one key for some time, or until a signal. Prints its history with its coverage.
[[nodiscard]] ExitCode followKey(const FollowRequest &followed, const Limits &limits,
                                 const std::function<void(const ObservedHolds &, const events::Coverage &)> &print);

} // namespace latchkey::cli
