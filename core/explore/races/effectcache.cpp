#include "core/explore/races/effectcache.h"

#include "core/explore/races/snapshotscripts.h"
#include "core/explore/schedules/waiting.h"
#include "core/redis/net/dialer.h"
#include "core/redis/resp/servererror.h"

#include <QElapsedTimer>

#include <algorithm>

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;
using exchange::Script;
using net::BlockingConnection;
using resp::Command;
using resp::Commands;
using resp::Replies;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

constexpr auto testbedTimeout = 10s;

/// Returns whether the command is WATCH, MULTI or similar: its effect depends on the connection and is stored in the
/// connection.
bool concernsConnection(const Commands &commands)
{
    const QByteArray name = commands.back().name().toUpper();
    return name == "WATCH" || name == "UNWATCH" || name == "MULTI" || name == "EXEC" || name == "DISCARD"
        || schedules::changesSubscriptions(commands.back());
}

bool changesFunctions(const Commands &commands)
{
    return std::ranges::any_of(commands, [](const Command &command) { return command.name().toUpper() == "FUNCTION"; });
}

void describe(const Reply &reply, QByteArray &text)
{
    text += static_cast<char>('a' + static_cast<int>(reply.kind()));
    text += QByteArray::number(reply.toInteger()) + ':' + QByteArray::number(reply.bytes().size()) + ':' + reply.bytes()
          + QByteArray::number(static_cast<qint64>(reply.elements().size()));
    for (const Reply &element : reply.elements())
        describe(element, text);
}

} // namespace

EffectCache::EffectCache(net::Endpoint endpoint, std::unique_ptr<BlockingConnection> connection,
                         std::chrono::milliseconds grain, shim::ServerClock *clock)
    : m_endpoint(std::move(endpoint))
    , m_connection(std::move(connection))
    , m_subscribers(m_endpoint)
    , m_grain(grain)
    , m_clock(clock)
{}

EffectCache::~EffectCache() = default;

Result<std::unique_ptr<EffectCache>> EffectCache::open(const net::Endpoint &endpoint, std::chrono::milliseconds grain,
                                                       shim::ServerClock *clock)
{
    auto dialled = net::dialBlocking(endpoint, testbedTimeout);
    if (!dialled)
        return failure(std::move(dialled.error()));
    if (auto loaded = loadScripts(*dialled->connection); !loaded)
        return failure(std::move(loaded.error()));
    return std::unique_ptr<EffectCache>(new EffectCache(endpoint, std::move(dialled->connection), grain, clock));
}

Result<void> EffectCache::loadScripts(BlockingConnection &connection)
{
    Commands commands;
    for (const QString &name : Script::names())
        commands.push_back({"SCRIPT", "LOAD", Script(name).source()});
    const auto replies = connection.execute(commands, testbedTimeout);
    if (!replies)
        return failure(replies.error());
    for (const Reply &reply : *replies) {
        if (reply.isError())
            return failure(resp::serverError(reply));
    }
    return {};
}

Result<Snapshot> EffectCache::readSnapshot(BlockingConnection &connection, std::chrono::milliseconds grain)
{
    const auto reply = connection.execute(snapshotCommand(), testbedTimeout);
    if (!reply)
        return failure(reply.error());
    return snapshotFrom(*reply, grain);
}

Result<SnapshotId> EffectCache::prepare(const Commands &commands)
{
    if (m_clock != nullptr)
        m_clock->set({});
    Commands all {{"FLUSHDB"}};
    all.insert(all.end(), commands.begin(), commands.end());
    const auto replies = m_connection->execute(all, testbedTimeout);
    if (!replies)
        return failure(replies.error());
    auto snapshot = readSnapshot(*m_connection, m_grain);
    if (!snapshot)
        return failure(std::move(snapshot.error()));
    return number(std::move(*snapshot));
}

CommandId EffectCache::number(const Commands &commands)
{
    QByteArray text;
    for (const Command &command : commands) {
        text += commands.size() > 1 ? "/" : "";
        for (const QByteArray &word : command.words())
            text += QByteArray::number(word.size()) + ':' + word;
    }
    const CommandId id = m_commandTexts.add(std::move(text));
    if (id == m_commands.size())
        m_commands.push_back(commands);
    return id;
}

Result<Effect> EffectCache::execute(SnapshotId from, int conversationId, CommandId command)
{
    const bool needsConnection = !m_snapshots[from].connections.empty() || concernsConnection(m_commands[command]);
    const CommandAtSnapshot commandAtSnapshot {from, needsConnection ? conversationId : noClient, command};
    if (const auto known = m_effects.constFind(commandAtSnapshot); known != m_effects.cend())
        return *known;
    auto effect = executeWithinGrain(from, commandAtSnapshot.conversationId, command);
    if (effect)
        m_effects.insert(commandAtSnapshot, *effect);
    return effect;
}

