#pragma once

#include "core/foundation/base/random.h"
#include "core/playground/playground/clientpool.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <QObject>
#include <QTimer>

#include <vector>

namespace latchkey::playground {

/// A demonstration for new users: its clients and caches change keys continuously. Clients acquire, hold, sometimes
/// extend, and release locks. A client crashes occasionally and is replaced later. Sessions, carts and cached pages are
/// written and expire, as on a production server. Owned by the code that shows the demonstration. It uses only the
/// clients that it added to the client pool, which is not owned.
class Demo final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Demo)

public:
    /// ClientPool, clock and random source are not owned.
    Demo(ClientPool &clientPool, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~Demo() override;

    void start();
    /// Stops the demonstration and removes its clients. Cached keys stay until they expire.
    void stop();

private:
    /// A slot of the demonstration: its job, its current client, and the time of its next action.
    struct Slot
    {
        std::size_t job = 0;
        ClientProcess *client = nullptr; // Not owned: the client pool's. Null after another object removed the client.
        base::MonotonicTime next;
    };

    void work();
    void workOn(Slot &slot);
    void startClient(Slot &slot);
    void writeCache();
    [[nodiscard]] std::chrono::milliseconds between(std::chrono::milliseconds shortest,
                                                    std::chrono::milliseconds longest);

    ClientPool &m_clientPool;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    net::Session m_session; ///< Used for the caches only; clients send their own lock commands.
    exchange::LoopDriver m_driver;
    base::MonotonicTime m_nextCache;
    int m_cachesWritten = 0;
    std::vector<Slot> m_slots;
    QTimer m_timer;
};

} // namespace latchkey::playground
