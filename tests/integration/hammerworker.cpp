// A client of the hammer: acquires, works, releases, and is stopped or killed at random. It is started by
// tst_hammer.cpp.

#include "core/recipes/locks/catalogue.h"
#include "core/recipes/locks/renewing.h"
#include "core/redis/exchange/stepper.h"
#include "core/redis/net/dialer.h"
#include "tests/integration/hammer.h"

#include <QFile>
#include <QThread>

#include <csignal>
#include <random>
#include <sys/mman.h>

using namespace latchkey;
using namespace std::chrono_literals;
using base::MonotonicTime;
using base::Result;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Grant;
using exchange::Request;
using std::chrono::microseconds;
using test::SharedState;
using test::WorkerState;

namespace {

constexpr auto requestTimeout = 20s; // For a server that is only slow.

void rest(std::chrono::nanoseconds duration)
{
    QThread::usleep(static_cast<unsigned long>(std::chrono::ceil<microseconds>(duration).count()));
}

/// A random fault of a process between two commands.
class Fate final
{
public:
    Fate(WorkerState &workerState, quint64 seed, quint64 generation)
        : m_workerState(workerState)
    {
        std::seed_seq seeds {static_cast<quint32>(seed), static_cast<quint32>(seed >> 32),
                             static_cast<quint32>(generation)};
        m_random.seed(seeds);
    }

    /// Stops the process until the test wakes it, or kills it, at random. `mayHold`: whether the process may have the
    /// lock. Such processes are hit more often, because they are rare and faults of other processes matter little.
    void meet(bool mayHold)
    {
        const double chance = unit();
        const double deadly = mayHold ? 0.007 : 0.0003;
        if (chance < deadly) {
            m_workerState.isToBeKilled = true;
            std::raise(SIGKILL);
        } else if (chance < deadly + (mayHold ? 0.035 : 0.003)) {
            std::raise(SIGSTOP);
        }
    }

    [[nodiscard]] double unit() { return std::uniform_real_distribution<double>()(m_random); }
    [[nodiscard]] microseconds between(microseconds least, microseconds most)
    {
        return microseconds(std::uniform_int_distribution<qint64>(least.count(), most.count())(m_random));
    }

private:
    WorkerState &m_workerState; // Not owned.
    std::mt19937_64 m_random;
};

/// A driver that executes one command after the other, also those of a batch. It allows a fault before and after each
/// command, so that every fault between two commands is possible.
class HazardousDriver final
{
public:
    HazardousDriver(std::vector<net::Endpoint> servers, const base::Clock &clock, Fate &fate, WorkerState &workerState,
                    QByteArray name)
        : m_servers(std::move(servers))
        , m_connections(m_servers.size())
        , m_clock(clock)
        , m_fate(fate)
        , m_workerState(workerState)
        , m_name(std::move(name))
    {}

    template<typename T>
    [[nodiscard]] Result<T> run(exchange::Exchange<T> exchange)
    {
        m_hasWon = false;
        exchange::Stepper<T> stepper(std::move(exchange));
        while (!stepper.isFinished())
            stepper.grant(execute(stepper.step(), stepper.deadline()));
        return stepper.takeResult();
    }

    void meetFate() { m_fate.meet(m_hasWon || m_workerState.believesToHold); }

    /// Returns a value that no earlier hold has had, and that contains the name of this process.
    [[nodiscard]] QByteArray freshValue() { return m_name + '.' + QByteArray::number(++m_values); }

private:
    [[nodiscard]] Grant execute(const exchange::Step &step, MonotonicTime deadline)
    {
        if (const auto *asked = std::get_if<Request>(&step)) {
            const Answer answer = ask(*asked, requestTimeout, deadline);
            // Replies of commands that win a lock. Other commands may have the same reply, which does no harm.
            m_hasWon = m_hasWon || (answer && (answer->isOk() || answer->isInteger(1)));
            return answer;
        }
        if (const auto *batch = std::get_if<Batch>(&step))
            return askAll(*batch, deadline);
        if (const auto *pause = std::get_if<exchange::Pause>(&step)) {
            rest(pause->duration);
            return exchange::PauseDone {};
        }
        if (std::holds_alternative<exchange::DrawToken>(step))
            return base::OwnerToken(freshValue());
        return exchange::Instant {m_clock.now(), m_clock.wallNow()};
    }

    [[nodiscard]] Answers askAll(const Batch &batch, MonotonicTime deadline)
    {
        Answers answers;
        std::vector<const Answer *> lost(m_servers.size());
        answers.reserve(batch.requests().size());
        for (const Request &request : batch.requests()) {
            // After a command with a lost reply, the other commands of a pipeline have no reply either.
            const Answer *&earlier = lost.at(static_cast<std::size_t>(request.server()));
            answers.push_back(earlier ? *earlier : ask(request, batch.timeout(), deadline));
            if (!earlier && !connectionFor(request))
                earlier = &answers.back();
        }
        return answers;
    }

