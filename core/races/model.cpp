#include "core/races/model.h"

#include "core/caches/hashplaceholder.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;
using std::chrono::seconds;
using namespace std::chrono_literals;

namespace {

/// By how much the clocks of two clients differ where they are to differ: longer than every lease together.
constexpr auto clockDifference = 1000h;

std::size_t at(int index)
{
    return static_cast<std::size_t>(index);
}

LockChange changeOf(const KeyState *before, const KeyState *after)
{
    LockChange change;
    if (before == nullptr)
        return change;
    change.ended = after == nullptr;
    change.valueChanged = after != nullptr && (before->dump != after->dump || before->type != after->type);
    change.lifetimeChanged = after != nullptr && before->lifetime != after->lifetime;
    return change;
}

/// Data, rather than a hash that holds nothing but the placeholder of a write that was not finished.
bool isData(const KeyState &key)
{
    if (key.type != "hash")
        return true;
    const QList<QByteArray> fields = key.text.split('\n');
    return std::ranges::any_of(
        fields, [](const QByteArray &field) { return field != caches::HashPlaceholderCache::placeholder(); });
}

} // namespace

Model::Model(const Subject &subject, const Rule &rule, Testbed &testbed)
    : m_subject(subject)
    , m_rule(rule)
    , m_testbed(testbed)
{}

Result<std::unique_ptr<Model>> Model::create(const Subject &subject, const Rule &rule, Testbed &testbed)
{
    std::unique_ptr<Model> model(new Model(subject, rule, testbed));
    for (ClientIndex client = 0; client <= subject.clients; ++client)
        model->m_graphs.push_back(
            std::make_unique<ClientGraph>(subject.client(client, rule.faults()), model->conditions(client), testbed));
    if (rule.faults().foreignKey) {
        model->m_beforehand.push_back(Command {"RPUSH", subject.key.bytes(), "somebody", "else"});
        model->m_beforehand.push_back(
            Command {"PEXPIRE", subject.key.bytes(), QByteArray::number(std::chrono::milliseconds(90h).count())});
    }
    const auto prepared = testbed.prepare(model->m_beforehand);
    if (!prepared)
        return failure(prepared.error());
    World world;
    world.servers.fill(*prepared);
    model->m_start.world = model->m_worlds.add(world);
    return model;
}

ClientConditions Model::conditions(ClientIndex client) const
{
    ClientConditions conditions;
    conditions.client = client;
    conditions.schedulesClock = m_subject.keepsDeadlineInValue;
    if (m_rule.faults().clocksDiffer)
        conditions.clockOffset = clockDifference * client;
    return conditions;
}

bool Model::isAlive(const State &state, ClientIndex client) const
{
    return client != nobody && !ClientGraph::isOver(state.nodes[at(client)]);
}

bool Model::isOver(const State &state) const
{
    for (ClientIndex client = 0; client < m_subject.clients; ++client) {
        if (isAlive(state, client))
            return false;
    }
    return true;
}

bool Model::isQuiet(const State &state) const
{
    for (ClientIndex client = 0; client < m_subject.clients; ++client) {
        if (isAlive(state, client) && state.nodes[at(client)] != ClientGraph::root)
            return false;
    }
    return true;
}

void Model::moves(const State &state, std::vector<Move> &moves) const
{
    moves.clear();
    if (isOver(state))
        return;
    const Faults faults = m_rule.faults();
    for (ClientIndex client = 0; client < m_subject.clients; ++client) {
        if (!isAlive(state, client))
            continue;
        const ClientGraph &graph = *m_graphs[at(client)];
        const Node &node = graph[state.nodes[at(client)]];
        Move move;
        move.client = static_cast<qint8>(client);
        const auto addSteps = [&](const Node &from, quint8 way) {
            move.way = way;
            move.index = 0;
            switch (from.wait) {
            case Attempt::Wait::Commands:
                move.kind = Move::Kind::Command;
                for (std::size_t i = 0; i < from.asks.size(); ++i) {
                    move.index = static_cast<quint8>(i);
                    moves.push_back(move);
                }
                break;
            case Attempt::Wait::Clock:
                move.kind = Move::Kind::Clock;
                moves.push_back(move);
                break;
            case Attempt::Wait::Rest:
                move.kind = Move::Kind::Rest;
                moves.push_back(move);
                break;
            case Attempt::Wait::Fork:
            case Attempt::Wait::Nothing:
                break;
            }
        };
        if (node.wait == Attempt::Wait::Fork) {
            for (std::size_t way = 0; way < node.ways.size(); ++way)
                addSteps(graph[node.ways[way]], static_cast<quint8>(way));
        } else {
            addSteps(node, Move::noWay);
        }
        move.way = Move::noWay;
        move.index = 0;
        const Ghost hasWritten = Ghost(1) << (28 + client);
        if (faults.writesInside && node.situation.isInside && (state.ghost & hasWritten) == 0) {
            move.kind = Move::Kind::Write;
            moves.push_back(move);
        }
        if (faults.crashes && state.nodes[at(client)] != ClientGraph::root) {
            move.kind = Move::Kind::Crash;
            moves.push_back(move);
        }
    }
    if (faults.lapses != Lapses::None)
        addLapses(state, moves);
}

