#pragma once

#include "core/foundation/base/clock.h"

#include <QObject>
#include <QTimer>

#include <algorithm>
#include <vector>

namespace bench {

/// A meter of the event loop's delay. Its timer should fire every two milliseconds; the meter records by how much the
/// timer is late.
class LoopDelay final : public QObject
{
public:
    LoopDelay()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            const auto at = latchkey::base::SystemClock::instance().now();
            const std::chrono::duration<double, std::milli> late = at - m_last - interval;
            m_late.push_back(std::max(0.0, late.count()));
            m_last = at;
        });
    }
    void start()
    {
        m_last = latchkey::base::SystemClock::instance().now();
        m_timer.start(interval);
    }
    void stop()
    {
        m_timer.stop();
        std::sort(m_late.begin(), m_late.end());
    }
    [[nodiscard]] double quantile(double share) const
    {
        const auto last = static_cast<double>(m_late.size() - 1);
        return m_late.empty() ? 0 : m_late[static_cast<std::size_t>(share * last)];
    }
    [[nodiscard]] std::size_t samples() const { return m_late.size(); }

private:
    static constexpr std::chrono::milliseconds interval {2};
    QTimer m_timer;
    latchkey::base::MonotonicTime m_last;
    std::vector<double> m_late;
};

} // namespace bench
