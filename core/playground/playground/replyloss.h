#pragma once

#include "core/redis/net/session.h"

#include <QObject>
#include <QSet>

#include <vector>

namespace latchkey::playground {

/// A fault that loses the reply to a client's next command: the server executes the command, and the client sees a
/// closed connection.
///
/// The connection is closed when the server has replied but the reply is unread, so the kernel discards the reply.
/// Replies to two later PINGs on another connection prove that the server has replied. The wait for them blocks this
/// thread for at most a second. Owned by the PlaygroundClient. Sessions are not owned.
class ReplyLoss final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplyLoss)

public:
    explicit ReplyLoss(std::vector<net::Session *> sessions, QObject *parent = nullptr);
    ~ReplyLoss() override;

    /// Sets whether the reply to the next command is lost. A PING does not count.
    void want(bool isWanted) { m_isWanted = isWanted; }
    /// Returns whether the reply to the last command for this server was lost. A PING does not count. The server has
    /// executed that command, unless the server did not reply within a second.
    [[nodiscard]] bool hasLost(int server) const { return m_lost.contains(server); }

private:
    [[nodiscard]] net::Connection::ReplyObserver observer(int server, const resp::Commands &commands);
    void lose(int server);

    const std::vector<net::Session *> m_sessions; // Not owned.
    QSet<int> m_lost;
    QSet<int> m_open; ///< Servers with a pending request that is to lose its reply.
    bool m_isWanted = false;
};

} // namespace latchkey::playground
