#pragma once

#include "core/resp/connection.h"

#include <QObject>
#include <QPointer>

namespace latchkey::keyspace {

/// The number of keys of a server's database, asked again and again (DBSIZE).
/// Owned by the watcher, which tells it the connection, and when to ask. The connection is not owned.
class DatabaseSize final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DatabaseSize)

public:
    explicit DatabaseSize(QObject *parent = nullptr);
    ~DatabaseSize() override;

    /// Null: there is none.
    void setConnection(resp::Connection *connection);
    /// Asks, unless it is too early or the last answer is due; whether it has asked.
    bool ask(base::MonotonicTime now);
    /// Asks with the next call.
    void hurry() { m_next = base::MonotonicTime(); }

    /// Keys, those included that have expired and not been removed yet; 0 before the first answer.
    [[nodiscard]] qint64 keys() const { return m_keys; }
    /// Whether the server has told it over this connection.
    [[nodiscard]] bool isKnown() const { return m_isKnown; }

Q_SIGNALS:
    /// The server has told it.
    void measured(latchkey::base::MonotonicTime sent, latchkey::base::MonotonicTime received);

private:
    void answered(const resp::Connection::Delivery &delivery);

    QPointer<resp::Connection> m_connection; // Not owned.
    quint64 m_run = 0;                       ///< Answers over an earlier connection are not for this one.
    base::MonotonicTime m_next;
    bool m_isAsking = false;
    bool m_isKnown = false;
    qint64 m_keys = 0;
};

} // namespace latchkey::keyspace
