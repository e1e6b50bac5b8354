#pragma once

#include "core/races/strategy.h"
#include "core/races/transitions.h"

#include <functional>
#include <random>

namespace latchkey::races {

/// Goes through so many schedules that are drawn by chance, where there are too many to go through all.
///
/// Each move is drawn evenly from those that are possible then, so that faults are as likely as steps. It finds what
/// breaks in many schedules, and says nothing of the others: isComplete() never is. It goes on after the first find,
/// for a shorter one: no schedule is followed beyond the length of the shortest. Owned by the Finder; the transitions
/// are not.
class RandomWalks final : public Strategy
{
public:
    /// walks: at least 1. seed: the same schedules for the same seed.
    RandomWalks(Transitions &transitions, std::size_t walks, quint32 seed);

    [[nodiscard]] base::Result<bool> step(QDeadlineTimer deadline) override;
    [[nodiscard]] const std::optional<Schedule> &counterexample() const override { return m_shortest; }
    [[nodiscard]] const std::optional<Schedule> &standstill() const override { return m_standstill; }
    [[nodiscard]] bool isComplete() const override { return false; }
    [[nodiscard]] std::size_t states() const override { return m_walked; }
    [[nodiscard]] std::size_t steps() const override { return m_steps; }
    [[nodiscard]] int depth() const override { return m_depth; }
    [[nodiscard]] double schedules() const override { return static_cast<double>(m_walked); }
    [[nodiscard]] base::Result<Schedule> randomSchedule(quint32 seed) const override;

    /// What a walk asks wherever it has come: whether it ends there.
    using Visit = std::function<base::Result<bool>(const Schedule &way, const Successor &reached)>;
    /// From the start to the end of all clients, to where `visit` ends it, or for 1,000 moves: the moves.
    [[nodiscard]] static base::Result<Schedule> walk(Transitions &transitions, quint32 seed, const Visit &visit);

private:
    [[nodiscard]] base::Result<bool> visit(const Schedule &way, const Successor &reached);

    Transitions &m_transitions;
    const std::size_t m_walks;
    const quint32 m_seed;
    std::size_t m_walked = 0;
    std::size_t m_steps = 0;
    int m_depth = 0;
    std::optional<Schedule> m_shortest;
    std::optional<Schedule> m_standstill;
};

} // namespace latchkey::races
