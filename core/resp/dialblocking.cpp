#include "core/resp/descriptordevice.h"
#include "core/resp/dialer.h"
#include "core/resp/handshake.h"
#include "core/resp/letin.h"

#include <QElapsedTimer>
#include <QSslSocket>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// A device for a caller that waits.
struct Opened
{
    std::unique_ptr<QIODevice> device;
    std::unique_ptr<TlsWitness> witness; ///< Null without TLS.
};

/// With TLS where the endpoint has it. timeout: what the deadline is the end of.
Result<Opened> open(Result<std::unique_ptr<DescriptorDevice>> device, const Endpoint &endpoint, QDeadlineTimer deadline,
                    std::chrono::milliseconds timeout)
{
    if (!device)
        return failure(std::move(device.error()));
    if (!endpoint.tls)
        return Opened {std::move(*device), nullptr};
    auto socket = std::make_unique<QSslSocket>();
    socket->setSocketDescriptor((*device)->takeDescriptor());
    auto witness = beginEncryption(*socket, endpoint);
    if (!witness)
        return failure(witness.error());
    const bool isEncrypted = socket->waitForEncrypted(static_cast<int>(deadline.remainingTime()));
    if (isEncrypted && (*witness)->isTrusted()) {
        setUp(*socket);
        return Opened {std::move(socket), std::move(*witness)};
    }
    base::Text why = (*witness)->problem();
    if (why.isEmpty())
        why = deadline.hasExpired() ? noHandshake(timeout) : reasonOf(*socket);
    socket->abort();
    return failure(ErrorKind::Unreachable, unreachable(endpoint, why));
}

/// Logging in over a connection that has just been made, in two halves so that several log in side by side.
class Login final
{
public:
    Login(Result<Opened> opened, const Endpoint &endpoint, QDeadlineTimer deadline)
        : m_endpoint(endpoint)
        , m_handshake(endpoint, clientName())
    {
        m_roundTrip.start();
        if (!opened) {
            m_sent = failure(std::move(opened.error()));
            return;
        }
        m_witness = std::move(opened->witness);
        m_connection = std::make_unique<BlockingConnection>(std::move(opened->device), endpoint.display());
        m_sent = m_connection->send(m_handshake.commands(), deadline);
    }

    [[nodiscard]] Result<Dialled<BlockingConnection>> finish(QDeadlineTimer deadline)
    {
        if (!m_sent)
            return m_connection ? notLetIn(m_sent.error()) : failure(m_sent.error());
        const auto replies = m_connection->collect(deadline);
        if (!replies)
            return notLetIn(replies.error());
        auto server = m_handshake.judge(*replies);
        if (!server)
            return failure(std::move(server.error()));
        return Dialled<BlockingConnection> {std::move(m_connection), std::move(*server),
                                            std::chrono::nanoseconds(m_roundTrip.nsecsElapsed())};
    }

private:
    [[nodiscard]] tl::unexpected<base::Error> notLetIn(const base::Error &error) const
    {
        return failure(whyNotLetIn(m_endpoint, error, m_connection->hasHeard(), m_witness.get()));
    }

    const Endpoint m_endpoint;
    const Handshake m_handshake;
    std::unique_ptr<BlockingConnection> m_connection;
    Result<void> m_sent;
    std::unique_ptr<TlsWitness> m_witness; ///< Null without TLS.
    QElapsedTimer m_roundTrip;
};

} // namespace

Result<Dialled<BlockingConnection>> dialBlocking(const Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    const QDeadlineTimer deadline(timeout, Qt::PreciseTimer);
    return Login(open(DescriptorDevice::connectTo(endpoint, deadline), endpoint, deadline, timeout), endpoint, deadline)
        .finish(deadline);
}

std::vector<Result<Dialled<BlockingConnection>>> dialBlocking(const std::vector<Endpoint> &endpoints,
                                                              std::chrono::milliseconds timeout)
{
    const QDeadlineTimer connected(timeout / 2, Qt::PreciseTimer);
    const QDeadlineTimer loggedIn(timeout, Qt::PreciseTimer);
    std::vector<Connecting> connecting;
    connecting.reserve(endpoints.size());
    for (const Endpoint &endpoint : endpoints)
        connecting.emplace_back(endpoint);

    std::vector<Login> logins;
    logins.reserve(endpoints.size());
    for (std::size_t i = 0; i < endpoints.size(); ++i)
        logins.emplace_back(open(connecting[i].finish(connected), endpoints[i], connected, timeout / 2), endpoints[i],
                            loggedIn);

    std::vector<Result<Dialled<BlockingConnection>>> results;
    results.reserve(endpoints.size());
    for (Login &login : logins)
        results.push_back(login.finish(loggedIn));
    return results;
}

} // namespace latchkey::resp
