#include "core/explore/races/search.h"

#include "core/explore/races/deadlock.h"
#include "core/explore/races/endcheck.h"
#include "core/explore/races/livelock.h"
#include "core/explore/races/moves.h"
#include "core/explore/races/randomwalks.h"
#include "core/explore/races/serverfaults.h"
#include "core/foundation/base/avxstate.h"

#include <algorithm>
#include <ranges>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Number of states between two readings of the clock.
constexpr int statesPerSlice = 64;

quint64 mixed(quint64 value)
{
    // The finaliser of splitmix64 (Steele, Lea and Flood 2014).
    value ^= value >> 30;
    value *= 0xBF58476D1CE4E5B9;
    value ^= value >> 27;
    value *= 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

std::size_t hashOf(const State &state)
{
    quint64 hash = mixed((quint64(state.serversState) << 32) | state.ruleState);
    for (const NodeId node : state.nodes)
        hash = mixed(hash + node);
    return mixed(hash + state.clockOrCounters);
}

} // namespace

Search::Search(Transitions &transitions, Bounds bounds)
    : m_transitions(transitions)
    , m_model(transitions.model())
    , m_symmetry(transitions.model())
    , m_bounds(bounds)
    , m_index(1024, none)
    , m_firstEdge {0}
{
    add(m_model.start());
    m_parents.push_back(none);
    m_arrivals.emplace_back();
    if (m_symmetry.permutationCount() > 1)
        m_permutations.push_back(0);
}

std::pair<Search::StateId, bool> Search::add(const State &state)
{
    if ((m_states.size() + 1) * 4 > m_index.size() * 3)
        growIndex();
    const std::size_t mask = m_index.size() - 1;
    std::size_t at = hashOf(state) & mask;
    for (; m_index[at] != none; at = (at + 1) & mask) {
        if (m_states[m_index[at]] == state)
            return {m_index[at], false};
    }
    if (m_states.size() >= m_bounds.states)
        return {none, true};
    const auto id = static_cast<StateId>(m_states.size());
    m_index[at] = id;
    m_states.push_back(state);
    return {id, true};
}

void Search::growIndex()
{
    m_index.assign(m_index.size() * 2, none);
    const std::size_t mask = m_index.size() - 1;
    for (StateId id = 0; id < m_states.size(); ++id) {
        std::size_t at = hashOf(m_states[id]) & mask;
        while (m_index[at] != none)
            at = (at + 1) & mask;
        m_index[at] = id;
    }
}

Result<bool> Search::step(QDeadlineTimer deadline)
{
    // A new state may require a program start.
    const int states = m_model.subject().program ? 1 : statesPerSlice;
    while (!m_isDone) {
        for (int i = 0; i < states && !m_isDone; ++i) {
            const auto next = static_cast<StateId>(m_firstEdge.size() - 1);
            if (next == m_states.size()) {
                m_isComplete = true;
                m_isDone = true;
            } else if (const auto expanded = expand(next); !expanded) {
                return failure(expanded.error());
            }
        }
        if (deadline.hasExpired())
            break;
    }
    return m_isDone;
}

