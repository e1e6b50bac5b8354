#pragma once

#include "core/base/ownedfolder.h"
#include "core/children/child.h"
#include "core/ssh/hop.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <memory>
#include <optional>

namespace latchkey::ssh {

/// A way to a server by way of the system's ssh: a Unix socket of ours, behind which ssh carries every connection on.
///
///     LoggingIn → Open → Ended
///         └────────────────┘
///
/// One ssh process carries all connections. It is the user's own ssh with the user's own configuration, keys, agent,
/// jump hosts and known hosts; whatever it has to ask it asks a person, and nothing is accepted for them. It keeps a
/// session on the connection, since without one an sshd of these days carries a batch only every 40 ms; the session
/// also tells when the way is open, and ends with us. A host that lets nobody run a program there is gone through
/// without, after a second login. It works with and without an event loop.
/// Owned by Tunnels, and by the connections that go through it. It does not log in again: a new one does.
class Tunnel final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Tunnel)

public:
    enum class State : quint8 { LoggingIn, Open, Ended };

    Tunnel(Hop hop, Target target);
    ~Tunnel() override;

    /// Starts ssh. environment: how it is to ask, see Questions; empty: at the terminal. connectTimeout: how long it
    /// may take to reach the host; people have two minutes on top. Error (Local): there is no ssh.
    [[nodiscard]] base::Result<void> start(const QList<children::Launch::Variable> &environment,
                                           std::chrono::milliseconds connectTimeout);
    /// For callers without an event loop: until it is open. Error: why it is not going to be.
    [[nodiscard]] base::Result<void> waitUntilOpen();

    /// Ends ssh and removes the socket, whoever still goes through it: what is deleted later no longer is when a
    /// program ends.
    void close();
    /// What has become of ssh is noticed now: for those who run no event loop.
    void check() { m_ssh->check(); }

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const Hop &hop() const { return m_hop; }
    /// The socket to connect to, while it is open.
    [[nodiscard]] QString socketPath() const;
    /// Why the way has not led on to the server, where ssh has said so by now; empty where it has not.
    [[nodiscard]] base::Text whyNoWayOn();
    /// A connection through it has been let in: what was said before has been dealt with.
    void hasLedOn() { m_said.clear(); }
    /// Why it has ended.
    [[nodiscard]] const base::Error &error() const { return m_error; }
    /// Nothing will be any better until somebody does something: a key is not known or not the same, nobody was let in.
    [[nodiscard]] bool needsPerson() const { return m_needsPerson; }
    /// The ssh process.
    [[nodiscard]] pid_t processId() const { return m_ssh->id(); }

Q_SIGNALS:
    // To be heard queued: whoever hears of its end may be the last to hold it.
    void opened();
    void ended();

private:
    [[nodiscard]] base::Result<void> makeFolder();
    [[nodiscard]] base::Result<void> launch();
    [[nodiscard]] QList<QByteArray> words() const;
    [[nodiscard]] QByteArray forwarding() const;
    [[nodiscard]] bool isWayThere() const;
    void listen();
    void open();
    void end();
    void goOnWithoutSession();
    void failToOpen();
    void fail(base::Error error);

    const Hop m_hop;
    const Target m_target;
    QList<children::Launch::Variable> m_environment;
    std::chrono::milliseconds m_connectTimeout {};
    std::unique_ptr<base::OwnedFolder> m_folder; ///< Where its near end is.
    std::unique_ptr<children::Child> m_ssh = std::make_unique<children::Child>();
    bool m_hasSession = true;
    QTimer m_look; ///< For the near end: without a session nobody tells of it.
    QTimer m_patience;
    QDeadlineTimer m_deadline;
    QByteArray m_said;
    State m_state = State::LoggingIn;
    base::Error m_error;
    bool m_needsPerson = false;
};

} // namespace latchkey::ssh
