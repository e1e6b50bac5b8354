#include "core/races/endcheck.h"

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

/// Of what the client can send, the next in turn: one of its conversations after the other.
std::size_t nextInTurn(const std::vector<Node::Pending> &requests, int last)
{
    const auto next =
        std::ranges::find_if(requests, [last](const Node::Pending &request) { return request.conversation > last; });
    return next == requests.end() ? 0 : static_cast<std::size_t>(next - requests.begin());
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
    const ClientIndex next = model.subject().clients;
    std::vector<std::pair<State, int>> seen;
    int served = -1; // The conversation that was answered last.
    while (Model::isAlive(state, next) && std::ranges::find(seen, std::pair(state, served)) == seen.end()) {
        seen.emplace_back(state, served); // A program that tries in vain for ever comes back to where it has been.
        const Node &node = model.nodeOf(state, next);
        if (node.situation.isInside || (node.wait == Attempt::Wait::Commands && node.requests.empty()))
            return std::nullopt;
        Move move;
        move.client = static_cast<qint8>(next);
        move.kind = node.wait == Attempt::Wait::Clock ? Move::Kind::Clock
                  : node.wait == Attempt::Wait::Rest  ? Move::Kind::Rest
                                                      : Move::Kind::Command;
        if (move.kind == Move::Kind::Command) {
            const std::size_t index = nextInTurn(node.requests, served);
            move.index = static_cast<quint8>(index);
            served = node.requests[index].conversation;
        }
        schedule->push_back(move);
        const auto step = transitions.clientStep(state, move);
        const auto successor = transitions.apply(state, move);
        if (!step || !successor)
            return failure(step ? successor.error() : step.error());
        if (model.graph(move.client)[step->to].situation.endsInside)
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
