#pragma once

#include "core/explore/races/schedule.h"

#include "core/foundation/base/error.h"

#include <QDeadlineTimer>

#include <optional>

namespace latchkey::races {

/// The interface of searches for a schedule of a model that breaks the promise. Implementations: all schedules, each
/// state once (Search), or random schedules (RandomWalks). Owned by the Finder.
class Strategy
{
public:
    Strategy() = default;
    virtual ~Strategy() = default;
    Q_DISABLE_COPY_MOVE(Strategy)

    /// Works until the deadline. Returns whether the search is done. Error: the server does not reply.
    [[nodiscard]] virtual base::Result<bool> step(QDeadlineTimer deadline) = 0;

    /// Returns the shortest schedule found that breaks the promise, if any. Valid after the end of the search.
    [[nodiscard]] virtual const std::optional<Schedule> &counterexample() const = 0;
    /// Returns the shortest schedule found that ends with clients waiting forever; only for programs. See
    /// races::deadlock().
    [[nodiscard]] virtual const std::optional<Schedule> &deadlock() const = 0;
    /// Returns a schedule that ends with clients repeating commands forever; only for programs. See races::livelock().
    [[nodiscard]] virtual const std::optional<Schedule> &livelock() const = 0;
    /// Returns whether every schedule has been examined.
    [[nodiscard]] virtual bool isComplete() const = 0;
    /// Returns the number of states, or random schedules, examined so far.
    [[nodiscard]] virtual std::size_t states() const = 0;
    /// Returns the number of moves carried out.
    [[nodiscard]] virtual std::size_t steps() const = 0;
    /// Returns the current distance from the start, in moves.
    [[nodiscard]] virtual int depth() const = 0;
    /// Returns the number of schedules from the start to the end of all clients, among those examined. A double,
    /// because the number may be very large; exact up to 2^53.
    [[nodiscard]] virtual double schedules() const = 0;
    /// Returns a schedule from the start to the end with random moves. The same seed gives the same schedule.
    [[nodiscard]] virtual base::Result<Schedule> randomSchedule(quint32 seed) const = 0;
};

} // namespace latchkey::races
