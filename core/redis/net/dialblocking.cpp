#include "core/redis/net/connectionsetup.h"
#include "core/redis/net/dialer.h"
#include "core/redis/net/handshake.h"
#include "core/redis/net/pendingconnection.h"
#include "core/redis/net/primarysearch.h"
#include "core/redis/net/sentinelsurvey.h"
#include "core/redis/ssh/tunnel.h"

#include <QElapsedTimer>

namespace latchkey::net {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// The login over a new connection, in two halves so that several logins can overlap.
class Login final
{
public:
    Login(Result<OpenDevice> opened, const Endpoint &endpoint, Peer peer, QDeadlineTimer deadline)
        : m_endpoint(endpoint)
        , m_handshake(endpoint, clientName(), peer)
    {
        m_roundTrip.start();
        if (!opened) {
            m_sent = failure(std::move(opened.error()));
            return;
        }
        m_verifier = std::move(opened->verifier);
        m_tunnel = std::move(opened->tunnel);
        m_connection = std::make_unique<BlockingConnection>(std::move(opened->device), endpoint.display());
        m_sent = m_connection->send(m_handshake.commands(), deadline);
    }

    [[nodiscard]] Result<DialResult<BlockingConnection>> finish(QDeadlineTimer deadline)
    {
        if (!m_sent)
            return m_connection ? loginFailure(m_sent.error()) : failure(m_sent.error());
        const auto replies = m_connection->collect(deadline);
        if (!replies)
            return loginFailure(replies.error());
        auto server = m_handshake.evaluate(*replies);
        if (!server)
            return failure(std::move(server.error()));
        if (m_tunnel)
            m_tunnel->clearReportedErrors();
        return DialResult<BlockingConnection> {std::move(m_connection), std::move(*server),
                                               std::chrono::nanoseconds(m_roundTrip.nsecsElapsed()), m_endpoint};
    }

private:
    [[nodiscard]] tl::unexpected<base::Error> loginFailure(const base::Error &error) const
    {
        return failure(
            explainFailure(m_endpoint, error, m_connection->hasReceivedData(), m_verifier.get(), m_tunnel.get()));
    }

    const Endpoint m_endpoint;
    const Handshake m_handshake;
    std::unique_ptr<BlockingConnection> m_connection;
    Result<void> m_sent;
    std::unique_ptr<TlsVerifier> m_verifier; ///< Null without TLS.
    std::shared_ptr<ssh::Tunnel> m_tunnel;   ///< Null without ssh.
    QElapsedTimer m_roundTrip;
};

/// Connects to this process, without a search for the primary.
Result<DialResult<BlockingConnection>> dialOne(const Endpoint &endpoint, Peer peer, std::chrono::milliseconds timeout)
{
    PendingConnection opening(endpoint, timeout);
    const QDeadlineTimer deadline(timeout, Qt::PreciseTimer);
    return Login(opening.finish(deadline), endpoint, peer, deadline).finish(deadline);
}

Result<PrimaryAddress> requestPrimary(const Endpoint &sentinel, const QString &master,
                                      std::chrono::milliseconds timeout)
{
    const auto dialled = dialOne(sentinel, Peer::Sentinel, timeout);
    if (!dialled)
        return failure(dialled.error());
    const auto replies = dialled->connection->execute(primaryRequest(master, true), timeout);
    return replies ? primaryFrom(sentinel, master, *replies) : failure(replies.error());
}

Result<DialResult<BlockingConnection>> dialPrimary(const Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    const QDeadlineTimer deadline(timeout, Qt::PreciseTimer);
    PrimarySearch search(endpoint);
    const auto share = [&] { return search.shareOf(std::chrono::milliseconds(deadline.remainingTime())); };
    while (const auto sentinel = search.nextSentinel()) {
        const auto server = search.take(requestPrimary(*sentinel, search.master(), share()));
        if (!server)
            continue;
        auto dialled = dialOne(*server, Peer::Primary, share());
        if (dialled)
            return dialled;
        search.serverFailed(dialled.error());
    }
    return failure(search.error());
}

} // namespace

Result<DialResult<BlockingConnection>> dialBlocking(const Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    return endpoint.sentinels ? dialPrimary(endpoint, timeout) : dialOne(endpoint, Peer::Server, timeout);
}

std::vector<Result<DialResult<BlockingConnection>>> dialBlocking(const std::vector<Endpoint> &endpoints,
                                                                 std::chrono::milliseconds timeout)
{
    std::vector<PendingConnection> openings;
    openings.reserve(endpoints.size());
    for (const Endpoint &endpoint : endpoints) {
        if (!endpoint.sentinels)
            openings.emplace_back(endpoint, timeout / 2);
    }
    const QDeadlineTimer connected(timeout / 2, Qt::PreciseTimer);
    const QDeadlineTimer loggedIn(timeout, Qt::PreciseTimer);

    std::vector<Login> logins;
    logins.reserve(openings.size());
    for (const Endpoint &endpoint : endpoints) {
        if (!endpoint.sentinels)
            logins.emplace_back(openings[logins.size()].finish(connected), endpoint, Peer::Server, loggedIn);
    }

    std::vector<Result<DialResult<BlockingConnection>>> results;
    results.reserve(endpoints.size());
    auto login = logins.begin();
    for (const Endpoint &endpoint : endpoints)
        results.push_back(endpoint.sentinels ? dialPrimary(endpoint, timeout) : (login++)->finish(loggedIn));
    return results;
}

std::vector<SurveyedSentinel> surveySentinels(const Endpoint &endpoint, std::chrono::milliseconds timeout)
{
    std::vector<SurveyedSentinel> all;
    for (const Endpoint &sentinel : sentinelsOf(endpoint))
        all.push_back({sentinel, requestPrimary(sentinel, endpoint.sentinels->master, timeout)});
    return all;
}

} // namespace latchkey::net
