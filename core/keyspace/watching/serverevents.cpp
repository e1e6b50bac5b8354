#include "core/keyspace/watching/serverevents.h"

#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::watching {

using net::Connection;
using net::Session;
using net::Subscription;
using resp::Replies;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

constexpr auto eventTimeout = 10s;
/// Interval of configuration checks, because notifications may be switched on or off.
constexpr auto checkInterval = 2s;
/// Wait before the first retry after a denial, which may be temporary. The wait doubles up to the second value, because
/// each retry adds an entry to the server's ACL log.
constexpr std::chrono::milliseconds firstRetryWait {2000};
constexpr std::chrono::milliseconds maxRetryWait {30'000};

/// Interval in which confirmations are combined.
constexpr auto confirmationInterval = 3ms;
/// Longest reading in one turn of the event loop.
constexpr auto readingTurn = 5ms;
/// Time without data after which a lost server counts as having sent all data. Its kernel may still send buffered
/// data.
constexpr auto lastSilence = 250ms;

const QByteArray invalidations = QByteArrayLiteral("__redis__:invalidate");

/// Returns whether the server refuses all commands temporarily.
bool isPassing(const Reply &reply)
{
    return reply.isError() && resp::isTemporaryRefusal(resp::serverError(reply).kind);
}

} // namespace

QByteArrayList trackingRules()
{
    // The Subscription sends CLIENT ID and SUBSCRIBE over the second connection.
    return {QByteArrayLiteral("+client|tracking"), QByteArrayLiteral("+client|id"), QByteArrayLiteral("+subscribe"),
            '&' + invalidations};
}

bool reportsAllKeys(const QByteArray &notifyKeyspaceEvents)
{
    if (!notifyKeyspaceEvents.contains('E'))
        return false;
    if (notifyKeyspaceEvents.contains('A'))
        return true;
    const QByteArray classes = QByteArrayLiteral("g$lshzxet");
    return std::all_of(classes.begin(), classes.end(),
                       [&](char letter) { return notifyKeyspaceEvents.contains(letter); });
}

ServerEvents::ServerEvents(Session &session, const events::ObservationDispatcher &dispatcher, const base::Clock &clock,
                           base::RandomSource &random, QObject *parent)
    : EventSource(parent)
    , m_session(session)
    , m_dispatcher(dispatcher)
    , m_clock(clock)
    , m_push(session.endpoint(), clock, random)
    , m_subscription(m_push)
    , m_delay(session, m_push, clock)
    , m_flushCounter(session, dispatcher, clock)
{
    connect(&m_session, &Session::stateChanged, this, &ServerEvents::sessionChanged);
    connect(&m_subscription, &Subscription::begun, this, &ServerEvents::subscriptionBegun);
    connect(&m_subscription, &Subscription::ended, this, [this] { endReports(provenUntil()); });
    connect(&m_subscription, &Subscription::refused, this, &ServerEvents::subscriptionRefused);
    connect(&m_subscription, &Subscription::message, this, &ServerEvents::received);
    m_check.setInterval(checkInterval);
    connect(&m_check, &QTimer::timeout, this, &ServerEvents::requestConfiguration);
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &ServerEvents::requestConfiguration);
    m_confirmation.setSingleShot(true);
    m_confirmation.setTimerType(Qt::PreciseTimer);
    connect(&m_confirmation, &QTimer::timeout, this, &ServerEvents::sendConfirmation);
    // A stopped session drops the answers to pending requests.
    connect(&m_push, &Session::stateChanged, this, [this](Session::State state) {
        if (state != Session::State::Ready)
            m_isConfirming = false;
    });
    connect(&m_flushCounter, &FlushCounter::flushed, this, &ServerEvents::flushed);
    connect(&m_flushCounter.evictions(), &EvictionCounter::evictingChanged, this, [this] {
        if (m_mechanism == Mechanism::Tracking)
            deliverCoverage();
    });
    sessionChanged();
}

ServerEvents::~ServerEvents() = default;

