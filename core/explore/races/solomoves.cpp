#include "core/explore/races/solomoves.h"

#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Returns the index of the next request in round-robin order of the conversations.
std::size_t nextInTurn(const std::vector<GraphNode::Pending> &requests, int last)
{
    const auto next = std::ranges::find_if(
        requests, [last](const GraphNode::Pending &request) { return request.conversation > last; });
    return next == requests.end() ? 0 : static_cast<std::size_t>(next - requests.begin());
}

/// Returns the client's next command that does not block in the server. If all of them block, returns the last one.
Result<Move> nextCommand(Transitions &transitions, const State &state, ClientIndex client, int &served)
{
    const auto requests = transitions.model().nodeOf(state, client).requests; // A copy: the next call may add nodes.
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

} // namespace

SoloState soloStateOf(Transitions &transitions, const State &state, ClientIndex client, int served)
{
    Model &model = transitions.model();
    ServersState serversState = model.serversState(state);
    for (SnapshotId &id : serversState.servers) {
        Snapshot server = model.effectCache().snapshot(id);
        server.time = {};
        id = model.effectCache().number(std::move(server));
    }
    return {model.nodeOf(state, client).withoutTime, model.number(serversState), served};
}

Move timeAdvanceMove(const Model &model, const State &state)
{
    Move move;
    move.kind = advanceToTimer(model, state) ? Move::Kind::Timer : Move::Kind::Lapse;
    return move;
}

Result<Move> nextSoloMove(Transitions &transitions, const State &state, ClientIndex client, int &served)
{
    const Model &model = transitions.model();
    const GraphNode &node = model.nodeOf(state, client);
    Move move;
    move.client = static_cast<qint8>(client);
    if (const auto conversation = model.conversationWithMessage(state, client)) {
        move.kind = Move::Kind::Message;
        move.index = static_cast<quint8>(conversation->number);
    } else if (node.wait == Attempt::Wait::Clock) {
        move.kind = Move::Kind::Clock;
    } else if (node.wait == Attempt::Wait::Rest) {
        move.kind = Move::Kind::Rest;
    } else if (node.requests.empty()) {
        return timeAdvanceMove(model, state);
    } else {
        return nextCommand(transitions, state, client, served);
    }
    return move;
}

} // namespace latchkey::races
