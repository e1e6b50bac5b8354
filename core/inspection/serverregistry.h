#pragma once

#include "core/inspection/inspectedserver.h"

#include <memory>
#include <vector>

namespace latchkey::inspection {

/// The servers that are being inspected: each is watched once, however many pages look at it.
///
/// A server lives for as long as somebody holds it, and a little longer: a signal of its own may have led to its being
/// let go of. Owned by the code that opens servers, and outlives what it gives out; clock and random source are not
/// owned.
class ServerRegistry final
{
public:
    ServerRegistry(const base::Clock &clock, base::RandomSource &random)
        : m_clock(clock)
        , m_random(random)
    {}

    /// The server at this endpoint, as this user: the one that is there, or a new one that has not been started.
    /// isPrivate: of a new one.
    [[nodiscard]] std::shared_ptr<InspectedServer> open(const resp::Endpoint &endpoint, bool isPrivate);

private:
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    QObject m_released;           ///< Owns the servers that nobody holds any more, until the event loop deletes them.
    std::vector<std::weak_ptr<InspectedServer>> m_servers;
};

} // namespace latchkey::inspection
