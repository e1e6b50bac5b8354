#include "core/foundation/base/deadline.h"

#include <algorithm>

namespace latchkey::base {

using namespace std::chrono_literals;

Deadline Deadline::measured(std::chrono::milliseconds left, MonotonicTime sent, MonotonicTime received)
{
    const auto half = (received - sent) / 2;
    // Servers store expiries that this clock cannot represent ("31 December 9999"); 292 years are sufficient.
    constexpr auto furthest = MonotonicTime::max() - 1ns; // The last moment is never().
    if (left > std::chrono::floor<std::chrono::milliseconds>(furthest - sent - half))
        return {furthest, half + 1ms};
    // The server subtracts two truncated millisecond clocks, so the error is up to one millisecond in both directions.
    return {sent + half + left, half + 1ms};
}

std::optional<std::chrono::nanoseconds> Deadline::remaining(MonotonicTime now) const
{
    if (isNever())
        return std::nullopt;
    return m_at - now;
}

qint64 Deadline::pttl(MonotonicTime now) const
{
    const auto left = remaining(now);
    return left ? std::max<qint64>(0, std::chrono::round<std::chrono::milliseconds>(*left).count()) : -1;
}

bool Deadline::hasPassed(MonotonicTime now) const
{
    return !isNever() && now - m_at > m_uncertainty;
}

bool Deadline::agreesWith(const Deadline &other) const
{
    if (isNever() || other.isNever())
        return isNever() == other.isNever();
    const auto apart = m_at > other.m_at ? m_at - other.m_at : other.m_at - m_at;
    return apart <= m_uncertainty + other.m_uncertainty;
}

} // namespace latchkey::base
