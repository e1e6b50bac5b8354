#include "core/inspect/recognition/ttlhistory.h"

#include <algorithm>

namespace latchkey::recognition {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Maximum change of the measured TTL by the round trip and the rounding of PTTL, without a renewal.
constexpr milliseconds noise = 100ms;

milliseconds between(base::MonotonicTime from, base::MonotonicTime to)
{
    return std::chrono::round<milliseconds>(to - from);
}

} // namespace

void TtlHistory::addSample(base::MonotonicTime at, std::optional<milliseconds> left)
{
    if (!m_first) {
        m_first = at;
    } else if (left && m_left) {
        if (*left > *m_left - between(m_last, at) + noise)
            renewed(at, *left);
    } else if (left) {
        m_hadNoneFor = between(*m_first, at);
    } else if (m_left) {
        m_hasLostItsExpiry = true;
    }
    m_longestTtl = std::max(m_longestTtl, left.value_or(0ms));
    m_last = at;
    m_left = left;
}

void TtlHistory::setBaseline(base::MonotonicTime at, std::optional<milliseconds> left)
{
    if (!m_first)
        m_first = at;
    m_last = at;
    m_left = left;
}

void TtlHistory::renewed(base::MonotonicTime at, milliseconds left)
{
    m_lowestPeak = m_renewals == 0 ? left : std::min(m_lowestPeak, left);
    if (m_lastRenewal) {
        const milliseconds period = between(*m_lastRenewal, at);
        m_shortest = m_renewals == 1 ? period : std::min(m_shortest, period);
        m_longest = std::max(m_longest, period);
    }
    m_lastRenewal = at;
    ++m_renewals;
}

milliseconds TtlHistory::watched() const
{
    return m_first ? between(*m_first, m_last) : 0ms;
}

bool TtlHistory::isSteady() const
{
    // A poll may come up to a third of a lease after the renewal, and then measures that much less.
    return m_renewals >= 2 && m_lowestPeak * 3 >= m_longestTtl * 2 && !isErratic();
}

bool TtlHistory::isErratic() const
{
    return m_renewals >= 3 && (m_longest > m_shortest * 3 || m_lowestPeak * 2 < m_longestTtl);
}

} // namespace latchkey::recognition
