#include "core/races/search.h"

#include "core/base/avxstate.h"

#include <algorithm>
#include <random>

namespace latchkey::races {

using base::failure;
using base::Result;

namespace {

/// Between two looks at the clock.
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
    quint64 hash = mixed((quint64(state.world) << 32) | state.ghost);
    for (const NodeId node : state.nodes)
        hash = mixed(hash + node);
    return mixed(hash + state.secondsPassed);
}

} // namespace

Search::Search(Model &model, Bounds bounds)
    : m_model(model)
    , m_bounds(bounds)
    , m_index(1024, none)
    , m_firstEdge {0}
{
    add(m_model.start());
    m_parents.push_back(none);
    m_arrivals.emplace_back();
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
    while (!m_isDone) {
        for (int i = 0; i < statesPerSlice && !m_isDone; ++i) {
            const auto next = static_cast<StateId>(m_firstEdge.size() - 1);
            if (next == m_states.size()) {
                m_isComplete = true;
                m_isDone = true;
            } else if (m_states.size() >= m_bounds.states) {
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
    const State state = m_states[id];
    m_model.moves(state, m_moves);
    if (m_model.isQuiet(state)) {
        const auto complaint = m_model.complaintAtEnd(state);
        if (!complaint)
            return failure(complaint.error());
        if (*complaint) {
            m_counterexample = pathTo(id);
            m_counterexample->insert(m_counterexample->end(), (*complaint)->begin(), (*complaint)->end());
            m_isDone = true;
            m_moves.clear();
        }
    }
    for (const Move &move : m_moves) {
        const auto successor = m_model.apply(state, move);
        if (!successor)
            return failure(successor.error());
        const auto [next, isNew] = add(successor->state);
        if (isNew) {
            m_parents.push_back(id);
            m_arrivals.push_back(move);
        }
        m_edges.push_back(next);
        if (successor->isBroken) {
            m_counterexample = pathTo(id);
            m_counterexample->push_back(move);
            m_isDone = true;
            break;
        }
    }
    m_firstEdge.push_back(m_edges.size());
    return {};
}

Schedule Search::pathTo(StateId id) const
{
    Schedule path;
    for (; m_parents[id] != none; id = m_parents[id])
        path.push_back(m_arrivals[id]);
    std::ranges::reverse(path);
    return path;
}

double Search::schedules() const
{
    // From the ends backwards: a state has as many schedules as its successors together. Depth first, with a stack of
    // our own; there are no cycles, since nothing that happens can be taken back.
    const std::size_t expanded = m_firstEdge.size() - 1;
    std::vector<double> counts(m_states.size(), -1);
    for (std::size_t id = expanded; id < counts.size(); ++id)
        counts[id] = 1; // Reached, and then a bound ended the search.
    std::vector<std::pair<StateId, std::size_t>> stack;
    if (expanded > 0)
        stack.emplace_back(0, m_firstEdge[0]);
    while (!stack.empty()) {
        auto &[id, edge] = stack.back();
        const std::size_t end = m_firstEdge[id + 1];
        while (edge < end && counts[m_edges[edge]] >= 0)
            ++edge;
        if (edge < end) {
            const StateId next = m_edges[edge];
            stack.emplace_back(next, m_firstEdge[next]);
            continue;
        }
        double sum = 0;
        for (std::size_t i = m_firstEdge[id]; i < end; ++i)
            sum += counts[m_edges[i]];
        counts[id] = m_firstEdge[id] == end ? 1 : sum;
        stack.pop_back();
    }
    return std::max(1.0, counts.front());
}

Result<Schedule> Search::randomSchedule(quint32 seed) const
{
    std::mt19937 generator(seed);
    Schedule schedule;
    State state = m_model.start();
    std::vector<Move> moves;
    for (m_model.moves(state, moves); !moves.empty(); m_model.moves(state, moves)) {
        const Move move = moves[generator() % moves.size()];
        const auto successor = m_model.apply(state, move);
        if (!successor)
            return failure(successor.error());
        schedule.push_back(move);
        state = successor->state;
    }
    return schedule;
}

} // namespace latchkey::races
