#include "core/explore/races/subscriberconnections.h"

#include "core/redis/net/dialer.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;
using resp::Commands;
using resp::Replies;
using resp::Reply;
using schedules::Subscriptions;
using namespace std::chrono_literals;

namespace {

constexpr auto listenTimeout = 10s;

/// Returns the reply to PING, preceded by all messages that arrived before it.
Result<Replies> ping(net::BlockingConnection &connection)
{
    return connection.execute(Commands {{"PING"}}, listenTimeout);
}

} // namespace

Result<SubscriberConnections::SubscriberConnection *> SubscriberConnections::subscriberOf(int conversationId)
{
    SubscriberConnection &subscriber = m_subscribers[conversationId];
    if (!subscriber.connection) {
        auto dialled = net::dialBlocking(m_endpoint, listenTimeout);
        if (!dialled)
            return failure(std::move(dialled.error()));
        subscriber.connection = std::move(dialled->connection);
        subscriber.connection->acceptMessages();
    }
    return &subscriber;
}

Result<void> SubscriberConnections::resubscribe(SubscriberConnection &subscriber, const Subscriptions &wanted)
{
    if (subscriber.subscriptions.isEmpty() && wanted.isEmpty())
        return {};
    Commands commands;
    if (subscriber.subscriptions != wanted) {
        for (const Command &leaving : {Command {"UNSUBSCRIBE"}, Command {"PUNSUBSCRIBE"}})
            std::ranges::copy(subscriber.subscriptions.singly(leaving), std::back_inserter(commands));
        std::ranges::copy(wanted.commands(), std::back_inserter(commands));
    }
    commands.push_back({"PING"});
    const auto replies = subscriber.connection->execute(commands, listenTimeout);
    if (!replies)
        return failure(replies.error());
    subscriber.subscriptions = wanted;
    return {};
}

Result<void> SubscriberConnections::setConnections(const std::vector<ConnectionState> &connections)
{
    for (const ConnectionState &connection : connections) {
        if (!connection.subscriptions.isEmpty()) {
            if (const auto subscriber = subscriberOf(connection.client); !subscriber)
                return failure(subscriber.error());
        }
    }
    for (auto &[conversationId, subscriber] : m_subscribers) {
        const auto wanted = std::ranges::find(connections, conversationId, &ConnectionState::client);
        const Subscriptions none;
        if (auto turned = resubscribe(subscriber, wanted == connections.end() ? none : wanted->subscriptions); !turned)
            return turned;
    }
    return {};
}

Result<Reply> SubscriberConnections::sendCommands(const ConnectionState &connection, const Command &command)
{
    const auto subscriber = subscriberOf(connection.client);
    if (!subscriber)
        return failure(subscriber.error());
    const bool changes = schedules::changesSubscriptions(command);
    auto replies = (*subscriber)
                       ->connection->execute(changes ? connection.subscriptions.singly(command) : Commands {command},
                                             listenTimeout);
    if (!replies)
        return failure(std::move(replies.error()));
    if (!changes)
        return replies->front();
    if (const auto refused = std::ranges::find_if(*replies, &Reply::isError); refused != replies->end())
        return *refused;
    (*subscriber)->subscriptions.apply(command);
    return Reply::array(*std::move(replies));
}

Result<void> SubscriberConnections::receive(std::vector<ConnectionState> &connections)
{
    for (ConnectionState &connection : connections) {
        if (connection.subscriptions.isEmpty())
            continue;
        const auto subscriber = subscriberOf(connection.client);
        if (!subscriber)
            return failure(subscriber.error());
        auto received = ping(*(*subscriber)->connection);
        if (!received)
            return failure(std::move(received.error()));
        std::ranges::copy_if(*received, std::back_inserter(connection.inbox), net::isMessage);
    }
    return {};
}

} // namespace latchkey::races
