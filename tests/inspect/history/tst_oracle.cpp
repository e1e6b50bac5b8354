#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/await.h"
#include "tests/support/load.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <csignal>
#include <map>
#include <random>

namespace tst_oracle {

using namespace latchkey;
using base::MonotonicTime;
using base::SystemClock;
using events::Ending;
using events::KeyEvent;
using inspection::InspectedServer;
using watching::ChangeOutcome;
using watching::ChangeResult;
using watching::EventSource;
using Type = KeyEvent::Type;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Real endings of a hold. Flags, because several causes may coincide near a deadline.
enum How : unsigned {
    Expired = 1,
    Released = 2,
    TakenOver = 4,
    Evicted = 8,
    Flushed = 16,
    Own = 32,
};

struct Times
{
    MonotonicTime from;
    MonotonicTime to;
};

/// A hold as it really was.
struct Truth
{
    QByteArray value;
    Times start;
    bool isTakeOver = false;
    Times deadline;
    std::vector<Times> renewals;
    unsigned how = 0; ///< Flags of How; 0: the hold continues.
    Times end;
};

struct Lock
{
    QByteArray key;
    std::vector<Truth> holds;
    bool isBusy = false; ///< One of our own changes is in progress.
    MonotonicTime busySince;
    bool isDone = false;

    [[nodiscard]] bool isHeld() const { return !holds.empty() && holds.back().how == 0; }
};

struct Plan
{
    int lives = 0;
    int locks = 0;
    int shortestLease = 0;
    int maxLease = 0;
    int longestPause = 0;     ///< Longest pause before a lock is acquired again.
    bool isInTrouble = false; ///< The server is sometimes stopped, or refuses some requests.
};

/// Simulated clients with random behaviour on a server, and a log of what they really did.
class Oracle final : public QObject
{
public:
    Oracle(test::TestServer &server, InspectedServer &inspected, const Plan &plan, unsigned seed)
        : m_server(server)
        , m_inspected(inspected)
        , m_plan(plan)
        , m_random(seed)
        , m_locks(static_cast<std::size_t>(plan.locks))
    {
        for (std::size_t i = 0; i < m_locks.size(); ++i)
            m_locks[i].key = "lock:" + QByteArray::number(static_cast<qint64>(i));
    }

    void start()
    {
        for (Lock &lock : m_locks)
            goOn(lock, pick(0, 50));
        m_catastrophe.setInterval(m_plan.isInTrouble ? 250ms : 350ms);
        connect(&m_catastrophe, &QTimer::timeout, this, m_plan.isInTrouble ? &Oracle::trouble : &Oracle::catastrophe);
        m_catastrophe.start();
    }
    [[nodiscard]] bool isDone() const
    {
        return std::ranges::all_of(m_locks, [](const Lock &lock) { return lock.isDone; });
    }
    void stopCatastrophes() { m_catastrophe.stop(); }
    [[nodiscard]] std::vector<Lock> &locks() { return m_locks; }
    [[nodiscard]] int lives() const { return m_lives; }
    [[nodiscard]] bool isInTrouble() const { return m_isStopped || m_isRefusing; }
    [[nodiscard]] int stops() const { return m_stops; }
    [[nodiscard]] int refusals() const { return m_refusals; }

private:
    int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(m_random); }
    static MonotonicTime now() { return SystemClock::instance().now(); }

    void goOn(Lock &lock, int after)
    {
        QTimer::singleShot(after, Qt::PreciseTimer, this, [this, &lock] { step(lock); });
    }

    resp::Reply ask(const resp::Command &command, Times &times)
    {
        times.from = now();
        resp::Reply reply = m_server(command);
        times.to = now();
        return reply;
    }

