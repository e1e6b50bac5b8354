// Acquires and releases a lock COUNT times. Prints the time in seconds.
//   bench-locks blocking|loop URL COUNT    the token recipe, with one of the drivers
//   bench-locks recipe ID COUNT URL...     a recipe of the catalogue, with the blocking driver

#include "core/recipes/locks/catalogue.h"
#include "core/recipes/locks/token.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>

using namespace latchkey;
using locks::TokenLock;
using namespace std::chrono_literals;

namespace {

[[noreturn]] void fail(const QString &what)
{
    std::fprintf(stderr, "bench-locks: %s\n", qPrintable(what));
    std::exit(1);
}

void check(const base::Result<locks::ReleaseOutcome> &released)
{
    if (!released)
        fail(released.error().message());
    if (*released != locks::ReleaseOutcome::Released)
        fail(QStringLiteral("the lock was not released"));
}

void runBlocking(const std::vector<net::Endpoint> &endpoints, locks::Lock &lock, int count)
{
    exchange::BlockingDriver driver(endpoints);
    if (const auto connected = driver.connect(); !connected)
        fail(connected.error().message());
    const auto start = base::SystemClock::instance().now();
    for (int i = 0; i < count; ++i) {
        const auto acquired = driver.run(lock.acquire());
        if (!acquired || !acquired->isAcquired())
            fail(acquired ? QStringLiteral("the lock was busy") : acquired.error().message());
        check(driver.run(lock.release(acquired->token)));
    }
    const std::chrono::duration<double> seconds = base::SystemClock::instance().now() - start;
    std::printf("%.6f\n", seconds.count());
}

/// The same cycles on the event loop: each cycle begins when the previous one has ended.
class LoopCycles final : public QObject
{
public:
    LoopCycles(const net::Endpoint &endpoint, TokenLock &lock, int count)
        : m_session(endpoint, base::SystemClock::instance(), base::SystemRandom::instance())
        , m_driver({&m_session}, base::SystemClock::instance(), base::SystemRandom::instance())
        , m_lock(lock)
        , m_left(count)
    {
        connect(&m_session, &net::Session::stateChanged, this, [this](net::Session::State state) {
            if (state == net::Session::State::Waiting)
                fail(m_session.lastError()->message());
            if (state != net::Session::State::Ready)
                return;
            m_start = base::SystemClock::instance().now();
            next();
        });
        m_session.start();
    }

private:
    void next()
    {
        if (m_left-- == 0) {
            const std::chrono::duration<double> seconds = base::SystemClock::instance().now() - m_start;
            std::printf("%.6f\n", seconds.count());
            QCoreApplication::quit();
            return;
        }
        m_driver.run<locks::Acquisition>(m_lock.acquire(), [this](const base::Result<locks::Acquisition> &acquired) {
            if (!acquired || !acquired->isAcquired())
                fail(acquired ? QStringLiteral("the lock was busy") : acquired.error().message());
            m_driver.run<locks::ReleaseOutcome>(m_lock.release(acquired->token),
                                                [this](const base::Result<locks::ReleaseOutcome> &released) {
                                                    check(released);
                                                    next();
                                                });
        });
    }

    net::Session m_session;
    exchange::LoopDriver m_driver;
    TokenLock &m_lock;
    int m_left;
    base::MonotonicTime m_start;
};

net::Endpoint endpointOf(const char *url)
{
    const auto endpoint = net::Endpoint::fromUrl(QString::fromLocal8Bit(url));
    if (!endpoint)
        fail(endpoint.error().message());
    return *endpoint;
}

void runRecipe(const char *id, int count, const std::vector<net::Endpoint> &endpoints)
{
    const auto recipe = locks::findRecipe(QString::fromLocal8Bit(id));
    if (!recipe)
        fail(recipe.error().message());
    locks::LockOptions options;
    options.key = base::Key("bench:lock");
    options.servers = static_cast<int>(endpoints.size());
    const auto lock = locks::makeLock(**recipe, options);
    if (!lock)
        fail(lock.error().message());
    runBlocking(endpoints, **lock, count);
}

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    if (argc < 4)
        fail(QStringLiteral("see the comment at the top of its source"));
    if (QByteArrayView(argv[1]) == "recipe") {
        std::vector<net::Endpoint> endpoints;
        for (int i = 4; i < argc; ++i)
            endpoints.push_back(endpointOf(argv[i]));
        runRecipe(argv[2], std::atoi(argv[3]), endpoints);
        return 0;
    }
    const net::Endpoint endpoint = endpointOf(argv[2]);
    TokenLock lock(base::Key("bench:lock"), base::Lease::of(30s).value());
    const int count = std::atoi(argv[3]);
    if (QByteArrayView(argv[1]) == "blocking") {
        runBlocking({endpoint}, lock, count);
        return 0;
    }
    const LoopCycles cycles(endpoint, lock, count);
    return QCoreApplication::exec();
}