void ServerEvents::sessionChanged()
{
    m_requests.use(m_session.connection());
    if (m_session.state() == Session::State::Ready) {
        if (std::exchange(m_isReadingLast, false))
            stop(std::nullopt);
        m_push.setPinging(true);
        setDenial(std::nullopt);
        m_mayReceiveFlushes = true;
        m_retryWait = firstRetryWait;
        requestConfiguration();
        m_check.start();
    } else {
        m_check.stop();
        m_retry.stop();
        m_isReadingLast = true;
        // The kernel of a dead process answers any more data with RST, and drops what it has not delivered.
        m_push.setPinging(false);
        m_lastReceived = m_clock.now();
        readLast();
    }
}

/// Reads the changes that the server announced before the connection was lost, in pieces, and then stops. The server
/// may have crashed, and tracking ended with the connection.
void ServerEvents::readLast()
{
    if (!m_isReadingLast)
        return;
    // The connection of a crashed server ends after all of its data. That of a running server stays open, so only
    // silence shows the end of the data.
    const bool mayHaveMore = m_mechanism != Mechanism::None && m_push.state() == Session::State::Ready;
    const bool isAllRead = !mayHaveMore || m_push.connection()->readArrived(readingTurn);
    if (mayHaveMore && (!isAllRead || m_clock.now() - m_lastReceived < lastSilence)) {
        QTimer::singleShot(isAllRead ? readingTurn : 0ms, this, &ServerEvents::readLast);
        return;
    }
    m_isReadingLast = false;
    m_push.setPinging(true);
    stop(std::nullopt);
}

void ServerEvents::send(const resp::Commands &commands, std::function<void(const Replies &)> handle)
{
    m_requests.sendIgnoringErrors(
        commands, eventTimeout,
        [handle = std::move(handle)](const Connection::Delivery &delivery) { handle(delivery.replies); });
}

void ServerEvents::requestConfiguration()
{
    if (m_requests.connection() == nullptr)
        return;
    send({{QByteArrayLiteral("CONFIG"), QByteArrayLiteral("GET"), QByteArrayLiteral("notify-keyspace-events")}},
         [this, asked = m_clock.now()](const Replies &replies) { configured(replies.front(), asked); });
}

void ServerEvents::configured(const Reply &reply, base::MonotonicTime asked)
{
    if (isPassing(reply)) {
        m_check.start(); // Retry at the next check.
        return;
    }
    if (reply.isError())
        m_check.stop(); // Denied: checked again only by the retries.
    else if (!m_check.isActive())
        m_check.start();
    const bool isOn = reply.isArray() && reply.elements().size() == 2 && reportsAllKeys(reply.elements()[1].bytes());
    if (isOn)
        m_wasOnAt = asked;
    const Mechanism wanted = isOn ? Mechanism::Notifications : Mechanism::Tracking;
    if (wanted == m_wanted || (m_denial && m_retry.isActive() && wanted == m_denied))
        return;
    m_mayReceiveFlushes = m_mayReceiveFlushes || m_denial; // It may be permitted again, too.
    listen(wanted);
}

void ServerEvents::listen(Mechanism mechanism)
{
    // Notifications were switched off, or restricted to some events, at some time since the last check.
    const bool wasOn = m_mechanism == Mechanism::Notifications && mechanism == Mechanism::Tracking;
    endReports(wasOn ? m_wasOnAt : provenUntil());
    m_push.stop(); // The deferred call by stop() may still be pending, and a subscribed connection refuses CLIENT ID.
    m_wanted = mechanism;
    if (mechanism == Mechanism::Notifications) {
        const QByteArray pattern =
            "__keyevent@" + QByteArray::number(m_session.endpoint().database) + QByteArrayLiteral("__:*");
        m_subscription.subscribe(m_mayReceiveFlushes ? QList {invalidations} : QList<QByteArray>(), {pattern});
    } else {
        m_subscription.subscribe({invalidations}, {});
    }
    m_push.setFixedEndpoint(m_session.connectedEndpoint()); // The same server, also while a failover is under way.
    m_push.start();
}

