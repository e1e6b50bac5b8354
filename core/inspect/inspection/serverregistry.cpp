#include "core/inspect/inspection/serverregistry.h"

namespace latchkey::inspection {

std::shared_ptr<InspectedServer> ServerRegistry::open(const net::Endpoint &endpoint, bool isPrivate)
{
    std::erase_if(m_servers, [](const auto &server) { return server.expired(); });
    for (const auto &known : m_servers) {
        if (auto server = known.lock(); server && server->endpoint() == endpoint)
            return server;
    }
    const std::shared_ptr<InspectedServer> server(
        std::make_unique<InspectedServer>(endpoint, isPrivate, m_clock, m_random).release(),
        [this](InspectedServer *released) {
            released->setParent(&m_released);
            released->deleteLater();
        });
    m_servers.push_back(server);
    return server;
}

} // namespace latchkey::inspection
