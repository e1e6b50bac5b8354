#include "core/playground/crew.h"

#include <algorithm>

namespace latchkey::playground {

Crew::Crew(QString program, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
    , m_clock(clock)
{}

Crew::~Crew() = default;

ClientProcess &Crew::add()
{
    auto client = std::make_unique<ClientProcess>(m_program, QStringLiteral("client %1").arg(++m_lastNumber), m_clock);
    client->start(m_server);
    m_clients.push_back(std::move(client));
    Q_EMIT added(*m_clients.back());
    return *m_clients.back();
}

void Crew::remove(ClientProcess &client)
{
    const auto found = std::ranges::find_if(m_clients, [&](const auto &owned) { return owned.get() == &client; });
    if (found == m_clients.end())
        return;
    Q_EMIT aboutToBeRemoved(client);
    // Later: one of its own signals may have brought us here.
    std::unique_ptr<ClientProcess> removed = std::move(*found);
    m_clients.erase(found);
    removed->disconnect();
    removed->crash();
    removed.release()->deleteLater();
}

const ClientProcess *Crew::holderOf(const base::Key &key, const base::OwnerToken &token) const
{
    for (const auto &client : m_clients) {
        const auto &hold = client->hold();
        if (hold && hold->key == key && hold->token == token && client->state() != ClientProcess::State::Dead)
            return client.get();
    }
    return nullptr;
}

} // namespace latchkey::playground
