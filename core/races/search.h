#pragma once

#include "core/races/model.h"

#include <QDeadlineTimer>

namespace latchkey::races {

/// Goes through every schedule of a model, breadth first, each state once, until one breaks the promise or all are
/// done.
///
/// Breadth first, so that the first schedule that breaks it is a shortest one. It works in slices: step() for as long
/// as the caller likes. Schedules are counted over the graph of states, since there are more of them than could be
/// walked.
/// Owned by the Finder. The model is not owned.
class Search final
{
public:
    struct Bounds
    {
        std::size_t states = 12'000'000;
    };

    Search(Model &model, Bounds bounds);
    Q_DISABLE_COPY_MOVE(Search)

    /// Goes on until the deadline; whether it is done. Error: the server cannot be asked.
    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline);

    /// Once it is done: the shortest schedule that breaks the promise, if there is one.
    [[nodiscard]] const std::optional<Schedule> &counterexample() const { return m_counterexample; }
    /// Whether every state has been looked at; false where a bound was hit, or a counterexample ended the search.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }

    [[nodiscard]] std::size_t states() const { return m_states.size(); }
    /// Moves carried out.
    [[nodiscard]] std::size_t steps() const { return m_edges.size(); }
    /// How many schedules there are from the start to the end of all clients, through the states that were reached. A
    /// double, exact up to 2^53: there may be very many.
    [[nodiscard]] double schedules() const;
    /// A schedule from the start to the end, each of its moves drawn by chance. For a complete search.
    [[nodiscard]] base::Result<Schedule> randomSchedule(quint32 seed) const;

private:
    using StateId = quint32;
    static constexpr StateId none = 0xFFFFFFFF;

    /// The state's number, and whether it is new.
    std::pair<StateId, bool> add(const State &state);
    [[nodiscard]] base::Result<void> expand(StateId id);
    [[nodiscard]] Schedule pathTo(StateId id) const;
    void growIndex();

    Model &m_model; // Not owned.
    const Bounds m_bounds;
    std::vector<State> m_states;
    std::vector<StateId> m_index; ///< Open addressing; an empty place holds none.
    std::vector<StateId> m_parents;
    std::vector<Move> m_arrivals;         ///< The move by which each state was reached first.
    std::vector<StateId> m_edges;         ///< The successors of all states, one state after the other.
    std::vector<std::size_t> m_firstEdge; ///< Of each expanded state, and the end of the last one's.
    std::vector<Move> m_moves;            ///< Of the state under way.
    std::optional<Schedule> m_counterexample;
    bool m_isComplete = false;
    bool m_isDone = false;
};

} // namespace latchkey::races
