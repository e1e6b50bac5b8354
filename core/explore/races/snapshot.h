#pragma once

#include "core/explore/schedules/subscriptions.h"
#include "core/redis/resp/reply.h"

#include <QByteArray>

#include <optional>
#include <vector>

namespace latchkey::races {

/// Index of a client of an exploration, from 0; users see A, B, C.
using ClientIndex = int;

/// The client of moves that no client makes: faults.
constexpr ClientIndex noClient = -1;

/// Returns the name of the client for users: `A` for 0, `B` for 1, and so on. The next client has the letter after the
/// last.
[[nodiscard]] QString clientName(ClientIndex client);

/// The state of one key of a server, as far as it can affect clients.
struct SnapshotKey
{
    /// Remaining time, rounded by the EffectCache, so that it does not depend on the time of the observation.
    using Lifetime = std::optional<std::chrono::milliseconds>;

    QByteArray key;
    QByteArray type;
    QByteArray dump;   ///< Output of DUMP, as input for RESTORE.
    QByteArray text;   ///< Value of a string; for a hash its field names, one per line.
    Lifetime lifetime; ///< Absent: no expiry. If all fields of a hash expire, the lifetime of the last one.
    /// Lifetimes of the fields of a hash, which the stored dump does not contain.
    std::vector<std::pair<QByteArray, std::chrono::milliseconds>> fieldEnds {};
    bool endsWithFields = false; ///< Whether the key has no lifetime, but each of its fields has one.

    /// Shortens all lifetimes by this time.
    void shortenLifetime(std::chrono::milliseconds time);
    /// Returns the time until the key or the first of its fields ends; absent: no expiry.
    [[nodiscard]] Lifetime nextEnd() const;

    friend bool operator==(const SnapshotKey &, const SnapshotKey &) = default;
};

/// Returns whether both keys have the same type and value, regardless of their lifetimes. Two absent keys are equal.
[[nodiscard]] bool haveEqualValues(const SnapshotKey *before, const SnapshotKey *after);

/// Returns the unique ID of one conversation of one client with a server. The ID of `noClient` is `noClient`.
[[nodiscard]] constexpr int conversationIdOf(ClientIndex client, int conversation)
{
    return client == noClient ? noClient : client + 8 * conversation;
}
[[nodiscard]] constexpr ClientIndex clientOf(int conversationId)
{
    return conversationId == noClient ? noClient : conversationId % 8;
}
[[nodiscard]] constexpr int conversationOf(int conversationId)
{
    return conversationId == noClient ? 0 : conversationId / 8;
}

/// The state that a server keeps for one client connection: watched keys, queued commands, subscriptions, pending
/// messages. A snapshot omits connections without such state.
struct ConnectionState
{
    int client = 0; ///< ID of the conversation, see conversationIdOf().
    std::vector<QByteArray> watched;
    bool isDirty = false; ///< Whether a watched key was modified, so that EXEC fails.
    bool isQueueing = false;
    std::vector<resp::Command> queue; ///< Commands since MULTI.
    schedules::Subscriptions subscriptions;
    std::vector<resp::Reply> inbox; ///< Messages on their way to the client, oldest first.

    [[nodiscard]] bool isClean() const
    {
        return watched.empty() && !isQueueing && subscriptions.isEmpty() && inbox.empty();
    }

    /// Returns whether messages are pending or may arrive on the connection.
    [[nodiscard]] bool listens() const { return !subscriptions.isEmpty() || !inbox.empty(); }
    /// Updates the state after a command and its reply.
    void apply(const resp::Command &command, const resp::Reply &reply);

    friend bool operator==(const ConnectionState &, const ConnectionState &) = default;
};

/// The state of one server between two commands: its keys in order, and its connections.
///
/// Two servers with equal snapshots give the same reply to every command. So the race finder executes each command
/// only once per snapshot. A value; created by the EffectCache.
struct Snapshot
{
    std::vector<SnapshotKey> keys;
    std::vector<ConnectionState> connections; ///< Connections that are not clean, sorted by client.
    /// Time since the start on the server's clock. Zero unless the server uses a virtual clock.
    std::chrono::milliseconds time {};
    QByteArray functions; ///< Output of FUNCTION DUMP; empty: no function library.

    [[nodiscard]] const SnapshotKey *find(const QByteArray &key) const;
    /// Returns the state of a connection. `client`: ID of the conversation, see conversationIdOf(). An unknown
    /// connection is clean.
    [[nodiscard]] ConnectionState connectionOf(ClientIndex client) const;
    void setConnection(ConnectionState connection);
    /// Returns the first of the client's conversations with a pending message; absent: no pending message.
    [[nodiscard]] std::optional<int> conversationWithMessage(ClientIndex client) const;
    /// Returns whether the conversation has a pending message, which arrives before the next reply.
    [[nodiscard]] bool hasPendingMessage(int conversationId) const;
    /// Removes and returns the next pending message. There must be one.
    [[nodiscard]] resp::Reply takeMessage(int conversationId);
    /// Closes the client's listening connections, except for the conversations in `listening`, one bit each.
    void closeListening(ClientIndex client, quint64 listening);
    /// Closes all connections of the client.
    void disconnect(ClientIndex client);

    friend bool operator==(const Snapshot &, const Snapshot &) = default;
};

[[nodiscard]] size_t qHash(const SnapshotKey &state, size_t seed = 0);
[[nodiscard]] size_t qHash(const ConnectionState &state, size_t seed = 0);
[[nodiscard]] size_t qHash(const Snapshot &snapshot, size_t seed = 0);

} // namespace latchkey::races
