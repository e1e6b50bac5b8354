#include "core/playground/playground/clientsessions.h"

#include <algorithm>

namespace latchkey::playground {

using net::Session;

namespace {

constexpr auto reconnectTimeout = std::chrono::seconds(5);
constexpr auto reconnectInterval = std::chrono::milliseconds(20); ///< While a reconnection is awaited.

} // namespace

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
        connect(m_sessions.back().get(), &Session::stateChanged, this, [this, index = count() - 1] {
            QTimer::singleShot(reconnectInterval, this, [this, index] { pursue(index); });
        });
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

void ClientSessions::reconnect(int server)
{
    if (m_reconnecting.contains(server))
        return;
    m_reconnecting.insert(server);
    pursue(server);
}

/// Takes the next step towards reconnected(). A connection may be that with the former server, whose end was not
/// detected yet, so it has to reply.
void ClientSessions::pursue(int server)
{
    if (!m_reconnecting.contains(server))
        return;
    Session &session = *m_sessions[static_cast<std::size_t>(server)];
    if (session.connection() == nullptr)
        return session.retryNow();
    session.connection()->send({resp::ping()}, reconnectTimeout, this,
                               [this, server](const base::Result<net::Connection::Delivery> &delivery) {
                                   if (delivery && m_reconnecting.remove(server))
                                       Q_EMIT reconnected(server);
                               });
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
