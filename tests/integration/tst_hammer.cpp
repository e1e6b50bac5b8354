#include "core/recipes/locks/catalogue.h"
#include "tests/integration/hammer.h"
#include "tests/support/load.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <random>
#include <set>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tst_hammer {

using namespace latchkey;
using namespace std::chrono_literals;
using base::MonotonicTime;
using catalogue::Promise;
using locks::LockValue;
using locks::Recipe;
using std::chrono::milliseconds;
using test::SharedState;
using test::WorkerState;

namespace {

MonotonicTime now()
{
    return base::SystemClock::instance().now();
}

/// Whether the server expires the locks automatically.
bool expires(const Recipe &recipe)
{
    return recipe.hasLease && recipe.value != LockValue::Deadline;
}

/// Whether failed attempts extend the lease of the present lock.
bool isRefreshedByLosers(const Recipe &recipe)
{
    return expires(recipe) && !recipe.hasPromise(Promise::ContenderNeutral);
}

/// The memory of a SharedState, for this process and the processes that inherit its descriptor.
class SharedWitness final
{
public:
    SharedWitness()
        : m_descriptor(::memfd_create("witness", 0))
    {
        if (m_descriptor < 0 || ::ftruncate(m_descriptor, sizeof(SharedState)) != 0)
            qFatal("no memory to share");
        void *const memory = ::mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED, m_descriptor, 0);
        if (memory == MAP_FAILED)
            qFatal("no memory to share");
        m_sharedState = new (memory) SharedState {};
    }
    ~SharedWitness()
    {
        ::munmap(m_sharedState, sizeof(SharedState));
        ::close(m_descriptor);
    }
    Q_DISABLE_COPY_MOVE(SharedWitness)

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] SharedState *operator->() { return m_sharedState; }

private:
    const int m_descriptor;
    SharedState *m_sharedState = nullptr;
};

/// A run of workers on the lock of one recipe, with faults. Stopped workers are woken some time after their lease, dead
/// workers are replaced, live workers are killed, and endless locks are counted and removed.
class Hammer final
{
public:
    Hammer(const Recipe &recipe, locks::CompareForm form, quint64 seed)
        : m_recipe(recipe)
        , m_form(form)
        , m_random(seed)
    {
        for (int i = 0; i < (recipe.hasManyServers ? 3 : 1); ++i)
            m_servers.push_back(std::make_unique<test::TestServer>());
        m_left.resize(m_servers.size());
        m_sharedState->begin = now();
        m_sharedState->wallBegin = base::SystemClock::instance().wallNow();
        // Leases in whole seconds last as long as the other leases, because the server does not use them.
        m_sharedState->clockSpeed = recipe.needsWholeSeconds ? 20 : 1;
        m_sharedState->lease = recipe.needsWholeSeconds ? 1s : 60ms;
        m_sharedState->seed = seed;
        for (std::size_t workerState = 0; workerState < m_workers.size(); ++workerState)
            start(workerState);
    }

    ~Hammer()
    {
        for (std::size_t workerState = 0; workerState < m_workers.size(); ++workerState)
            kill(workerState);
        for (const Worker &worker : m_workers)
            ::waitpid(worker.process, nullptr, 0);
    }
    Q_DISABLE_COPY_MOVE(Hammer)

    /// Runs all activities for a moment.
    void run()
    {
        for (std::size_t workerState = 0; workerState < m_workers.size(); ++workerState)
            lookAfter(workerState);
        if (now() >= m_nextKilling) {
            if (m_nextKilling != MonotonicTime())
                kill(static_cast<std::size_t>(between(0, SharedState::workers - 1)));
            m_nextKilling = now() + milliseconds(between(100, 400));
        }
        if (now() >= m_nextInspection) {
            for (std::size_t server = 0; server < m_servers.size(); ++server)
                inspect(server);
            m_nextInspection = now() + 3ms;
        }
        QTest::qSleep(1);
    }