void ServerEvents::subscriptionBegun()
{
    if (m_wanted == Mechanism::Notifications)
        requestFlushEvents();
    else if (const auto id = m_subscription.clientId())
        track(*id);
    else
        stop(base::Error {base::ErrorKind::PermissionDenied,
                          base::Text(QT_TRANSLATE_NOOP("core", "CLIENT ID is not allowed"))});
}

void ServerEvents::subscriptionRefused(const base::Error &error)
{
    if (m_wanted != Mechanism::Notifications || !m_mayReceiveFlushes)
        return stop(error);
    m_mayReceiveFlushes = false;
    // Defer: this runs within a callback of the connection to be closed.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (m_wanted == Mechanism::Notifications)
                listen(Mechanism::Notifications);
        },
        Qt::QueuedConnection);
}

/// Tracks no key (OPTIN without opting in); the server reports flushes nevertheless.
void ServerEvents::requestFlushEvents()
{
    const auto id = m_subscription.clientId();
    if (!m_mayReceiveFlushes || !id || m_session.state() != Session::State::Ready) {
        setMechanism(Mechanism::Notifications);
        return;
    }
    const QByteArray client = QByteArrayLiteral("CLIENT");
    const QByteArray tracking = QByteArrayLiteral("TRACKING");
    send({{client, tracking, QByteArrayLiteral("OFF")},
          {client, tracking, QByteArrayLiteral("ON"), QByteArrayLiteral("REDIRECT"), QByteArray::number(*id),
           QByteArrayLiteral("OPTIN")}},
         [this](const Replies &replies) {
             if (m_wanted == Mechanism::Notifications && m_subscription.isActive())
                 setMechanism(Mechanism::Notifications, !replies.back().isError());
         });
}

void ServerEvents::track(qint64 clientId)
{
    if (m_session.state() != Session::State::Ready)
        return;
    const QByteArray client = QByteArrayLiteral("CLIENT");
    const QByteArray tracking = QByteArrayLiteral("TRACKING");
    send({{client, tracking, QByteArrayLiteral("OFF")},
          {client, tracking, QByteArrayLiteral("ON"), QByteArrayLiteral("REDIRECT"), QByteArray::number(clientId),
           QByteArrayLiteral("BCAST")}},
         [this](const Replies &replies) {
             if (isPassing(replies.back()))
                 stop(std::nullopt); // Tracking is retried.
             else if (replies.back().isError())
                 stop(resp::serverError(replies.back()));
             else if (m_subscription.isActive())
                 setMechanism(Mechanism::Tracking, true);
         });
}

void ServerEvents::stop(const std::optional<base::Error> &denial)
{
    m_denied = std::exchange(m_wanted, Mechanism::None);
    setDenial(denial);
    const bool isReady = m_session.state() == Session::State::Ready;
    if (isReady && !m_retry.isActive() && (denial || !m_check.isActive())) {
        m_retry.start(m_retryWait);
        m_retryWait = std::min(2 * m_retryWait, maxRetryWait);
    }
    // Defer: this may run within a signal of that session.
    QMetaObject::invokeMethod(
        &m_push,
        [this] {
            if (m_wanted == Mechanism::None)
                m_push.stop();
        },
        Qt::QueuedConnection);
    endReports(provenUntil());
}

void ServerEvents::endReports(base::MonotonicTime until)
{
    if (m_mechanism == Mechanism::None)
        return; // The reports have ended before.
    m_reportedUntil = until;
    setMechanism(Mechanism::None);
}

/// Returns the time up to which the announcements have certainly arrived: a reply over the second connection follows
/// all earlier ones. Client tracking also ends with the main connection.
base::MonotonicTime ServerEvents::provenUntil() const
{
    const auto lastRequest = [](const Session &session) {
        return session.lastAnswer().value_or(base::MonotonicTime()) - session.roundTrip().value_or(0ns);
    };
    const base::MonotonicTime push = std::max(m_confirmedUpTo, lastRequest(m_push));
    return m_session.state() == Session::State::Ready ? push : std::min(push, lastRequest(m_session));
}

