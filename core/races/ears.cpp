#include "core/races/ears.h"

#include "core/resp/dialer.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;
using resp::Commands;
using resp::Replies;
using resp::Reply;
using resp::Subscriptions;
using namespace std::chrono_literals;

namespace {

constexpr auto listenTimeout = 10s;

/// Returns the reply to PING, preceded by all messages that arrived before it.
Result<Replies> ping(resp::BlockingConnection &connection)
{
    return connection.ask(Commands {{"PING"}}, listenTimeout);
}

} // namespace

Result<Ears::Ear *> Ears::earOf(int speaker)
{
    Ear &ear = m_ears[speaker];
    if (!ear.connection) {
        auto dialled = resp::dialBlocking(m_endpoint, listenTimeout);
        if (!dialled)
            return failure(std::move(dialled.error()));
        ear.connection = std::move(dialled->connection);
        ear.connection->acceptMessages();
    }
    return &ear;
}

Result<void> Ears::turn(Ear &ear, const Subscriptions &wanted)
{
    if (ear.subscriptions.isEmpty() && wanted.isEmpty())
        return {};
    Commands commands;
    if (ear.subscriptions != wanted) {
        for (const Command &leaving : {Command {"UNSUBSCRIBE"}, Command {"PUNSUBSCRIBE"}})
            std::ranges::copy(ear.subscriptions.singly(leaving), std::back_inserter(commands));
        std::ranges::copy(wanted.commands(), std::back_inserter(commands));
    }
    commands.push_back({"PING"});
    const auto told = ear.connection->ask(commands, listenTimeout);
    if (!told)
        return failure(told.error());
    ear.subscriptions = wanted;
    return {};
}

Result<void> Ears::arrange(const std::vector<ConnectionState> &connections)
{
    for (const ConnectionState &connection : connections) {
        if (!connection.subscriptions.isEmpty()) {
            if (const auto ear = earOf(connection.client); !ear)
                return failure(ear.error());
        }
    }
    for (auto &[speaker, ear] : m_ears) {
        const auto wanted = std::ranges::find(connections, speaker, &ConnectionState::client);
        const Subscriptions none;
        if (auto turned = turn(ear, wanted == connections.end() ? none : wanted->subscriptions); !turned)
            return turned;
    }
    return {};
}

Result<Reply> Ears::tell(const ConnectionState &speaker, const Command &command)
{
    const auto ear = earOf(speaker.client);
    if (!ear)
        return failure(ear.error());
    const bool changes = resp::changesSubscriptions(command);
    auto replies =
        (*ear)->connection->ask(changes ? speaker.subscriptions.singly(command) : Commands {command}, listenTimeout);
    if (!replies)
        return failure(std::move(replies.error()));
    if (!changes)
        return replies->front();
    if (const auto refused = std::ranges::find_if(*replies, &Reply::isError); refused != replies->end())
        return *refused;
    (*ear)->subscriptions.follow(command);
    return Reply::array(*std::move(replies));
}

Result<void> Ears::hear(std::vector<ConnectionState> &connections)
{
    for (ConnectionState &connection : connections) {
        if (connection.subscriptions.isEmpty())
            continue;
        const auto ear = earOf(connection.client);
        if (!ear)
            return failure(ear.error());
        auto heard = ping(*(*ear)->connection);
        if (!heard)
            return failure(std::move(heard.error()));
        std::ranges::copy_if(*heard, std::back_inserter(connection.inbox), resp::isMessage);
    }
    return {};
}

} // namespace latchkey::races