    void step(Lock &lock)
    {
        if (lock.isBusy)
            return;
        if (m_isStopped) // A request would block this process, and the tested program with it.
            return goOn(lock, 10);
        if (!lock.isHeld()) {
            if (m_lives >= m_plan.lives)
                lock.isDone = true;
            else
                acquire(lock);
            return;
        }
        const int choice = pick(0, 99);
        if (choice < 25)
            renew(lock);
        else if (choice < 50)
            remove(lock,
                   {"EVAL",
                    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0", "1",
                    lock.key, lock.holds.back().value});
        else if (choice < 58)
            remove(lock, {"DEL", lock.key});
        else if (choice < 70)
            takeOver(lock);
        else if (choice < 75 && !m_isRefusing)
            removeByUs(lock);
        else
            letExpire(lock);
    }

    void begin(Lock &lock, const QByteArray &value, const Times &times, milliseconds lease, bool isTakeOver)
    {
        Truth truth;
        truth.value = value;
        truth.start = times;
        truth.isTakeOver = isTakeOver;
        truth.deadline = {times.from + lease - 2ms, times.to + lease + 2ms};
        lock.holds.push_back(truth);
        ++m_lives;
    }
    static void end(Lock &lock, unsigned how, const Times &times)
    {
        lock.holds.back().how = how;
        lock.holds.back().end = times;
    }
    static void endByExpiry(Lock &lock) { end(lock, Expired, {lock.holds.back().deadline.from, now()}); }
    milliseconds lease() { return milliseconds(pick(m_plan.shortestLease, m_plan.maxLease)); }
    QByteArray token() { return "token-" + QByteArray::number(++m_tokens); }
    void goOnWithin(Lock &lock, milliseconds lease) { goOn(lock, pick(0, static_cast<int>(lease.count()))); }

    void acquire(Lock &lock)
    {
        const auto span = lease();
        const QByteArray value = token();
        Times times;
        const auto reply = ask({"SET", lock.key, value, "NX", "PX", QByteArray::number(span.count())}, times);
        QVERIFY(reply.isOk());
        begin(lock, value, times, span, false);
        goOnWithin(lock, span);
    }
    void renew(Lock &lock)
    {
        const milliseconds span(m_plan.maxLease + pick(0, 20)); // Never shorter than the current lease.
        Times times;
        if (ask({"PEXPIRE", lock.key, QByteArray::number(span.count())}, times).isInteger(1)) {
            lock.holds.back().renewals.push_back(times);
            lock.holds.back().deadline = {times.from + span - 2ms, times.to + span + 2ms};
        } else {
            endByExpiry(lock);
        }
        goOnWithin(lock, span);
    }
    void remove(Lock &lock, const resp::Command &command)
    {
        Times times;
        if (ask(command, times).isInteger(1)) // At its deadline, an expiry cannot be distinguished.
            end(lock, Released | (lock.holds.back().deadline.from <= times.to ? Expired : 0U), times);
        else
            endByExpiry(lock);
        goOn(lock, pick(0, 1) * pick(0, m_plan.longestPause));
    }
    void takeOver(Lock &lock)
    {
        const auto span = lease();
        const QByteArray value = token();
        Times times;
        const auto old = ask({"EVAL",
                              "local old = redis.call('GETSET', KEYS[1], ARGV[1]) redis.call('PEXPIRE', KEYS[1], "
                              "ARGV[2]) return old",
                              "1", lock.key, value, QByteArray::number(span.count())},
                             times);
        const bool isTakeOver = !old.isNil();
        if (isTakeOver)
            end(lock, TakenOver, times);
        else
            endByExpiry(lock);
        begin(lock, value, times, span, isTakeOver);
        goOnWithin(lock, span);
    }
    void letExpire(Lock &lock)
    {
        const auto left = std::chrono::ceil<milliseconds>(lock.holds.back().deadline.to - now());
        QTimer::singleShot(std::max(left, 0ms) + milliseconds(pick(0, 2 * m_plan.longestPause)), Qt::PreciseTimer, this,
                           [this, &lock] {
                               if (lock.isHeld())
                                   endByExpiry(lock);
                               step(lock);
                           });
    }
    void removeByUs(Lock &lock)
    {
        lock.isBusy = true;
        lock.busySince = now();
        m_inspected.takeSnapshot(base::Key(lock.key), [this, &lock](base::Result<watching::KeySnapshot> taken) {
            const auto from = now();
            if (!taken || !taken->exists())
                return removedByUs(lock, false, from);
            m_inspected.deleteIfUnchanged(*taken, [this, &lock, from](const base::Result<ChangeResult> &result) {
                removedByUs(lock, result && result->outcome == ChangeOutcome::Done, from);
            });
        });
    }
    void removedByUs(Lock &lock, bool isRemoved, MonotonicTime from)
    {
        lock.isBusy = false;
        if (isRemoved && lock.isHeld())
            end(lock, Own, {from, now()});
        goOn(lock, pick(0, m_plan.longestPause));
    }

