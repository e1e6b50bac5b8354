#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <queue>
#include <vector>

namespace latchkey::test {

/// A model of up to three clients with a token lock on one server or on three servers (Redlock), A reference model …,
/// independent of the race finder. Each client sends SET NX to every server, in any order. With a majority it is inside
/// until it releases; without one, Redlock deletes its keys. A client that has begun may crash. The key of a client
/// that is over may expire. Faults of servers come in between.
class ReferenceModel final
{
public:
    struct Faults
    {
        int failovers = 0;
        int restarts = 0;
        int jumps = 0;
        int partitions = 0;
        int lostWrites = 1;
        bool keepsNothing = true; ///< Whether a restarted server is empty; otherwise it lacks its last writes.
        bool isDelayed = false;   ///< Whether it stays away until the clients of that time are over.
    };

    ReferenceModel(int clients, int servers, const Faults &faults)
        : m_clients(clients)
        , m_servers(servers)
        , m_faults(faults)
    {}

    /// Number of schedules.
    [[nodiscard]] double schedules() { return from(start()); }

    /// Number of moves of a shortest schedule after which two clients are inside; absent: there is none.
    [[nodiscard]] std::optional<std::size_t> shortestWithTwoInside() const
    {
        std::map<ServersState, std::size_t> seen {{start(), 0}};
        std::queue<ServersState> open({start()});
        for (; !open.empty(); open.pop()) {
            const ServersState &serversState = open.front();
            if (insideOf(serversState) > 1)
                return seen[serversState];
            for (const ServersState &next : nextOf(serversState)) {
                if (seen.try_emplace(next, seen[serversState] + 1).second)
                    open.push(next);
            }
        }
        return std::nullopt;
    }

private:
    static constexpr int noOwner = -1;
    static constexpr int maxClients = 3;

    enum class Phase { Unbegun, Setting, Inside, Deleting, Over };
    struct Client
    {
        Phase phase = Phase::Unbegun;
        int answered = 0; ///< Servers that have answered, one bit each.
        int votes = 0;
        auto operator<=>(const Client &) const = default;
    };
    struct Server
    {
        int owner = noOwner;
        std::vector<int> before; ///< Owners before the last writes, newest first.
        bool isDown = false;
        int awaited = 0; ///< Clients that must be over before it returns, one bit each.
        int cutOff = 0;  ///< Clients that do not reach it, one bit each.
        auto operator<=>(const Server &) const = default;
    };
    struct ServersState
    {
        std::array<Client, maxClients> clients;
        std::array<Server, 3> servers;
        int failovers = 0;
        int restarts = 0;
        int jumps = 0;
        int partitions = 0;
        auto operator<=>(const ServersState &) const = default;
    };

    [[nodiscard]] ServersState start() const
    {
        ServersState serversState;
        for (int client = m_clients; client < maxClients; ++client)
            serversState.clients[std::size_t(client)].phase = Phase::Over;
        return serversState;
    }

    static int insideOf(const ServersState &serversState)
    {
        int inside = 0;
        for (const Client &client : serversState.clients)
            inside += client.phase == Phase::Inside ? 1 : 0;
        return inside;
    }

    [[nodiscard]] bool mayRestart(const ServersState &serversState) const
    {
        return serversState.restarts < m_faults.restarts;
    }
    [[nodiscard]] bool mayLoseWrites(const ServersState &serversState) const
    {
        return serversState.failovers < m_faults.failovers || (mayRestart(serversState) && !m_faults.keepsNothing);
    }

    void write(const ServersState &serversState, Server &server, int owner) const
    {
        if (mayLoseWrites(serversState)) {
            server.before.insert(server.before.begin(), server.owner);
            if (int(server.before.size()) > m_faults.lostWrites)
                server.before.pop_back();
        }
        server.owner = owner;
    }

    [[nodiscard]] std::vector<ServersState> nextOf(const ServersState &serversState) const
    {
        std::vector<ServersState> next;
        const bool isOver =
            std::ranges::all_of(serversState.clients, [](Phase phase) { return phase == Phase::Over; }, &Client::phase);
        for (int client = 0; client < maxClients && !isOver; ++client)
            addStepsOf(serversState, client, next);
        for (int server = 0; server < m_servers && !isOver; ++server)
            addFaultsOf(serversState, std::size_t(server), next);
        return next;
    }

    void addStepsOf(const ServersState &serversState, int client, std::vector<ServersState> &next) const
    {
        const Client &now = serversState.clients[std::size_t(client)];
        if (now.phase == Phase::Over)
            return;
        for (int server = 0; server < m_servers; ++server) {
            if (now.phase != Phase::Inside && (now.answered >> server & 1) != 0)
                continue;
            const Server &asked = serversState.servers[std::size_t(server)];
            if (asked.isDown) {
                next.push_back(afterCommand(serversState, client, server, Fate::Refused));
                continue;
            }
            next.push_back(afterCommand(serversState, client, server, Fate::Answered));
            if ((asked.cutOff >> client & 1) == 0 && serversState.partitions >= m_faults.partitions)
                continue;
            next.push_back(afterCommand(serversState, client, server, Fate::NotExecuted));
            next.push_back(afterCommand(serversState, client, server, Fate::NotAnswered));
        }
        if (now.phase != Phase::Unbegun) {
            ServersState after = serversState;
            after.clients[std::size_t(client)] = {Phase::Over};
            next.push_back(after);
        }
    }

