#pragma once

#include "core/races/strategy.h"
#include "core/races/symmetry.h"

namespace latchkey::races {

/// Goes through every schedule of a model, breadth first, each state once, until one breaks the promise or all are
/// done.
///
/// Breadth first, so that the first schedule that breaks it is a shortest one. States in which servers that the recipe
/// treats alike have changed places are one. It works in slices: step() for as long
/// as the caller likes. Schedules are counted over the graph of states, since there are more of them than could be
/// walked.
/// Owned by the Finder.
class Search final : public Strategy
{
public:
    struct Bounds
    {
        std::size_t states = 12'000'000; ///< The search ends before it keeps one more. At least 1.
    };

    /// transitions: not owned.
    Search(Transitions &transitions, Bounds bounds);

    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline) override;

    /// Of all that there are, a shortest.
    [[nodiscard]] const std::optional<Schedule> &counterexample() const override { return m_counterexample; }
    [[nodiscard]] const std::optional<Schedule> &standstill() const override { return m_standstill; }
    /// Whether every state has been looked at; false where a bound was hit, or a counterexample ended the search.
    [[nodiscard]] bool isComplete() const override { return m_isComplete; }

    [[nodiscard]] std::size_t states() const override { return m_states.size(); }
    [[nodiscard]] int depth() const override { return m_depth; }
    [[nodiscard]] std::size_t steps() const override { return m_edges.size(); }
    /// Through the states that were reached.
    [[nodiscard]] double schedules() const override;
    [[nodiscard]] base::Result<Schedule> randomSchedule(quint32 seed) const override;

private:
    using StateId = quint32;
    static constexpr StateId none = 0xFFFFFFFF;

    /// The state's number, and whether it is new; none where it would be, and the bound does not allow one more.
    std::pair<StateId, bool> add(const State &state);
    [[nodiscard]] base::Result<void> expand(StateId id);
    /// A schedule from the start, with the state that it leads to and how its servers are turned for the one that the
    /// search has kept.
    struct Path
    {
        Schedule schedule;
        State end;
        Symmetry::Turn turn = 0;
    };
    [[nodiscard]] base::Result<Path> pathTo(StateId id);
    [[nodiscard]] base::Result<void> follow(Path &path, StateId from, const Move &move, Symmetry::Turn turn);
    [[nodiscard]] Move turnedBack(Move move, StateId from, const Path &path) const;
    [[nodiscard]] base::Result<bool> checkEnd(StateId id);
    [[nodiscard]] base::Result<void> checkStandstill(StateId id);
    void growIndex();

    Transitions &m_transitions; // Not owned.
    const Model &m_model;       // Of the transitions.
    Symmetry m_symmetry;
    const Bounds m_bounds;
    std::vector<State> m_states;
    std::vector<StateId> m_index; ///< Open addressing; an empty place holds none.
    std::vector<StateId> m_parents;
    std::vector<Move> m_arrivals;         ///< The move by which each state was reached first.
    std::vector<Symmetry::Turn> m_turns;  ///< How the servers were turned then; empty where they never are.
    std::vector<StateId> m_edges;         ///< The successors of all states, one state after the other.
    std::vector<std::size_t> m_firstEdge; ///< Of each expanded state, and the end of the last one's.
    std::vector<Move> m_moves;            ///< Of the state under way.
    std::size_t m_levelEnd = 1;           ///< Of the states from here on each is a move further from the start.
    int m_depth = 0;
    std::optional<Schedule> m_counterexample;
    std::optional<Schedule> m_standstill;
    bool m_isComplete = false;
    bool m_isDone = false;
};

} // namespace latchkey::races