void Model::addLapses(const State &state, std::vector<Move> &moves) const
{
    const World &world = m_worlds[state.world];
    for (int server = 0; server < m_subject.servers; ++server) {
        const auto &keys = m_testbed.snapshot(world.servers[at(server)]).keys;
        for (std::size_t key = 0; key < keys.size(); ++key) {
            if (!mayLapse(state, server, keys[key]))
                continue;
            Move move;
            move.kind = keys[key].lifetime ? Move::Kind::Lapse : Move::Kind::PassDeadline;
            move.index = static_cast<quint8>(server);
            move.key = static_cast<quint8>(key);
            moves.push_back(move);
        }
    }
}

bool Model::mayLapse(const State &state, int server, const KeyState &key) const
{
    const Faults faults = m_rule.faults();
    const bool hasDeadline = key.key == m_subject.key.bytes() && passingDeadline(state, server).has_value();
    if (!key.lifetime && !hasDeadline)
        return false;
    if (faults.guardStays && key.key == m_subject.guard.bytes())
        return false;
    if (faults.lapses == Lapses::Any || key.key != m_subject.key.bytes())
        return faults.lapses != Lapses::None;
    const World &world = m_worlds[state.world];
    if (isAlive(state, world.holder[at(server)]) || isAlive(state, world.writer[at(server)]))
        return false;
    if (key.lifetime)
        return true;
    // Moving the clocks would end the lease of whoever is inside, or about to be: a deadline that another has written
    // over it since makes the lock no less theirs.
    for (ClientIndex client = 0; client < m_subject.clients; ++client) {
        const bool hasStake = (world.stakes[at(server)] & (1 << client)) != 0;
        if (isAlive(state, client) && (hasStake || nodeOf(state, client).situation.isInside))
            return false;
    }
    return true;
}

/// How far the clocks have to be moved for all of them to be past the deadline in the lock; nothing where there is
/// none, or where they are past it.
std::optional<seconds> Model::passingDeadline(const State &state, int server) const
{
    if (!m_subject.keepsDeadlineInValue)
        return std::nullopt;
    const KeyState *lock = snapshot(state, server).find(m_subject.key.bytes());
    if (lock == nullptr)
        return std::nullopt;
    bool isNumber = false;
    const qint64 deadline = lock->text.toLongLong(&isNumber);
    if (!isNumber)
        return std::nullopt;
    const auto start = std::chrono::floor<seconds>(Attempt::startOfTime().time_since_epoch());
    const auto passed = seconds(deadline) - start + 1s;
    if (passed <= seconds(state.secondsPassed))
        return std::nullopt;
    return passed;
}

NodeId Model::pointOf(const State &state, const Move &move) const
{
    const NodeId node = state.nodes[at(move.client)];
    if (move.way == Move::noWay)
        return node;
    return (*m_graphs[at(move.client)])[node].ways[move.way];
}

Result<Successor> Model::apply(const State &state, const Move &move)
{
    switch (move.kind) {
    case Move::Kind::Lapse:
    case Move::Kind::PassDeadline:
        return lapse(state, move);
    case Move::Kind::Crash:
        return crash(state, move);
    default:
        return stepClient(state, move);
    }
}

