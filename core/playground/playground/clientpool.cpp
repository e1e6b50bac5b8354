#include "core/playground/playground/clientpool.h"

#include <algorithm>

namespace latchkey::playground {

using namespace std::chrono_literals;

ClientPool::ClientPool(QString program, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
    , m_clock(clock)
{}

ClientPool::~ClientPool() = default;

ClientProcess &ClientPool::add()
{
    auto client = std::make_unique<ClientProcess>(
        m_program, base::Text(QT_TRANSLATE_NOOP("core", "client %1"), ++m_lastNumber).toString());
    start(*client);
    m_clients.push_back(std::move(client));
    Q_EMIT added(*m_clients.back());
    return *m_clients.back();
}

void ClientPool::remove(ClientProcess &client)
{
    const auto found = std::ranges::find_if(m_clients, [&](const auto &owned) { return owned.get() == &client; });
    if (found == m_clients.end())
        return;
    Q_EMIT aboutToBeRemoved(client);
    remember(client);
    // Deferred, because a signal of the client may be the caller.
    std::unique_ptr<ClientProcess> removed = std::move(*found);
    m_clients.erase(found);
    removed->disconnect();
    removed->crash();
    removed.release()->deleteLater();
}

void ClientPool::restart(ClientProcess &client)
{
    remember(client);
    start(client);
}

/// Passes several servers on the command line, which is readable by others. This is safe because private servers have
/// no password.
void ClientPool::start(ClientProcess &client) const
{
    if (m_servers.size() == 1)
        client.start(m_servers.front());
    else
        client.start(m_servers);
}

void ClientPool::share(const std::vector<net::Endpoint> &servers)
{
    Q_ASSERT(!servers.empty());
    m_servers = servers;
    for (const auto &client : m_clients)
        restart(*client);
}

void ClientPool::moveTo(const net::Endpoint &server)
{
    m_servers = {server};
    m_formerHolds.clear();
    for (const auto &client : m_clients)
        client->start(server);
}

void ClientPool::remember(const ClientProcess &client)
{
    // The lease ends on the server later than for its holder, and an extension may have been in progress.
    const auto isOver = [now = m_clock.now()](const FormerHold &former) {
        return former.hold.validUntil < now - former.hold.lease.value_or(0ms) - 1min;
    };
    std::erase_if(m_formerHolds, isOver);
    if (client.hold())
        m_formerHolds.push_back({client.name(), *client.hold()});
}

std::optional<ClientPool::Owner> ClientPool::holderOf(const base::Key &key, const base::OwnerToken &token) const
{
    const auto isIt = [&](const ClientProcess::Hold &hold) { return hold.key == key && hold.token == token; };
    std::optional<Owner> dead;
    for (const auto &client : m_clients) {
        if (!client->hold() || !isIt(*client->hold()))
            continue;
        if (client->state() != ClientProcess::State::Dead)
            return Owner {client->name(), true};
        dead = Owner {client->name(), false};
    }
    if (dead)
        return dead;
    // The latest entry, because a configured token may be shared by several clients.
    const auto found = std::find_if(m_formerHolds.rbegin(), m_formerHolds.rend(),
                                    [&](const FormerHold &former) { return isIt(former.hold); });
    return found == m_formerHolds.rend() ? std::nullopt : std::optional<Owner>({found->name, false});
}

} // namespace latchkey::playground
