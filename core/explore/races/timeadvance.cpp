#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Time after a moment at which the moment is certainly over.
constexpr auto beyond = 1ms;

bool isControlled(const Model &model)
{
    return model.subject().program && model.subject().program->isClockControlled();
}

std::optional<milliseconds> nextEnd(const Model &model, const State &state)
{
    std::optional<milliseconds> next;
    for (int server = 0; server < model.subject().servers; ++server) {
        for (const SnapshotKey &key : model.snapshot(state, server).keys) {
            if (const auto end = key.nextEnd(); end && (!next || *end < *next))
                next = end;
        }
    }
    return next;
}

bool isOf(const Ownership &owned, const TimeAdvance::Key &key)
{
    return owned.server == key.server && owned.key == key.key;
}

/// Returns whether the key ends within the interval, or loses a field.
bool endsIn(const TimeAdvance &advance, const Ownership &owned)
{
    return std::ranges::any_of(advance.ending, [&](const auto &key) { return isOf(owned, key); })
        || std::ranges::any_of(advance.endingFields, [&](const auto &field) { return isOf(owned, field.first); });
}

/// Returns whether another client that has begun can send a command.
bool canAnotherSend(const Model &model, const State &state, ClientIndex client)
{
    for (ClientIndex other = 0; other <= model.subject().clients; ++other) {
        if (other == client || !Model::isAlive(state, other) || !model.hasBegun(state, other))
            continue;
        if (std::ranges::any_of(model.nodeOf(state, other).requests, &GraphNode::Pending::isDue))
            return true;
    }
    return false;
}

/// Returns whether the command waits in the server for a key that does not exist, at least for that time.
bool blocksUntil(const Model &model, const State &state, const GraphNode::Pending &request, milliseconds time)
{
    if (request.isDue() || (request.timeout && *request.timeout < time))
        return false;
    const auto hasKey = [&](const resp::Command &command) {
        return std::ranges::any_of(command.words(), [&](const QByteArray &word) {
            return model.snapshot(state, request.server).find(word) != nullptr;
        });
    };
    return std::ranges::none_of(model.effectCache().commands(request.command), hasKey);
}

/// Returns whether the client certainly does nothing before that time, and continues at some time after it: it sleeps,
/// or waits in the server while no other client can send the awaited data.
bool isPausedUntil(const Model &model, const State &state, ClientIndex client, milliseconds time)
{
    const GraphNode &node = model.nodeOf(state, client);
    if (node.timer && *node.timer < time)
        return false;
    // Without timer steps, the other client sends the awaited data in time.
    const bool mayWait = node.requests.empty() || model.subject().program->limits().timerSteps > 0;
    const auto hasTimeout = [](const GraphNode::Pending &request) { return request.timeout.has_value(); };
    const bool continues = node.timer || std::ranges::any_of(node.requests, hasTimeout);
    const auto blocks = [&](const GraphNode::Pending &request) { return blocksUntil(model, state, request, time); };
    return continues && mayWait && std::ranges::all_of(node.requests, blocks)
        && (node.requests.empty() || !canAnotherSend(model, state, client));
}

std::optional<milliseconds> nextTimer(const Model &model, const State &state)
{
    std::optional<milliseconds> next;
    for (ClientIndex client = 0; client <= model.subject().clients; ++client) {
        // No time passes for the next client before it has begun.
        if (!Model::isAlive(state, client) || (client == model.subject().clients && !model.hasBegun(state, client)))
            continue;
        const GraphNode &node = model.nodeOf(state, client);
        if (node.timer && (!next || *node.timer < *next))
            next = node.timer;
        for (const GraphNode::Pending &request : node.requests) {
            if (request.timeout && !request.isDue() && (!next || *request.timeout < *next))
                next = request.timeout;
        }
    }
    return next;
}

} // namespace

std::vector<std::pair<int, resp::Command>> TimeAdvance::endingCommands() const
{
    std::vector<std::pair<int, resp::Command>> commands;
    for (const auto &[server, key] : ending) {
        if (commands.empty() || commands.back().first != server)
            commands.emplace_back(server, resp::Command {"DEL"});
        commands.back().second << key;
    }
    for (const auto &[key, field] : endingFields)
        commands.emplace_back(key.server, resp::Command {"HDEL", key.key, field});
    return commands;
}

std::optional<TimeAdvance> advanceToExpiry(const Model &model, const State &state)
{
    const auto end = nextEnd(model, state);
    if (!end)
        return isControlled(model) ? std::optional(TimeAdvance {24h, {}, {}}) : std::nullopt;
    TimeAdvance advance;
    advance.by = isControlled(model) ? *end + beyond : *end;
    for (int server = 0; server < model.subject().servers; ++server) {
        for (const SnapshotKey &key : model.snapshot(state, server).keys) {
            if (key.lifetime && *key.lifetime <= advance.by) {
                advance.ending.push_back({server, key.key});
                continue;
            }
            for (const auto &[field, left] : key.fieldEnds) {
                if (left <= advance.by)
                    advance.endingFields.emplace_back(TimeAdvance::Key {server, key.key}, field);
            }
        }
    }
    return advance;
}

std::optional<TimeAdvance> advanceToTimer(const Model &model, const State &state)
{
    if (!isControlled(model))
        return std::nullopt;
    const auto timer = nextTimer(model, state);
    if (!timer)
        return std::nullopt;
    const auto end = nextEnd(model, state);
    if (end && *end <= *timer + beyond)
        return std::nullopt;
    return TimeAdvance {*timer + beyond, {}, {}};
}

std::optional<ClientIndex> sleepingWriter(const Model &model, const State &state, const TimeAdvance::Key &key,
                                          milliseconds time)
{
    if (!isControlled(model))
        return std::nullopt;
    for (const Ownership &owned : model.serversState(state).owned) {
        if (!isOf(owned, key) || !Model::isAlive(state, owned.writer))
            continue;
        if (isPausedUntil(model, state, owned.writer, time))
            return owned.writer;
    }
    return std::nullopt;
}

bool endsDuringPauses(const Model &model, const State &state, const TimeAdvance &advance)
{
    if (advance.endsNothing())
        return false;
    const auto pauses = [&](const TimeAdvance::Key &key) {
        return sleepingWriter(model, state, key, advance.by).has_value();
    };
    return std::ranges::all_of(advance.ending, pauses)
        && std::ranges::all_of(advance.endingFields, [&](const auto &field) { return pauses(field.first); });
}

bool isReliedOn(const Model &model, const State &state, const TimeAdvance &advance)
{
    if (advance.endsNothing()) { // After a day, every time that a client may have stored is over.
        for (ClientIndex client = 0; client < model.subject().clients; ++client) {
            if (Model::isAlive(state, client) && model.hasBegun(state, client))
                return true;
        }
        return false;
    }
    return std::ranges::any_of(model.serversState(state).owned, [&](const Ownership &owned) {
        return Model::isAlive(state, owned.writer) && endsIn(advance, owned);
    });
}

} // namespace latchkey::races
