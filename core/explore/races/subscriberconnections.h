#pragma once

#include "core/explore/races/snapshot.h"
#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/endpoint.h"

#include <map>
#include <memory>

namespace latchkey::races {

/// The subscriber connections to the server of an effect cache.
///
/// Each subscribed conversation has its own connection with the same subscriptions. The messages that a command
/// publishes arrive there between the command and the reply to a PING. Owned by the EffectCache.
class SubscriberConnections final
{
public:
    explicit SubscriberConnections(net::Endpoint endpoint)
        : m_endpoint(std::move(endpoint))
    {}

    /// Gives each connection the subscriptions of its state, and discards earlier messages. Error: a connection failed,
    /// or the server refused a subscription.
    [[nodiscard]] base::Result<void> setConnections(const std::vector<ConnectionState> &connections);
    /// Sends the command over the subscriber connection of the conversation; see schedules::Subscriptions for the
    /// reply. Errors: those of setConnections().
    [[nodiscard]] base::Result<resp::Reply> sendCommands(const ConnectionState &connection,
                                                         const resp::Command &command);
    /// Appends all messages published since setConnections() to the inboxes. Errors as setConnections().
    [[nodiscard]] base::Result<void> receive(std::vector<ConnectionState> &connections);

private:
    struct SubscriberConnection
    {
        std::unique_ptr<net::BlockingConnection> connection;
        schedules::Subscriptions subscriptions;
    };

    [[nodiscard]] base::Result<SubscriberConnection *> subscriberOf(int conversationId);
    [[nodiscard]] static base::Result<void> resubscribe(SubscriberConnection &subscriber,
                                                        const schedules::Subscriptions &wanted);

    const net::Endpoint m_endpoint;
    std::map<int, SubscriberConnection> m_subscribers; ///< Subscriber connections by conversation, see
                                                       ///< conversationIdOf().
};

} // namespace latchkey::races