Result<Model::TakenStep> Model::take(const State &state, const Move &move)
{
    ClientGraph &graph = *m_graphs[at(move.client)];
    TakenStep taken;
    ClientStep &step = taken.step;
    step.from = pointOf(state, move);
    step.to = step.from;
    switch (move.kind) {
    case Move::Kind::Command: {
        const Node::Pending ask = graph[step.from].asks[move.index];
        const auto deed = carryOut(state.world, move.client, ask.server, ask.command);
        if (!deed)
            return failure(deed.error());
        taken.deed = *deed;
        step.server = ask.server;
        step.command = ask.command;
        step.reply = deed->reply;
        step.to = graph.afterReply(step.from, ask.index, deed->reply);
        break;
    }
    case Move::Kind::Clock:
        step.to = graph.afterClock(step.from, seconds(state.secondsPassed));
        break;
    case Move::Kind::Rest:
        step.to = graph.afterRest(step.from);
        break;
    case Move::Kind::Write:
        break;
    default:
        Q_UNREACHABLE();
    }
    return taken;
}

Result<ClientStep> Model::clientStep(const State &state, const Move &move)
{
    const auto taken = take(state, move);
    if (!taken)
        return failure(taken.error());
    return taken->step;
}

Result<Successor> Model::stepClient(const State &state, const Move &move)
{
    const auto taken = take(state, move);
    if (!taken)
        return failure(taken.error());
    Successor successor {state, false};
    if (move.kind == Move::Kind::Command)
        successor.state.world = taken->deed.after;
    else if (move.kind == Move::Kind::Write)
        successor.state.ghost |= Ghost(1) << (28 + move.client);

    const Node &from = graph(move.client)[taken->step.from];
    const Node &to = graph(move.client)[taken->step.to];
    if (to.situation.isInside && !from.situation.isInside)
        successor.state.world = claimed(successor.state.world, move.client);
    successor.state.nodes[at(move.client)] = to.wait == Attempt::Wait::Nothing ? ClientGraph::finished : taken->step.to;

    int inside = 0;
    for (ClientIndex client = 0; client < m_subject.clients; ++client)
        inside += nodeOf(successor.state, client).situation.isInside ? 1 : 0;
    successor.isBroken =
        m_rule.isBrokenBy({move, from.situation, to.situation, taken->deed.change, inside}, successor.state.ghost);
    return successor;
}

Successor Model::crash(const State &state, const Move &move)
{
    Successor successor {state, false};
    const Situation from = nodeOf(state, move.client).situation;
    successor.state.nodes[at(move.client)] = ClientGraph::crashed;
    // Its connections go with it, and what they watched or queued.
    World world = m_worlds[state.world];
    for (SnapshotId &id : world.servers) {
        Snapshot snapshot = m_testbed.snapshot(id);
        ConnectionState clean;
        clean.client = move.client;
        snapshot.setConnection(clean);
        id = m_testbed.number(std::move(snapshot));
    }
    successor.state.world = m_worlds.add(world);
    Situation dead;
    dead.stage = Stage::Finished;
    successor.isBroken = m_rule.isBrokenBy({move, from, dead, {}, 0}, successor.state.ghost);
    return successor;
}

Result<Successor> Model::lapse(const State &state, const Move &move)
{
    Successor successor {state, false};
    LockChange change;
    if (move.kind == Move::Kind::Lapse) {
        const QByteArray key = snapshot(state, move.index).keys[move.key].key;
        const auto deed = carryOut(state.world, nobody, move.index, m_testbed.number(Command {"DEL", key}));
        if (!deed)
            return failure(deed.error());
        successor.state.world = deed->after;
        change = deed->change;
    } else {
        successor.state.secondsPassed = static_cast<quint32>(passingDeadline(state, move.index)->count());
        // The key stays, and is nobody's lock from now on.
        World world = m_worlds[state.world];
        world.holder[move.index] = nobody;
        world.writer[move.index] = nobody;
        world.stakes[move.index] = 0;
        successor.state.world = m_worlds.add(world);
    }
    const Situation none;
    successor.isBroken = m_rule.isBrokenBy({move, none, none, change, 0}, successor.state.ghost);
    return successor;
}