    /// Causes an event that affects all locks: a flush or evictions.
    void catastrophe()
    {
        const bool isFlush = pick(0, 1) == 0;
        Times times {now(), {}};
        if (isFlush) {
            QVERIFY(m_server({"FLUSHDB"}).isOk());
        } else {
            QVERIFY(m_server({"CONFIG", "SET", "maxmemory-policy", "allkeys-random"}).isOk());
            QVERIFY(m_server({"CONFIG", "SET", "maxmemory", "1"}).isOk());
            while (!m_server({"DBSIZE"}).isInteger(0)) {}
            QVERIFY(m_server({"CONFIG", "SET", "maxmemory", "0"}).isOk());
        }
        times.to = now();
        for (Lock &lock : m_locks) {
            if (!lock.isHeld())
                continue;
            const Truth &truth = lock.holds.back();
            unsigned how = lock.isBusy ? Own : 0U;
            if (truth.deadline.to >= times.from)
                how |= isFlush ? Flushed : Evicted;
            if (truth.deadline.from <= times.to)
                how |= Expired;
            const auto from = std::min(times.from, truth.deadline.from);
            end(lock, how, {lock.isBusy ? std::min(from, lock.busySince) : from, times.to});
        }
        if (m_lives >= m_plan.lives)
            m_catastrophe.stop();
    }

    /// Stops the server for a moment, or lets it refuse a command for a while.
    void trouble()
    {
        if (m_isStopped || m_isRefusing)
            return;
        if (m_lives >= m_plan.lives)
            return m_catastrophe.stop();
        if (pick(0, 1) == 0) {
            m_isStopped = ::kill(static_cast<pid_t>(m_server.process().processId()), SIGSTOP) == 0;
            QTimer::singleShot(pick(20, 300), Qt::PreciseTimer, this, [this] {
                (void)::kill(static_cast<pid_t>(m_server.process().processId()), SIGCONT);
                m_isStopped = false;
            });
            ++m_stops;
        } else if (std::ranges::none_of(m_locks, &Lock::isBusy)) {
            const QByteArray question = pick(0, 1) == 0 ? "pttl" : "type";
            m_isRefusing = m_server({"ACL", "SETUSER", "default", '-' + question}).isOk();
            endRefusalAfter(question, pick(50, 400));
            ++m_refusals;
        }
    }
    void endRefusalAfter(const QByteArray &question, int time)
    {
        QTimer::singleShot(time, Qt::PreciseTimer, this, [this, question] {
            m_isRefusing = !m_server({"ACL", "SETUSER", "default", '+' + question}).isOk();
        });
    }

    test::TestServer &m_server;
    InspectedServer &m_inspected;
    const Plan m_plan;
    std::mt19937 m_random;
    std::vector<Lock> m_locks;
    QTimer m_catastrophe;
    int m_lives = 0;
    int m_tokens = 0;
    int m_stops = 0;
    int m_refusals = 0;
    bool m_isStopped = false;
    bool m_isRefusing = false;
};

