#include "core/redis/net/subscription.h"

#include "core/redis/resp/servererror.h"

namespace latchkey::net {

using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 10s;

} // namespace

Subscription::Subscription(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&m_session, &Session::stateChanged, this, &Subscription::sessionChanged);
}

Subscription::~Subscription() = default;

void Subscription::subscribe(QList<QByteArray> channels, QList<QByteArray> patterns)
{
    m_channels = std::move(channels);
    m_patterns = std::move(patterns);
    if (m_session.state() == Session::State::Ready)
        begin();
}

void Subscription::sessionChanged(Session::State state)
{
    if (state == Session::State::Ready) {
        begin();
    } else if (m_isActive) {
        m_isActive = false;
        m_clientId.reset();
        Q_EMIT ended();
    }
}

void Subscription::begin()
{
    if (m_channels.isEmpty() && m_patterns.isEmpty())
        return;
    m_session.connection()->setMessageHandler(this, [this](const resp::Reply &reply) { received(reply); });
    // CLIENT ID is possible only before the subscription. Each SUBSCRIBE has one channel, and so one answer.
    resp::Commands commands {{QByteArrayLiteral("CLIENT"), QByteArrayLiteral("ID")}};
    for (const QByteArray &channel : std::as_const(m_channels))
        commands.push_back({QByteArrayLiteral("SUBSCRIBE"), channel});
    for (const QByteArray &pattern : std::as_const(m_patterns))
        commands.push_back({QByteArrayLiteral("PSUBSCRIBE"), pattern});
    m_session.connection()->send(commands, timeout, this, [this](const base::Result<Connection::Delivery> &outcome) {
        if (outcome)
            subscribed(*outcome);
    });
}

void Subscription::subscribed(const Connection::Delivery &delivery)
{
    const resp::Reply &id = delivery.replies.front();
    m_clientId = id.isInteger() ? std::optional(id.toInteger()) : std::nullopt;
    for (std::size_t i = 1; i < delivery.replies.size(); ++i) {
        if (delivery.replies[i].isError()) {
            Q_EMIT refused(resp::serverError(delivery.replies[i]));
            return;
        }
    }
    m_isActive = true;
    Q_EMIT begun();
}

void Subscription::received(const resp::Reply &reply)
{
    const auto &parts = reply.elements();
    const bool isByPattern = parts.size() == 4;
    Q_EMIT message(parts[isByPattern ? 2 : 1].bytes(), parts.back());
}

} // namespace latchkey::net
