#pragma once

#include "core/foundation/base/clock.h"
#include "core/keyspace/budget/commandcosts.h"
#include "core/keyspace/budget/commandlimit.h"

namespace latchkey::budget {

/// A rate limiter for commands: says how many may be sent now within a limit.
///
/// If the limit is a share of the server's core and the server reports the time of its commands, each command is
/// charged with its estimated time. Otherwise each command counts as one, within a number of commands per second.
///
/// Unused budget is saved for a quarter of a second at most, so that an idle period is not followed by a burst. Reads
/// of changed keys may be sent before their time, by up to longestAhead of the limit: a burst of changes is read at
/// once, and half of the following budget pays for it. On average the limit is kept. Owned by the ServerWatcher, or by
/// KeyGathering. The costs are not owned.
class CommandBudget final
{
public:
    static constexpr std::chrono::seconds longestAhead {40};
    /// The same if the limit is a share of the core; about as many commands fit into it.
    static constexpr std::chrono::seconds longestAheadByCost {10};

    /// `costs`: null if each command counts as one.
    CommandBudget(const CommandLimit &limit, base::MonotonicTime now, const CommandCosts *costs = nullptr);

    /// Sets the limit. Commands that were sent ahead stay owed.
    void setLimit(const CommandLimit &limit);
    [[nodiscard]] const CommandLimit &limit() const { return m_limit; }
    /// Whether the limit is one of cost now.
    [[nodiscard]] bool isByCost() const;
    /// Returns the commands per second to plan with; for a limit of cost, at most CommandLimit::perSecond().
    [[nodiscard]] int perSecond() const;
    /// Returns the part of the limit's time that these commands take: the time to wait if they are all that is sent.
    [[nodiscard]] std::chrono::duration<double> timeOf(const Expense &expense) const;

    /// Returns the number of commands such as PTTL that may be sent at this time; never negative.
    [[nodiscard]] int available(base::MonotonicTime now);
    /// Returns the number of commands such as PTTL that may be sent at this time to read changed keys; never negative.
    [[nodiscard]] int availableForChanges(base::MonotonicTime now);

    /// The costs; null if each command counts as one.
    [[nodiscard]] const CommandCosts *costs() const { return m_costs; }
    /// Returns what these commands cost, sent as one request.
    [[nodiscard]] Expense costOf(const resp::Commands &request) const;
    /// Charges commands to the budget. They may exceed available(); later commands then wait longer.
    void spend(const Expense &expense) { m_saved -= timeOf(expense).count(); }
    /// Charges commands that read changed keys. They may exceed availableForChanges().
    void spendForChanges(const Expense &expense);

private:
    /// Returns the time of a command such as PTTL.
    [[nodiscard]] double timeOfOne() const;
    [[nodiscard]] double longest() const;

    CommandLimit m_limit;
    const CommandCosts *m_costs; // Not owned.
    // In seconds of the limit.
    double m_saved = 0;
    double m_ahead = 0; ///< Of commands that were sent ahead of their time.
    base::MonotonicTime m_filled;
};

} // namespace latchkey::budget
