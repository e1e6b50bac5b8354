#pragma once

#include "core/explore/races/strategy.h"
#include "core/explore/races/transitions.h"

#include <functional>
#include <random>

namespace latchkey::races {

/// A strategy that examines a number of random schedules, for models with too many schedules to examine all.
///
/// Each move is drawn uniformly from the possible moves, so faults are as likely as steps. The strategy finds
/// violations that occur in many schedules. It makes no statement about the other schedules, so isComplete() is always
/// false. It continues after the first violation to find a shorter one. No schedule is followed beyond the length of
/// the shortest violation. Owned by the Finder; the transitions are not owned.
class RandomWalks final : public Strategy
{
public:
    /// Creates a strategy. `walks`: at least 1. `seed`: the same seed gives the same schedules.
    RandomWalks(Transitions &transitions, std::size_t walks, quint32 seed);

    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline) override;
    [[nodiscard]] const std::optional<Schedule> &counterexample() const override { return m_shortest; }
    [[nodiscard]] const std::optional<Schedule> &deadlock() const override { return m_deadlock; }
    /// Returns nothing: a random schedule is not examined for repetitions.
    [[nodiscard]] const std::optional<Schedule> &livelock() const override { return m_livelock; }
    [[nodiscard]] bool isComplete() const override { return false; }
    [[nodiscard]] std::size_t states() const override { return m_walked; }
    [[nodiscard]] std::size_t steps() const override { return m_steps; }
    [[nodiscard]] int depth() const override { return m_depth; }
    [[nodiscard]] double schedules() const override { return static_cast<double>(m_walked); }
    [[nodiscard]] base::Result<Schedule> randomSchedule(quint32 seed) const override;

    /// A function that is called after each move of a walk. Returns whether the walk ends there.
    using Visit = std::function<base::Result<bool>(const Schedule &path, const Successor &reached)>;
    /// Makes random moves until all clients are over, until `visit` ends the walk, or up to 1,000 moves. Returns the
    /// moves.
    [[nodiscard]] static base::Result<Schedule> walk(Transitions &transitions, quint32 seed, const Visit &visit);

private:
    [[nodiscard]] base::Result<bool> visit(const Schedule &path, const Successor &reached);

    Transitions &m_transitions;
    const std::size_t m_walks;
    const quint32 m_seed;
    std::size_t m_walked = 0;
    std::size_t m_steps = 0;
    int m_depth = 0;
    std::optional<Schedule> m_shortest;
    std::optional<Schedule> m_deadlock;
    const std::optional<Schedule> m_livelock {};
};

} // namespace latchkey::races
