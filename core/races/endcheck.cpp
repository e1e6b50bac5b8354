#include "core/races/endcheck.h"

#include "core/races/passing.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Everything that can lapse does, one after the other: the moves. state: afterwards, what has come of it.
Result<Schedule> lapseAll(Transitions &transitions, State &state)
{
    const Model &model = transitions.model();
    Schedule schedule;
    for (int server = 0; server < model.subject().servers; ++server) {
        for (;;) {
            const auto &keys = model.snapshot(state, server).keys;
            const auto lapsing = std::ranges::find_if(keys, [&](const KeyState &key) {
                return key.lifetime || (key.key == model.subject().key.bytes() && model.passingDeadline(state, server));
            });
            if (lapsing == keys.end())
                break;
            Move move;
            move.kind = lapsing->lifetime ? Move::Kind::Lapse : Move::Kind::PassDeadline;
            move.index = static_cast<quint8>(server);
            move.key = static_cast<quint8>(lapsing - keys.begin());
            schedule.push_back(move);
            const auto successor = transitions.apply(state, move);
            if (!successor)
                return failure(successor.error());
            state = successor->state;
        }
    }
    return schedule;
}

/// What the next client's future hangs on. However late it gets, a lock that never ends is not free.
struct Place
{
    NodeId node = ClientGraph::root;
    WorldId world = 0;
    int served = -1; ///< The conversation that was answered last.

    friend bool operator==(const Place &, const Place &) = default;
};

Place placeOf(Transitions &transitions, const State &state, ClientIndex client, int served)
{
    Model &model = transitions.model();
    World world = model.world(state);
    Snapshot server = model.snapshot(state, 0);
    if (server.time.count() > 0) {
        server.time = {};
        world.servers[0] = model.testbed().number(std::move(server));
    }
    return {Model::positionOf(state, client), model.number(world), served};
}

/// The next client begins a day later: the moves. state: afterwards, what has come of it.
Result<Schedule> beginTheNextDay(Transitions &transitions, State &state)
{
    const Model &model = transitions.model();
    if (!model.subject().foreign || !model.subject().foreign->isClockControlled())
        return Schedule();
    Move passing;
    passing.kind = Move::Kind::Lapse; // Of which none is left.
    Move beginning;
    beginning.kind = Move::Kind::Begin;
    beginning.client = static_cast<qint8>(model.subject().clients);
    for (const Move &move : {passing, beginning}) {
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
    }
    return Schedule {passing, beginning};
}

/// Of what the client can send, the next in turn: one of its conversations after the other.
std::size_t nextInTurn(const std::vector<Node::Pending> &requests, int last)
{
    const auto next =
        std::ranges::find_if(requests, [last](const Node::Pending &request) { return request.conversation > last; });
    return next == requests.end() ? 0 : static_cast<std::size_t>(next - requests.begin());
}

/// Its next command, of one that does not wait for what is not there; where all do, the last of these.
Result<Move> nextCommand(Transitions &transitions, const State &state, ClientIndex client, int &served)
{
    const auto requests = transitions.model().nodeOf(state, client).requests; // A copy: there may be more nodes soon.
    Move move;
    move.client = static_cast<qint8>(client);
    const std::size_t first = nextInTurn(requests, served);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const std::size_t index = (first + i) % requests.size();
        move.index = static_cast<quint8>(index);
        if (requests[index].isDue()) {
            served = requests[index].conversation;
            break;
        }
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        if (!successor->isWaiting) {
            served = requests[index].conversation;
            break;
        }
    }
    return move;
}

/// To the next moment for which somebody waits.
Move passing(const Model &model, const State &state)
{
    Move move;
    move.kind = passingToTimer(model, state) ? Move::Kind::Timer : Move::Kind::Lapse;
    return move;
}

/// What the client does next that nobody disturbs. served: afterwards, the conversation that it has in its turn.
Result<Move> nextMove(Transitions &transitions, const State &state, ClientIndex client, int &served)
{
    const Model &model = transitions.model();
    const Node &node = model.nodeOf(state, client);
    Move move;
    move.client = static_cast<qint8>(client);
    if (const auto conversation = model.snapshot(state, 0).conversationToBeTold(client)) {
        move.kind = Move::Kind::Message;
        move.index = static_cast<quint8>(*conversation);
    } else if (node.wait == Attempt::Wait::Clock) {
        move.kind = Move::Kind::Clock;
    } else if (node.wait == Attempt::Wait::Rest) {
        move.kind = Move::Kind::Rest;
    } else if (node.requests.empty()) {
        return passing(model, state);
    } else {
        return nextCommand(transitions, state, client, served);
    }
    return move;
}

