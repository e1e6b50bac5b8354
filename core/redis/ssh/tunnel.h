#pragma once

#include "core/foundation/files/ownedfolder.h"
#include "core/foundation/process/child.h"
#include "core/redis/ssh/sshhost.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <memory>
#include <optional>

namespace latchkey::ssh {

/// A tunnel to a server through the system's ssh: a local Unix socket with connections that ssh forwards.
///
///     LoggingIn → Open → Ended
///         └────────────────┘
///
/// One ssh process carries all connections. ssh uses the user's own configuration, keys, agent, jump hosts and known
/// hosts. The questions of ssh go to the user; no question is answered automatically. ssh keeps a session on the
/// connection, because without one a current sshd forwards data only every 40 ms. The session also reports when the
/// tunnel is open, and ends with this process. If the host permits no remote program, a second login works without a
/// session. The class works with and without an event loop. Owned by Tunnels and by the connections through it. An
/// ended tunnel does not log in again; create a new one.
class Tunnel final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Tunnel)

public:
    enum class State : quint8 { LoggingIn, Open, Ended };

    Tunnel(SshHost sshHost, Target target);
    ~Tunnel() override;

    /// Starts ssh. `environment`: result of AskpassServer::environment(); empty: ssh asks at the terminal.
    /// `connectTimeout`: time to reach the host; the user has two more minutes to answer questions. Error (Local):
    /// there is no ssh.
    [[nodiscard]] base::Result<void> start(const QList<process::Launch::Variable> &environment,
                                           std::chrono::milliseconds connectTimeout);
    /// Waits until the tunnel is open, for callers without an event loop. Error: the reason why it cannot be opened.
    [[nodiscard]] base::Result<void> waitUntilOpen();

    /// Ends ssh and removes the socket, even if connections still use it. Called when the program ends, because
    /// deferred deletion no longer works then.
    void close();
    /// Checks now whether ssh has ended, for callers without an event loop.
    void check() { m_ssh->check(); }

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const SshHost &sshHost() const { return m_sshHost; }
    /// Returns the path of the socket to connect to while the tunnel is open.
    [[nodiscard]] QString socketPath() const;
    /// Returns why the connection from the SSH host to the server failed, if ssh has reported a reason since
    /// clearReportedErrors(); otherwise empty.
    [[nodiscard]] base::Text forwardingError();
    /// Notes that a connection through the tunnel was accepted, so earlier messages of ssh are no longer relevant.
    void clearReportedErrors() { m_output.clear(); }
    /// Returns why the tunnel has ended; only in the state Ended, and not after close().
    [[nodiscard]] const base::Error &error() const { return m_error; }
    /// Returns whether a retry cannot succeed without a user action: a host key is unknown or has changed, or the
    /// login was refused.
    [[nodiscard]] bool needsUserAction() const { return m_needsUserAction; }
    /// Returns the process ID of ssh.
    [[nodiscard]] pid_t processId() const { return m_ssh->id(); }

Q_SIGNALS:
    // A queued connection is required: the receiver of ended() may be the last owner of the tunnel.
    void opened();
    void ended();

private:
    [[nodiscard]] base::Result<void> makeFolder();
    [[nodiscard]] base::Result<void> launch();
    [[nodiscard]] QList<QByteArray> words() const;
    [[nodiscard]] QByteArray forwarding() const;
    [[nodiscard]] bool isSocketPresent() const;
    void listen();
    void open();
    void end();
    void restartWithoutSession();
    void failToOpen();
    void fail(base::Error error);

    const SshHost m_sshHost;
    const Target m_target;
    QList<process::Launch::Variable> m_environment;
    std::chrono::milliseconds m_connectTimeout {};
    std::unique_ptr<files::OwnedFolder> m_folder; ///< Folder of the local socket.
    std::unique_ptr<process::Child> m_ssh = std::make_unique<process::Child>();
    bool m_hasSession = true;
    QTimer m_pollTimer; ///< Polls for the local socket: without a session, ssh does not report its creation.
    QTimer m_timeout;
    QDeadlineTimer m_deadline;
    QByteArray m_output;
    State m_state = State::LoggingIn;
    base::Error m_error;
    bool m_needsUserAction = false;
};

} // namespace latchkey::ssh
