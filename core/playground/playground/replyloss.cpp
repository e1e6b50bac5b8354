#include "core/playground/playground/replyloss.h"

#include "core/redis/net/descriptordevice.h"

#include <algorithm>

namespace latchkey::playground {

using net::Connection;
using namespace std::chrono_literals;

namespace {

/// Timeout. A server that does not reply has no reply to lose.
constexpr auto replyTimeout = 1s;

/// Waits until the server has replied to all requests that had reached it. In one round, a server reads from every
/// readable connection and replies before the next round. So after two sequential replies, one full round has passed.
/// Any reply counts, including a refusal.
void awaitRound(const net::Endpoint &server)
{
    const QDeadlineTimer deadline(replyTimeout);
    const auto device = net::DescriptorDevice::connectTo(server, deadline);
    for (int i = 0; device && i < 2; ++i) {
        (*device)->write("PING\r\n");
        if (!(*device)->waitForReadyRead(static_cast<int>(deadline.remainingTime())))
            return;
        (*device)->readAll();
    }
}

} // namespace

ReplyLoss::ReplyLoss(std::vector<net::Session *> sessions, QObject *parent)
    : QObject(parent)
    , m_sessions(std::move(sessions))
{
    for (int server = 0; server < static_cast<int>(m_sessions.size()); ++server)
        m_sessions[static_cast<std::size_t>(server)]->setTrafficObserver(
            [this, server](const resp::Commands &commands) { return observer(server, commands); });
}

ReplyLoss::~ReplyLoss()
{
    for (net::Session *session : m_sessions)
        session->setTrafficObserver({});
}

Connection::ReplyObserver ReplyLoss::observer(int server, const resp::Commands &commands)
{
    const auto isPing = [](const resp::Command &command) { return command.name().toUpper() == "PING"; };
    if (std::ranges::all_of(commands, isPing))
        return {};
    m_lost.remove(server);
    if (!std::exchange(m_isWanted, false))
        return {};
    m_open.insert(server);
    // Deferred until the request has been sent.
    QMetaObject::invokeMethod(this, [this, server] { lose(server); }, Qt::QueuedConnection);
    return [this, server](const base::Result<Connection::Delivery> &delivery) {
        if (m_open.remove(server) && delivery)
            m_isWanted = true; // The reply arrived before the connection was closed, so the next command is used.
    };
}

void ReplyLoss::lose(int server)
{
    const net::Session &session = *m_sessions[static_cast<std::size_t>(server)];
    if (!m_open.contains(server) || session.connection() == nullptr)
        return;
    awaitRound(session.endpoint());
    m_open.remove(server);
    m_lost.insert(server);
    session.connection()->close();
}

} // namespace latchkey::playground
