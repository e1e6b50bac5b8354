#pragma once

#include "core/explore/races/strategy.h"
#include "core/explore/races/symmetry.h"

namespace latchkey::races {

/// A breadth-first search through every schedule of a model that visits each state once.
///
/// The search ends when a schedule breaks the promise or when all states are done. The order is breadth first, so that
/// the first violation found is a shortest one, not counting the moves of violationAtEnd(). If the recipe treats its
/// servers equally, states that differ only by a permutation of the servers are one state. step() works in slices.
/// Schedules are counted in the graph of states, because there are too many to enumerate. Owned by the Finder.
class Search final : public Strategy
{
public:
    struct Bounds
    {
        std::size_t states = 12'000'000; ///< Maximum number of stored states; at least 1.
    };

    /// Creates a search. `transitions`: not owned.
    Search(Transitions &transitions, Bounds bounds);

    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline) override;

    /// Returns a shortest schedule that breaks the promise, not counting the moves of violationAtEnd().
    [[nodiscard]] const std::optional<Schedule> &counterexample() const override { return m_counterexample; }
    [[nodiscard]] const std::optional<Schedule> &deadlock() const override { return m_deadlock; }
    [[nodiscard]] const std::optional<Schedule> &livelock() const override { return m_livelock; }
    /// Returns whether every state has been examined. False if a bound was reached or a counterexample ended the
    /// search.
    [[nodiscard]] bool isComplete() const override { return m_isComplete; }

    [[nodiscard]] std::size_t states() const override { return m_states.size(); }
    [[nodiscard]] int depth() const override { return m_depth; }
    [[nodiscard]] std::size_t steps() const override { return m_edges.size(); }
    /// Returns the number of schedules through the reached states.
    [[nodiscard]] double schedules() const override;
    [[nodiscard]] base::Result<Schedule> randomSchedule(quint32 seed) const override;

private:
    using StateId = quint32;
    static constexpr StateId none = 0xFFFFFFFF;

    /// Adds the state. Returns its number and whether it is new; `none` if it is new but the bound is reached.
    std::pair<StateId, bool> add(const State &state);
    [[nodiscard]] base::Result<void> expand(StateId id);
    /// A schedule from the start, the state it leads to, and the permutation of its servers relative to the stored
    /// state.
    struct Path
    {
        Schedule schedule;
        State end;
        Symmetry::Permutation permutation = 0;
    };
    [[nodiscard]] base::Result<Path> pathTo(StateId id);
    [[nodiscard]] base::Result<void> extendPath(Path &path, StateId from, const Move &move,
                                                Symmetry::Permutation permutation);
    [[nodiscard]] Move withOriginalServers(Move move, StateId from, const Path &path) const;
    [[nodiscard]] base::Result<bool> checkEnd(StateId id);
    [[nodiscard]] base::Result<void> checkDeadlock(StateId id);
    [[nodiscard]] base::Result<void> checkLivelock(StateId id);
    [[nodiscard]] bool hasCrash(const State &state) const;
    void growIndex();

    Transitions &m_transitions; // Not owned.
    const Model &m_model;       // Model of the transitions.
    Symmetry m_symmetry;
    const Bounds m_bounds;
    std::vector<State> m_states;
    std::vector<StateId> m_index; ///< Open addressing; `none` marks an empty slot.
    std::vector<StateId> m_parents;
    std::vector<Move> m_arrivals; ///< First move that reached each state.
    std::vector<Symmetry::Permutation>
        m_permutations;                   ///< Permutation of the servers at each arrival; empty without symmetry.
    std::vector<StateId> m_edges;         ///< Successors of all states, state by state.
    std::vector<std::size_t> m_firstEdge; ///< Offset of each expanded state's edges, and the end of the last one's.
    std::vector<Move> m_moves;            ///< Moves of the current state.
    std::size_t m_levelEnd = 1;           ///< First state of the next level, which is one move further from the start.
    int m_depth = 0;
    std::optional<Schedule> m_counterexample;
    std::optional<Schedule> m_deadlock;
    std::optional<Schedule> m_livelock;
    bool m_isComplete = false;
    bool m_isDone = false;
};

} // namespace latchkey::races
