#pragma once

#include "core/foundation/files/ownedfolder.h"
#include "core/foundation/process/child.h"
#include "core/redis/net/endpoint.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace latchkey::privateserver {

/// A private Redis server for experiments and tests: on a Unix socket in a private folder, without persistence.
///
/// The server listens on no port, leaves no files, and ends with this program, even if the program is killed. To show
/// the effects of a failing server, it can be killed or stopped for a while. A restarted server is empty and has the
/// same socket path. Owned by its user; the destructor ends the server and removes the folder. This class sends the
/// server no commands.
class PrivateServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PrivateServer)

public:
    explicit PrivateServer(QObject *parent = nullptr);
    ~PrivateServer() override;

    /// Returns the server program of this machine: the one in LATCHKEY_REDIS_SERVER, otherwise redis-server or
    /// valkey-server. In Debian's redis-tools, the server program has the name redis-check-rdb. Error (Local): no
    /// program was found.
    [[nodiscard]] static base::Result<QString> findProgram();

    /// Starts the server; ready() or failed() follows from the event loop. Call it once, and again after each killed().
    /// `extraArguments`: as on redis-server's command line.
    void start(const QStringList &extraArguments = {});

    /// Sets a function that changes the launch, for example adds environment variables. To be called before start().
    void setLaunchHook(std::function<void(process::Launch &)> amend) { m_amend = std::move(amend); }

    /// Sends SIGKILL; killed() follows instead of ended(). Only while isReady().
    void crash();
    /// Sends SIGSTOP or SIGCONT. A frozen server answers no client and keeps its keys. Only while isReady().
    void suspend();
    void resume();
    [[nodiscard]] bool isFrozen() const { return m_isFrozen; }
    /// Returns whether the server has ended after crash() and was not started again.
    [[nodiscard]] bool isKilled() const { return m_isKilled; }

    /// Starts the server and waits up to 10 s until it accepts connections, for callers without an event loop. Error:
    /// Local.
    [[nodiscard]] base::Result<void> startAndWait(const QStringList &extraArguments = {});

    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] const net::Endpoint &endpoint() const { return m_endpoint; }
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }
    [[nodiscard]] QString folder() const { return m_folder ? m_folder->path() : QString(); }

Q_SIGNALS:
    void ready();
    /// Emitted when the server could not be started.
    void failed(const latchkey::base::Error &error);
    /// Emitted when the server was ready and has ended unexpectedly.
    void ended(const latchkey::base::Error &error);
    /// Emitted when the server has ended because of crash().
    void killed();

private:
    [[nodiscard]] base::Result<void> launch(const QStringList &extraArguments);
    [[nodiscard]] base::Result<void> makePlace(const QString &program);
    [[nodiscard]] bool answers() const;
    [[nodiscard]] base::Error startFailure(const base::Text &reason) const;
    void probe();
    void readLog();
    void hasEnded();
    void fail(const base::Error &error);

    std::unique_ptr<files::OwnedFolder> m_folder;
    std::unique_ptr<process::Child> m_process; ///< Null before the start.
    QTimer m_probeTimer;
    QDeadlineTimer m_startDeadline;
    net::Endpoint m_endpoint;
    std::function<void(process::Launch &)> m_amend; ///< Changes the launch; may be empty.
    QByteArray m_log;                               ///< Last part of the log.
    bool m_ready = false;
    bool m_isFrozen = false;
    bool m_isToEnd = false; ///< Set by crash() until the server has ended.
    bool m_isKilled = false;
};

} // namespace latchkey::privateserver
