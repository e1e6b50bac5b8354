#include "core/inspect/inspection/armingtimer.h"

#include <algorithm>

namespace latchkey::inspection {

using namespace std::chrono_literals;

ArmingTimer::ArmingTimer(const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
{
    m_check.setInterval(500ms);
    connect(&m_check, &QTimer::timeout, this, &ArmingTimer::check);
}

void ArmingTimer::start(std::chrono::minutes limit)
{
    m_limit = limit;
    m_end = m_clock.now() + limit;
    m_check.start();
}

void ArmingTimer::stop()
{
    m_end.reset();
    m_check.stop();
}

std::optional<std::chrono::nanoseconds> ArmingTimer::left() const
{
    if (!m_end)
        return std::nullopt;
    return std::max<std::chrono::nanoseconds>(*m_end - m_clock.now(), 0ns);
}

void ArmingTimer::check()
{
    if (!isOver())
        return;
    stop();
    Q_EMIT ended();
}

} // namespace latchkey::inspection