/// Whether there is a moment yet to come that anybody waits for.
bool goesOnInTime(const Model &model, const State &state)
{
    return passingToTimer(model, state) || std::ranges::any_of(model.snapshot(state, 0).keys, [](const KeyState &key) {
               return key.lifetime.has_value();
           });
}

bool givesUp(const Node::Pending &request)
{
    return request.patience.has_value();
}

/// Whether the client is over by the move without having said that it was outside again.
Result<bool> comesToEndInside(Transitions &transitions, const State &state, const Move &move, ClientIndex client)
{
    if (move.client != client)
        return false;
    const auto step = transitions.clientStep(state, move);
    if (!step)
        return failure(step.error());
    return transitions.model().graph(client)[step->to].situation.endsInside;
}

/// Everything lapses, and then one more client tries: the moves, where it does not get the lock. Nothing where it does,
/// and where it is followed no further before that is decided.
Result<std::optional<Schedule>> nextClientsVainAttempt(Transitions &transitions, const State &end)
{
    const Model &model = transitions.model();
    State state = end;
    auto schedule = lapseAll(transitions, state);
    if (!schedule)
        return failure(std::move(schedule.error()));
    const auto beginning = beginTheNextDay(transitions, state);
    if (!beginning)
        return failure(beginning.error());
    schedule->insert(schedule->end(), beginning->begin(), beginning->end());
    const ClientIndex next = model.subject().clients;
    std::vector<Place> seen;
    int served = -1; // The conversation that was answered last.
    while (Model::isAlive(state, next)) {
        const Place place = placeOf(transitions, state, next, served);
        if (std::ranges::find(seen, place) != seen.end())
            break; // A program that tries in vain for ever comes back to where it has been.
        seen.push_back(place);
        const Node &node = model.nodeOf(state, next);
        if (node.situation.isInside || node.isCut)
            return std::nullopt;
        const bool listensOn = node.wait == Attempt::Wait::Commands && node.requests.empty() && !node.timer
                            && !model.snapshot(state, 0).conversationToBeTold(next);
        if (listensOn && !model.knowsEveryMoment())
            return std::nullopt; // Many listen for a while only, by a clock that may not be ours.
        if (listensOn)
            break; // For ever.
        auto move = nextMove(transitions, state, next, served);
        if (!move)
            return failure(move.error());
        auto successor = transitions.apply(state, *move);
        if (successor && successor->isWaiting) {
            if (!goesOnInTime(model, state)) {
                if (std::ranges::any_of(model.nodeOf(state, next).requests, givesUp))
                    return std::nullopt; // By a clock that is not ours.
                schedule->push_back(*move);
                break; // For ever.
            }
            move = passing(model, state);
            successor = transitions.apply(state, *move);
        }
        if (!successor)
            return failure(successor.error());
        schedule->push_back(*move);
        const auto endsInside = comesToEndInside(transitions, state, *move, next);
        if (!endsInside)
            return failure(endsInside.error());
        if (*endsInside)
            return std::nullopt;
        state = successor->state;
    }
    return *std::move(schedule);
}

} // namespace

Result<std::optional<Schedule>> complaintAtEnd(Transitions &transitions, const State &end)
{
    const Model &model = transitions.model();
    const AtEnd expected = model.rule().atEnd();
    if (expected == AtEnd::Nothing)
        return std::nullopt;
    if (expected == AtEnd::NextClientAcquires)
        return nextClientsVainAttempt(transitions, end);
    const auto isLeftForEver = [&](const KeyState &key) {
        return !key.lifetime && (expected == AtEnd::NoKeyWithoutLifetime || model.subject().mustExpire(key));
    };
    return std::ranges::any_of(model.snapshot(end, 0).keys, isLeftForEver) ? std::optional(Schedule()) : std::nullopt;
}

} // namespace latchkey::races
