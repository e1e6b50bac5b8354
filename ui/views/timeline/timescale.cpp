#include "ui/views/timeline/timescale.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace latchkey::ui::timeline {

using base::MonotonicTime;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

constexpr double farAway = 1e6;

double pixels(nanoseconds time, nanoseconds perPixel)
{
    return static_cast<double>(time.count()) / static_cast<double>(perPixel.count());
}

} // namespace

nanoseconds readableStep(nanoseconds least)
{
    static const std::vector<nanoseconds> steps {1ms,   2ms,   5ms,   10ms, 20ms, 50ms, 100ms, 200ms, 500ms,
                                                 1s,    2s,    5s,    10s,  15s,  30s,  1min,  2min,  5min,
                                                 10min, 15min, 30min, 1h,   2h,   6h,   12h,   24h};
    if (const auto found = std::ranges::lower_bound(steps, least); found != steps.end())
        return *found;
    constexpr nanoseconds furthest = 200 * 365 * 24h;
    nanoseconds step = 24h;
    for (int i = 0; step < std::min(least, furthest); ++i)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2; // 1, 2, 5, 10 days …
    return step;
}

double TimeScale::xAt(MonotonicTime time) const
{
    if (time == MonotonicTime::max())
        return farAway;
    return std::clamp(pixels(time - m_left, m_perPixel), -farAway, farAway);
}

MonotonicTime TimeScale::timeAt(double x) const
{
    return m_left + nanoseconds(std::llround(x * static_cast<double>(m_perPixel.count())));
}

void TimeScale::zoom(double factor, double x)
{
    const MonotonicTime kept = timeAt(x);
    const auto wanted = nanoseconds(std::llround(static_cast<double>(m_perPixel.count()) / std::max(factor, 1e-3)));
    m_perPixel = std::clamp(wanted, finest, coarsest);
    put(kept, x);
}

void TimeScale::scroll(double distance)
{
    m_left = timeAt(distance);
}

void TimeScale::put(MonotonicTime time, double x)
{
    m_left = time - nanoseconds(std::llround(x * static_cast<double>(m_perPixel.count())));
}

} // namespace latchkey::ui::timeline
