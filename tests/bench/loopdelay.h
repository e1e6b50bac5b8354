#pragma once

#include "core/foundation/base/clock.h"
#include "tests/bench/quantile.h"

#include <QObject>
#include <QTimer>

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
    void stop() { m_timer.stop(); }
    [[nodiscard]] double quantile(double share) { return bench::quantile(m_late, share); }
    [[nodiscard]] std::size_t samples() const { return m_late.size(); }

private:
    static constexpr std::chrono::milliseconds interval {2};
    QTimer m_timer;
    latchkey::base::MonotonicTime m_last;
    std::vector<double> m_late;
};

} // namespace bench