/// Repeats the command if it took longer than the grain, because a lifetime would then be rounded differently.
Result<Effect> EffectCache::executeWithinGrain(SnapshotId from, int conversationId, CommandId command)
{
    constexpr int maxTries = 20;
    const bool needsConnection = !m_snapshots[from].connections.empty() || concernsConnection(m_commands[command]);
    for (int tries = 1;; ++tries) {
        QElapsedTimer time;
        time.start();
        ++m_executed;
        if (m_clock != nullptr)
            m_clock->set(m_snapshots[from].time);
        auto effect =
            needsConnection ? executeWithConnections(from, conversationId, command) : executeAlone(from, command);
        const bool isExact = m_clock != nullptr || std::chrono::milliseconds(time.elapsed()) < m_grain / 4;
        if (!effect || isExact || tries == maxTries)
            return effect;
    }
}

Result<Effect> EffectCache::executeAlone(SnapshotId from, CommandId command)
{
    if (auto quiet = m_subscribers.setConnections({}); !quiet)
        return failure(std::move(quiet.error()));
    if (auto restored = restoreFunctions(m_snapshots[from]); !restored)
        return failure(std::move(restored.error()));
    // A blocking command is replaced by a non-blocking variant. The search models the wait.
    const bool isAlone = !schedules::waitingOf(m_commands[command]);
    Commands commands {restoringCommand(m_snapshots[from])};
    std::ranges::copy(isAlone ? Commands {m_commands[command].back()}
                              : schedules::withoutWaiting(m_commands[command].front()),
                      std::back_inserter(commands));
    commands.push_back(snapshotCommand());
    auto replies = m_connection->execute(commands, testbedTimeout);
    if (!replies)
        return failure(replies.error());
    if (replies->front().isError())
        return failure(resp::serverError(replies->front()));
    auto after = snapshotFrom(replies->back(), m_grain);
    if (!after)
        return failure(std::move(after.error()));

    after->time = m_snapshots[from].time;
    auto functions = functionsAfter(m_snapshots[from], m_commands[command]);
    if (!functions)
        return failure(std::move(functions.error()));
    after->functions = *std::move(functions);
    replies->erase(replies->begin());
    replies->pop_back();
    return effect(isAlone ? replies->front() : replyToBlocking(m_commands[command].front(), *replies),
                  std::move(*after));
}

/// Returns the reply to a blocking command that was sent without waiting, from the replies. WAIT is confirmed at once
/// by as many replicas as it waits for, if there are so many.
Reply EffectCache::replyToBlocking(const Command &command, const Replies &replies) const
{
    const Reply reply = schedules::replyWithoutWaiting(replies);
    const auto awaited = schedules::awaitedReplicas(command);
    return awaited && *awaited <= m_replicas && reply.isInteger() ? Reply::integer(*awaited) : reply;
}

/// Gives the server the function libraries of the snapshot.
Result<void> EffectCache::restoreFunctions(const Snapshot &from)
{
    if (m_functions == from.functions)
        return {};
    const bool isNone = from.functions.isEmpty();
    const auto reply = m_connection->execute(isNone ? Command {"FUNCTION", "FLUSH"}
                                                    : Command {"FUNCTION", "RESTORE", from.functions, "FLUSH"},
                                             testbedTimeout);
    if (!reply)
        return failure(reply.error());
    if (reply->isError() && !isNone) // A server older than Redis 7 has no functions.
        return failure(resp::serverError(*reply));
    m_functions = from.functions;
    return {};
}

/// Returns the function libraries after the commands, which have just been executed.
Result<QByteArray> EffectCache::functionsAfter(const Snapshot &from, const Commands &commands)
{
    if (!changesFunctions(commands))
        return from.functions;
    constexpr qsizetype lengthWithoutLibrary = 10; // Only a version and a checksum.
    m_functions.reset();
    const auto reply = m_connection->execute(Command {"FUNCTION", "DUMP"}, testbedTimeout);
    if (!reply)
        return failure(reply.error());
    m_functions = reply->isBulk() && reply->bytes().size() > lengthWithoutLibrary ? reply->bytes() : QByteArray();
    return *m_functions;
}

Result<void> EffectCache::leaveServer()
{
    m_functions.reset();
    return m_subscribers.setConnections({});
}

Result<BlockingConnection *> EffectCache::connectionOf(int conversationId)
{
    if (conversationId == noClient)
        return m_connection.get();
    auto &connection = m_conversations[conversationId];
    if (!connection) {
        auto dialled = net::dialBlocking(m_endpoint, testbedTimeout);
        if (!dialled)
            return failure(std::move(dialled.error()));
        connection = std::move(dialled->connection);
    }
    return connection.get();
}

Result<Replies> EffectCache::sendCommands(int conversationId, const Commands &commands)
{
    const auto connection = connectionOf(conversationId);
    if (!connection)
        return failure(connection.error());
    return (*connection)->execute(commands, testbedTimeout);
}

