#include "core/keyspace/budget/commandbudget.h"

#include <algorithm>

namespace latchkey::budget {

namespace {

constexpr double longestSaved = 0.25;
/// Tolerance for a whole command, because times are binary fractions.
constexpr double rounding = 1e-6;

} // namespace

CommandBudget::CommandBudget(const CommandLimit &limit, base::MonotonicTime now, const CommandCosts *costs)
    : m_limit(limit)
    , m_costs(costs)
    , m_lastRefill(now)
{}

bool CommandBudget::isByCost() const
{
    return m_limit.share() && m_costs != nullptr && m_costs->areKnown();
}

double CommandBudget::longest() const
{
    return static_cast<double>((isByCost() ? maxAdvanceByCost : maxAdvance).count());
}

void CommandBudget::setLimit(const CommandLimit &limit)
{
    if (m_limit == limit)
        return;
    const double before = timePerCommand();
    m_limit = limit;
    const double change = timePerCommand() / before;
    m_tokens = std::min(m_tokens * change, longestSaved);
    m_ahead = std::min(m_ahead * change, longest());
}

double CommandBudget::timePerCommand() const
{
    static const QByteArray pttl = QByteArrayLiteral("pttl");
    return timeOf({1, isByCost() ? m_costs->estimate(pttl) : 0}).count();
}

std::chrono::duration<double> CommandBudget::timeOf(const CommandCost &expense) const
{
    constexpr double second = 1e6; // In microseconds.
    return std::chrono::duration<double>(isByCost() ? expense.microseconds / (*m_limit.share() * second)
                                                    : expense.commands / m_limit.perSecond());
}

int CommandBudget::perSecond() const
{
    return isByCost() ? std::clamp(static_cast<int>(1 / timePerCommand()), 1, m_limit.perSecond())
                      : m_limit.perSecond();
}

CommandCost CommandBudget::costOf(const resp::Commands &request) const
{
    return m_costs == nullptr ? CommandCost {static_cast<double>(request.size()), 0} : m_costs->estimate(request);
}

int CommandBudget::available(base::MonotonicTime now)
{
    const std::chrono::duration<double> passed = now - m_lastRefill;
    m_lastRefill = now;
    const double income = passed.count();
    const double repaid = std::min(m_ahead, income / 2);
    m_ahead -= repaid;
    m_tokens = std::min(m_tokens + income - repaid, std::max(timePerCommand(), longestSaved));
    return std::max(0, static_cast<int>(m_tokens / timePerCommand() + rounding));
}

int CommandBudget::availableForChanges(base::MonotonicTime now)
{
    const int saved = available(now);
    return saved + std::max(0, static_cast<int>((longest() - m_ahead) / timePerCommand() + rounding));
}

void CommandBudget::spendForChanges(const CommandCost &expense)
{
    const double time = timeOf(expense).count();
    const double fromSaved = std::clamp(m_tokens, 0.0, time);
    m_tokens -= fromSaved;
    m_ahead += time - fromSaved;
}

} // namespace latchkey::budget
