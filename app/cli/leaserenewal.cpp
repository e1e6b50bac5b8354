#include "app/cli/leaserenewal.h"

#include "app/help/commandline.h"
#include "core/redis/net/sentinelanswer.h"

#include <algorithm>

namespace latchkey::cli {

using net::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<Session> shortRetrySession(const net::Endpoint &server, milliseconds lease)
{
    auto session = std::make_unique<Session>(server, base::SystemClock::instance(), base::SystemRandom::instance());
    Session::Timing timing;
    timing.dialTimeout = std::clamp<milliseconds>(lease / 3, 10ms, timing.dialTimeout);
    session->setTiming(timing);
    QObject::connect(
        session.get(), &Session::stateChanged, session.get(), [lease, waiting = session.get()](Session::State state) {
            if (state == Session::State::Waiting)
                QTimer::singleShot(std::clamp<milliseconds>(lease / 30, 5ms, 1s), waiting, &Session::retryNow);
        });
    return session;
}

} // namespace

LeaseRenewal::LeaseRenewal(const std::vector<net::Endpoint> &servers, const exchange::BlockingDriver &acquiredBy,
                           base::Lease lease, milliseconds firstUse)
{
    std::vector<Session *> pointers;
    for (const net::Endpoint &server : servers) {
        m_sessions.push_back(shortRetrySession(server, lease.duration()));
        if (server.sentinels)
            noteFailovers(*m_sessions.back(),
                          acquiredBy.addressOf(static_cast<exchange::ServerIndex>(pointers.size())));
        pointers.push_back(m_sessions.back().get());
    }
    m_driver = std::make_unique<exchange::LoopDriver>(std::move(pointers), base::SystemClock::instance(),
                                                      base::SystemRandom::instance());
    m_driver->followClusters();
    m_watchdog = std::make_unique<locks::LeaseWatchdog>(*m_driver);
    m_connect.setSingleShot(true);
    QObject::connect(&m_connect, &QTimer::timeout, &m_connect, [this] {
        for (const auto &session : m_sessions)
            session->start();
    });
    // Connections are made as late as possible, because most programs end earlier and need no second connection. A slow
    // connection, such as ssh on a busy machine, needs all of the time. The limit of 24 h exists because a QTimer
    // counts milliseconds in an int.
    const bool isFar = std::ranges::any_of(servers, [](const net::Endpoint &server) { return server.ssh.has_value(); });
    m_connect.start(isFar ? 0ms : std::min<milliseconds>(firstUse / 2, 24h));
}

LeaseRenewal::~LeaseRenewal() = default;

std::vector<net::Endpoint> LeaseRenewal::endpointsOf(const base::Key &key) const
{
    std::vector<net::Endpoint> endpoints;
    for (std::size_t i = 0; i < m_sessions.size(); ++i)
        endpoints.push_back(m_driver->endpointOf(static_cast<exchange::ServerIndex>(i), key));
    return endpoints;
}

/// Compares each address of the session with the previous one; `primary`: the address before the first connection.
void LeaseRenewal::noteFailovers(Session &session, const std::optional<net::HostPort> &primary)
{
    QObject::connect(
        &session, &Session::stateChanged, &session, [this, &session, last = primary](Session::State state) mutable {
            if (state != Session::State::Ready)
                return;
            const net::HostPort now {session.connectedEndpoint().host, session.connectedEndpoint().port};
            if (last && *last != now)
                m_failover = help::CommandLine::tr("a failover took place, and %1 is the primary now, instead of %2")
                                 .arg(net::hostPortText(now), net::hostPortText(*last));
            last = now;
        });
}

} // namespace latchkey::cli
