#pragma once

#include "core/redis/net/requestscope.h"

#include <QObject>

namespace latchkey::watching {

/// The number of keys of a server's database, polled with DBSIZE. Owned by the watcher, which sets the connection and
/// calls poll(). The connection is not owned.
class DatabaseSize final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DatabaseSize)

public:
    explicit DatabaseSize(QObject *parent = nullptr);
    ~DatabaseSize() override;

    /// Sets the connection; null: not connected.
    void setConnection(net::Connection *connection);
    /// Sends DBSIZE, unless it is too early or an answer is pending. Returns whether it was sent.
    bool poll(base::MonotonicTime now);
    /// Makes the next call of poll() send DBSIZE without a wait.
    void requestSoon() { m_next = base::MonotonicTime(); }

    /// Returns the last reported number of keys, including expired keys that the server has not removed yet; 0 before
    /// the first answer.
    [[nodiscard]] qint64 keys() const { return m_keys; }
    /// Returns whether the server has reported the number over this connection.
    [[nodiscard]] bool isKnown() const { return m_isKnown; }

Q_SIGNALS:
    /// Emitted when the server has reported the number of keys. Not emitted after a refusal.
    void measured(latchkey::base::MonotonicTime sent, latchkey::base::MonotonicTime received);

private:
    void answered(const net::Connection::Delivery &delivery);

    net::RequestScope m_requests;
    base::MonotonicTime m_next;
    bool m_isPending = false;
    bool m_isKnown = false;
    qint64 m_keys = 0;
};

} // namespace latchkey::watching
