#include "core/redis/net/backoff.h"

#include <algorithm>

namespace latchkey::net {

Backoff::Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest)
    : m_first(first)
    , m_longest(longest)
    , m_ceiling(first)
{}

std::chrono::milliseconds Backoff::next(base::RandomSource &random)
{
    const auto ceiling = std::min(m_ceiling, m_longest);
    m_ceiling = std::min(ceiling * 2, m_longest);
    const double share = 0.5 + random.unit() / 2;
    return std::chrono::milliseconds(static_cast<qint64>(static_cast<double>(ceiling.count()) * share));
}

void Backoff::reset()
{
    m_ceiling = m_first;
}

} // namespace latchkey::net
