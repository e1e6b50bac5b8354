#pragma once

#include "core/inspect/voting/independence.h"

#include <chrono>

namespace latchkey::cli {

/// The result of a comparison of servers that do not describe themselves, because INFO is refused.
struct ServerIdentity
{
    std::optional<base::Error> dependence; ///< Two of the servers are one (Usage).
    std::optional<base::Error> unknown;    ///< Whether two of them are one could not be found out.

    /// Compares each server without a run ID with the others: it subscribes there to a random channel, and asks the
    /// others for the number of subscribers (PUBSUB NUMSUB). Reads no key. Sends nothing if at most one server is
    /// given, or if all have a run ID. Blocks; must be called outside of the event loop. `servers`: those that replied.
    [[nodiscard]] static ServerIdentity compare(const std::vector<voting::DescribedServer> &servers,
                                                std::chrono::milliseconds timeout);
};

} // namespace latchkey::cli
