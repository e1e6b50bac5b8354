#pragma once

#include "core/base/clock.h"

namespace latchkey::keyspace {

/// A rate limiter for commands: says how many may be sent now within a limit per second.
///
/// Unused budget is saved for a quarter of a second at most, so that an idle period is not followed by a burst. Owned
/// by the Watcher.
class CommandBudget final
{
public:
    CommandBudget(int perSecond, base::MonotonicTime now);

    void setPerSecond(int perSecond);
    [[nodiscard]] int perSecond() const { return m_perSecond; }

    /// Returns the number of whole commands that may be sent at this time; never negative.
    [[nodiscard]] int available(base::MonotonicTime now);
    /// Charges commands to the budget. They may exceed available(); later commands then wait longer.
    void spend(int commands) { m_saved -= commands; }

private:
    int m_perSecond;
    double m_saved = 0;
    base::MonotonicTime m_filled;
};

} // namespace latchkey::keyspace