Result<void> Search::expand(StateId id)
{
    base::leaveAvxState();
    if (id == m_levelEnd) {
        m_levelEnd = m_states.size();
        ++m_depth;
    }
    const State state = m_states[id];
    possibleMoves(m_model, state, m_moves);
    if (m_model.isQuiet(state)) {
        const auto isBroken = checkEnd(id);
        if (!isBroken)
            return failure(isBroken.error());
        if (*isBroken)
            m_moves.clear();
    }
    if (auto checked = checkDeadlock(id); !checked)
        return checked;
    if (auto checked = checkLivelock(id); !checked)
        return checked;
    for (const Move &move : m_moves) {
        const auto successor = m_transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        if (successor->isWaiting)
            continue;
        Symmetry::PermutedState reached {successor->state, 0};
        if (m_symmetry.permutationCount() > 1) {
            const auto permuted = m_symmetry.permuted(successor->state);
            if (!permuted)
                return failure(permuted.error());
            reached = *permuted;
        }
        if (successor->isBroken) {
            auto path = pathTo(id);
            if (!path)
                return failure(std::move(path.error()));
            if (auto followed = extendPath(*path, id, move, reached.permutation); !followed)
                return followed;
            m_counterexample = std::move(path->schedule);
            m_isDone = true;
        }
        const auto [next, isNew] = add(reached.state);
        if (next == none) {
            m_isDone = true;
            break;
        }
        if (isNew) {
            m_parents.push_back(id);
            m_arrivals.push_back(move);
            if (m_symmetry.permutationCount() > 1)
                m_permutations.push_back(reached.permutation);
        }
        if (next != id) // A client that retries without success has made no progress.
            m_edges.push_back(next);
        if (m_isDone)
            break;
    }
    m_firstEdge.push_back(m_edges.size());
    return {};
}

/// Records the first deadlock, which is the shortest: states are visited in the order of their distance. A deadlock
/// after a crash is replaced by one without.
Result<void> Search::checkDeadlock(StateId id)
{
    if (!m_model.subject().program)
        return {};
    if (m_deadlock && (crashes(*m_deadlock) == 0 || hasCrash(m_states[id])))
        return {};
    const auto waits = races::deadlock(m_transitions, m_states[id]);
    if (!waits)
        return failure(waits.error());
    if (!*waits)
        return {};
    auto path = pathTo(id);
    if (!path)
        return failure(std::move(path.error()));
    Schedule found = std::move(path->schedule);
    found.insert(found.end(), (*waits)->begin(), (*waits)->end());
    if (!m_deadlock || isBetterDeadlock(found, *m_deadlock))
        m_deadlock = std::move(found);
    return {};
}

/// Records the first livelock.
Result<void> Search::checkLivelock(StateId id)
{
    if (!m_model.subject().program || m_livelock)
        return {};
    const auto repeated = races::livelock(m_transitions, m_states[id]);
    if (!repeated)
        return failure(repeated.error());
    if (!*repeated)
        return {};
    auto path = pathTo(id);
    if (!path)
        return failure(std::move(path.error()));
    m_livelock = std::move(path->schedule);
    m_livelock->insert(m_livelock->end(), (*repeated)->begin(), (*repeated)->end());
    return {};
}

bool Search::hasCrash(const State &state) const
{
    for (ClientIndex client = 0; client < m_model.subject().clients; ++client) {
        if (Model::positionOf(state, client) == ClientGraph::crashed)
            return true;
    }
    return false;
}

/// Checks the rule in a state in which no client is under way. A violation becomes the counterexample.
Result<bool> Search::checkEnd(StateId id)
{
    const auto violation = violationAtEnd(m_transitions, m_states[id]);
    if (!violation)
        return failure(violation.error());
    if (!*violation)
        return false;
    auto path = pathTo(id);
    if (!path)
        return failure(std::move(path.error()));
    const auto shown = violationAtEnd(m_transitions, path->end);
    if (!shown)
        return failure(shown.error());
    m_counterexample = std::move(path->schedule);
    m_counterexample->insert(m_counterexample->end(), (*shown)->begin(), (*shown)->end());
    m_isDone = true;
    return true;
}

Result<Search::Path> Search::pathTo(StateId id)
{
    std::vector<StateId> stations;
    for (; m_parents[id] != none; id = m_parents[id])
        stations.push_back(id);
    Path path {{}, m_model.start(), 0};
    for (const StateId station : std::views::reverse(stations)) {
        const Symmetry::Permutation permutation =
            m_permutations.empty() ? Symmetry::Permutation(0) : m_permutations[station];
        if (auto followed = extendPath(path, m_parents[station], m_arrivals[station], permutation); !followed)
            return failure(std::move(followed.error()));
    }
    return path;
}

