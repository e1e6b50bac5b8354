#pragma once

#include "core/resp/reply.h"
#include "core/resp/subscriptions.h"

#include <QByteArray>

#include <optional>
#include <vector>

namespace latchkey::races {

/// A client of an exploration, counted from 0; people know them as A, B, C.
using ClientIndex = int;

/// Who does what no client does: faults.
constexpr ClientIndex nobody = -1;

/// `A` for 0; the one who tries the lock after everybody else is `the next client`.
[[nodiscard]] QString clientName(ClientIndex client);

/// One key of a server, as far as it can matter to anybody.
struct KeyState
{
    /// Rounded by the Testbed, so that what passes while we look does not show.
    using Lifetime = std::optional<std::chrono::milliseconds>;

    QByteArray key;
    QByteArray type;
    QByteArray dump;   ///< As DUMP gives it, for RESTORE.
    QByteArray text;   ///< A string's value; of a hash the names of its fields, a line each.
    Lifetime lifetime; ///< Absent: it has none and stays for ever. Of a hash that ends with its fields, the last's.
    /// Of a hash: its fields that have lifetimes of their own, which are not in the dump.
    std::vector<std::pair<QByteArray, std::chrono::milliseconds>> fieldEnds {};
    bool endsWithFields = false; ///< It has no lifetime itself, and each of its fields has one.

    /// So much time goes by.
    void pass(std::chrono::milliseconds time);
    /// The next moment at which it, or one of its fields, ends.
    [[nodiscard]] Lifetime nextEnd() const;

    friend bool operator==(const KeyState &, const KeyState &) = default;
};

/// Whether both keys have one type and value, whatever their lifetimes are; two that are not there do as well.
[[nodiscard]] bool holdTheSame(const KeyState *before, const KeyState *after);

/// One conversation of a client with a server, among all that there are. nobody is itself.
[[nodiscard]] constexpr int speakerOf(ClientIndex client, int conversation)
{
    return client == nobody ? nobody : client + 8 * conversation;
}
[[nodiscard]] constexpr ClientIndex clientOf(int speaker)
{
    return speaker == nobody ? nobody : speaker % 8;
}
[[nodiscard]] constexpr int conversationOf(int speaker)
{
    return speaker == nobody ? 0 : speaker / 8;
}

/// What a server remembers of one client's connection. A clean connection is not in a snapshot.
struct ConnectionState
{
    int client = 0; ///< Its speaker, see above.
    std::vector<QByteArray> watched;
    bool isDirty = false; ///< Something watched has been touched: EXEC will do nothing.
    bool isQueueing = false;
    std::vector<resp::Command> queue; ///< Since MULTI.
    resp::Subscriptions subscriptions;
    std::vector<resp::Reply> inbox; ///< Messages on their way to the client, the oldest first.

    [[nodiscard]] bool isClean() const
    {
        return watched.empty() && !isQueueing && subscriptions.isEmpty() && inbox.empty();
    }

    /// Messages may come there, or are to come.
    [[nodiscard]] bool listens() const { return !subscriptions.isEmpty() || !inbox.empty(); }
    /// What the command makes of it, going by the reply.
    void follow(const resp::Command &command, const resp::Reply &reply);

    friend bool operator==(const ConnectionState &, const ConnectionState &) = default;
};

/// Everything that one server holds between two commands: its keys in order, and its connections.
///
/// Two servers with equal snapshots answer every command alike, which is what lets the race finder ask each question
/// only once. A value; made by the Testbed.
struct Snapshot
{
    std::vector<KeyState> keys;
    std::vector<ConnectionState> connections; ///< By client; those that are not clean.
    /// By the server's clock, since the beginning; only where it is the race finder's own, else it stays zero.
    std::chrono::milliseconds time {};

    [[nodiscard]] const KeyState *find(const QByteArray &key) const;
    [[nodiscard]] ConnectionState connectionOf(ClientIndex client) const;
    void setConnection(ConnectionState connection);
    /// The first of the client's conversations in which a message is on its way to it; absent: there is none.
    [[nodiscard]] std::optional<int> conversationToBeTold(ClientIndex client) const;
    /// Whether there is one in this conversation, which comes before the next reply there.
    [[nodiscard]] bool isToBeTold(int speaker) const;
    /// The next message there, which is on its way no more. There must be one.
    [[nodiscard]] resp::Reply takeMessage(int speaker);
    /// All connections of the client with a subscription or a message end but for these conversations, a bit each.
    void hangUp(ClientIndex client, quint64 listening);
    /// All connections of the client end.
    void disconnect(ClientIndex client);

    friend bool operator==(const Snapshot &, const Snapshot &) = default;
};

[[nodiscard]] size_t qHash(const KeyState &state, size_t seed = 0);
[[nodiscard]] size_t qHash(const ConnectionState &state, size_t seed = 0);
[[nodiscard]] size_t qHash(const Snapshot &snapshot, size_t seed = 0);

} // namespace latchkey::races
