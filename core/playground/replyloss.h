#pragma once

#include "core/resp/session.h"

#include <QObject>
#include <QSet>

#include <vector>

namespace latchkey::playground {

/// Has the reply to a client's next command get lost on its way: the server does what it is asked, and the client sees
/// a connection that ends.
///
/// The one idea: when the command is out, and the server is known to have answered it, the connection is closed with
/// the reply still unread, and the kernel throws it away. What tells that is that the server has answered others
/// meanwhile; they are waited for, a moment in which this thread does nothing else. Owned by the actor; sessions are
/// not owned.
class ReplyLoss final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReplyLoss)

public:
    explicit ReplyLoss(std::vector<resp::Session *> sessions, QObject *parent = nullptr);
    ~ReplyLoss() override;

    /// From the next command on, until one has been lost. A PING is none.
    void want(bool isWanted) { m_isWanted = isWanted; }
    /// Whether that server's last connection was ended so: what it was asked then has been done.
    [[nodiscard]] bool hasLost(int server) const { return m_lost.contains(server); }

private:
    [[nodiscard]] resp::Connection::Overhear hear(int server, const resp::Commands &commands);
    void lose(int server);

    const std::vector<resp::Session *> m_sessions; // Not owned.
    QSet<int> m_lost;
    QSet<int> m_open; ///< Those that are to lose the reply to a request that is under way.
    bool m_isWanted = false;
};

} // namespace latchkey::playground