    /// Outcome of a command: executed, or lost before or after execution, or the server is down.
    enum class Fate { Answered, Refused, NotExecuted, NotAnswered };

    [[nodiscard]] ServersState afterCommand(const ServersState &serversState, int client, int server, Fate fate) const
    {
        const Client &now = serversState.clients[std::size_t(client)];
        const bool sets = now.phase == Phase::Unbegun || now.phase == Phase::Setting;
        ServersState after = serversState;
        Client &own = after.clients[std::size_t(client)];
        Server &asked = after.servers[std::size_t(server)];
        if (now.phase == Phase::Inside)
            own.answered = 0;
        own.answered |= 1 << server;
        own.phase = sets ? Phase::Setting : Phase::Deleting;
        const bool isExecuted = fate == Fate::Answered || fate == Fate::NotAnswered;
        if (isExecuted && sets && asked.owner == noOwner) {
            write(serversState, asked, client);
            own.votes += fate == Fate::Answered ? 1 : 0;
        } else if (isExecuted && !sets && asked.owner == client) {
            write(serversState, asked, noOwner);
        }
        if (fate == Fate::NotExecuted || fate == Fate::NotAnswered) {
            after.partitions += (asked.cutOff >> client & 1) == 0 ? 1 : 0;
            asked.cutOff |= 1 << client;
        } else if (fate == Fate::Answered) {
            asked.cutOff &= ~(1 << client);
        }
        if (own.answered == (1 << m_servers) - 1)
            conclude(own, sets, fate);
        return after;
    }

    void conclude(Client &own, bool sets, Fate last) const
    {
        const bool mayHaveWon = last == Fate::NotExecuted || last == Fate::NotAnswered;
        if (sets && own.votes > m_servers / 2)
            own = {Phase::Inside};
        else if (sets && (m_servers > 1 || mayHaveWon)) // Withdraws the attempt; with one server, only if in doubt.
            own = {Phase::Deleting};
        else
            own = {Phase::Over};
    }

    static int clientsUnderWay(const ServersState &serversState)
    {
        int clients = 0;
        for (int client = 0; client < maxClients; ++client) {
            const Phase phase = serversState.clients[std::size_t(client)].phase;
            clients |= phase != Phase::Unbegun && phase != Phase::Over ? 1 << client : 0;
        }
        return clients;
    }

    /// The leases differ: each client has a longer one than the client before. A lease that has ended has ended in each
    /// former state, and so has a shorter one that began earlier.
    static void endLeaseOf(Server &server)
    {
        for (int &owner : server.before)
            owner = owner <= server.owner ? noOwner : owner;
        server.owner = noOwner;
    }

    void addFaultsOf(const ServersState &serversState, std::size_t place, std::vector<ServersState> &next) const
    {
        const Server &now = serversState.servers[place];
        if (now.isDown) {
            if ((now.awaited & clientsUnderWay(serversState)) == 0) {
                ServersState after = serversState;
                after.servers[place] = {};
                next.push_back(after);
            }
            return;
        }
        if (now.owner != noOwner && serversState.clients[std::size_t(now.owner)].phase == Phase::Over) {
            ServersState after = serversState;
            endLeaseOf(after.servers[place]);
            next.push_back(after);
        }
        if (now.owner != noOwner && serversState.jumps < m_faults.jumps) {
            ServersState after = serversState;
            ++after.jumps;
            endLeaseOf(after.servers[place]);
            next.push_back(after);
        }
        if (now.owner != noOwner && mayRestart(serversState) && m_faults.keepsNothing) {
            ServersState after = serversState;
            ++after.restarts;
            after.servers[place] = {noOwner, {}, false, 0, now.cutOff};
            if (m_faults.isDelayed) {
                after.servers[place].isDown = true;
                after.servers[place].awaited = clientsUnderWay(serversState);
            }
            next.push_back(forgotten(after));
        }
        for (std::size_t lost = 1; lost <= now.before.size(); ++lost) {
            ServersState after = serversState;
            Server &server = after.servers[place];
            server.owner = now.before[lost - 1];
            server.before.erase(server.before.begin(), server.before.begin() + std::ptrdiff_t(lost));
            if (serversState.failovers < m_faults.failovers) {
                ++after.failovers;
                next.push_back(forgotten(after));
                --after.failovers;
            }
            if (mayRestart(serversState) && !m_faults.keepsNothing) {
                ++after.restarts;
                next.push_back(forgotten(after));
            }
        }
    }

    /// The state of the servers without the former states that no fault can restore any more.
    [[nodiscard]] ServersState forgotten(ServersState serversState) const
    {
        if (!mayLoseWrites(serversState)) {
            for (Server &server : serversState.servers)
                server.before.clear();
        }
        return serversState;
    }

    double from(const ServersState &serversState)
    {
        if (const auto known = m_counts.find(serversState); known != m_counts.end())
            return known->second;
        double sum = 0;
        const auto next = nextOf(serversState);
        for (const ServersState &each : next)
            sum += from(each);
        return m_counts[serversState] = next.empty() ? 1 : sum;
    }

    const int m_clients;
    const int m_servers;
    const Faults m_faults;
    std::map<ServersState, double> m_counts;
};

} // namespace latchkey::test
