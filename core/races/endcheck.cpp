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

/// Everything lapses, and then one more client tries: the moves, where it does not get the lock.
Result<std::optional<Schedule>> nextClientsVainAttempt(Transitions &transitions, const State &end)
{
    const Model &model = transitions.model();
    State state = end;
    auto schedule = lapseAll(transitions, state);
    if (!schedule)
        return failure(std::move(schedule.error()));
    const ClientIndex next = model.subject().clients;
    std::vector<State> seen;
    while (Model::isAlive(state, next) && std::ranges::find(seen, state) == seen.end()) {
        seen.push_back(state); // A program that tries in vain for ever comes back to where it has been.
        const Node &node = model.nodeOf(state, next);
        if (node.situation.isInside)
            return std::nullopt;
        Move move;
        move.client = static_cast<qint8>(next);
        move.kind = node.wait == Attempt::Wait::Clock ? Move::Kind::Clock
                  : node.wait == Attempt::Wait::Rest  ? Move::Kind::Rest
                                                      : Move::Kind::Command;
        schedule->push_back(move);
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
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
        return !key.lifetime && (expected == AtEnd::NoKeyWithoutLifetime || model.subject().isData(key));
    };
    return std::ranges::any_of(model.snapshot(end, 0).keys, isLeftForEver) ? std::optional(Schedule()) : std::nullopt;
}

} // namespace latchkey::races
