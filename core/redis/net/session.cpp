#include "core/redis/net/session.h"

#include "core/foundation/base/logging.h"
#include "core/redis/net/sentinelwatch.h"

namespace latchkey::net {

namespace {

/// Number of refusals of a formerly accepted password that count as temporary: more attempts might lock the user out.
constexpr int maxTemporaryRefusals = 20;

base::Error ledElsewhere(const Endpoint &endpoint, const HostPort &primary)
{
    return {base::ErrorKind::ConnectionLost,
            base::Text(QT_TRANSLATE_NOOP("core", "failover: the sentinels name %1 as the primary now, instead of %2"),
                       hostPortText(endpoint.addresses.reached(primary)),
                       hostPortText({endpoint.host, endpoint.port}))};
}

/// Returns whether this may be the reply to PING. A subscribed connection replies with an array, and a connection with
/// an open transaction with QUEUED.
bool mayBePong(const resp::Reply &reply)
{
    using Kind = resp::Reply::Kind;
    const resp::Reply &first =
        reply.kind() == Kind::Array && !reply.elements().empty() ? reply.elements().front() : reply;
    return reply.isError() || first.bytes().compare("PONG", Qt::CaseInsensitive) == 0 || first.bytes() == "QUEUED";
}

} // namespace

Session::Session(Endpoint endpoint, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_endpoint(std::move(endpoint))
    , m_connectedEndpoint(m_endpoint)
    , m_clock(clock)
    , m_random(random)
{
    m_retryTimer.setSingleShot(true);
    connect(&m_retryTimer, &QTimer::timeout, this, &Session::dial);
    connect(&m_pingTimer, &QTimer::timeout, this, &Session::ping);
}

Session::~Session() = default;

void Session::start()
{
    if (m_state != State::Stopped)
        return;
    if (m_endpoint.sentinels && !m_fixedEndpoint) {
        m_sentinels = SentinelWatch::of(m_endpoint);
        connect(m_sentinels.get(), &SentinelWatch::primaryChanged, this, &Session::followPrimary);
    }
    dial();
}

void Session::stop()
{
    m_retryTimer.stop();
    m_pingTimer.stop();
    m_dialer.reset();
    if (m_sentinels)
        m_sentinels->disconnect(this);
    m_sentinels.reset();
    m_earlierCommands = commandsSent();
    m_connection.reset();
    m_lastError.reset();
    setState(State::Stopped);
}

void Session::retryNow()
{
    if (m_state != State::Waiting)
        return;
    m_retryTimer.stop();
    dial();
}

quint64 Session::commandsSent() const
{
    return m_earlierCommands + (m_connection ? m_connection->commandsSent() : 0);
}

void Session::dial()
{
    m_dialer = std::make_unique<Dialer>(m_clock);
    m_dialer->setPeer(m_fixedEndpoint && m_endpoint.sentinels ? Peer::Primary : m_peer);
    m_dialledPrimary = m_sentinels ? m_sentinels->primary() : std::nullopt;
    m_dialer->setKnownPrimary(m_dialledPrimary);
    m_dialer->dial(m_fixedEndpoint.value_or(m_endpoint), m_timing.dialTimeout,
                   [this](base::Result<DialResult<Connection>> dialled) {
                       m_refused = m_dialer->refusedCertificate();
                       m_needsUserAction = m_dialer->needsUserAction();
                       // The dialer has finished, but this is its callback, so it is deleted later.
                       m_dialer.release()->deleteLater();
                       if (dialled && isFormerPrimary(dialled->endpoint))
                           lose(ledElsewhere(dialled->endpoint, *m_sentinels->primary()));
                       else if (dialled)
                           adopt(std::move(*dialled));
                       else
                           lose(dialled.error());
                   });
    setState(State::Connecting);
}

void Session::adopt(DialResult<Connection> dialled)
{
    m_connection = std::move(dialled.connection);
    m_connection->setTrafficObserver(m_trafficObserver);
    for (const Connection::TrafficObserver &observer : m_moreTrafficObservers)
        m_connection->addTrafficObserver(observer);
    m_connection->setCommandFilter(m_commandFilter);
    m_connection->setMaxTimeout(m_timing.maxRequestTimeout);
    connect(m_connection.get(), &Connection::closed, this, &Session::lose);
    m_server = std::move(dialled.server);
    m_connectedEndpoint = std::move(dialled.endpoint);
    m_roundTrip = dialled.roundTrip;
    m_lastAnswer = m_clock.now();
    m_lastError.reset();
    m_wasAccepted = true;
    m_refusalsSinceAccepted = 0;
    m_backoff.reset();
    m_pingTimer.start(m_timing.pingInterval);
    setState(State::Ready);
}

void Session::setTrafficObserver(Connection::TrafficObserver observer)
{
    m_trafficObserver = std::move(observer);
    if (m_connection)
        m_connection->setTrafficObserver(m_trafficObserver);
}

void Session::addTrafficObserver(Connection::TrafficObserver observer)
{
    if (m_connection)
        m_connection->addTrafficObserver(observer);
    m_moreTrafficObservers.push_back(std::move(observer));
}

void Session::setCommandFilter(Connection::CommandFilter filter)
{
    m_commandFilter = std::move(filter);
    if (m_connection)
        m_connection->setCommandFilter(m_commandFilter);
}

void Session::lose(const base::Error &error)
{
    qCInfo(base::lcConnection).noquote() << error.message();
    m_pingTimer.stop();
    if (m_connection) {
        m_earlierCommands = commandsSent();
        m_connection->disconnect(this);
        m_connection.release()->deleteLater(); // Deleted later: its signal may be the caller.
    }
    m_lastError = error;
    if (m_needsUserAction) {
        m_nextAttempt = base::MonotonicTime::max();
    } else {
        const auto wait = nextWait(error.kind);
        m_nextAttempt = m_clock.now() + wait;
        m_retryTimer.start(wait);
    }
    setState(State::Waiting);
}

/// Returns the wait before the next attempt after an error of this kind.
std::chrono::milliseconds Session::nextWait(base::ErrorKind kind)
{
    const auto wait = m_backoff.next(m_random);
    if (!base::isPasswordRefused(kind))
        return wait;
    const bool wasSent = kind != base::ErrorKind::AuthenticationRequired;
    const bool isTemporary = m_wasAccepted && m_refusalsSinceAccepted++ < maxTemporaryRefusals;
    return wasSent && !isTemporary ? m_timing.passwordWait : std::min(wait, m_timing.longestLoginWait);
}

void Session::ping()
{
    if (!m_isPinging)
        return;
    m_connection->send({resp::ping()}, m_timing.pingTimeout, this, [this](base::Result<Connection::Delivery> delivery) {
        if (!delivery)
            return; // closed() reports the error.
        // A proxy has lost a reply, so the next replies would be assigned to wrong commands.
        if (!mayBePong(delivery->replies.front()))
            return m_connection->close(
                {base::ErrorKind::Protocol,
                 base::Text(QT_TRANSLATE_NOOP("core", "the replies do not match the requests"))});
        m_roundTrip = delivery->received - delivery->sent;
        m_lastAnswer = delivery->received;
        Q_EMIT roundTripMeasured(*m_roundTrip);
    });
}

/// Leaves the former primary at once, and cancels an attempt that started with it.
void Session::followPrimary()
{
    const auto primary = m_sentinels->primary();
    if (m_state == State::Ready && isFormerPrimary(m_connectedEndpoint)) {
        m_connection->close(ledElsewhere(m_connectedEndpoint, *primary));
    } else if (m_state == State::Connecting && m_dialledPrimary && m_dialledPrimary != primary) {
        dial();
        return;
    }
    retryNow();
}

bool Session::isFormerPrimary(const Endpoint &endpoint) const
{
    return m_sentinels && m_sentinels->primary()
        && m_endpoint.addresses.reached(*m_sentinels->primary()) != HostPort {endpoint.host, endpoint.port};
}

void Session::setState(State state)
{
    if (m_state == state)
        return;
    m_state = state;
    Q_EMIT stateChanged(state);
}

} // namespace latchkey::net