    [[nodiscard]] Answer ask(const Request &request, std::chrono::milliseconds timeout, MonotonicTime deadline)
    {
        meetFate();
        if (deadline != MonotonicTime::max())
            timeout = exchange::timeoutWithin(timeout, deadline, m_clock.now());
        timeout = std::min<std::chrono::milliseconds>(timeout, requestTimeout);
        if (timeout == 0ms)
            return exchange::deadlinePassed();

        auto &connection = connectionFor(request);
        if (request.wantsNewConnection())
            connection.reset();
        if (!connection) {
            auto dialled = net::dialBlocking(m_servers.at(static_cast<std::size_t>(request.server())), timeout);
            if (!dialled)
                return base::failure(base::ErrorKind::Unreachable, dialled.error().message());
            connection = std::move(dialled->connection);
        }
        auto reply = connection->execute(request.command(), timeout);
        if (!connection->isOpen())
            connection.reset();
        meetFate();
        if (!reply)
            return base::failure(std::move(reply.error()));
        return exchange::answerFrom(std::move(*reply));
    }

    [[nodiscard]] std::unique_ptr<net::BlockingConnection> &connectionFor(const Request &request)
    {
        return m_connections.at(static_cast<std::size_t>(request.server()));
    }

    const std::vector<net::Endpoint> m_servers;
    std::vector<std::unique_ptr<net::BlockingConnection>> m_connections; ///< Null until it is needed.
    const base::Clock &m_clock;                                          // Not owned.
    Fate &m_fate;                                                        // Not owned.
    WorkerState &m_workerState;                                          // Not owned.
    const QByteArray m_name;
    quint64 m_values = 0;
    bool m_hasWon = false; ///< Whether a command of this exchange may have won the lock.
};

class Worker final
{
public:
    Worker(const locks::Recipe &recipe, locks::CompareForm form, SharedState &sharedState, std::size_t workerState,
           quint64 generation, const std::vector<net::Endpoint> &servers)
        : m_recipe(recipe)
        , m_form(form)
        , m_sharedState(sharedState)
        , m_workerState(sharedState.workerStates.at(workerState))
        , m_clock(sharedState.clock())
        , m_fate(m_workerState, sharedState.seed, generation)
        , m_driver(servers, m_clock, m_fate, m_workerState, QByteArray::number(generation))
    {
        for (const net::Endpoint &server : servers) {
            auto dialled = net::dialBlocking(server, requestTimeout);
            if (!dialled)
                qFatal("%s", qPrintable(dialled.error().message()));
            m_lookouts.push_back(std::move(dialled->connection));
        }
    }

    [[noreturn]] void run()
    {
        for (;;) {
            rest(m_fate.between(2ms, 8ms));
            while (base::SystemClock::instance().now().time_since_epoch().count() < m_sharedState.pausedUntil)
                rest(2ms);
            attempt();
        }
    }

private:
    void attempt()
    {
        const QByteArray value = m_driver.freshValue();
        locks::LockOptions options;
        options.key = m_key;
        options.servers = static_cast<int>(m_lookouts.size());
        options.form = m_form;
        if (m_recipe.hasLease)
            options.lease = base::Lease::of(m_sharedState.lease).value();
        if (m_recipe.value == locks::LockValue::Constant)
            options.value =
                value; // The recipe does not check the value; different values are for the check of overlaps.
        const auto lock = locks::makeLock(m_recipe, options).value();

        const quint32 began = microsecondsOfRun();
        const auto acquired = m_driver.run(lock->acquire());
        if (acquired && acquired->isAcquired()) {
            ++m_sharedState.acquisitions;
            m_workerState.believesToHold = true;
            const auto number = acquired->fencing.value_or(locks::FencingToken {}).value;
            hold(*lock, *acquired, {static_cast<quint32>(number), began, microsecondsOfRun()});
            if (!m_driver.run(lock->release(acquired->token)))
                ++m_sharedState.failures;
            m_workerState.believesToHold = false;
        } else if (!acquired) {
            ++m_sharedState.failures;
        }
        ++m_sharedState.attempts;
    }

    void hold(locks::Lock &lock, const locks::Acquisition &acquired, test::Resource::Hold hold)
    {
        MonotonicTime validUntil = acquired.validUntil;
        m_driver.meetFate();
        enter(validUntil);
        m_driver.meetFate();
        work(acquired, validUntil);
        if (m_recipe.renews && m_fate.unit() < 0.3) {
            const auto renewal =
                m_driver.run(locks::renewOnce(lock, acquired.token, *acquired.lease, acquired.validUntil));
            if (renewal && *renewal) {
                validUntil = **renewal;
                enter(validUntil);
                work(acquired, validUntil);
            }
        }
        m_driver.meetFate();
        write(hold); // Like most programs, the worker does not check the clock again.
        m_driver.meetFate();
        if (m_clock.now() >= validUntil)
            ++m_sharedState.overruns;
        m_workerState.validUntil = 0;
    }

