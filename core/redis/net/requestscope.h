#pragma once

#include "core/redis/net/connection.h"

#include <QPointer>

namespace latchkey::net {

/// The requests of one receiver over one connection. Replies to outdated requests are dropped.
///
/// A member of its receiver. Calling reset(), setting a new connection, or destroying the scope ends all open requests:
/// their callbacks are not called, although the connection still reads the replies. The connection is not owned.
class RequestScope final
{
    Q_DISABLE_COPY_MOVE(RequestScope)

public:
    using Answered = std::function<void(const Connection::Delivery &)>;

    RequestScope();
    ~RequestScope();

    /// Ends all open requests. Later requests are sent over this connection; with null, none can be sent.
    void use(Connection *connection);
    /// Ends all open requests.
    void reset();
    /// Returns the connection, or null if there is none or it was destroyed.
    [[nodiscard]] Connection *connection() const { return m_connection; }

    /// Sends the commands; see Connection::send(). Requires a connection.
    void send(const resp::Commands &commands, std::chrono::milliseconds timeout, Connection::Callback done);
    /// Sends the commands, and ignores an error: Connection::closed() reports it.
    void sendIgnoringErrors(const resp::Commands &commands, std::chrono::milliseconds timeout, Answered answered);

private:
    QPointer<Connection> m_connection;
    std::unique_ptr<QObject> m_context; ///< Context of the open requests. Its destruction drops their callbacks.
};

} // namespace latchkey::net