/// A log of all observations delivered to listeners, for the message of a failed test.
class ObservationLog final : public events::ObservationListener
{
public:
    void observed(const events::Observations &observations) override
    {
        for (const events::Observation &observation : observations)
            m_lines.push_back({observation.key, observation.asked, observation.answered, text(observation)});
    }
    void emptied(events::NodeIndex, MonotonicTime asked, MonotonicTime answered) override
    {
        m_lines.push_back({{}, asked, answered, QStringLiteral("emptied")});
    }
    void flushAnnounced(events::NodeIndex, MonotonicTime received, events::FlushKind) override
    {
        m_lines.push_back({{}, received, received, QStringLiteral("flush heard")});
    }
    void receivedUpTo(events::NodeIndex, MonotonicTime time) override
    {
        m_lines.push_back({{}, time, time, QStringLiteral("heard up to")});
    }

    /// Returns the lines about the key that overlap the interval; times in milliseconds since `zero`.
    [[nodiscard]] QString lines(const QByteArray &key, const Times &interval, MonotonicTime zero) const
    {
        QString all;
        for (const Line &line : m_lines) {
            if ((line.key.isEmpty() || line.key == key) && line.answered >= interval.from && line.asked <= interval.to)
                all += QStringLiteral("    seen: %1 … %2 %3\n")
                           .arg(ms(line.asked, zero), ms(line.answered, zero), line.text);
        }
        return all;
    }
    [[nodiscard]] static QString ms(MonotonicTime time, MonotonicTime zero)
    {
        return QString::number(std::chrono::duration<double, std::milli>(time - zero).count(), 'f', 2);
    }

private:
    struct Line
    {
        QByteArray key; ///< Empty: all keys.
        MonotonicTime asked;
        MonotonicTime answered;
        QString text;
    };

    static QString text(const events::Observation &observation)
    {
        static constexpr std::array kinds {"exists", "exists, with expiry", "gone",   "denied",   "type",
                                           "value",  "notification",        "fields", "idle time"};
        static_assert(kinds.size() == std::variant_size_v<events::ObservationContent>);
        QString text = QStringLiteral("source %1: %2")
                           .arg(int(observation.source))
                           .arg(QLatin1String(kinds[observation.content.index()]));
        if (const auto *valued = std::get_if<events::ValueReply>(&observation.content))
            text += u' ' + QString::fromLatin1(valued->value.bytes());
        else if (const auto *announced = std::get_if<events::ChangeNotification>(&observation.content))
            text += u' ' + QString::fromLatin1(announced->event);
        return text;
    }

    std::vector<Line> m_lines;
};

unsigned allowedFor(Ending ending)
{
    switch (ending) {
    case Ending::Expired:
        return Expired;
    case Ending::Deleted:
        return Released | Own;
    case Ending::Evicted:
        return Evicted;
    case Ending::Flushed:
        return Flushed;
    case Ending::Removed: // Any cause that ended this key alone before its expiry.
        return Released | Own | Evicted | TakenOver;
    case Ending::Lost: // No failover takes place.
        return 0;
    case Ending::None:
    case Ending::Unknown:
        return ~0U;
    }
    Q_UNREACHABLE();
}

/// Comparison of the reported events of a lock with its real history.
class Judge final
{
public:
    explicit Judge(const ObservationLog &log)
        : m_log(log)
    {}

    void judge(const Lock &lock, const std::vector<KeyEvent> &keyEvents)
    {
        for (const KeyEvent &keyEvent : keyEvents)
            judge(lock, keyEvent);
    }