/// Extends the path by a move that the search made from `from`, the stored state for the path's end. `permutation`:
/// permutation of the servers after the move.
Result<void> Search::extendPath(Path &path, StateId from, const Move &move, Symmetry::Permutation permutation)
{
    const Move real = withOriginalServers(move, from, path);
    const auto successor = m_transitions.apply(path.end, real);
    if (!successor)
        return failure(successor.error());
    path.schedule.push_back(real);
    path.end = successor->state;
    path.permutation = m_symmetry.composed(path.permutation, permutation);
    return {};
}

/// Translates the move to the path's end, where the servers have their original order.
Move Search::withOriginalServers(Move move, StateId from, const Path &path) const
{
    if (path.permutation == 0)
        return move;
    if (move.kind == Move::Kind::Lapse || move.kind == Move::Kind::PassDeadline || isServerFault(move.kind)) {
        move.index = static_cast<quint8>(m_symmetry.preimageOf(move.index, path.permutation));
    } else if (move.kind == Move::Kind::Command || move.kind == Move::Kind::UnreachedCommand
               || move.kind == Move::Kind::LostCommand) {
        const auto requestsIn = [&](const State &state) -> const std::vector<GraphNode::Pending> & {
            const GraphNode &node = m_model.nodeOf(state, move.client);
            return move.branch == Move::noBranch ? node.requests
                                                 : m_model.graph(move.client)[node.branches[move.branch]].requests;
        };
        const int server = m_symmetry.preimageOf(requestsIn(m_states[from])[move.index].server, path.permutation);
        const auto &requests = requestsIn(path.end);
        move.index =
            static_cast<quint8>(std::ranges::find(requests, server, &GraphNode::Pending::server) - requests.begin());
    }
    return move;
}

double Search::schedules() const
{
    // Counts from the ends backwards: a state has as many schedules as all its successors together. Depth first, with
    // an explicit stack. Moves cannot be undone, so the only cycles are retries of programs. A schedule that returns to
    // an earlier state is not counted.
    constexpr double underWay = -2;
    const std::size_t expanded = m_firstEdge.size() - 1;
    std::vector<double> counts(m_states.size(), -1);
    for (std::size_t id = expanded; id < counts.size(); ++id)
        counts[id] = 1; // Reached but not expanded, because a bound ended the search.
    std::vector<std::pair<StateId, std::size_t>> stack;
    if (expanded > 0)
        stack.emplace_back(0, m_firstEdge[0]);
    while (!stack.empty()) {
        auto &[id, edge] = stack.back();
        const std::size_t end = m_firstEdge[id + 1];
        while (edge < end && counts[m_edges[edge]] != -1)
            ++edge;
        if (edge < end) {
            const StateId next = m_edges[edge];
            counts[id] = underWay;
            stack.emplace_back(next, m_firstEdge[next]);
            continue;
        }
        double sum = 0;
        for (std::size_t i = m_firstEdge[id]; i < end; ++i)
            sum += std::max(0.0, counts[m_edges[i]]);
        counts[id] = m_firstEdge[id] == end ? 1 : sum;
        stack.pop_back();
    }
    return std::max(1.0, counts.front());
}

Result<Schedule> Search::randomSchedule(quint32 seed) const
{
    // A client that retries forever returns to the same state. Its retries are observed only up to a limit.
    constexpr int maxVisits = 50;
    std::vector<std::pair<State, int>> visits;
    return RandomWalks::walk(m_transitions, seed, [&](const Schedule &, const Successor &reached) {
        if (!m_model.subject().program)
            return false;
        const auto known = std::ranges::find(visits, reached.state, &std::pair<State, int>::first);
        if (known != visits.end())
            return ++known->second == maxVisits;
        visits.emplace_back(reached.state, 1);
        return false;
    });
}

} // namespace latchkey::races
