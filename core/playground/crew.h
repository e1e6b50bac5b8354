#pragma once

#include "core/base/clock.h"
#include "core/playground/clientprocess.h"

#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::playground {

/// The clients of one playground, all working on the same server, or on the same several: a recipe that is for one goes
/// to the first of them.
///
/// It remembers what dead and removed clients held, for as long as that may still be on the server, so that a lock can
/// be told to be theirs. Owns the clients; owned by the playground. Clients keep their places: a new one goes to the
/// end.
class Crew final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Crew)

public:
    /// Whose a lock is.
    struct Owner
    {
        QString name;
        bool isAlive = false; ///< Else it is dead, and the lock is left to its lease.

        friend bool operator==(const Owner &, const Owner &) = default;
    };

    /// program: latchkey-cli. The clock is not owned.
    Crew(QString program, const base::Clock &clock, QObject *parent = nullptr);
    ~Crew() override;

    /// Where clients added from now on work; those that are there stay where they are.
    void setServer(const resp::Endpoint &server) { m_servers = {server}; }
    /// The same where the server of those that are there has gone: they start anew on this one. What earlier clients
    /// held has gone with it.
    void moveTo(const resp::Endpoint &server);
    /// The first has stayed what it was, and there are others beside it, or not any more: all clients start anew, which
    /// are told of their servers when they start. What they held is what dead clients held.
    void share(const std::vector<resp::Endpoint> &servers);
    /// The first.
    [[nodiscard]] const resp::Endpoint &server() const { return m_servers.front(); }
    [[nodiscard]] const QString &program() const { return m_program; }

    /// A new client, named by a number that no earlier one had; its process is starting.
    ClientProcess &add();
    /// Starts a client that has died anew, on the servers of now. What it held is what a dead client held.
    void restart(ClientProcess &client);
    /// Ends the client's process, whatever it is doing, and forgets it.
    void remove(ClientProcess &client);

    [[nodiscard]] std::size_t size() const { return m_clients.size(); }
    [[nodiscard]] ClientProcess &at(std::size_t place) const { return *m_clients[place]; }
    /// The client that believes to hold this key with this token, or that did when it died or was removed; a living one
    /// before a dead one. Absent: it is nobody's of this crew.
    [[nodiscard]] std::optional<Owner> holderOf(const base::Key &key, const base::OwnerToken &token) const;

Q_SIGNALS:
    void added(latchkey::playground::ClientProcess &client);
    /// The object still is, its process may not be.
    void aboutToBeRemoved(latchkey::playground::ClientProcess &client);

private:
    /// What a client that has been removed held.
    struct Legacy
    {
        QString name;
        ClientProcess::Hold hold;
    };

    void start(ClientProcess &client) const;
    void remember(const ClientProcess &client);

    const QString m_program;
    const base::Clock &m_clock;                               // Not owned.
    std::vector<resp::Endpoint> m_servers {resp::Endpoint()}; ///< At least one.
    std::vector<std::unique_ptr<ClientProcess>> m_clients;
    std::vector<Legacy> m_legacies; ///< Those whose lease may still run.
    int m_lastNumber = 0;
};

} // namespace latchkey::playground
