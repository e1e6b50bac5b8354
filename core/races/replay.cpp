#include "core/races/replay.h"

#include "core/resp/dialer.h"

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;
using resp::Command;
using resp::Reply;
using std::chrono::seconds;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 10s;

tl::unexpected<base::Error> disagreement(const QString &what)
{
    return failure(
        ErrorKind::Protocol,
        QStringLiteral("a replay on a real server went differently than the search worked out: %1").arg(what));
}

} // namespace

Replay::Replay(std::vector<resp::Endpoint> servers)
    : m_servers(std::move(servers))
{}

Result<resp::BlockingConnection *> Replay::connectionTo(int server, ClientIndex client)
{
    Connection &connection = m_connections[{server, client}];
    if (!connection) {
        auto dialled = resp::dialBlocking(m_servers.at(static_cast<std::size_t>(server)), patience);
        if (!dialled)
            return failure(std::move(dialled.error()));
        connection = std::move(dialled->connection);
        if (client == nobody) {
            if (auto loaded = Laboratory::loadScripts(*connection); !loaded)
                return failure(std::move(loaded.error()));
        }
    }
    return connection.get();
}

/// New connections all round, and on the servers what the exploration starts from.
Result<void> Replay::empty(Model &model)
{
    m_connections.clear();
    for (int server = 0; server < model.subject().servers; ++server) {
        const auto connection = connectionTo(server, nobody);
        if (!connection)
            return failure(connection.error());
        resp::Commands commands {Command {"FLUSHDB"}};
        for (const KeyState &key : model.snapshot(model.start(), server).keys) {
            const auto lifetime = key.lifetime ? std::chrono::milliseconds(*key.lifetime) : 0ms;
            commands.push_back(Command {"RESTORE", key.key, QByteArray::number(qint64(lifetime.count())), key.dump});
        }
        if (const auto replies = (*connection)->ask(commands, patience); !replies)
            return failure(replies.error());
    }
    return {};
}

Result<void> Replay::compare(Model &model, const State &state, int server, const QString &after)
{
    const auto connection = connectionTo(server, nobody);
    if (!connection)
        return failure(connection.error());
    const auto seen = Laboratory::look(**connection);
    if (!seen)
        return failure(seen.error());
    if (seen->keys != model.snapshot(state, server).keys)
        return disagreement(QStringLiteral("other keys after %1").arg(after));
    return {};
}

Result<void> Replay::play(Model &model, const Schedule &schedule)
{
    if (auto emptied = empty(model); !emptied)
        return emptied;
    std::map<ClientIndex, std::unique_ptr<Attempt>> attempts;
    for (ClientIndex client = 0; client <= model.subject().clients; ++client)
        attempts[client] =
            std::make_unique<Attempt>(model.subject().client(client, model.rule().faults()), model.conditions(client));
    State state = model.start();
    for (const Move &move : schedule) {
        const auto step = model.describe(state, move);
        if (!step)
            return failure(step.error());
        Attempt *attempt = move.client == nobody ? nullptr : attempts.at(move.client).get();
        if (attempt != nullptr && move.way != Move::noWay)
            attempt->take(attempt->ways().at(move.way));
        switch (move.kind) {
        case Move::Kind::Command: {
            const PendingAsk ask = attempt->asks().at(move.index);
            const auto connection = connectionTo(ask.server, move.client);
            if (!connection)
                return failure(connection.error());
            const auto reply = (*connection)->ask(ask.command, patience);
            if (!reply)
                return failure(reply.error());
            if (ask.command.toText() != step->command || reply->toText() != step->reply)
                return disagreement(
                    QStringLiteral("%1 sends %2 and is told %3, not %4 and %5")
                        .arg(step->client, ask.command.toText(), reply->toText(), step->command, step->reply));
            attempt->answer(ask.index, *reply);
            break;
        }
        case Move::Kind::Clock:
            attempt->readClock(seconds(state.secondsPassed));
            break;
        case Move::Kind::Rest:
            attempt->rest();
            break;
        case Move::Kind::Crash:
            for (int server = 0; server < model.subject().servers; ++server)
                m_connections.erase({server, move.client});
            break;
        case Move::Kind::Lapse: {
            const QByteArray key = model.snapshot(state, move.index).keys[move.key].key;
            const auto connection = connectionTo(move.index, nobody);
            if (!connection)
                return failure(connection.error());
            if (const auto reply = (*connection)->ask(Command {"DEL", key}, patience); !reply)
                return failure(reply.error());
            break;
        }
        case Move::Kind::Write:
        case Move::Kind::PassDeadline:
            break; // Nothing that a server would notice.
        }
        const auto successor = model.apply(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
        for (int server = 0; server < model.subject().servers; ++server) {
            if (auto compared = compare(model, state, server, step->toText()); !compared)
                return compared;
        }
    }
    return {};
}

} // namespace latchkey::races
