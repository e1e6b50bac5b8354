#pragma once

#include "core/base/ownedfolder.h"
#include "core/children/child.h"
#include "core/resp/endpoint.h"

#include <QDeadlineTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace latchkey::server {

/// A Redis server of our own: on a Unix socket in a private folder, without persistence, for playing and for tests.
///
/// It listens on no port, writes nothing that outlives it, and is gone with this program, also when that is killed. Who
/// shows what becomes of clients when a server fails has it killed, or stopped for a while; it comes back empty and at
/// the same place. Owned by its user; destroying it ends the server and removes the folder. It does not connect to it.
class PrivateServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PrivateServer)

public:
    explicit PrivateServer(QObject *parent = nullptr);
    ~PrivateServer() override;

    /// Whether this machine has a server program: the one that LATCHKEY_REDIS_SERVER names, else redis-server or
    /// valkey-server. Debian's redis-tools carries it too, under the name redis-check-rdb. Error (Local): none of them.
    [[nodiscard]] static base::Result<QString> findProgram();

    /// Starts it; ready() or failed() follows from the event loop. Once per object, and again after killed().
    /// extraArguments: as on redis-server's command line.
    void start(const QStringList &extraArguments = {});

    /// What its launch has beside, such as an environment; to be called before start().
    void setAmendment(std::function<void(children::Launch &)> amend) { m_amend = std::move(amend); }

    /// SIGKILL, and killed() follows instead of ended(). Only while isReady().
    void crash();
    /// SIGSTOP and SIGCONT: meanwhile it answers nobody, and its keys stay. Only while isReady().
    void freeze();
    void thaw();
    [[nodiscard]] bool isFrozen() const { return m_isFrozen; }
    /// It has ended because it was told to, and start() has not been called again.
    [[nodiscard]] bool isKilled() const { return m_isKilled; }

    /// start() for callers without an event loop. Error: Local.
    [[nodiscard]] base::Result<void> startAndWait(const QStringList &extraArguments = {});

    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] const resp::Endpoint &endpoint() const { return m_endpoint; }
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->id() : 0; }
    [[nodiscard]] QString folder() const { return m_folder ? m_folder->path() : QString(); }

Q_SIGNALS:
    void ready();
    /// It could not be started.
    void failed(const latchkey::base::Error &error);
    /// It was ready and has ended without being asked to.
    void ended(const latchkey::base::Error &error);
    /// It has ended because of crash().
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

    std::unique_ptr<base::OwnedFolder> m_folder;
    std::unique_ptr<children::Child> m_process; ///< Null before the start.
    QTimer m_probe;
    QDeadlineTimer m_startDeadline;
    resp::Endpoint m_endpoint;
    std::function<void(children::Launch &)> m_amend; ///< Of its launch; may be empty.
    QByteArray m_log;                                ///< Its end.
    bool m_ready = false;
    bool m_isFrozen = false;
    bool m_isToEnd = false; ///< By crash().
    bool m_isKilled = false;
};

} // namespace latchkey::server
