#include "core/keyspace/commandbudget.h"

#include <algorithm>

namespace latchkey::keyspace {

CommandBudget::CommandBudget(int perSecond, base::MonotonicTime now)
    : m_perSecond(perSecond)
    , m_filled(now)
{}

void CommandBudget::setPerSecond(int perSecond)
{
    m_perSecond = perSecond;
    m_saved = std::min(m_saved, perSecond / 4.0);
    m_ahead = std::min(m_ahead, static_cast<double>(longestAhead.count()) * perSecond);
}

int CommandBudget::available(base::MonotonicTime now)
{
    const std::chrono::duration<double> passed = now - m_filled;
    m_filled = now;
    const double income = passed.count() * m_perSecond;
    const double repaid = std::min(m_ahead, income / 2);
    m_ahead -= repaid;
    m_saved = std::min(m_saved + income - repaid, std::max(1.0, m_perSecond / 4.0));
    return std::max(0, static_cast<int>(m_saved));
}

int CommandBudget::availableForChanges(base::MonotonicTime now)
{
    const int saved = available(now);
    const double ahead = static_cast<double>(longestAhead.count()) * m_perSecond - m_ahead;
    return saved + std::max(0, static_cast<int>(ahead));
}

void CommandBudget::spendForChanges(int commands)
{
    const double fromSaved = std::clamp(m_saved, 0.0, static_cast<double>(commands));
    m_saved -= fromSaved;
    m_ahead += commands - fromSaved;
}

} // namespace latchkey::keyspace
