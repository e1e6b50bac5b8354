#include "core/redis/net/pendingconnection.h"

#include "core/redis/net/connectionsetup.h"
#include "core/redis/ssh/tunnels.h"

#include <QSslSocket>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

PendingConnection::PendingConnection(const Endpoint &endpoint, std::chrono::milliseconds timeout)
    : m_endpoint(endpoint)
    , m_timeout(timeout)
{
    if (endpoint.ssh) {
        connectThroughTunnel();
        return;
    }
    if (!endpoint.proxy) {
        m_connecting.emplace(endpoint);
        return;
    }
    m_behindProxy = endpoint.tls ? std::make_unique<QSslSocket>() : std::make_unique<QTcpSocket>();
    chooseProxy(*m_behindProxy, endpoint);
    m_behindProxy->connectToHost(endpoint.host, endpoint.port);
}

void PendingConnection::connectThroughTunnel()
{
    auto tunnel = ssh::Tunnels::instance().tunnelTo(*m_endpoint.ssh, m_endpoint.target(), m_timeout);
    if (!tunnel) {
        m_error = std::move(tunnel.error());
        return;
    }
    if (const auto open = (*tunnel)->waitUntilOpen(); !open) {
        m_error = base::Error {open.error().kind, unreachable(m_endpoint, open.error().text)};
        return;
    }
    m_tunnel = std::move(*tunnel);
    m_connecting.emplace(Endpoint::unixSocket(m_tunnel->socketPath()));
}

Result<std::unique_ptr<QTcpSocket>> PendingConnection::finishProxy(QDeadlineTimer deadline)
{
    if (m_behindProxy->waitForConnected(static_cast<int>(deadline.remainingTime())))
        return std::move(m_behindProxy);
    return failure(notConnected(*m_behindProxy, m_endpoint));
}

Result<OpenDevice> PendingConnection::finish(QDeadlineTimer deadline)
{
    if (m_error)
        return failure(*m_error);
    if (m_behindProxy) {
        auto socket = finishProxy(deadline);
        if (!socket)
            return failure(std::move(socket.error()));
        if (m_endpoint.tls)
            return encrypt(std::unique_ptr<QSslSocket>(qobject_cast<QSslSocket *>(socket->release())), deadline);
        setUp(**socket);
        return OpenDevice {std::move(*socket), nullptr, nullptr};
    }
    auto device = m_connecting->finish(deadline);
    if (!device)
        return failure(std::move(device.error()));
    if (m_endpoint.tls) {
        auto socket = std::make_unique<QSslSocket>();
        socket->setSocketDescriptor((*device)->takeDescriptor());
        return encrypt(std::move(socket), deadline);
    }
    if (m_tunnel)
        ssh::keepFor(**device, m_tunnel);
    return OpenDevice {std::move(*device), nullptr, m_tunnel};
}

Result<OpenDevice> PendingConnection::encrypt(std::unique_ptr<QSslSocket> socket, QDeadlineTimer deadline)
{
    if (m_tunnel)
        ssh::keepFor(*socket, m_tunnel);
    auto verifier = beginEncryption(*socket, m_endpoint);
    if (!verifier)
        return failure(verifier.error());
    const bool isEncrypted = socket->waitForEncrypted(static_cast<int>(deadline.remainingTime()));
    if (isEncrypted && (*verifier)->isTrusted()) {
        setUp(*socket);
        return OpenDevice {std::move(socket), std::move(*verifier), m_tunnel};
    }
    base::Text why = m_tunnel ? m_tunnel->forwardingError() : base::Text();
    if (why.isEmpty())
        why = (*verifier)->problem();
    if (why.isEmpty())
        why = deadline.hasExpired() ? noHandshake(m_timeout) : reasonOf(*socket, m_endpoint);
    socket->abort();
    return failure(ErrorKind::Unreachable, unreachable(m_endpoint, why));
}

} // namespace latchkey::net
