#include "core/inspect/inspection/lastseen.h"

namespace latchkey::inspection {

using net::Session;

LastSeen::LastSeen(Session &session, const base::Clock &clock)
    : m_session(session)
    , m_clock(clock)
{
    connect(&session, &Session::roundTripMeasured, this, &LastSeen::received);
    connect(&session, &Session::stateChanged, this, [this](Session::State state) {
        if (state == Session::State::Ready)
            received();
    });
    if (session.state() == Session::State::Ready)
        received();
}

void LastSeen::received()
{
    m_received = m_clock.now();
}

std::optional<base::MonotonicTime> LastSeen::silentSince() const
{
    const bool isInSight =
        m_session.state() == Session::State::Ready && m_received && m_clock.now() - *m_received < timeout;
    return isInSight ? std::nullopt : m_received;
}

} // namespace latchkey::inspection
