#pragma once

#include "core/explore/races/interntable.h"
#include "core/explore/races/snapshot.h"
#include "core/explore/races/subscriberconnections.h"
#include "core/explore/shim/serverclock.h"
#include "core/foundation/base/error.h"
#include "core/redis/exchange/script.h"
#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/endpoint.h"

#include <QHash>

#include <map>
#include <memory>

namespace latchkey::races {

using SnapshotId = InternTable<Snapshot>::Id;
using CommandId = quint32;
using ReplyId = quint32;

/// Effect of one command on a server with a given snapshot.
struct Effect
{
    ReplyId reply = 0;
    SnapshotId after = 0;
};

/// A cache of the effects of commands, which a real server computes: the server executes each command for a snapshot
/// only once.
///
/// Replaying a whole schedule costs a round trip per step. Instead, one round trip restores the few keys, sends the
/// command and reads the result. The cache interprets only commands that change a connection (WATCH, MULTI, EXEC,
/// DISCARD, UNWATCH, SUBSCRIBE and similar). For these it restores the client's connection too. It also tests whether
/// the watched keys of other connections were modified, and receives published messages. WAIT is answered as if the
/// server had replicas with all writes; see setReplicas(). Owned by the FinderServers.
/// The server must be private, because it is emptied for every command.
class EffectCache final
{
public:
    /// Connects to the server. `grain`: unit to which lifetimes are rounded; much longer than one command takes.
    /// `clock`: the server's clock, not owned; null: the machine's clock. Error: the server cannot be reached.
    [[nodiscard]] static base::Result<std::unique_ptr<EffectCache>> open(
        const net::Endpoint &endpoint, std::chrono::milliseconds grain = std::chrono::minutes(1),
        shim::ServerClock *clock = nullptr);
    ~EffectCache();
    Q_DISABLE_COPY_MOVE(EffectCache)

    /// Returns the effect of the command. The ID of the conversation is that of conversationIdOf(); `noClient` for
    /// the command of a fault.
    [[nodiscard]] base::Result<Effect> execute(SnapshotId from, int conversationId, CommandId command);

    [[nodiscard]] CommandId number(const resp::Command &command) { return number(resp::Commands {command}); }
    /// Numbers a command. A transaction from MULTI to EXEC counts as one command, and its reply is the reply to EXEC.
    [[nodiscard]] CommandId number(const resp::Commands &commands);
    /// Returns the command; for a transaction, the last one.
    [[nodiscard]] const resp::Command &command(CommandId id) const { return m_commands[id].back(); }
    [[nodiscard]] const resp::Commands &commands(CommandId id) const { return m_commands[id]; }
    [[nodiscard]] ReplyId number(const resp::Reply &reply);
    [[nodiscard]] const resp::Reply &reply(ReplyId id) const { return m_replies[id]; }
    [[nodiscard]] const Snapshot &snapshot(SnapshotId id) const { return m_snapshots[id]; }
    [[nodiscard]] SnapshotId number(Snapshot snapshot) { return m_snapshots.add(std::move(snapshot)); }

    /// Runs the commands on an empty server. Returns the resulting snapshot, the start of an exploration.
    [[nodiscard]] base::Result<SnapshotId> prepare(const resp::Commands &commands);

    /// Sets the number of replicas that the server is assumed to have; it has none in reality. Default: 1. Call before
    /// execute().
    void setReplicas(int replicas) { m_replicas = replicas; }

    /// Ends all subscriptions, so that another user of the server can change it until the next execute(), which
    /// restores them. Error: the server does not reply.
    [[nodiscard]] base::Result<void> leaveServer();

    /// Returns the number of commands that the server has executed for the cache.
    [[nodiscard]] qint64 executedCommands() const { return m_executed; }
    /// Returns whether the server uses the time of the snapshot instead of the machine's clock.
    [[nodiscard]] bool hasClock() const { return m_clock != nullptr; }

    /// Reads all keys of the server behind the connection. Connection states are not read.
    [[nodiscard]] static base::Result<Snapshot> readSnapshot(net::BlockingConnection &connection,
                                                             std::chrono::milliseconds grain = std::chrono::minutes(1));
    /// Loads all built-in scripts into the server, so that EVALSHA finds them.
    [[nodiscard]] static base::Result<void> loadScripts(net::BlockingConnection &connection);

private:
    EffectCache(net::Endpoint endpoint, std::unique_ptr<net::BlockingConnection> connection,
                std::chrono::milliseconds grain, shim::ServerClock *clock);

    [[nodiscard]] base::Result<Effect> executeWithinGrain(SnapshotId from, int conversationId, CommandId command);
    [[nodiscard]] base::Result<Effect> executeAlone(SnapshotId from, CommandId command);
    [[nodiscard]] base::Result<Effect> executeWithConnections(SnapshotId from, int conversationId, CommandId command);
    [[nodiscard]] base::Result<resp::Reply> restoreAndSend(const Snapshot &from, int conversationId,
                                                           const resp::Commands &commands);
    [[nodiscard]] resp::Reply replyToBlocking(const resp::Command &command, const resp::Replies &replies) const;
    [[nodiscard]] base::Result<void> restoreFunctions(const Snapshot &from);
    [[nodiscard]] base::Result<QByteArray> functionsAfter(const Snapshot &from, const resp::Commands &commands);
    [[nodiscard]] base::Result<bool> isDirty(const ConnectionState &connection);
    [[nodiscard]] Effect effect(const resp::Reply &reply, Snapshot after);
    [[nodiscard]] base::Result<net::BlockingConnection *> connectionOf(int conversationId);
    [[nodiscard]] base::Result<resp::Replies> sendCommands(int conversationId, const resp::Commands &commands);

    struct CommandAtSnapshot
    {
        SnapshotId from;
        int conversationId;
        CommandId command;
        friend bool operator==(const CommandAtSnapshot &, const CommandAtSnapshot &) = default;
        friend size_t qHash(const CommandAtSnapshot &commandAtSnapshot, size_t seed = 0)
        {
            return qHashMulti(seed, commandAtSnapshot.from, commandAtSnapshot.conversationId,
                              commandAtSnapshot.command);
        }
    };

    const net::Endpoint m_endpoint;
    std::unique_ptr<net::BlockingConnection> m_connection;
    SubscriberConnections m_subscribers;
    const std::chrono::milliseconds m_grain;
    shim::ServerClock *const m_clock; ///< Not owned; may be null.
    std::map<int, std::unique_ptr<net::BlockingConnection>> m_conversations;
    std::optional<QByteArray> m_functions = QByteArray(); ///< Snapshot::functions of the server now; absent: unknown.
    InternTable<Snapshot> m_snapshots;
    InternTable<QByteArray> m_commandTexts; ///< Number of each command, by its length-prefixed words.
    std::vector<resp::Commands> m_commands;
    InternTable<QByteArray> m_replyTexts;
    std::vector<resp::Reply> m_replies;
    QHash<CommandAtSnapshot, Effect> m_effects;
    qint64 m_executed = 0;
    int m_replicas = 1;
};

} // namespace latchkey::races