/// Restores keys and connections, and sends the commands over the connection of the conversation. Returns the last
/// reply.
Result<Reply> EffectCache::restoreAndSend(const Snapshot &from, int conversationId, const Commands &commandsToSend)
{
    const auto watch = [](const ConnectionState &connection) {
        Command watching {"WATCH"};
        for (const QByteArray &key : connection.watched)
            watching << key;
        return watching;
    };

    if (auto restored = restoreFunctions(from); !restored)
        return failure(std::move(restored.error()));
    Result<Replies> replies;
    // Dirty connections watch their keys before the keys are restored; all other connections do so afterwards.
    for (const ConnectionState &connection : from.connections) {
        if (!connection.isDirty)
            continue;
        if (replies = sendCommands(connection.client, {watch(connection)}); !replies)
            return failure(replies.error());
        Commands touches;
        for (const QByteArray &key : connection.watched)
            touches.push_back({"SET", key, "touched"});
        if (replies = sendCommands(noClient, touches); !replies)
            return failure(replies.error());
    }
    if (replies = sendCommands(noClient, {restoringCommand(from)}); !replies)
        return failure(replies.error());
    if (replies->front().isError())
        return failure(resp::serverError(replies->front()));
    for (const ConnectionState &connection : from.connections) {
        Commands commands;
        if (!connection.isDirty && !connection.watched.empty())
            commands.push_back(watch(connection));
        if (connection.isQueueing) {
            commands.push_back({"MULTI"});
            commands.insert(commands.end(), connection.queue.begin(), connection.queue.end());
        }
        if (commands.empty())
            continue;
        if (replies = sendCommands(connection.client, commands); !replies)
            return failure(replies.error());
    }
    if (schedules::waitingOf(commandsToSend)) { // Not on the client's connection, where EXEC has its own meaning.
        if (replies = sendCommands(noClient, schedules::withoutWaiting(commandsToSend.front())); !replies)
            return failure(replies.error());
        return replyToBlocking(commandsToSend.front(), *replies);
    }
    const ConnectionState own = from.connectionOf(conversationId);
    if (!own.subscriptions.isEmpty() || schedules::changesSubscriptions(commandsToSend.back()))
        return m_subscribers.sendCommands(own, commandsToSend.back());
    if (replies = sendCommands(conversationId, commandsToSend); !replies)
        return failure(replies.error());
    return replies->back();
}

/// Returns whether a key that the connection watches was modified. An EXEC shows it and leaves the connection clean.
Result<bool> EffectCache::isDirty(const ConnectionState &connection)
{
    const auto tried =
        sendCommands(connection.client, connection.isQueueing ? Commands {{"EXEC"}} : Commands {{"MULTI"}, {"EXEC"}});
    if (!tried)
        return failure(tried.error());
    return !connection.watched.empty() && tried->back().isNil();
}

Result<Effect> EffectCache::executeWithConnections(SnapshotId fromId, int conversationId, CommandId commandId)
{
    const Snapshot from = m_snapshots[fromId];
    const Commands commands = m_commands[commandId];
    if (auto arranged = m_subscribers.setConnections(from.connections); !arranged)
        return failure(std::move(arranged.error()));
    const auto reply = restoreAndSend(from, conversationId, commands);
    if (!reply)
        return failure(reply.error());
    auto after = readSnapshot(*m_connection, m_grain);
    if (!after)
        return failure(std::move(after.error()));
    auto functions = functionsAfter(from, commands);
    if (!functions)
        return failure(std::move(functions.error()));
    after->functions = *std::move(functions);
    after->connections = from.connections;
    after->time = from.time;
    if (auto received = m_subscribers.receive(after->connections); !received)
        return failure(std::move(received.error()));
    if (conversationId != noClient) {
        ConnectionState own = after->connectionOf(conversationId);
        own.apply(commands.back(), *reply);
        after->setConnection(std::move(own));
    }

    // An effective EXEC may modify keys that others watch, so the state is restored after each one.
    bool isUntouched = true;
    for (ConnectionState connection : std::vector(after->connections)) {
        if (connection.listens())
            continue; // A connection that listens has no other state.
        if (!isUntouched) {
            // Every connection must be clean before it is restored.
            for (const ConnectionState &other : after->connections) {
                if (const auto cleaned = isDirty(other); !cleaned)
                    return failure(cleaned.error());
            }
            if (const auto again = restoreAndSend(from, conversationId, commands); !again)
                return failure(again.error());
            if (changesFunctions(commands))
                m_functions.reset();
        }
        const auto dirty = isDirty(connection);
        if (!dirty)
            return failure(dirty.error());
        isUntouched = false;
        connection.isDirty = *dirty;
        after->setConnection(std::move(connection));
    }
    if (after->connections.size() > 1) {
        for (const ConnectionState &other : after->connections) {
            if (const auto cleaned = isDirty(other); !cleaned)
                return failure(cleaned.error());
        }
    }
    return effect(*reply, std::move(*after));
}

ReplyId EffectCache::number(const Reply &reply)
{
    QByteArray text;
    describe(reply, text);
    const ReplyId id = m_replyTexts.add(std::move(text));
    if (id == m_replies.size())
        m_replies.push_back(reply);
    return id;
}

Effect EffectCache::effect(const Reply &reply, Snapshot after)
{
    return {number(reply), number(std::move(after))};
}

} // namespace latchkey::races
