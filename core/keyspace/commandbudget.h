#pragma once

#include "core/base/clock.h"

namespace latchkey::keyspace {

/// How many commands may be sent now, so that a limit per second is kept.
///
/// What is not used is saved for a quarter of a second at most: a budget that slept does not come back as a burst.
/// Owned by the Watcher.
class CommandBudget final
{
public:
    CommandBudget(int perSecond, base::MonotonicTime now);

    void setPerSecond(int perSecond);
    [[nodiscard]] int perSecond() const { return m_perSecond; }

    /// Whole commands that may be sent at this time; never negative.
    [[nodiscard]] int available(base::MonotonicTime now);
    /// May be more than was available: then the following ones wait longer.
    void spend(int commands) { m_saved -= commands; }

private:
    int m_perSecond;
    double m_saved = 0;
    base::MonotonicTime m_filled;
};

} // namespace latchkey::keyspace