    QStringList wrong;
    std::map<Ending, int> endings;
    std::map<Type, int> kinds;
    int ended = 0;

private:
    static const Truth *find(const Lock &lock, const std::optional<keys::RawValue> &value)
    {
        if (!value)
            return nullptr;
        const auto found = std::ranges::find(lock.holds, value->bytes(), &Truth::value);
        return found == lock.holds.end() ? nullptr : &*found;
    }
    /// Returns whether the event was announced by the server. Between two reads, a lock may be acquired and taken over.
    /// A read then only shows that the lock was free before.
    static bool isCertain(const KeyEvent &keyEvent)
    {
        return !keyEvent.isInferred && keyEvent.source == events::Source::Notification;
    }
    static bool meet(const Times &times, const KeyEvent &keyEvent)
    {
        return times.from <= keyEvent.notAfter && times.to >= keyEvent.notBefore;
    }
    void printError(const Lock &lock, const KeyEvent &keyEvent, const char *why)
    {
        const auto from = lock.holds.front().start.from;
        const auto ms = [&](MonotonicTime time) { return ObservationLog::ms(time, from); };
        QString text = QStringLiteral("%1: %2 (what %3, ending %4, from %5 to %6, before %7, after %8, source %9)\n")
                           .arg(QString::fromLatin1(lock.key), QLatin1String(why))
                           .arg(int(keyEvent.type))
                           .arg(int(keyEvent.ending))
                           .arg(ms(keyEvent.notBefore), ms(keyEvent.notAfter),
                                QString::fromLatin1(keyEvent.before ? keyEvent.before->bytes() : "-"),
                                QString::fromLatin1(keyEvent.after ? keyEvent.after->bytes() : "-"))
                           .arg(int(keyEvent.source));
        for (const Truth &truth : lock.holds) {
            if (truth.end.to + 300ms < keyEvent.notBefore || truth.start.from > keyEvent.notAfter + 300ms)
                continue;
            text += QStringLiteral("    really: %1 from %2 due %3 how %4 end %5 … %6 renewals %7\n")
                        .arg(QString::fromLatin1(truth.value), ms(truth.start.from), ms(truth.deadline.from))
                        .arg(truth.how)
                        .arg(ms(truth.end.from), ms(truth.end.to))
                        .arg(truth.renewals.size());
        }
        wrong += text + m_log.lines(lock.key, {keyEvent.notBefore - 30ms, keyEvent.notAfter + 30ms}, from);
    }

    void judge(const Lock &lock, const KeyEvent &keyEvent)
    {
        ++kinds[keyEvent.type];
        const Truth *before = find(lock, keyEvent.before);
        const Truth *after = find(lock, keyEvent.after);
        switch (keyEvent.type) {
        case Type::Appeared:
            if (after != nullptr && ((after->isTakeOver && isCertain(keyEvent)) || !meet(after->start, keyEvent)))
                printError(lock, keyEvent, "it was not acquired then");
            else if (std::ranges::none_of(lock.holds, [&](const Truth &t) { return meet(t.start, keyEvent); }))
                printError(lock, keyEvent, "no client acquired it then");
            return;
        case Type::Renewed:
            if (!keyEvent.isInferred && before != nullptr
                && std::ranges::none_of(before->renewals, [&](const Times &t) { return meet(t, keyEvent); }))
                printError(lock, keyEvent, "it was not renewed then");
            return;
        case Type::HandedOver:
            judgeHandOver(lock, keyEvent, before, after);
            return;
        case Type::Replaced:
            if (before != nullptr && after != nullptr && before >= after)
                printError(lock, keyEvent, "the other one came before");
            return;
        case Type::Ended:
            judgeEnd(lock, keyEvent, before);
            return;
        case Type::Changed:
        case Type::FirstRead:
            return;
        }
    }
    void judgeHandOver(const Lock &lock, const KeyEvent &keyEvent, const Truth *before, const Truth *after)
    {
        if (before == nullptr || after == nullptr || before >= after)
            return printError(lock, keyEvent, "there were no such holders");
        for (const Truth *hold = before; hold < after; ++hold) {
            if ((hold->how & TakenOver) == 0 || !meet(hold->end, keyEvent))
                return printError(lock, keyEvent, "it was not taken over then");
        }
    }
    void judgeEnd(const Lock &lock, const KeyEvent &keyEvent, const Truth *before)
    {
        ++endings[keyEvent.ending];
        ++ended;
        const unsigned allowed = allowedFor(keyEvent.ending);
        const auto fits = [&](const Truth &truth) {
            // An expired key may be removed much later.
            if (keyEvent.ending == Ending::Expired)
                return (truth.how & allowed) != 0 && truth.end.from <= keyEvent.notAfter;
            return (truth.how & allowed) != 0 && meet(truth.end, keyEvent);
        };
        if (keyEvent.ending == Ending::Unknown) {
            const bool mayBe = std::ranges::any_of(lock.holds, [&](const Truth &truth) {
                return truth.how != 0 && truth.end.from <= keyEvent.notAfter
                    && ((truth.how & Expired) != 0 || truth.end.to >= keyEvent.notBefore);
            });
            if (!mayBe)
                printError(lock, keyEvent, "no hold ended then");
            return;
        }
        // A hold with an unread value is identified only by its time.
        if (before != nullptr ? !fits(*before) : std::ranges::none_of(lock.holds, fits))
            printError(lock, keyEvent, "it did not end so");
    }