    /// Whether enough has happened to judge the recipe: every fault often enough, and every violation that the recipe
    /// must show because it does not promise otherwise.
    [[nodiscard]] bool hasSeenEnough()
    {
        const int often = test::load(10);
        const bool isStopped = m_stoppedHolders >= often && (!m_recipe.hasLease || m_sharedState->overruns >= often);
        const bool isKilled = m_killedHolders >= test::load(3);
        const bool isOwners = m_recipe.hasPromise(Promise::OwnerOnlyRelease);
        const bool ends = m_recipe.hasPromise(Promise::CrashRelease);
        return m_sharedState->acquisitions >= test::load(80) && isStopped && isKilled
            && (isOwners || (m_sharedState->overlaps > 0 && m_sharedState->lostHolds > 0)) && (ends || m_immortal > 0)
            && (!isRefreshedByLosers(m_recipe) || m_outlived > 0)
            && (!m_recipe.hasPromise(Promise::Fenced)
                || (m_sharedState->refused > 0 && m_sharedState->staleTrusting > 0));
    }

    /// Returns a violation of a promise. Empty if there is none.
    [[nodiscard]] QString violation()
    {
        if (m_strayStatus)
            return QStringLiteral("a worker has ended by itself, with the wait status %1").arg(*m_strayStatus);
        const bool isSafe =
            m_recipe.hasPromise(Promise::MutualExclusion) && m_recipe.hasPromise(Promise::OwnerOnlyRelease);
        if (isSafe && m_sharedState->overlaps > 0)
            return QStringLiteral("two were inside their validity at once");
        if (isSafe && m_sharedState->lostHolds > 0)
            return QStringLiteral("a lock was freed by somebody else");
        if (m_recipe.hasPromise(Promise::CrashRelease) && m_immortal > 0)
            return QStringLiteral("the lock of a dead holder does not end");
        if (m_recipe.hasPromise(Promise::ContenderNeutral) && m_outlived > 0)
            return QStringLiteral("a dead holder's lock has outlived ten leases");
        if (m_sharedState->staleFenced > 0)
            return QStringLiteral("a late write was taken in spite of its fencing number");
        return {};
    }

    [[nodiscard]] QString report()
    {
        return QStringLiteral("%1 attempts, %2 won, %3 failed; holders: %4 stopped, %5 killed, %6 overran; "
                              "%7 overlaps, %8 freed by others, %9 immortal, ")
                   .arg(m_sharedState->attempts)
                   .arg(m_sharedState->acquisitions)
                   .arg(m_sharedState->failures)
                   .arg(m_stoppedHolders)
                   .arg(m_killedHolders)
                   .arg(m_sharedState->overruns)
                   .arg(m_sharedState->overlaps)
                   .arg(m_sharedState->lostHolds)
                   .arg(m_immortal)
             + QStringLiteral("%1 outlived ten leases; late writes: %2 unfenced, %3 refused, %4 taken in spite of it")
                   .arg(m_outlived)
                   .arg(m_sharedState->staleTrusting)
                   .arg(m_sharedState->refused)
                   .arg(m_sharedState->staleFenced);
    }

private:
    struct Worker
    {
        pid_t process = 0;
        quint64 generation = 0;
        std::optional<MonotonicTime> wakeAt; ///< Set while the worker is stopped.
    };

    /// A lock at the last inspection that its holder cannot end.
    struct Left
    {
        QByteArray value;
        MonotonicTime since;     ///< Time of the first inspection that found it.
        qint64 attempts = 0;     ///< Number of finished attempts at that time.
        bool wasEndless = false; ///< Whether it was endless at the last inspection too.
    };

    /// Returns the longest time of a lock without renewal, by the machine's clock.
    [[nodiscard]] milliseconds term()
    {
        if (!m_recipe.hasLease)
            return 30ms; // The lock never expires, so any time is suitable.
        // A deadline is rounded up, and passes at the start of the next second.
        return m_recipe.value == LockValue::Deadline ? (m_sharedState->lease + 2s) / m_sharedState->clockSpeed
                                                     : m_sharedState->lease;
    }

    qint64 between(qint64 least, qint64 most) { return std::uniform_int_distribution<qint64>(least, most)(m_random); }

