#include "core/explore/races/livelock.h"

#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Maximum number of moves. Clients with unrelated waits may need many until all of them are at an earlier point.
constexpr std::size_t maxMoves = 120;

bool hasEqualKeys(const Model &model, const State &one, const State &other)
{
    for (int server = 0; server < model.subject().servers; ++server) {
        const Snapshot &ours = model.snapshot(one, server);
        const Snapshot &theirs = model.snapshot(other, server);
        if (ours.keys != theirs.keys || ours.connections != theirs.connections)
            return false;
    }
    return true;
}

/// Returns whether the future depends on the clients alone. Each client has begun, and none has crashed, is about to
/// end or has been cut off. No lifetime can end, and no message is under way.
bool dependsOnClientsAlone(const Model &model, const State &state)
{
    for (int server = 0; server < model.subject().servers; ++server) {
        const Snapshot &snapshot = model.snapshot(state, server);
        const auto ends = [](const SnapshotKey &key) { return key.nextEnd().has_value(); };
        if (std::ranges::any_of(snapshot.keys, ends)
            || std::ranges::any_of(snapshot.connections, &ConnectionState::listens))
            return false;
    }
    bool isAnyAlive = false;
    for (ClientIndex client = 0; client < model.subject().clients; ++client) {
        const GraphNode &node = model.nodeOf(state, client);
        if (state.nodes[toIndex(client)] == ClientGraph::crashed || !model.hasBegun(state, client)
            || node.isAtCommandLimit || node.wait == Attempt::Wait::Rest)
            return false;
        isAnyAlive = isAnyAlive || Model::isAlive(state, client);
    }
    return isAnyAlive;
}

/// A round-robin run of all living clients. It ends at the first change of a key.
class Repetition final
{
public:
    Repetition(Transitions &transitions, const State &state)
        : m_transitions(transitions)
        , m_model(transitions.model())
        , m_start(state)
        , m_state(state)
    {}

    [[nodiscard]] Result<std::optional<Schedule>> run()
    {
        std::vector<std::pair<std::array<NodeId, maxClients>, ClientIndex>> seen;
        auto passedAt = seen; // Points at which time was advanced, although a client could send a command.
        Schedule schedule;
        while (schedule.size() < maxMoves) {
            const std::pair place(m_state.nodes, m_last);
            if (const auto before = std::ranges::find(seen, place); before != seen.end()) {
                const auto round = static_cast<std::size_t>(seen.end() - before);
                const bool hasPassed =
                    std::ranges::any_of(schedule.end() - (seen.end() - before), schedule.end(),
                                        [](const Move &move) { return move.kind == Move::Kind::Timer; });
                const bool isNew = std::ranges::find(passedAt, place) == passedAt.end();
                if (!hasPassed && isNew && advanceToTimer(m_model, m_state)) { // A sleeping client may change a key.
                    passedAt.push_back(place);
                    const auto passed = advanceTime();
                    if (!passed || !*passed)
                        return passed ? Result<std::optional<Schedule>>(std::nullopt) : failure(passed.error());
                    schedule.push_back(**passed);
                    seen.clear();
                    continue;
                }
                // A point is reached again only after some equal rounds. The first one is enough for the story.
                schedule.resize(std::max(round, schedule.size() - std::min(schedule.size(), 3 * round)));
                return schedule;
            }
            seen.push_back(place);
            const auto move = advance();
            if (!move)
                return failure(move.error());
            if (!*move)
                return std::nullopt;
            schedule.push_back(**move);
        }
        return std::nullopt;
    }

private:
    /// Carries out the next move. Absent: none, or it changes a key or ends a client.
    [[nodiscard]] Result<std::optional<Move>> advance()
    {
        for (int i = 1; i <= m_model.subject().clients; ++i) {
            const ClientIndex client = (m_last + i) % m_model.subject().clients;
            const std::size_t requests = m_model.nodeOf(m_state, client).requests.size();
            if (!Model::isAlive(m_state, client) || requests == 0)
                continue;
            if (requests > 1)
                return std::nullopt; // The threads of a client may do more than repeat.
            Move move;
            move.client = static_cast<qint8>(client);
            const auto isDone = carryOut(move);
            if (!isDone)
                return failure(isDone.error());
            if (m_isOver)
                return std::nullopt;
            if (*isDone)
                return move;
        }
        return advanceTime();
    }

    /// Advances the time to the next timer. Absent: none, or the move changes a key or ends a client.
    [[nodiscard]] Result<std::optional<Move>> advanceTime()
    {
        if (!advanceToTimer(m_model, m_state))
            return std::nullopt;
        Move advance;
        advance.kind = Move::Kind::Timer;
        const auto isDone = carryOut(advance);
        if (!isDone)
            return failure(isDone.error());
        return *isDone && !m_isOver ? std::optional(advance) : std::nullopt;
    }

    /// Returns whether the move was made. Not made: the client waits in the server.
    [[nodiscard]] Result<bool> carryOut(const Move &move)
    {
        const auto successor = m_transitions.apply(m_state, move);
        if (!successor)
            return failure(successor.error());
        if (successor->isWaiting)
            return false;
        const auto isAtCommandLimit = [&](ClientIndex client) {
            return Model::isAlive(m_start, client)
                && (!Model::isAlive(successor->state, client)
                    || m_model.nodeOf(successor->state, client).isAtCommandLimit);
        };
        for (ClientIndex client = 0; client < m_model.subject().clients; ++client)
            m_isOver = m_isOver || isAtCommandLimit(client);
        m_isOver = m_isOver || !hasEqualKeys(m_model, m_start, successor->state);
        m_state = successor->state;
        m_state.clockOrCounters = m_start.clockOrCounters; // The limits of the search do not apply.
        m_last = move.client == noClient ? m_last : move.client;
        return true;
    }

    Transitions &m_transitions; // Not owned.
    const Model &m_model;       // Model of the transitions.
    const State m_start;
    State m_state;
    ClientIndex m_last = 0; ///< Client that moved last.
    bool m_isOver = false;
};

} // namespace

Result<std::optional<Schedule>> livelock(Transitions &transitions, const State &state)
{
    if (!dependsOnClientsAlone(transitions.model(), state))
        return std::nullopt;
    return Repetition(transitions, state).run();
}

Result<std::vector<ClientIndex>> livingAfter(Transitions &transitions, const Schedule &schedule)
{
    State state = transitions.model().start();
    for (const Move &move : schedule) {
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
    }
    std::vector<ClientIndex> living;
    for (ClientIndex client = 0; client < transitions.model().subject().clients; ++client) {
        if (Model::isAlive(state, client))
            living.push_back(client);
    }
    return living;
}

} // namespace latchkey::races
