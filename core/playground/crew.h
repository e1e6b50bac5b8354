#pragma once

#include "core/playground/clientprocess.h"

#include <QObject>

#include <memory>
#include <vector>

namespace latchkey::playground {

/// The clients of one playground, all working on the same server.
/// Owns them; owned by the playground. Clients keep their places: a new one goes to the end.
class Crew final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Crew)

public:
    /// program: latchkey-cli. The clock is not owned.
    Crew(QString program, const base::Clock &clock, QObject *parent = nullptr);
    ~Crew() override;

    /// Where clients added from now on work; those that are there stay where they are.
    void setServer(const resp::Endpoint &server) { m_server = server; }
    [[nodiscard]] const resp::Endpoint &server() const { return m_server; }

    /// A new client, named by a number that no earlier one had; its process is starting.
    ClientProcess &add();
    /// Ends the client's process, whatever it is doing, and forgets it.
    void remove(ClientProcess &client);

    [[nodiscard]] std::size_t size() const { return m_clients.size(); }
    [[nodiscard]] ClientProcess &at(std::size_t place) const { return *m_clients[place]; }
    /// The living client that believes to hold this key with this token; null where there is none.
    [[nodiscard]] const ClientProcess *holderOf(const base::Key &key, const base::OwnerToken &token) const;

Q_SIGNALS:
    void added(latchkey::playground::ClientProcess &client);
    /// The object still is, its process may not be.
    void aboutToBeRemoved(latchkey::playground::ClientProcess &client);

private:
    const QString m_program;
    const base::Clock &m_clock; // Not owned.
    resp::Endpoint m_server;
    std::vector<std::unique_ptr<ClientProcess>> m_clients;
    int m_lastNumber = 0;
};

} // namespace latchkey::playground
