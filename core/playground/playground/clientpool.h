#pragma once

#include "core/foundation/base/clock.h"
#include "core/playground/playground/clientprocess.h"

#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::playground {

/// The clients of one playground. All clients use the same server or the same servers; a recipe for one server uses the
/// first.
///
/// The client pool remembers the locks of dead and removed clients while the locks may exist on the server. A lock can
/// therefore be attributed to its client. Owns the clients. Owned by the playground. Clients keep their positions; a
/// new client is appended.
class ClientPool final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClientPool)

public:
    /// The owner of a lock.
    struct Owner
    {
        QString name;
        bool isAlive = false; ///< False: the client is dead, and the lock stays until its lease ends.

        friend bool operator==(const Owner &, const Owner &) = default;
    };

    /// Creates an empty pool. `program`: path of latchkey-cli. The clock is not owned.
    ClientPool(QString program, const base::Clock &clock, QObject *parent = nullptr);
    ~ClientPool() override;

    /// Sets the server of clients that are added from now on. Existing clients stay on their server.
    void setServer(const net::Endpoint &server) { m_servers = {server}; }
    /// Restarts all clients on a new server, because their server is gone. The locks of earlier clients are forgotten.
    void moveTo(const net::Endpoint &server);
    /// Changes the additional servers; the first stays the same. All clients restart, because a client receives its
    /// server list at start. Their locks are treated as those of dead clients.
    void share(const std::vector<net::Endpoint> &servers);
    /// Returns the first server.
    [[nodiscard]] const net::Endpoint &server() const { return m_servers.front(); }
    [[nodiscard]] const QString &program() const { return m_program; }

    /// Adds a client and starts its process. Its name has a number that no earlier client had.
    ClientProcess &add();
    /// Restarts a dead client on the current servers. Its previous lock is treated as that of a dead client.
    void restart(ClientProcess &client);
    /// Ends the client's process in any state, and deletes the client.
    void remove(ClientProcess &client);

    [[nodiscard]] std::size_t size() const { return m_clients.size(); }
    [[nodiscard]] ClientProcess &at(std::size_t index) const { return *m_clients[index]; }
    /// Returns the client that believes that it holds this key with this token, or believed so at its end. A live
    /// client takes precedence over a dead one. Absent: no client of this pool.
    [[nodiscard]] std::optional<Owner> holderOf(const base::Key &key, const base::OwnerToken &token) const;

Q_SIGNALS:
    void added(latchkey::playground::ClientProcess &client);
    /// Emitted while the object still exists. Its process may have ended.
    void aboutToBeRemoved(latchkey::playground::ClientProcess &client);

private:
    /// The hold of a removed or dead client.
    struct FormerHold
    {
        QString name;
        ClientProcess::Hold hold;
    };

    void start(ClientProcess &client) const;
    void remember(const ClientProcess &client);

    const QString m_program;
    const base::Clock &m_clock;                             // Not owned.
    std::vector<net::Endpoint> m_servers {net::Endpoint()}; ///< At least one.
    std::vector<std::unique_ptr<ClientProcess>> m_clients;
    std::vector<FormerHold> m_formerHolds; ///< Holds with a lease that may still run.
    int m_lastNumber = 0;
};

} // namespace latchkey::playground