    const ObservationLog &m_log;
};

} // namespace

/// Tests of the tracker with random lives of locks. No verdict may contradict the log of the real events.
class TestOracle final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};

    static int livesOr(int few)
    {
        const int given = qEnvironmentVariableIntValue("LATCHKEY_ORACLE_LIVES");
        if (given <= 0 && qEnvironmentVariableIntValue("LATCHKEY_FULL_LOAD") > 0)
            return 10'000;
        return given > 0 ? given : test::load(few);
    }

private Q_SLOTS:
    void noVerdict_isWrong_data()
    {
        addColumns();
        // Minimum percentage of ends with a known ending: about half of the measured percentage. Measured, for any
        // number of lives: 87 to 97 with notifications, 26 (on a busy machine) to 71 with tracking, 8 (on a busy
        // machine) to 80 with polling only, where a flush makes the ends around it unknown.
        QTest::addRow("notifications") << int(EventSource::Mechanism::Notifications) << livesOr(1200) << 20 << 200 << 30
                                       << 50;
        QTest::addRow("tracking") << int(EventSource::Mechanism::Tracking) << livesOr(1200) << 20 << 200 << 150 << 12;
        QTest::addRow("polling alone") << int(EventSource::Mechanism::None) << livesOr(250) << 100 << 1000 << 60 << 3;
    }
    void noVerdict_isWrong() { leadLives(false); }

    void noVerdict_isWrongInTrouble_data()
    {
        addColumns();
        // A lock that the server does not report is forgotten, and its end is not reported. At least 5 percent of the
        // endings were known.
        QTest::addRow("notifications") << int(EventSource::Mechanism::Notifications) << livesOr(600) << 20 << 200 << 30
                                       << 30;
        QTest::addRow("tracking") << int(EventSource::Mechanism::Tracking) << livesOr(600) << 20 << 200 << 150 << 8;
        QTest::addRow("polling alone") << int(EventSource::Mechanism::None) << livesOr(250) << 100 << 1000 << 60 << 2;
    }
    /// The server is stopped for moments, and refuses PTTL or TYPE for some time.
    void noVerdict_isWrongInTrouble() { leadLives(true); }

