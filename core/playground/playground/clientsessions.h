#pragma once

#include "core/redis/net/session.h"

#include <QObject>
#include <QSet>
#include <QTimer>

#include <memory>
#include <vector>

namespace latchkey::playground {

/// The sessions of a playground client, one with each of its servers.
///
/// The client is ready when every server has accepted or refused the connection, and at least one has accepted it.
/// Owned by the PlaygroundClient. Clock and random source are not owned.
class ClientSessions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientSessions)

public:
    ClientSessions(const std::vector<net::Endpoint> &servers, const base::Clock &clock, base::RandomSource &random,
                   QObject *parent = nullptr);
    ~ClientSessions() override;

    /// Connects to all servers.
    void start();
    [[nodiscard]] int count() const { return static_cast<int>(m_sessions.size()); }
    [[nodiscard]] std::vector<net::Session *> all() const;
    /// Waits for the connection with a server that was restarted or replaced, without the waits between attempts;
    /// reconnected() follows. Has no effect while the previous wait for this server continues.
    void reconnect(int server);
    /// Returns whether a reconnect() has not been followed by reconnected().
    [[nodiscard]] bool isReconnecting() const { return !m_reconnecting.isEmpty(); }
    /// Returns the last error of the first server. Absent: it has accepted the connection.
    [[nodiscard]] const std::optional<base::Error> &lastError() const { return m_sessions.front()->lastError(); }

Q_SIGNALS:
    void ready();
    /// Emitted when no server has accepted the connection; see lastError(). May be followed by ready().
    void failed();
    /// Emitted when the server that reconnect() has named replies.
    void reconnected(int server);

private:
    void changed(net::Session::State state);
    void pursue(int server);

    std::vector<std::unique_ptr<net::Session>> m_sessions;
    QTimer m_reconnectTimer;
    QSet<int> m_reconnecting; ///< Indexes of servers; see reconnect().
    bool m_isReady = false;   ///< Whether a server has accepted the connection.
};

} // namespace latchkey::playground
