#include "core/playground/scenarios/scenarioservers.h"

#include "core/playground/scenarios/confinement.h"
#include "core/playground/scenarios/serverrequests.h"

#include <QFile>

#include <algorithm>

namespace latchkey::scenarios {

using exchange::Exchange;
using net::Session;
using privateserver::PrivateServer;
using namespace std::chrono_literals;

namespace {

/// Interval between the questions whether the replicas are in sync.
constexpr auto syncInterval = 20ms;

/// Returns the arguments of a server process. A crash means that the memory limit was reached, so a crash log is
/// useless.
QStringList arguments()
{
    return {QStringLiteral("--crash-log-enabled"),
            QStringLiteral("no"),
            QStringLiteral("--repl-diskless-sync-delay"),
            QStringLiteral("0"),
            QStringLiteral("--rdb-del-sync-files"), // Otherwise a promoted replica would not restart empty.
            QStringLiteral("yes")};
}

} // namespace

ScenarioServers::ScenarioServers(int count, int replicas, const base::Clock &clock, base::RandomSource &random,
                                 QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_random(random)
    , m_replicasPerServer(replicas)
    , m_password(random.freshToken().bytes())
{
    for (int i = 0; i < count; ++i) {
        m_servers.push_back(std::make_unique<PrivateServer>());
        watch(*m_servers.back());
    }
    for (int i = 0; i < count * replicas; ++i) {
        m_replicas.push_back({std::make_unique<PrivateServer>(), nullptr});
        watch(*m_replicas.back().process);
    }
}

ScenarioServers::~ScenarioServers() = default;

void ScenarioServers::watch(PrivateServer &process)
{
    connect(&process, &PrivateServer::ready, this, [this, &process] { started(process); });
    connect(&process, &PrivateServer::killed, this, [this, &process] { ended(process); });
    connect(&process, &PrivateServer::failed, this, &ScenarioServers::failed);
    connect(&process, &PrivateServer::ended, this, &ScenarioServers::failed);
}

void ScenarioServers::start()
{
    for (const auto &server : m_servers)
        server->start(arguments());
    for (const Replica &replica : m_replicas)
        replica.process->start(arguments());
}

void ScenarioServers::started(const PrivateServer &process)
{
    if (const auto limited = confineMemory(process.processId()); !limited) {
        Q_EMIT failed(limited.error());
        return;
    }
    if (!m_sessions.empty()) {
        session(*serverOf(process)).start();
        return;
    }
    const auto isReady = [](const auto &each) { return each->isReady(); };
    if (std::ranges::all_of(m_servers, isReady) && std::ranges::all_of(m_replicas, isReady, &Replica::process))
        connectSessions();
}

void ScenarioServers::ended(const PrivateServer &process)
{
    const int server = *serverOf(process);
    const auto replaced = m_replaced.find(server);
    if (replaced == m_replaced.end()) {
        m_gone.insert(server);
        Q_EMIT changed();
    } else if (replaced->second.kind == Replacement::Failover) {
        promote(server, replaced->second.replica);
    } else {
        this->process(server).start(arguments());
    }
}

std::optional<int> ScenarioServers::serverOf(const PrivateServer &process) const
{
    const auto found = std::ranges::find(m_servers, &process, &std::unique_ptr<PrivateServer>::get);
    return found == m_servers.end() ? std::nullopt : std::optional(static_cast<int>(found - m_servers.begin()));
}

void ScenarioServers::kill(int server)
{
    if (m_killed.contains(server))
        return;
    m_killed.insert(server);
    session(server).stop();
    process(server).crash();
}

void ScenarioServers::restart(int server)
{
    m_replaced[server] = {};
    session(server).stop();
    process(server).crash();
}

void ScenarioServers::failOver(int server, int replica)
{
    m_replaced[server] = {Replacement::Failover, indexOf(server, replica)};
    cutOff(server, replica); // A promoted replica follows no server.
    session(server).stop();
    process(server).crash();
}

void ScenarioServers::cutOff(int server, int replica)
{
    Replica &cut = m_replicas[static_cast<std::size_t>(indexOf(server, replica) - count())];
    cut.relay->cutOff();
    cut.isInSync = false;
}

int ScenarioServers::indexOf(int server, int replica) const
{
    return count() + server * m_replicasPerServer + replica;
}

void ScenarioServers::connectSessions()
{
    std::vector<Session *> pointers;
    const auto add = [&](const PrivateServer &server) {
        const int index = static_cast<int>(m_sessions.size());
        pointers.push_back(
            m_sessions.emplace_back(std::make_unique<Session>(server.endpoint(), m_clock, m_random)).get());
        connect(pointers.back(), &Session::stateChanged, this, [this, index] { sessionChanged(index); });
    };
    for (const auto &server : m_servers) {
        m_endpoints.push_back(server->endpoint());
        add(*server);
    }
    for (const Replica &replica : m_replicas)
        add(*replica.process);
    m_driver = std::make_unique<exchange::LoopDriver>(std::move(pointers), m_clock, m_random);
    for (const auto &session : m_sessions)
        session->start();
}

void ScenarioServers::sessionChanged(int index)
{
    if (session(index).state() != Session::State::Ready)
        return;
    const auto isReady = [](const auto &each) { return each->state() == Session::State::Ready; };
    if (m_isPrepared && m_replaced.contains(index))
        reconnectClients(index);
    else if (!m_isPrepared && std::ranges::all_of(m_sessions, isReady))
        prepare();
}

template<typename T>
void ScenarioServers::execute(Exchange<T> requests, std::function<void()> done)
{
    m_driver->run<T>(std::move(requests), [this, done = std::move(done)](const base::Result<T> &result) {
        if (result)
            done();
        else
            Q_EMIT failed(result.error());
    });
}

/// Confines the servers, and attaches their replicas. A replica is confined when it is promoted: clients do not know
/// its address before.
void ScenarioServers::prepare()
{
    m_isPrepared = true;
    execute(confined(0, count(), m_password), [this] { attachReplicas(); });
}

void ScenarioServers::attachReplicas()
{
    for (std::size_t i = 0; i < m_replicas.size(); ++i) {
        const net::Endpoint &primary = m_endpoints[i / static_cast<std::size_t>(m_replicasPerServer)];
        m_replicas[i].relay = std::make_unique<ReplicaRelay>(primary.path, replicaUser, m_password);
        ReplicaRelay &relay = *m_replicas[i].relay;
        if (const auto listening = relay.listen(); !listening) {
            Q_EMIT failed(listening.error());
            return;
        }
        execute(follow(count() + static_cast<int>(i), relay.port(), m_password), [] {});
    }
    whenInSync([this] { Q_EMIT ready(); });
}

void ScenarioServers::promote(int server, int replica)
{
    execute(promoted(replica), [this, server, replica] {
        execute(confined(replica, 1, m_password), [this, server, replica] { moveAddress(server, replica); });
    });
}

void ScenarioServers::moveAddress(int server, int replica)
{
    Replica &chosen = m_replicas[static_cast<std::size_t>(replica - count())];
    auto &current = m_servers[static_cast<std::size_t>(server)];
    m_former.push_back(std::exchange(current, std::move(chosen.process)));
    const QString address = m_endpoints[static_cast<std::size_t>(server)].path;
    QFile::remove(address);
    if (!QFile::link(current->endpoint().path, address)) {
        Q_EMIT failed({base::ErrorKind::Local,
                       base::Text(QT_TRANSLATE_NOOP("core", "cannot make a link in %1"), m_former.back()->folder())});
        return;
    }
    session(server).start();
}

/// Lets clients use a server after a restart or failover.
void ScenarioServers::reconnectClients(int server)
{
    const auto serve = [this, server] {
        whenInSync([this, server] {
            m_replaced.erase(server);
            Q_EMIT changed();
        });
    };
    if (m_replaced[server].kind == Replacement::Restart)
        execute(confined(server, 1, m_password), serve);
    else
        serve();
}

void ScenarioServers::whenInSync(std::function<void()> done)
{
    std::map<int, std::vector<int>> wanted;
    for (std::size_t i = 0; i < m_replicas.size(); ++i) {
        const int server = static_cast<int>(i) / m_replicasPerServer;
        if (m_replicas[i].isInSync && !isKilled(server))
            wanted[server].push_back(count() + static_cast<int>(i));
    }
    m_driver->run<bool>(haveInSync(wanted), [this, done = std::move(done)](const base::Result<bool> &inSync) {
        if (!inSync)
            Q_EMIT failed(inSync.error());
        else if (*inSync)
            done();
        else
            QTimer::singleShot(syncInterval, this, [this, done] { whenInSync(done); });
    });
}

} // namespace latchkey::scenarios
