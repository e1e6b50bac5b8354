#include "core/explore/races/snapshot.h"

#include <QHashFunctions>

#include <algorithm>

namespace latchkey::races {

using resp::Command;
using resp::Reply;

QString clientName(ClientIndex client)
{
    return {QChar(u'A' + client)};
}

void SnapshotKey::shortenLifetime(std::chrono::milliseconds time)
{
    if (lifetime)
        *lifetime -= time;
    for (auto &[field, end] : fieldEnds)
        end -= time;
}

SnapshotKey::Lifetime SnapshotKey::nextEnd() const
{
    Lifetime next = lifetime;
    for (const auto &[field, end] : fieldEnds)
        next = std::min(next.value_or(end), end);
    return next;
}

bool haveEqualValues(const SnapshotKey *before, const SnapshotKey *after)
{
    if (before == nullptr || after == nullptr)
        return before == after;
    return before->dump == after->dump && before->type == after->type;
}

void ConnectionState::apply(const Command &command, const Reply &reply)
{
    const QByteArray name = command.name().toUpper();
    if (!subscriptions.isEmpty() && !schedules::changesSubscriptions(command))
        return; // The server refuses the command.
    if (name == "EXEC" || name == "DISCARD" || (name == "UNWATCH" && !isQueueing)) {
        const int conversationId = client;
        *this = {};
        client = conversationId;
    } else if (schedules::changesSubscriptions(command)) {
        if (!reply.isError())
            subscriptions.apply(command);
    } else if (isQueueing) {
        queue.push_back(command); // Also a refused command: if sent again, it is refused again.
    } else if (name == "MULTI" && reply.isOk()) {
        isQueueing = true;
    } else if (name == "WATCH" && reply.isOk()) {
        for (std::size_t i = 1; i < command.words().size(); ++i)
            watched.push_back(command.words()[i]);
    }
}

size_t qHash(const SnapshotKey &state, size_t seed)
{
    for (const auto &[field, end] : state.fieldEnds)
        seed = qHashMulti(seed, field, end.count());
    return qHashMulti(seed, state.key, state.type, state.dump, state.lifetime ? state.lifetime->count() : -1);
}

size_t qHash(const ConnectionState &state, size_t seed)
{
    seed = qHashMulti(seed, state.client, state.isDirty, state.isQueueing);
    seed = qHashRange(state.watched.begin(), state.watched.end(), seed);
    for (const resp::Command &command : state.queue)
        seed = qHashRange(command.words().begin(), command.words().end(), seed);
    for (const resp::Reply &message : state.inbox)
        seed = qHashMulti(seed, message.elements().back().bytes());
    return qHash(state.subscriptions, seed);
}

size_t qHash(const Snapshot &snapshot, size_t seed)
{
    seed = qHashMulti(seed, snapshot.time.count(), snapshot.functions);
    seed = qHashRange(snapshot.keys.begin(), snapshot.keys.end(), seed);
    return qHashRange(snapshot.connections.begin(), snapshot.connections.end(), seed);
}

const SnapshotKey *Snapshot::find(const QByteArray &key) const
{
    const auto found = std::ranges::find_if(keys, [&](const SnapshotKey &state) { return state.key == key; });
    return found == keys.end() ? nullptr : &*found;
}

ConnectionState Snapshot::connectionOf(ClientIndex client) const
{
    for (const ConnectionState &connection : connections) {
        if (connection.client == client)
            return connection;
    }
    ConnectionState clean;
    clean.client = client;
    return clean;
}

void Snapshot::setConnection(ConnectionState connection)
{
    std::erase_if(connections, [&](const ConnectionState &old) { return old.client == connection.client; });
    if (connection.isClean())
        return;
    const auto found = std::ranges::find_if(
        connections, [&](const ConnectionState &other) { return other.client > connection.client; });
    connections.insert(found, std::move(connection));
}

std::optional<int> Snapshot::conversationWithMessage(ClientIndex client) const
{
    const auto found = std::ranges::find_if(connections, [&](const ConnectionState &connection) {
        return clientOf(connection.client) == client && !connection.inbox.empty();
    });
    return found == connections.end() ? std::nullopt : std::optional(conversationOf(found->client));
}

bool Snapshot::hasPendingMessage(int conversationId) const
{
    const auto found = std::ranges::find(connections, conversationId, &ConnectionState::client);
    return found != connections.end() && !found->inbox.empty();
}

resp::Reply Snapshot::takeMessage(int conversationId)
{
    ConnectionState connection = connectionOf(conversationId);
    Reply message = std::move(connection.inbox.front());
    connection.inbox.erase(connection.inbox.begin());
    setConnection(std::move(connection));
    return message;
}

void Snapshot::closeListening(ClientIndex client, quint64 listening)
{
    std::erase_if(connections, [&](const ConnectionState &old) {
        return clientOf(old.client) == client && old.listens() && (listening >> conversationOf(old.client) & 1) == 0;
    });
}

void Snapshot::disconnect(ClientIndex client)
{
    std::erase_if(connections, [&](const ConnectionState &old) { return clientOf(old.client) == client; });
}

} // namespace latchkey::races
