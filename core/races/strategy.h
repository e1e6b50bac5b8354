#pragma once

#include "core/races/schedule.h"

#include "core/base/error.h"

#include <QDeadlineTimer>

#include <optional>

namespace latchkey::races {

/// How the schedules of a model are gone through until one breaks the promise: all of them, each state once (Search),
/// or some that are drawn by chance (RandomWalks). Owned by the Finder.
class Strategy
{
public:
    Strategy() = default;
    virtual ~Strategy() = default;
    Q_DISABLE_COPY_MOVE(Strategy)

    /// Goes on until the deadline; whether it is done. Error: the server cannot be asked.
    [[nodiscard]] virtual base::Result<bool> step(QDeadlineTimer deadline) = 0;

    /// Once it is done: the shortest schedule found that breaks the promise, if there is one.
    [[nodiscard]] virtual const std::optional<Schedule> &counterexample() const = 0;
    /// Of programs: the shortest schedule found at whose end clients wait for ever; see standstill().
    [[nodiscard]] virtual const std::optional<Schedule> &standstill() const = 0;
    /// Whether there is nothing left to look at.
    [[nodiscard]] virtual bool isComplete() const = 0;
    /// How much of what is bounded has been gone through: states, or schedules.
    [[nodiscard]] virtual std::size_t states() const = 0;
    /// Moves carried out.
    [[nodiscard]] virtual std::size_t steps() const = 0;
    /// How many moves the states that are looked at now are from the start.
    [[nodiscard]] virtual int depth() const = 0;
    /// How many schedules there are from the start to the end of all clients, among what was gone through. A double,
    /// exact up to 2^53: there may be very many.
    [[nodiscard]] virtual double schedules() const = 0;
    /// A schedule from the start to the end, each of its moves drawn by chance, the same for the same seed.
    [[nodiscard]] virtual base::Result<Schedule> randomSchedule(quint32 seed) const = 0;
};

} // namespace latchkey::races
