#include "core/explore/races/deadlock.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

bool deadlockStep(const GraphNode::Pending &request)
{
    return request.waits && !request.timeout;
}

/// Returns whether the client may be blocked, as far as this is known without a request to the server.
bool mayBeBlocked(const Model &model, const State &state, ClientIndex client)
{
    const GraphNode &node = model.nodeOf(state, client);
    const bool exists = !node.requests.empty() || node.listening != 0;
    // Many programs listen only for a limited time, and may measure it by a clock that is not virtual.
    if (!exists || node.isAtCommandLimit || (node.listening != 0 && !model.areAllTimersKnown()))
        return false;
    return !node.timer && std::ranges::all_of(node.requests, deadlockStep)
        && !model.conversationWithMessage(state, client);
}

} // namespace

Result<std::optional<Schedule>> deadlock(Transitions &transitions, const State &state)
{
    const Model &model = transitions.model();
    std::vector<ClientIndex> living;
    for (ClientIndex client = 0; client < model.subject().clients; ++client) {
        if (!Model::isAlive(state, client))
            continue;
        if (!mayBeBlocked(model, state, client))
            return std::nullopt;
        living.push_back(client);
    }
    Schedule waits;
    for (const ClientIndex client : living) {
        for (std::size_t i = 0; i < model.nodeOf(state, client).requests.size(); ++i) {
            Move move;
            move.client = static_cast<qint8>(client);
            move.index = static_cast<quint8>(i);
            const auto successor = transitions.apply(state, move);
            if (!successor)
                return failure(successor.error());
            if (!successor->isWaiting)
                return std::nullopt;
            waits.push_back(move);
        }
    }
    return living.empty() ? std::nullopt : std::optional(std::move(waits));
}

} // namespace latchkey::races