    /// Publishes this worker's state, then checks for other holders.
    ///
    /// If two workers are inside, at least one sees the other, because each publishes its state before it reads the
    /// others. There are no false positives: the other worker held the lock when its state was read, and the time is
    /// read afterwards.
    void enter(MonotonicTime validUntil)
    {
        m_workerState.validUntil = validUntil.time_since_epoch().count();
        for (const WorkerState &other : m_sharedState.workerStates) {
            if (&other == &m_workerState)
                continue;
            const qint64 until = other.validUntil;
            // A dead worker is not a holder. The test clears its validity first and its mark last, so an unchanged
            // state belongs to a live worker.
            if (until == 0 || other.isToBeKilled || other.validUntil != until)
                continue;
            if (m_clock.now() < std::min(MonotonicTime(std::chrono::nanoseconds(until)), validUntil))
                ++m_sharedState.overlaps;
        }
    }

    /// Works for a while, and checks sometimes whether the lock still exists.
    void work(const locks::Acquisition &acquired, MonotonicTime validUntil)
    {
        const auto turns = static_cast<int>(m_fate.unit() * 8);
        for (int turn = 0; turn < turns; ++turn) {
            rest(400us);
            if (isRobbed(acquired, validUntil)) {
                ++m_sharedState.lostHolds;
                return;
            }
        }
    }

    /// Whether the lock is gone although only its holder may end it: no release was sent, and the lease cannot have
    /// ended. For deadlines, only an absent key counts, because other clients may change the deadline without taking
    /// the lock.
    [[nodiscard]] bool isRobbed(const locks::Acquisition &acquired, MonotonicTime validUntil)
    {
        std::size_t own = 0;
        for (const auto &lookout : m_lookouts) {
            const auto reply = lookout->execute(resp::get(m_key), requestTimeout);
            if (!reply)
                qFatal("%s", qPrintable(reply.error().message()));
            own +=
                m_recipe.value == locks::LockValue::Deadline ? reply->isBulk() : reply->isBulk(acquired.token.bytes());
        }
        const bool isHeld = own > m_lookouts.size() / 2;
        return !isHeld && m_clock.now() < validUntil;
    }

    void write(test::Resource::Hold hold)
    {
        using Outcome = test::Resource::Outcome;
        if (m_sharedState.trusting.write(hold, false) == Outcome::TakenStale)
            ++m_sharedState.staleTrusting;
        if (!m_recipe.hasPromise(catalogue::Promise::Fenced))
            return;
        const Outcome outcome = m_sharedState.fenced.write(hold, true);
        if (outcome == Outcome::TakenStale)
            ++m_sharedState.staleFenced;
        if (outcome == Outcome::Refused)
            ++m_sharedState.refused;
    }

    [[nodiscard]] quint32 microsecondsOfRun() const
    {
        const auto passed = base::SystemClock::instance().now() - m_sharedState.begin;
        return static_cast<quint32>(std::chrono::floor<microseconds>(passed).count() + 1);
    }

    const base::Key m_key {QByteArrayLiteral("lock")};
    const locks::Recipe &m_recipe; // Not owned.
    const locks::CompareForm m_form;
    SharedState &m_sharedState; // Not owned.
    WorkerState &m_workerState; // Not owned.
    const test::FastClock m_clock;
    Fate m_fate;
    HazardousDriver m_driver;
    std::vector<std::unique_ptr<net::BlockingConnection>>
        m_lookouts; ///< Connections of the check of overlaps, one per server.
};

} // namespace

/// hammer-worker RECIPE DESCRIPTOR SEAT GENERATION SOCKET...; DESCRIPTOR refers to the memory of the SharedState.
int main(int argc, char **argv)
{
    if (argc < 6)
        qFatal("started by tst_hammer, not by hand");
    const QStringList named = QString::fromLatin1(argv[1]).split(u'+');
    const auto recipe = locks::findRecipe(named.front());
    const auto form = locks::findCompareForm(named.back());
    void *const memory =
        ::mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, std::atoi(argv[2]), 0);
    if (!recipe || !form || memory == MAP_FAILED)
        qFatal("no recipe, no form or no witness");
    std::vector<net::Endpoint> servers;
    for (int i = 5; i < argc; ++i)
        servers.push_back(net::Endpoint::unixSocket(QFile::decodeName(argv[i])));
    Worker(**recipe, *form, *static_cast<SharedState *>(memory), std::strtoul(argv[3], nullptr, 10),
           std::strtoull(argv[4], nullptr, 10), servers)
        .run();
}
