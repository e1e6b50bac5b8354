#include "core/keyspace/eventsource.h"

#include "core/resp/servererror.h"

#include <QPointer>

#include <algorithm>

namespace latchkey::keyspace {

using resp::Connection;
using resp::Replies;
using resp::Reply;
using resp::Session;
using resp::Subscription;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 10s;
/// Somebody may switch notifications on or off.
constexpr auto checkInterval = 5s;

const QByteArray invalidations = QByteArrayLiteral("__redis__:invalidate");

} // namespace

bool tellsOfAllKeys(const QByteArray &notifyKeyspaceEvents)
{
    if (!notifyKeyspaceEvents.contains('E'))
        return false;
    if (notifyKeyspaceEvents.contains('A'))
        return true;
    const QByteArray classes = QByteArrayLiteral("g$lshzxet");
    return std::all_of(classes.begin(), classes.end(),
                       [&](char letter) { return notifyKeyspaceEvents.contains(letter); });
}

EventSource::EventSource(Session &session, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_push(session.endpoint(), clock, random)
    , m_subscription(m_push)
{
    connect(&m_session, &Session::stateChanged, this, &EventSource::sessionChanged);
    connect(&m_subscription, &Subscription::begun, this, &EventSource::subscriptionBegun);
    connect(&m_subscription, &Subscription::ended, this, [this] { setMeans(Means::None); });
    connect(&m_subscription, &Subscription::refused, this, [this](const base::Error &error) { stop(error); });
    connect(&m_subscription, &Subscription::message, this, &EventSource::heard);
    m_check.setInterval(checkInterval);
    connect(&m_check, &QTimer::timeout, this, &EventSource::askConfiguration);
    sessionChanged();
}

EventSource::~EventSource() = default;

void EventSource::sessionChanged()
{
    ++m_run;
    if (m_session.state() == Session::State::Ready) {
        m_denial.reset();
        askConfiguration();
        m_check.start();
    } else {
        m_check.stop();
        // Tracking was that connection's.
        stop(std::nullopt);
    }
}

void EventSource::ask(const resp::Commands &commands, std::function<void(const Replies &)> handle)
{
    m_session.connection()->send(commands, timeout,
                                 [alive = QPointer<EventSource>(this), run = m_run,
                                  handle = std::move(handle)](const base::Result<Connection::Delivery> &outcome) {
                                     if (alive && outcome && alive->m_run == run)
                                         handle(outcome->replies);
                                 });
}

void EventSource::askConfiguration()
{
    ask({{QByteArrayLiteral("CONFIG"), QByteArrayLiteral("GET"), QByteArrayLiteral("notify-keyspace-events")}},
        [this](const Replies &replies) { configured(replies.front()); });
}

void EventSource::configured(const Reply &reply)
{
    if (reply.isError())
        m_check.stop(); // Denied: it need not be asked again.
    const bool isOn = reply.isArray() && reply.elements().size() == 2 && tellsOfAllKeys(reply.elements()[1].bytes());
    const Means wanted = isOn ? Means::Notifications : Means::Tracking;
    if (wanted == m_wanted || (wanted == Means::Tracking && m_denial))
        return;
    m_denial.reset();
    listen(wanted);
}

void EventSource::listen(Means means)
{
    if (m_wanted != Means::None)
        m_push.stop();
    setMeans(Means::None);
    m_wanted = means;
    if (means == Means::Notifications) {
        const QByteArray pattern =
            "__keyevent@" + QByteArray::number(m_session.endpoint().database) + QByteArrayLiteral("__:*");
        m_subscription.subscribe({}, {pattern});
    } else {
        m_subscription.subscribe({invalidations}, {});
    }
    m_push.start();
}

void EventSource::subscriptionBegun()
{
    if (m_wanted == Means::Notifications)
        setMeans(Means::Notifications);
    else if (const auto id = m_subscription.clientId())
        track(*id);
    else
        stop(base::Error {base::ErrorKind::PermissionDenied, QStringLiteral("CLIENT ID is not allowed")});
}

void EventSource::track(qint64 clientId)
{
    if (m_session.state() != Session::State::Ready)
        return;
    const QByteArray client = QByteArrayLiteral("CLIENT");
    const QByteArray tracking = QByteArrayLiteral("TRACKING");
    ask({{client, tracking, QByteArrayLiteral("OFF")},
         {client, tracking, QByteArrayLiteral("ON"), QByteArrayLiteral("REDIRECT"), QByteArray::number(clientId),
          QByteArrayLiteral("BCAST")}},
        [this](const Replies &replies) {
            if (replies.back().isError())
                stop(resp::serverError(replies.back()));
            else if (m_subscription.isActive())
                setMeans(Means::Tracking);
        });
}

void EventSource::stop(const std::optional<base::Error> &denial)
{
    m_wanted = Means::None;
    m_denial = denial;
    // Later: one of its own signals may have brought us here.
    QMetaObject::invokeMethod(
        &m_push,
        [this] {
            if (m_wanted == Means::None)
                m_push.stop();
        },
        Qt::QueuedConnection);
    setMeans(Means::None);
}

void EventSource::setMeans(Means means)
{
    if (m_means == means)
        return;
    m_means = means;
    Q_EMIT meansChanged();
}

void EventSource::heard(const QByteArray &channel, const Reply &payload)
{
    if (channel != invalidations) {
        Q_EMIT touched({payload.bytes()});
        return;
    }
    if (payload.isNil()) {
        Q_EMIT flushed();
        return;
    }
    QList<QByteArray> keys;
    for (const Reply &key : payload.elements())
        keys += key.bytes();
    Q_EMIT touched(keys);
}

} // namespace latchkey::keyspace
