#pragma once

#include "core/foundation/base/clock.h"
#include "core/keyspace/budget/commandcosts.h"
#include "core/keyspace/budget/commandlimit.h"

namespace latchkey::budget {

/// A rate limiter for commands, which returns how many commands may be sent now.
///
/// The limit may be a share of the server's core. If the server then reports the time of its commands, each command is
/// charged with its estimated time. Otherwise each command counts as one, within a number of commands per second.
///
/// At most a quarter of a second of unused budget is saved, so that no burst follows an idle period. Reads of changed
/// keys may exceed the budget by up to maxAdvance, so that a burst of changes is read at once. Half of the later
/// budget repays the excess; on average the limit is kept. Owned by the ServerWatcher, or by KeyListing. The costs
/// are not owned.
class CommandBudget final
{
public:
    /// Maximum advance of reads of changed keys, as time of the limit, if each command counts as one.
    static constexpr std::chrono::seconds maxAdvance {40};
    /// The same maximum if commands are charged by their cost. Both admit about the same number of commands.
    static constexpr std::chrono::seconds maxAdvanceByCost {10};

    /// `costs`: null if each command counts as one.
    CommandBudget(const CommandLimit &limit, base::MonotonicTime now, const CommandCosts *costs = nullptr);

    /// Sets the limit. Commands that were sent in advance still have to be repaid.
    void setLimit(const CommandLimit &limit);
    [[nodiscard]] const CommandLimit &limit() const { return m_limit; }
    /// Returns whether each command is charged by its cost now; otherwise each command counts as one.
    [[nodiscard]] bool isByCost() const;
    /// Returns the number of commands per second that the limit admits, at least 1. By cost, this is an estimate of at
    /// most CommandLimit::perSecond().
    [[nodiscard]] int perSecond() const;
    /// Returns the time in which the limit admits these commands, if no others are sent.
    [[nodiscard]] std::chrono::duration<double> timeOf(const CommandCost &expense) const;

    /// Returns the number of commands such as PTTL that may be sent at this time; never negative.
    [[nodiscard]] int available(base::MonotonicTime now);
    /// Returns the number of commands such as PTTL that may be sent at this time to read changed keys; never negative.
    [[nodiscard]] int availableForChanges(base::MonotonicTime now);

    /// Returns the costs; null if each command counts as one.
    [[nodiscard]] const CommandCosts *costs() const { return m_costs; }
    /// Returns what these commands cost, sent as one request.
    [[nodiscard]] CommandCost costOf(const resp::Commands &request) const;
    /// Charges commands to the budget. They may exceed available(); later commands then wait longer.
    void spend(const CommandCost &expense) { m_tokens -= timeOf(expense).count(); }
    /// Charges commands that read changed keys. They may exceed availableForChanges().
    void spendForChanges(const CommandCost &expense);

private:
    /// Returns the time of a command such as PTTL, in seconds of the limit.
    [[nodiscard]] double timePerCommand() const;
    [[nodiscard]] double longest() const;

    CommandLimit m_limit;
    const CommandCosts *m_costs; // Not owned.
    // In seconds of the limit.
    double m_tokens = 0;
    double m_ahead = 0; ///< Time of commands that were sent in advance and are not repaid yet.
    base::MonotonicTime m_lastRefill;
};

} // namespace latchkey::budget