Result<Model::Deed> Model::carryOut(WorldId worldId, ClientIndex client, int server, CommandId command)
{
    const DeedKey key {worldId, client, server, command};
    if (const auto known = m_deeds.find(key); known != m_deeds.end())
        return known->second;
    World world = m_worlds[worldId];
    const auto effect = m_testbed.carryOut(world.servers[at(server)], client, command);
    if (!effect)
        return failure(effect.error());

    Deed deed;
    deed.reply = effect->reply;
    const KeyState *before = m_testbed.snapshot(world.servers[at(server)]).find(m_subject.key.bytes());
    const KeyState *after = m_testbed.snapshot(effect->after).find(m_subject.key.bytes());
    deed.change = changeOf(before, after);
    deed.change.holder = world.holder[at(server)];
    deed.change.writer = world.writer[at(server)];
    if (after == nullptr) {
        world.holder[at(server)] = nobody;
        world.writer[at(server)] = nobody;
        world.stakes[at(server)] = 0;
    } else if (before == nullptr) {
        world.holder[at(server)] = static_cast<qint8>(client);
        world.writer[at(server)] = static_cast<qint8>(client);
    } else if (deed.change.happened()) {
        world.writer[at(server)] = static_cast<qint8>(client);
    }
    if (after != nullptr && client != nobody && (before == nullptr || deed.change.happened()))
        world.stakes[at(server)] = static_cast<quint8>(world.stakes[at(server)] | (1 << client));
    world.servers[at(server)] = effect->after;
    deed.after = m_worlds.add(world);
    m_deeds.emplace(key, deed);
    return deed;
}

WorldId Model::claimed(WorldId worldId, ClientIndex client)
{
    World world = m_worlds[worldId];
    for (std::size_t server = 0; server < world.writer.size(); ++server) {
        if (world.writer[server] == client)
            world.holder[server] = static_cast<qint8>(client);
    }
    return m_worlds.add(world);
}

Result<std::optional<Schedule>> Model::complaintAtEnd(const State &end)
{
    switch (m_rule.atEnd()) {
    case AtEnd::Nothing:
        return std::nullopt;
    case AtEnd::NextClientAcquires:
        return nextClientsVainAttempt(end);
    case AtEnd::NoDataWithoutLifetime:
    case AtEnd::NoKeyWithoutLifetime:
        break;
    }
    const bool isEveryKey = m_rule.atEnd() == AtEnd::NoKeyWithoutLifetime;
    const auto &keys = snapshot(end, 0).keys;
    const bool isBroken =
        std::ranges::any_of(keys, [&](const KeyState &key) { return !key.lifetime && (isEveryKey || isData(key)); });
    return isBroken ? std::optional(Schedule()) : std::nullopt;
}

/// Everything that can lapse does, one after the other: the moves. state: afterwards, what has come of it.
Result<Schedule> Model::lapseAll(State &state)
{
    Schedule schedule;
    for (int server = 0; server < m_subject.servers; ++server) {
        for (;;) {
            const auto &keys = snapshot(state, server).keys;
            const auto lapsing = std::ranges::find_if(keys, [&](const KeyState &key) {
                return key.lifetime || (key.key == m_subject.key.bytes() && passingDeadline(state, server));
            });
            if (lapsing == keys.end())
                break;
            Move move;
            move.kind = lapsing->lifetime ? Move::Kind::Lapse : Move::Kind::PassDeadline;
            move.index = static_cast<quint8>(server);
            move.key = static_cast<quint8>(lapsing - keys.begin());
            schedule.push_back(move);
            const auto successor = lapse(state, move);
            if (!successor)
                return failure(successor.error());
            state = successor->state;
        }
    }
    return schedule;
}

/// Everything lapses, and then one more client tries: the moves, where it does not get the lock.
Result<std::optional<Schedule>> Model::nextClientsVainAttempt(const State &end)
{
    State state = end;
    auto schedule = lapseAll(state);
    if (!schedule)
        return failure(std::move(schedule.error()));
    const ClientIndex next = m_subject.clients;
    while (isAlive(state, next)) {
        const Node &node = nodeOf(state, next);
        if (node.situation.isInside)
            return std::nullopt;
        Move move;
        move.client = static_cast<qint8>(next);
        move.kind = node.wait == Attempt::Wait::Clock ? Move::Kind::Clock
                  : node.wait == Attempt::Wait::Rest  ? Move::Kind::Rest
                                                      : Move::Kind::Command;
        schedule->push_back(move);
        const auto successor = stepClient(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
    }
    return *std::move(schedule);
}

} // namespace latchkey::races
