#pragma once

#include "core/explore/races/snapshot.h"
#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/endpoint.h"

#include <map>
#include <memory>

namespace latchkey::races {

/// The subscriber connections to a testbed's server.
///
/// Each subscribed conversation has its own connection with the same subscriptions. The messages that a command
/// publishes arrive there between the command and the reply to a PING. Owned by the EffectCache.
class SubscriberConnections final
{
public:
    explicit SubscriberConnections(net::Endpoint endpoint)
        : m_endpoint(std::move(endpoint))
    {}

    /// Gives each connection the subscriptions of its state and discards earlier messages. Errors of the server.
    [[nodiscard]] base::Result<void> arrange(const std::vector<ConnectionState> &connections);
    /// Sends the command over the subscriber connection of the speaker; see schedules::Subscriptions for the reply.
    /// Errors as arrange().
    [[nodiscard]] base::Result<resp::Reply> tell(const ConnectionState &speaker, const resp::Command &command);
    /// Appends all messages published since arrange() to the inboxes. Errors as arrange().
    [[nodiscard]] base::Result<void> receive(std::vector<ConnectionState> &connections);

private:
    struct SubscriberConnection
    {
        std::unique_ptr<net::BlockingConnection> connection;
        schedules::Subscriptions subscriptions;
    };

    [[nodiscard]] base::Result<SubscriberConnection *> subscriberOf(int speaker);
    [[nodiscard]] static base::Result<void> turn(SubscriberConnection &subscriber,
                                                 const schedules::Subscriptions &wanted);

    const net::Endpoint m_endpoint;
    std::map<int, SubscriberConnection> m_subscribers; ///< Subscriber connections by speaker.
};

} // namespace latchkey::races