private:
    static void addColumns()
    {
        QTest::addColumn<int>("means");
        QTest::addColumn<int>("lives");
        QTest::addColumn<int>("shortest");
        QTest::addColumn<int>("longest");
        QTest::addColumn<int>("pause");
        QTest::addColumn<int>("percentNamed");
    }

    /// Returns the earliest time of an eviction; the maximum if there was none.
    static MonotonicTime firstEvictionIn(const std::vector<Lock> &locks)
    {
        MonotonicTime first = MonotonicTime::max();
        for (const Lock &lock : locks) {
            for (const Truth &truth : lock.holds) {
                if ((truth.how & Evicted) != 0)
                    first = std::min(first, truth.end.from);
            }
        }
        return first;
    }

    void leadLives(bool isInTrouble)
    {
        QFETCH(int, means);
        QFETCH(int, lives);
        QFETCH(int, shortest);
        QFETCH(int, longest);
        QFETCH(int, pause);
        QFETCH(int, percentNamed);
        const int given = qEnvironmentVariableIntValue("LATCHKEY_ORACLE_SEED");
        const auto seed = static_cast<unsigned>(given > 0 ? given : 20'260'101);
        qInfo("seed %u, %d lives", seed, lives);

        test::TestServer server;
        if (means == int(EventSource::Mechanism::Notifications))
            QVERIFY(server({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        else if (means == int(EventSource::Mechanism::None))
            QVERIFY(server({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        InspectedServer inspected(server.endpoint(), false, SystemClock::instance(), random);
        inspected.watcher().setCommandsPerSecond(20'000);
        inspected.setArmed(true);
        inspected.start();
        LATCHKEY_AWAIT(inspected.watcher().phase() == watching::Watcher::Phase::Watching);
        LATCHKEY_AWAIT(int(inspected.events().mechanism()) == means);

        ObservationLog log;
        inspected.dispatcher().addFirst(log);
        const auto logged = qScopeGuard([&] { inspected.dispatcher().remove(log); });
        Oracle oracle(server, inspected, {lives, 50, shortest, longest, pause, isInTrouble}, seed);
        std::map<QByteArray, std::vector<KeyEvent>> keyEvents;
        for (const Lock &lock : oracle.locks())
            inspected.keyEventTracker().follow(lock.key, 0, SystemClock::instance().now());
        connect(&inspected.keyEventTracker(), &events::KeyEventTracker::happened, this,
                [&](const KeyEvent &keyEvent) { keyEvents[keyEvent.key].push_back(keyEvent); });
        connect(&inspected, &InspectedServer::committed, &oracle, [&] {
            std::vector<keys::KeyId> ids;
            for (const Lock &lock : oracle.locks()) {
                if (const auto id = inspected.store().known().table.find(lock.key))
                    ids.push_back(*id);
            }
            inspected.setVisibleKeys(oracle, ids);
        });
        oracle.start();
        QVERIFY(test::waitFor([&] { return oracle.isDone() && !oracle.isInTrouble(); }, std::chrono::seconds(500)));
        if (isInTrouble)
            qInfo("%d stops, %d refusals", oracle.stops(), oracle.refusals());
        LATCHKEY_AWAIT(inspected.store().liveCount() == 0);
        disconnect(&inspected, nullptr, &oracle, nullptr);

        Judge judge(log);
        const auto firstEviction = firstEvictionIn(oracle.locks());
        int ends = 0;
        for (const Lock &lock : oracle.locks()) {
            judge.judge(lock, keyEvents[lock.key]);
            ends += static_cast<int>(std::ranges::count_if(lock.holds, [means, firstEviction](const Truth &truth) {
                // Without change events, the end by a flush is never named. Without notifications, no end is named
                // after an eviction, because the server may evict again for longer than this test lasts.
                const bool isUnnamed =
                    (means == int(EventSource::Mechanism::None) && (truth.how & Flushed) != 0)
                    || (means != int(EventSource::Mechanism::Notifications) && firstEviction <= truth.end.to);
                return truth.how != TakenOver && !isUnnamed;
            }));
        }
        const int named = judge.ended - judge.endings[Ending::Unknown];
        qInfo(
            "%d ends, told %d: expired %d, deleted %d, evicted %d, flushed %d, removed %d, unknown %d; handed over %d, "
            "replaced %d, appeared %d, renewed %d",
            ends, judge.ended, judge.endings[Ending::Expired], judge.endings[Ending::Deleted],
            judge.endings[Ending::Evicted], judge.endings[Ending::Flushed], judge.endings[Ending::Removed],
            judge.endings[Ending::Unknown], judge.kinds[Type::HandedOver], judge.kinds[Type::Replaced],
            judge.kinds[Type::Appeared], judge.kinds[Type::Renewed]);
        QVERIFY2(judge.wrong.isEmpty(),
                 qPrintable(QStringLiteral("%1 wrong\n").arg(judge.wrong.size())
                            + judge.wrong.first(std::min<qsizetype>(2, judge.wrong.size())).join(u'\n')));
        QVERIFY2(named * 100 >= ends * percentNamed, "hardly anything was told");
    }
};

LATCHKEY_TEST(TestOracle)

} // namespace tst_oracle

#include "tst_oracle.moc"
