#pragma once

#include "core/playground/playground/clientpool.h"
#include "core/playground/playground/serverpool.h"

#include <QObject>

#include <span>
#include <vector>

namespace latchkey::playground {

/// A prepared situation of the playground: a number of servers, and clients that have given their first orders.
struct Preset
{
    enum class Step : quint8 {
        Acquire, ///< Acquires the lock, and waits if it is busy. The next step follows when the order has been sent.
        Hold,    ///< Acquires the lock. The next step follows when the client holds it.
        Write,   ///< Writes to the resource.
        Pause,   ///< Stops the process of the client.
    };
    struct Action
    {
        std::size_t client = 0;
        Step step = Step::Acquire;
    };

    const char *id;
    const char *title;       ///< For users, to be translated in the context `core`.
    const char *explanation; ///< Suggestions for the next actions, to be translated in the same context.
    int servers = 1;
    const char *recipe;
    std::chrono::milliseconds lease {};
    std::size_t clients = 2;
    std::span<const Action> actions;
};

/// Returns the presets, in the order of the user interface.
[[nodiscard]] std::span<const Preset> presets();

/// A runner of presets: it prepares a client pool and a server pool.
///
/// A start removes all clients and changes the number of servers. When the servers are ready, it deletes the lock of an
/// earlier preset, adds the clients and takes one action after the other. A user action that makes the next action
/// impossible ends the preparation. Owned by the page; the pools are not owned and outlive it.
class PresetRunner final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PresetRunner)

public:
    PresetRunner(ClientPool &clientPool, ServerPool &serverPool, QObject *parent = nullptr);

    void start(const Preset &preset);
    /// Returns the preset that is being prepared; null if none is.
    [[nodiscard]] const Preset *running() const { return m_preset; }

private:
    void resume();
    [[nodiscard]] bool areServersReady() const;
    [[nodiscard]] bool isCleared();
    void startClients();
    /// Performs an action. Returns false if the client cannot do it yet.
    [[nodiscard]] bool take(const Preset::Action &action);
    [[nodiscard]] bool acquire(ClientProcess &client, std::chrono::milliseconds wait);
    void forget(const ClientProcess &client);

    ClientPool &m_clientPool; // Not owned.
    ServerPool &m_serverPool; // Not owned.
    const Preset *m_preset = nullptr;
    std::vector<ClientProcess *> m_clients; // Not owned: the client pool's.
    bool m_isCleared = false;               ///< Whether the deletion of the earlier lock was sent.
    std::size_t m_done = 0;                 ///< Number of actions taken.
    bool m_isOrdered = false;               ///< Whether the order of the current action has been sent.
};

} // namespace latchkey::playground
