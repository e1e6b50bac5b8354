#pragma once

#include "core/redis/net/session.h"

#include <QObject>

#include <optional>

namespace latchkey::net {

/// A subscription to channels of a server, over a session that has no other use.
///
/// The session reconnects automatically, and the subscription is renewed. Messages between ended() and the next begun()
/// are lost. Owned by the listener; the session is not owned. It does not interpret the messages.
class Subscription final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Subscription)

public:
    explicit Subscription(Session &session, QObject *parent = nullptr);
    ~Subscription() override;

    /// Subscribes to these channels and patterns as soon as the session is connected, and after each reconnect.
    void subscribe(QList<QByteArray> channels, QList<QByteArray> patterns);
    [[nodiscard]] bool isActive() const { return m_isActive; }
    /// Returns the client ID of the current connection, for commands such as CLIENT TRACKING REDIRECT; absent if CLIENT
    /// ID is denied.
    [[nodiscard]] std::optional<qint64> clientId() const { return m_clientId; }

Q_SIGNALS:
    /// Emitted when the subscription is active: from now on all published messages are received.
    void begun();
    void ended();
    /// Emitted when the server refuses the subscription. The session stays connected.
    void refused(const latchkey::base::Error &error);
    /// Emitted for each message. `payload`: content of the message; Nil if the server has published a nil.
    void message(const QByteArray &channel, const latchkey::resp::Reply &payload);

private:
    void sessionChanged(Session::State state);
    void begin();
    void subscribed(const Connection::Delivery &delivery);
    void received(const resp::Reply &reply);

    Session &m_session; // Not owned.
    QList<QByteArray> m_channels;
    QList<QByteArray> m_patterns;
    std::optional<qint64> m_clientId;
    bool m_isActive = false;
};

} // namespace latchkey::net
