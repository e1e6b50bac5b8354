#pragma once

#include "core/redis/net/session.h"

#include <QObject>

#include <optional>

namespace latchkey::net {

/// Receives the messages that a server publishes on some channels, over a session of its own.
///
/// The session reconnects automatically, and the subscription is renewed. Messages in between are lost, which is
/// reported by ended() followed by begun(). Owned by the listener; the session is not owned. It does not interpret the
/// messages.
class Subscription final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Subscription)

public:
    explicit Subscription(Session &session, QObject *parent = nullptr);
    ~Subscription() override;

    /// Subscribes to these channels and patterns, as soon as the session is connected.
    void subscribe(QList<QByteArray> channels, QList<QByteArray> patterns);
    [[nodiscard]] bool isActive() const { return m_isActive; }
    /// Returns the client ID of its connection on the server, to direct messages there; absent if CLIENT ID is denied.
    [[nodiscard]] std::optional<qint64> clientId() const { return m_clientId; }

Q_SIGNALS:
    /// From now on all published messages are received.
    void begun();
    void ended();
    /// The server refuses the subscription; the session stays connected.
    void refused(const latchkey::base::Error &error);
    /// `payload`: Nil if the server has published a nil.
    void message(const QByteArray &channel, const latchkey::resp::Reply &payload);

private:
    void sessionChanged(Session::State state);
    void begin();
    void subscribed(const Connection::Delivery &delivery);
    void heard(const resp::Reply &reply);

    Session &m_session; // Not owned.
    QList<QByteArray> m_channels;
    QList<QByteArray> m_patterns;
    std::optional<qint64> m_clientId;
    bool m_isActive = false;
};

} // namespace latchkey::net
