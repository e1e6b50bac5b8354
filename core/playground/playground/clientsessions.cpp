#include "core/playground/playground/clientsessions.h"

#include <algorithm>

namespace latchkey::playground {

using net::Session;

ClientSessions::ClientSessions(const std::vector<net::Endpoint> &servers, const base::Clock &clock,
                               base::RandomSource &random, QObject *parent)
    : QObject(parent)
{
    Session::Timing timing;
    if (servers.size() > 1)
        timing.dialTimeout = std::chrono::seconds(1); // A server that is down must not delay the others.
    for (const net::Endpoint &server : servers) {
        m_sessions.push_back(std::make_unique<Session>(server, clock, random));
        m_sessions.back()->setTiming(timing);
        connect(m_sessions.back().get(), &Session::stateChanged, this, &ClientSessions::changed);
    }
    // With several servers, the client reconnects quickly to a server that has restarted. With a single server, the
    // normal retry delay applies.
    m_reconnectTimer.setInterval(std::chrono::seconds(1));
    connect(&m_reconnectTimer, &QTimer::timeout, this, [this] {
        for (const auto &session : m_sessions) {
            if (session->nextAttempt() != base::MonotonicTime::max()) // The session waits for a password.
                session->retryNow();
        }
    });
    if (m_sessions.size() > 1)
        m_reconnectTimer.start();
}

ClientSessions::~ClientSessions() = default;

void ClientSessions::start()
{
    for (const auto &session : m_sessions)
        session->start();
}

std::vector<Session *> ClientSessions::all() const
{
    std::vector<Session *> pointers;
    for (const auto &session : m_sessions)
        pointers.push_back(session.get());
    return pointers;
}

void ClientSessions::changed(Session::State state)
{
    const auto is = [](Session::State wanted) {
        return [wanted](const auto &session) { return session->state() == wanted; };
    };
    if (m_isReady || std::ranges::any_of(m_sessions, is(Session::State::Connecting)))
        return;
    m_isReady = std::ranges::any_of(m_sessions, is(Session::State::Ready));
    if (m_isReady)
        Q_EMIT ready();
    else if (state == Session::State::Waiting)
        Q_EMIT failed();
}

} // namespace latchkey::playground
