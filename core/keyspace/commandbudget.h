#pragma once

#include "core/base/clock.h"

namespace latchkey::keyspace {

/// A rate limiter for commands: says how many may be sent now within a limit per second.
///
/// Unused budget is saved for a quarter of a second at most, so that an idle period is not followed by a burst. Reads
/// of changed keys may be sent before their time, by up to longestAhead of the limit: a burst of changes is read at
/// once, and half of the following budget pays for it. On average the limit is kept. Owned by the ServerWatcher.
class CommandBudget final
{
public:
    static constexpr std::chrono::seconds longestAhead {40};

    CommandBudget(int perSecond, base::MonotonicTime now);

    void setPerSecond(int perSecond);
    [[nodiscard]] int perSecond() const { return m_perSecond; }

    /// Returns the number of whole commands that may be sent at this time; never negative.
    [[nodiscard]] int available(base::MonotonicTime now);
    /// Returns the number of whole commands that may be sent at this time to read changed keys; never negative.
    [[nodiscard]] int availableForChanges(base::MonotonicTime now);
    /// Charges commands to the budget. They may exceed available(); later commands then wait longer.
    void spend(int commands) { m_saved -= commands; }
    /// Charges commands that read changed keys. They may exceed availableForChanges().
    void spendForChanges(int commands);

private:
    int m_perSecond;
    double m_saved = 0;
    double m_ahead = 0; ///< Commands that were sent ahead of their time.
    base::MonotonicTime m_filled;
};

} // namespace latchkey::keyspace
