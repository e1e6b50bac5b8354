#include "core/redis/net/primaryfinder.h"

namespace latchkey::net {

using base::Result;
using std::chrono::milliseconds;

PrimaryFinder::PrimaryFinder(const Endpoint &endpoint, const std::optional<HostPort> &knownPrimary,
                             const base::Clock &clock, const resp::ReplyLimits &limits, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_limits(limits)
    , m_knownPrimary(knownPrimary)
    , m_search(endpoint)
{}

PrimaryFinder::~PrimaryFinder() = default;

void PrimaryFinder::find(milliseconds timeout, Dialer::Callback done)
{
    m_deadline = QDeadlineTimer(timeout, Qt::PreciseTimer);
    m_done = std::move(done);
    if (m_knownPrimary)
        tryServer(m_search.tryFirst(*m_knownPrimary));
    else
        requestFromNext();
}

milliseconds PrimaryFinder::share() const
{
    return m_search.shareOf(milliseconds(m_deadline.remainingTime()));
}

void PrimaryFinder::dial(const Endpoint &endpoint, Peer peer, Dialer::Callback done)
{
    if (m_dialer)
        m_dialer.release()->deleteLater(); // Deleted later, because it may be the caller.
    m_dialer = std::make_unique<Dialer>(m_clock);
    m_dialer->setReplyLimits(m_limits);
    m_dialer->setPeer(peer);
    m_dialer->dial(endpoint, share(), std::move(done));
}

void PrimaryFinder::requestFromNext()
{
    m_sentinel = m_search.nextSentinel();
    if (!m_sentinel)
        return finish(base::failure(m_search.error()));
    dial(*m_sentinel, Peer::Sentinel, [this](Result<DialResult<Connection>> dialled) {
        if (dialled)
            return request(std::move(dialled->connection));
        if (m_dialer->needsUserAction()) // The next attempt would ask the user again.
            return finish(base::failure(dialled.error()));
        take(base::failure(dialled.error()));
    });
}

void PrimaryFinder::request(std::unique_ptr<Connection> sentinel)
{
    m_connection = std::move(sentinel);
    m_connection->send(primaryRequest(m_search.master(), true), share(), this,
                       [this](const Result<Connection::Delivery> &delivery) {
                           m_connection.release()->deleteLater(); // Deleted later, because it is the caller.
                           take(delivery ? primaryFrom(*m_sentinel, m_search.master(), delivery->replies)
                                         : base::failure(delivery.error()));
                       });
}

void PrimaryFinder::take(const Result<PrimaryAddress> &answer)
{
    const auto server = m_search.take(answer);
    if (server)
        tryServer(*server);
    else
        requestFromNext();
}

void PrimaryFinder::tryServer(const Endpoint &server)
{
    dial(server, Peer::Primary, [this](Result<DialResult<Connection>> dialled) {
        if (dialled || m_dialer->needsUserAction())
            return finish(std::move(dialled));
        m_search.serverFailed(dialled.error());
        requestFromNext();
    });
}

void PrimaryFinder::finish(Result<DialResult<Connection>> result)
{
    const Dialer::Callback done = std::exchange(m_done, nullptr);
    done(std::move(result));
}

} // namespace latchkey::net
