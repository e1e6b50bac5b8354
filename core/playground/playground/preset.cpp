#include "core/playground/playground/preset.h"

#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>

namespace latchkey::playground {

using State = ClientProcess::State;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Timeout of a contender, longer than any presentation of the demonstration.
constexpr milliseconds contenderTimeout = 10min;

constexpr const char *lockKey = "lock:class";

constexpr std::array contended {Preset::Action {0, Preset::Step::Hold}, Preset::Action {1, Preset::Step::Acquire}};
constexpr std::array pausedHolder {Preset::Action {0, Preset::Step::Hold}, Preset::Action {0, Preset::Step::Write},
                                   Preset::Action {0, Preset::Step::Pause}, Preset::Action {1, Preset::Step::Hold},
                                   Preset::Action {1, Preset::Step::Write}};

constexpr std::array allPresets {
    Preset {"two-clients", QT_TRANSLATE_NOOP("core", "Two clients, one lock"),
            QT_TRANSLATE_NOOP("core", "One client holds the lock, the other waits. Crash the holder: the lease ends, "
                                      "and the other client has the lock."),
            1, "token", 10s, 2, contended},
    Preset {"watchdog", QT_TRANSLATE_NOOP("core", "Watchdog"),
            QT_TRANSLATE_NOOP("core", "The holder renews its lease. Pause it: it renews nothing, and the other client "
                                      "gets the lock."),
            1, "renewing", 6s, 2, contended},
    Preset {"redlock", QT_TRANSLATE_NOOP("core", "Redlock on five servers"),
            QT_TRANSLATE_NOOP("core", "The holder has the lock on most of five servers. Kill two of them: it still has "
                                      "a majority. Kill a third one."),
            5, "redlock", 30s, 2, contended},
    Preset {"paused-holder", QT_TRANSLATE_NOOP("core", "Paused holder, fencing"),
            QT_TRANSLATE_NOOP("core", "The paused holder has lost its lease, and the other client has written. Resume "
                                      "the first client and let it write: its fencing number is too small."),
            1, "fenced", 4s, 2, pausedHolder},
};

} // namespace

std::span<const Preset> presets()
{
    return allPresets;
}

PresetRunner::PresetRunner(ClientPool &clientPool, ServerPool &serverPool, QObject *parent)
    : QObject(parent)
    , m_clientPool(clientPool)
    , m_serverPool(serverPool)
{
    connect(&m_clientPool, &ClientPool::aboutToBeRemoved, this, &PresetRunner::forget);
    // Queued: a client must not receive an order within its own signal, or before the other listeners know the server.
    connect(&m_serverPool, &ServerPool::sizeChanged, this, &PresetRunner::resume, Qt::QueuedConnection);
    connect(&m_serverPool, &ServerPool::changed, this, &PresetRunner::resume, Qt::QueuedConnection);
    connect(&m_serverPool, &ServerPool::removed, this, &PresetRunner::resume, Qt::QueuedConnection);
}

void PresetRunner::start(const Preset &preset)
{
    m_preset = nullptr;
    while (m_clientPool.size() > 0)
        m_clientPool.remove(m_clientPool.at(m_clientPool.size() - 1));
    m_clients.clear();
    m_isCleared = false;
    m_done = 0;
    m_isOrdered = false;
    m_preset = &preset;
    for (int server = 0; server < m_serverPool.size(); ++server) {
        if (m_serverPool.state(server) == ServerPool::State::Gone)
            m_serverPool.restart(server);
        else if (m_serverPool.state(server) == ServerPool::State::Suspended)
            m_serverPool.resume(server);
    }
    m_serverPool.setSize(preset.servers);
    QMetaObject::invokeMethod(this, &PresetRunner::resume, Qt::QueuedConnection);
}

bool PresetRunner::areServersReady() const
{
    if (m_serverPool.size() != m_preset->servers)
        return false;
    for (int server = 0; server < m_preset->servers; ++server) {
        if (m_serverPool.state(server) != ServerPool::State::Up)
            return false;
    }
    return true;
}

void PresetRunner::resume()
{
    if (m_preset == nullptr || (m_clients.empty() && !areServersReady()))
        return;
    if (m_clients.empty() && !isCleared())
        return;
    if (m_clients.empty())
        startClients();
    while (m_done < m_preset->actions.size()) {
        if (!take(m_preset->actions[m_done]))
            return;
        ++m_done;
        m_isOrdered = false;
    }
    m_preset = nullptr;
}

/// Deletes the lock of an earlier preset once, because its lease would delay this preset. Returns whether the deletion
/// is complete.
bool PresetRunner::isCleared()
{
    if (!std::exchange(m_isCleared, true))
        m_serverPool.remove(base::Key(lockKey));
    return !m_serverPool.isRemoving();
}

void PresetRunner::startClients()
{
    for (std::size_t i = 0; i < m_preset->clients; ++i) {
        ClientProcess &client = m_clientPool.add();
        m_clients.push_back(&client);
        connect(&client, &ClientProcess::changed, this, &PresetRunner::resume, Qt::QueuedConnection);
    }
}

bool PresetRunner::take(const Preset::Action &action)
{
    ClientProcess &client = *m_clients[action.client];
    switch (action.step) {
    case Preset::Step::Acquire:
        return acquire(client, contenderTimeout);
    case Preset::Step::Hold:
        return acquire(client, contenderTimeout) && client.state() == State::Holding;
    case Preset::Step::Write:
        if (!m_isOrdered && client.state() == State::Holding) {
            client.sendOrder(WriteOrder {});
            m_isOrdered = true;
        }
        return m_isOrdered && client.state() == State::Holding;
    case Preset::Step::Pause:
        if (client.state() == State::Holding && !client.isPaused())
            client.pause();
        return client.isPaused();
    }
    Q_UNREACHABLE();
}

/// Sends the acquire order once. Returns whether the order has been sent.
bool PresetRunner::acquire(ClientProcess &client, milliseconds wait)
{
    if (m_isOrdered || client.state() != State::Idle)
        return m_isOrdered;
    locks::LockOptions options;
    options.key = base::Key(lockKey);
    options.lease = base::Lease::of(m_preset->lease).value();
    m_isOrdered = true;
    client.acquire(QString::fromLatin1(m_preset->recipe), options, wait);
    return true;
}

void PresetRunner::forget(const ClientProcess &client)
{
    if (std::ranges::find(m_clients, &client) != m_clients.end())
        m_preset = nullptr;
    std::erase(m_clients, &client);
}

} // namespace latchkey::playground
