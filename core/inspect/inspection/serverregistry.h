#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <memory>
#include <vector>

namespace latchkey::inspection {

/// The registry of the servers under inspection. Each server is watched once, even if several pages show it.
///
/// A server lives until its last holder releases it. The event loop then deletes the server, because the release may
/// happen in a slot of the server's own signal. Owned by the Workspace, or by a command that watches, and outlives the
/// servers; clock and random source are not owned.
class ServerRegistry final
{
public:
    ServerRegistry(const base::Clock &clock, base::RandomSource &random)
        : m_clock(clock)
        , m_random(random)
    {}

    /// Returns the server at this endpoint with this user: the existing one, or a new one that is not started.
    /// `isPrivate` applies to a new one.
    [[nodiscard]] std::shared_ptr<InspectedServer> open(const net::Endpoint &endpoint, bool isPrivate);

private:
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    QObject m_released;           ///< Owner of released servers until the event loop deletes them.
    std::vector<std::weak_ptr<InspectedServer>> m_servers;
};

} // namespace latchkey::inspection