    void start(std::size_t workerState)
    {
        Worker &worker = m_workers.at(workerState);
        worker = {0, ++m_generations, {}};
        m_living.insert(QByteArray::number(worker.generation));
        const QString subject = m_recipe.id + u'+' + locks::compareFormId(m_form);
        std::vector<QByteArray> words {QByteArrayLiteral(LATCHKEY_HAMMER_WORKER), subject.toLatin1(),
                                       QByteArray::number(m_sharedState.descriptor()),
                                       QByteArray::number(static_cast<qulonglong>(workerState)),
                                       QByteArray::number(worker.generation)};
        for (const auto &server : m_servers)
            words.push_back(QFile::encodeName(server->endpoint().path));
        std::vector<char *> arguments;
        arguments.reserve(words.size() + 1);
        for (QByteArray &word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);

        // QProcess is not used, because it is not notified when its process is stopped.
        const pid_t parent = ::getpid();
        worker.process = ::fork();
        if (worker.process < 0)
            qFatal("no process to be had");
        if (worker.process == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() == parent)
                ::execv(arguments.front(), arguments.data());
            ::_exit(127);
        }
    }

    void kill(std::size_t workerState)
    {
        m_sharedState->workerStates.at(workerState).isToBeKilled = true;
        ::kill(m_workers.at(workerState).process, SIGKILL);
    }

    /// Replaces a dead worker, and wakes a stopped one when it is due.
    void lookAfter(std::size_t workerState)
    {
        Worker &worker = m_workers.at(workerState);
        int status = 0;
        const pid_t changed = ::waitpid(worker.process, &status, WUNTRACED | WNOHANG);
        if (changed == worker.process && WIFSTOPPED(status)) {
            stopped(workerState);
        } else if (changed == worker.process) {
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
                m_strayStatus = status;
            WorkerState &left = m_sharedState->workerStates.at(workerState);
            m_killedHolders += left.believesToHold ? 1 : 0;
            m_living.erase(QByteArray::number(worker.generation));
            left.validUntil = 0; // Cleared first, see Worker::enter().
            left.believesToHold = false;
            left.isToBeKilled = false;
            start(workerState);
        } else if (worker.wakeAt && now() >= *worker.wakeAt) {
            worker.wakeAt.reset();
            ::kill(worker.process, SIGCONT);
        }
    }

    void stopped(std::size_t workerState)
    {
        Worker &worker = m_workers.at(workerState);
        const bool isHolder = m_sharedState->workerStates.at(workerState).believesToHold;
        m_stoppedHolders += isHolder ? 1 : 0;
        if (!isHolder || between(1, 3) > 1) {
            worker.wakeAt = std::max<MonotonicTime>(now() + term() * between(5, 20) / 10, m_lullUntil);
            return;
        }
        // No worker starts an attempt until the lease is over; then attempts are allowed for a while before the worker
        // wakes. Workers that sleep within an attempt stay asleep.
        m_lullUntil = now() + term() + 20ms;
        m_sharedState->pausedUntil = m_lullUntil.time_since_epoch().count();
        for (Worker &other : m_workers) {
            if (other.wakeAt)
                other.wakeAt = std::max(*other.wakeAt, m_lullUntil);
        }
        worker.wakeAt = m_lullUntil + milliseconds(between(5, 40));
    }

    /// Looks for an endless lock of a dead holder, counts it and removes it.
    void inspect(std::size_t server)
    {
        static const QByteArray look = "return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}";
        Left &left = m_left.at(server);
        const resp::Reply found = (*m_servers.at(server))({"EVAL", look, "1", "lock"});
        if (!found.elements().at(0).isBulk() || !isLeft(found.elements().at(0).bytes())) {
            left = {};
            return;
        }
        const QByteArray value = found.elements().at(0).bytes();
        const bool isEndless = found.elements().at(1).isInteger(-1);
        if (value != left.value) {
            left = {value, now(), m_sharedState->attempts, isEndless};
            return;
        }

        // Two inspections are needed, because a command sent before the death may have been executed between them.
        const bool isImmortal = m_recipe.value == LockValue::Deadline
                                  ? m_sharedState->attempts >= left.attempts + 4 * qint64(SharedState::workers)
                                  : isEndless && left.wasEndless;
        // A lease that was running at the first inspection has ended.
        const bool isOutlived = !isEndless && expires(m_recipe) && now() > left.since + 10 * m_sharedState->lease;
        left.wasEndless = isEndless;
        if (!isImmortal && !isOutlived)
            return;
        static const QByteArray clear =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1";
        (*m_servers.at(server))({"EVAL", clear, "1", "lock", value});
        ++(isImmortal ? m_immortal : m_outlived);
        left = {};
    }

    /// Whether a lock must be ended by another client. Either its holder is dead; or the value is a deadline that has
    /// passed, so that the next attempt must replace the lock.
    [[nodiscard]] bool isLeft(const QByteArray &value)
    {
        if (m_recipe.value == LockValue::Deadline)
            return value.toLongLong() < std::chrono::floor<std::chrono::seconds>(m_sharedState->clock().wallNow())
                                            .time_since_epoch()
                                            .count();
        return !m_living.contains(value.first(value.indexOf('.')));
    }

    const Recipe &m_recipe; // Not owned.
    const locks::CompareForm m_form;
    std::mt19937_64 m_random;
    std::vector<std::unique_ptr<test::TestServer>> m_servers;
    SharedWitness m_sharedState;
    std::array<Worker, SharedState::workers> m_workers;
    std::set<QByteArray> m_living; ///< Generations of the live workers.
    quint64 m_generations = 0;
    std::vector<Left> m_left; ///< One per server.
    MonotonicTime m_lullUntil;
    MonotonicTime m_nextKilling;
    MonotonicTime m_nextInspection;
    std::optional<int> m_strayStatus; ///< Exit status of a worker that ended without being killed.
    int m_stoppedHolders = 0;
    int m_killedHolders = 0;
    int m_immortal = 0;
    int m_outlived = 0;
};

