#pragma once

#include "core/redis/ssh/askpassserver.h"
#include "core/redis/ssh/tunnel.h"

#include <QPointer>
#include <QTimer>

#include <memory>
#include <vector>

namespace latchkey::ssh {

/// The tunnels of this process. All connections with the same SSH host and target share one tunnel, so that the user
/// logs in only once.
///
/// An open tunnel without connections is kept for up to a minute, for a server that is retried. A tunnel that is not
/// open yet ends, with its questions, when no object waits for it any longer. All tunnels end with the program, even if
/// the program is killed. One object per process, because there is one user with one terminal. Main thread only.
class Tunnels final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Tunnels)

public:
    [[nodiscard]] static Tunnels &instance();

    /// Sets the object that shows the questions of ssh; null: ssh asks at the terminal. Not owned.
    void setAskpassServer(AskpassServer *questions) { m_questions = questions; }

    /// Returns a tunnel that is open or being opened. Error: see Tunnel::start().
    [[nodiscard]] base::Result<std::shared_ptr<Tunnel>> tunnelTo(const SshHost &sshHost, const Target &target,
                                                                 std::chrono::milliseconds connectTimeout);

    /// Returns the number of tunnels that have not ended.
    [[nodiscard]] int count() const;
    /// Releases all tunnels. A tunnel in use ends with its last connection.
    void clear();

private:
    Tunnels();

    struct Entry
    {
        SshHost sshHost;
        Target target;
        std::weak_ptr<Tunnel> tunnel;
        std::shared_ptr<Tunnel> kept; ///< Keeps an open tunnel alive until it was idle at two checks in a row; null
                                      ///< after that.
        bool wasIdle = false;         ///< True if the tunnel had no connections at the last check.
    };
    void keep(const Tunnel &opened);
    void sweep();
    void close();

    QPointer<AskpassServer> m_questions;
    std::vector<Entry> m_entries;
    QTimer m_sweepTimer;
};

/// Keeps the tunnel alive as long as the device that uses it.
void keepFor(QObject &device, std::shared_ptr<Tunnel> tunnel);

} // namespace latchkey::ssh
