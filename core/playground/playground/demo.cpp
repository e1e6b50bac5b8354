#include "core/playground/playground/demo.h"

#include <array>

namespace latchkey::playground {

using State = ClientProcess::State;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// The job of one slot. Two jobs use the same lock.
struct Job
{
    const char *recipe;
    const char *key;
    milliseconds lease; ///< Zero: the recipe has no lease.
    bool extends;
};

constexpr std::array jobs {
    Job {"token", "lock:orders:4711", 8s, true},
    Job {"token", "lock:orders:4711", 8s, true},
    Job {"auto-release", "lock:report:nightly", 12s, false},
    Job {"token", "lock:payment:2093", 5s, true},
    Job {"basic", "lock:import:customers", 0s, false},
};

/// Number of cache entries that are kept alive.
constexpr int cacheCount = 18;

exchange::Exchange<void> put(resp::Command write, base::Key key, base::Lease lifetime)
{
    const resp::Command expire {"PEXPIRE", key.bytes(),
                                QByteArray::number(static_cast<qint64>(lifetime.duration().count()))};
    // The catalogue advises against this way to write a cache. It is safe here, because a crash between the two
    // commands also ends the server.
    (void)co_await exchange::Batch().add(write).add(expire);
}

/// Returns the n-th cache entry; sessions, carts and pages alternate.
std::pair<base::Key, resp::Command> cached(int n)
{
    const QByteArray number = QByteArray::number(1000 + n * 37);
    switch (n % 3) {
    case 0: {
        const base::Key key("session:" + number);
        return {key, {"SET", key.bytes(), R"({"user": )" + number + R"(, "roles": ["editor"]})"}};
    }
    case 1: {
        const base::Key key("cart:" + number);
        return {
            key,
            {"HSET", key.bytes(), "items", QByteArray::number(n % 5 + 1), "total", number + ".90", "currency", "EUR"}};
    }
    default: {
        const base::Key key("page:/products/" + number);
        return {key, {"SET", key.bytes(), "<!doctype html><title>Product " + number + "</title>"}};
    }
    }
}

} // namespace

Demo::Demo(ClientPool &clientPool, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_clientPool(clientPool)
    , m_clock(clock)
    , m_random(random)
    , m_session(clientPool.server(), clock, random)
    , m_driver({&m_session}, clock, random)
{
    m_timer.setInterval(100ms);
    connect(&m_timer, &QTimer::timeout, this, &Demo::work);
    connect(&m_clientPool, &ClientPool::aboutToBeRemoved, this, [this](const ClientProcess &client) {
        for (Slot &slot : m_slots) {
            if (slot.client == &client)
                slot.client = nullptr;
        }
    });
}

Demo::~Demo() = default;

void Demo::start()
{
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        m_slots.push_back({job, nullptr, {}});
        startClient(m_slots.back());
    }
    m_session.start();
    m_timer.start();
}

void Demo::stop()
{
    m_timer.stop();
    for (const Slot &slot : std::exchange(m_slots, {})) {
        if (slot.client != nullptr)
            m_clientPool.remove(*slot.client);
    }
}

milliseconds Demo::between(milliseconds shortest, milliseconds longest)
{
    return shortest
         + milliseconds(static_cast<qint64>(m_random.unit() * static_cast<double>((longest - shortest).count())));
}

void Demo::startClient(Slot &slot)
{
    slot.client = &m_clientPool.add();
    slot.next = m_clock.now() + between(200ms, 1500ms);
}

/// Writes the next entry: at first without pauses, later every few seconds, so that some entries expire before their
/// next write.
void Demo::writeCache()
{
    if (m_session.state() != net::Session::State::Ready || m_clock.now() < m_nextCache)
        return;
    const auto [key, write] = cached(m_cachesWritten++ % cacheCount);
    const auto lifetime = base::Lease::of(between(8s, 150s)).value();
    m_driver.run<void>(put(write, key, lifetime), [](const base::Result<void> &) {});
    m_nextCache = m_cachesWritten < cacheCount ? m_clock.now() : m_clock.now() + 4s;
}

void Demo::work()
{
    writeCache();
    for (Slot &slot : m_slots) {
        if (slot.client != nullptr && m_clock.now() >= slot.next)
            workOn(slot);
    }
}

void Demo::workOn(Slot &slot)
{
    ClientProcess &client = *slot.client;
    const Job &job = jobs[slot.job];
    switch (client.state()) {
    case State::Starting:
    case State::Working:
        return;
    case State::Dead:
        m_clientPool.remove(client);
        startClient(slot);
        return;
    case State::Idle: {
        locks::LockOptions options;
        options.key = base::Key(job.key);
        if (job.lease > 0ms)
            options.lease = base::Lease::of(job.lease).value();
        client.acquire(QString::fromLatin1(job.recipe), options);
        slot.next = m_clock.now() + between(2s, 6s);
        return;
    }
    case State::Holding:
        break;
    }
    const double chance = m_random.unit();
    // A job without a lease never crashes, because its lock would never become free and the demonstration runs for
    // hours.
    if (job.lease > 0ms && chance < 0.15) {
        client.crash();
        slot.next = m_clock.now() + between(4s, 8s);
    } else if (job.extends && chance < 0.45) {
        client.extend(base::Lease::of(job.lease).value());
        slot.next = m_clock.now() + between(2s, 5s);
    } else {
        client.release();
        slot.next = m_clock.now() + between(1s, 4s);
    }
}

} // namespace latchkey::playground
