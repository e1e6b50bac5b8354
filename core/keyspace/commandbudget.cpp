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
}

int CommandBudget::available(base::MonotonicTime now)
{
    const std::chrono::duration<double> passed = now - m_filled;
    m_filled = now;
    m_saved = std::min(m_saved + passed.count() * m_perSecond, std::max(1.0, m_perSecond / 4.0));
    return std::max(0, static_cast<int>(m_saved));
}

} // namespace latchkey::keyspace