void ServerEvents::setDenial(const std::optional<base::Error> &denial)
{
    if (std::exchange(m_denial, denial) == denial)
        return;
    if (denial)
        m_flushCounter.start();
    Q_EMIT denialChanged();
}

void ServerEvents::setMechanism(Mechanism mechanism, bool reportsFlushes)
{
    if (mechanism != Mechanism::None) {
        m_retry.stop();
        m_retryWait = firstRetryWait;
        setDenial(std::nullopt);
        m_flushCounter.stop();
    }
    if (m_mechanism == mechanism && m_hasFlushEvents == reportsFlushes)
        return;
    const bool isOther = std::exchange(m_mechanism, mechanism) != mechanism;
    m_hasFlushEvents = reportsFlushes;
    deliverCoverage();
    if (mechanism == Mechanism::Tracking)
        m_flushCounter.evictions().count();
    if (isOther)
        Q_EMIT mechanismChanged();
}

void ServerEvents::deliverCoverage()
{
    const bool mayEvict = m_mechanism != Mechanism::Notifications && m_flushCounter.evictions().isEvicting();
    m_dispatcher.deliverEventCoverage(0, {depthOf(m_mechanism), m_hasFlushEvents, m_clock.now(), mayEvict});
}

void ServerEvents::confirm()
{
    if (m_mechanism == Mechanism::None)
        m_flushCounter.request();
    if (m_mechanism == Mechanism::None || m_isConfirming || m_confirmation.isActive())
        return;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(m_confirmed + confirmationInterval - m_clock.now());
    m_confirmation.start(std::max(wait, 0ms));
}

void ServerEvents::sendConfirmation()
{
    if (m_mechanism == Mechanism::None || m_isReadingLast || m_push.state() != Session::State::Ready)
        return;
    m_isConfirming = true;
    m_confirmed = m_clock.now();
    if (m_mechanism != Mechanism::Tracking)
        return pingSubscriber();
    m_flushCounter.evictions().count([this] { pingSubscriber(); }); // They are delivered before the confirmation.
}

void ServerEvents::pingSubscriber()
{
    if (m_push.state() != Session::State::Ready)
        return; // The change of the state has ended the confirmation.
    m_push.connection()->send({resp::ping()}, eventTimeout, this,
                              [this](const base::Result<Connection::Delivery> &answer) {
                                  m_isConfirming = false;
                                  if (answer)
                                      m_confirmedUpTo = answer->sent;
                                  if (answer && m_mechanism != Mechanism::None)
                                      m_dispatcher.deliverReceivedUpTo(0, answer->sent);
                              });
}

void ServerEvents::announce(const QList<QByteArray> &keys, const QByteArray &event)
{
    const base::MonotonicTime now = m_clock.now();
    events::Observations observations;
    observations.reserve(static_cast<std::size_t>(keys.size()));
    for (const QByteArray &key : keys)
        observations.push_back({key, events::ChangeNotification {event}, now, now, events::Source::Notification});
    m_dispatcher.deliver(observations);
    Q_EMIT keysChanged(keys);
}

void ServerEvents::received(const QByteArray &channel, const Reply &payload)
{
    m_lastReceived = m_clock.now();
    m_delay.recordEvent();
    if (channel != invalidations) {
        announce({payload.bytes()}, channel.sliced(channel.indexOf(':') + 1));
        return;
    }
    if (payload.isNil()) {
        if (!m_isReplica || !m_isReplica())
            m_dispatcher.deliverFlush(0, m_clock.now(), events::FlushKind::Any);
        Q_EMIT flushed();
        return;
    }
    if (m_wanted != Mechanism::Tracking)
        return;
    QList<QByteArray> keys;
    for (const Reply &key : payload.elements())
        keys += key.bytes();
    announce(keys, {});
}

} // namespace latchkey::watching