/// Returns the number in an environment variable. Absent if it is not set.
std::optional<quint64> numberFrom(const char *variable)
{
    bool isNumber = false;
    const quint64 number = qEnvironmentVariable(variable).toULongLong(&isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

} // namespace

/// Tests of every recipe with clients that are stopped past their lease and killed between any two commands: each
/// recipe keeps its promises, and breaks those that it does not make.
///
/// Without such faults, even flawed locks look correct. So the recipes that must break show that the test is effective.
/// LATCHKEY_HAMMER_SECONDS: minimum time per recipe, also with single commands if the servers have them; by default,
/// until enough has happened. LATCHKEY_HAMMER_SEED: seed of a run that is to be repeated, as far as the scheduling of
/// the machine permits.
class TestHammer final : public QObject
{
    Q_OBJECT

    quint64 seed = 0;
    std::chrono::seconds atLeast {};

    static std::chrono::seconds leastDuration()
    {
        return std::chrono::seconds(numberFrom("LATCHKEY_HAMMER_SECONDS").value_or(0));
    }

public:
    // Qt Test's default limit is five minutes per function, and is read before the first one runs.
    static void initMain()
    {
        qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(milliseconds(leastDuration() + 300s).count()));
    }

private Q_SLOTS:
    void initTestCase()
    {
        atLeast = leastDuration();
        seed = numberFrom("LATCHKEY_HAMMER_SEED").value_or(std::random_device()());
        qInfo("LATCHKEY_HAMMER_SEED=%llu LATCHKEY_HAMMER_SECONDS=%lld", static_cast<unsigned long long>(seed),
              static_cast<long long>(atLeast.count()));
    }

    void everyRecipe_keepsWhatItPromisesAndOnlyThat_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<locks::CompareForm>("form");
        const locks::CompareForm single = test::singleCommandForm();
        for (const Recipe &recipe : locks::recipes()) {
            if (recipe.needsReplica) // Its servers have none.
                continue;
            QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id << locks::CompareForm::Script;
            if (recipe.hasForms && single != locks::CompareForm::Script)
                QTest::addRow("%s, %s", qPrintable(recipe.id), qPrintable(locks::compareFormId(single)))
                    << recipe.id << single;
        }
    }
    void everyRecipe_keepsWhatItPromisesAndOnlyThat()
    {
        QFETCH(const QString, id);
        QFETCH(const locks::CompareForm, form);
        Hammer hammer(*locks::findRecipe(id).value(), form, seed);
        const MonotonicTime begin = now();
        // A limit for overloaded machines: seconds are enough normally.
        constexpr auto extraTime = 60s;
        while (hammer.violation().isEmpty() && (!hammer.hasSeenEnough() || now() < begin + atLeast)) {
            hammer.run();
            QVERIFY2(now() < begin + atLeast + extraTime,
                     qPrintable(QStringLiteral("not enough has happened: ") + hammer.report()));
        }
        qInfo("%s", qPrintable(hammer.report()));
        QVERIFY2(hammer.violation().isEmpty(),
                 qPrintable(QStringLiteral("%1, with the seed %2").arg(hammer.violation()).arg(seed)));
    }
};

LATCHKEY_TEST(TestHammer)

} // namespace tst_hammer

#include "tst_hammer.moc"
