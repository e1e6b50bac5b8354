#pragma once

#include "core/resp/session.h"

#include <QObject>

#include <optional>

namespace latchkey::resp {

/// Hears what a server publishes on some channels, over a session that is for nothing else.
///
/// The session connects again by itself, and the subscription with it; what was published meanwhile is lost, which
/// begun() after an ended() means.
/// Owned by the listener; the session is not owned. It does not interpret what is published.
class Subscription final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Subscription)

public:
    explicit Subscription(Session &session, QObject *parent = nullptr);
    ~Subscription() override;

    /// To these channels, and to those that match these patterns; takes effect as soon as the session is connected.
    void subscribe(QList<QByteArray> channels, QList<QByteArray> patterns);
    [[nodiscard]] bool isActive() const { return m_isActive; }
    /// The number of its connection on the server, for having something sent there; absent where CLIENT ID is denied.
    [[nodiscard]] std::optional<qint64> clientId() const { return m_clientId; }

Q_SIGNALS:
    /// From now on everything that is published is heard.
    void begun();
    void ended();
    /// The server will not have it; it stays connected.
    void refused(const latchkey::base::Error &error);
    /// payload: nothing where the server has published a nil.
    void message(const QByteArray &channel, const latchkey::resp::Reply &payload);

private:
    void sessionChanged(Session::State state);
    void begin();
    void subscribed(const Connection::Delivery &delivery);
    void heard(const Reply &reply);

    Session &m_session; // Not owned.
    QList<QByteArray> m_channels;
    QList<QByteArray> m_patterns;
    std::optional<qint64> m_clientId;
    bool m_isActive = false;
};

} // namespace latchkey::resp
