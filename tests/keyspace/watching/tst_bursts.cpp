#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/await.h"
#include "tests/support/load.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <map>
#include <thread>

namespace tst_bursts {

using namespace latchkey;
using base::MonotonicTime;
using base::SystemClock;
using events::Ending;
using events::KeyEvent;
using inspection::InspectedServer;
using watching::EventSource;
using Type = KeyEvent::Type;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

enum class Kind { Renewed, TakenAgain, TakenOver };

/// True time of one command: between sending the command and receiving its reply.
struct Times
{
    MonotonicTime from;
    MonotonicTime to;

    [[nodiscard]] bool meets(const KeyEvent &keyEvent) const
    {
        return from <= keyEvent.notAfter && keyEvent.notBefore <= to;
    }
};

/// A change that a client made to a lock.
struct Truth
{
    Kind kind = Kind::Renewed;
    Times released; ///< Only of TakenAgain.
    Times done;
    QByteArray token; ///< New holder's token.
};

const QByteArray marker = QByteArrayLiteral("lock:marker");

QByteArray keyOf(int number)
{
    return "lock:" + QByteArray::number(number);
}

/// The clients of the locks, with a log of their changes.
class Clients final
{
public:
    Clients(const net::Endpoint &endpoint, int locks)
        : m_client(endpoint)
        , m_locks(locks)
    {
        for (int i = 0; i < locks; ++i)
            (void)m_client({"SET", keyOf(i), token(), "PX", lease()});
        (void)m_client({"SET", marker, token(), "PX", lease()});
    }

    /// Changes the marker key, after all other changes.
    void mark()
    {
        m_lease += 20s;
        (void)m_client({"PEXPIRE", marker, lease()});
    }

    /// Changes `count` locks one after the other, at the speed of the server's replies.
    void change(Kind kind, int count)
    {
        m_lease += 20s;                   // Makes each renewal visible.
        const int step = m_locks / count; // At least three.
        for (int i = 0; i < count; ++i)
            changeOne(kind, keyOf(i * step + m_bursts % step));
        ++m_bursts;
    }
    void renewNext()
    {
        if (m_next % m_locks == 0)
            m_lease += 20s;
        changeOne(Kind::Renewed, keyOf(m_next++ % m_locks));
    }
    [[nodiscard]] const std::map<QByteArray, std::vector<Truth>> &log() const { return m_log; }
    void clearLog() { m_log.clear(); }
    [[nodiscard]] MonotonicTime lastDone() const { return m_lastDone; }

private:
    QByteArray token() { return "7f0c1d2e-3b4a-4c5d-8e6f-" + QByteArray::number(++m_tokens).rightJustified(12, '0'); }
    [[nodiscard]] QByteArray lease() const { return QByteArray::number(qint64(m_lease.count())); }

    Times ask(const resp::Command &command)
    {
        Times times {SystemClock::instance().now(), {}};
        const resp::Reply reply = m_client(command);
        times.to = m_lastDone = SystemClock::instance().now();
        if (reply.isError() || reply.isNil() || reply.isInteger(0))
            qFatal("the lock was not changed: %s", reply.bytes().constData());
        return times;
    }
    void changeOne(Kind kind, const QByteArray &key)
    {
        Truth truth {kind, {}, {}, token()};
        if (kind == Kind::TakenAgain)
            truth.released = ask({"DEL", key});
        if (kind == Kind::Renewed)
            truth.done = ask({"PEXPIRE", key, lease()});
        else if (kind == Kind::TakenAgain)
            truth.done = ask({"SET", key, truth.token, "NX", "PX", lease()});
        else
            truth.done = ask({"SET", key, truth.token, "PX", lease()});
        m_log[key].push_back(truth);
    }

    test::OtherClient m_client;
    const int m_locks;
    milliseconds m_lease {600s};
    int m_tokens = 0;
    int m_bursts = 0;
    int m_next = 0;
    MonotonicTime m_lastDone;
    std::map<QByteArray, std::vector<Truth>> m_log;
};

/// Comparison of the tracker's events with the real changes.
class Judge final
{
public:
    void receive(const KeyEvent &keyEvent)
    {
        if (keyEvent.type == Type::FirstRead)
            return;
        if (keyEvent.key == marker) {
            hasMarker = true;
            return;
        }
        m_keyEvents[keyEvent.key].push_back(keyEvent);
        m_lastReported = SystemClock::instance().now();
    }
    void forget() { m_keyEvents.clear(); }
    [[nodiscard]] MonotonicTime lastReported() const { return m_lastReported; }
    bool hasMarker = false;

    /// Returns whether the tracker has reported at least one event per change.
    [[nodiscard]] bool hasAll(const std::map<QByteArray, std::vector<Truth>> &log) const
    {
        return std::ranges::all_of(log, [&](const auto &each) {
            const auto told = m_keyEvents.find(each.first);
            if (told == m_keyEvents.end())
                return false;
            const auto holds = std::ranges::count_if(told->second, [](const KeyEvent &keyEvent) {
                return keyEvent.type != Type::Ended && keyEvent.type != Type::Changed;
            });
            return holds >= static_cast<std::ptrdiff_t>(each.second.size());
        });
    }
    /// Returns one sentence for each wrong, missing or invented event.
    [[nodiscard]] QStringList compare(const std::map<QByteArray, std::vector<Truth>> &log) const
    {
        QStringList wrong;
        for (const auto &[key, truths] : log) {
            const auto found = m_keyEvents.find(key);
            std::vector<KeyEvent> keyEvents = found == m_keyEvents.end() ? std::vector<KeyEvent>() : found->second;
            for (const Truth &truth : truths)
                compare(key, truth, keyEvents, wrong);
            for (const KeyEvent &keyEvent : keyEvents)
                wrong += about(key, truths.front(), keyEvent, "it was invented");
        }
        for (const auto &[key, told] : m_keyEvents) {
            if (!log.contains(key))
                wrong += about(key, {}, told.front(), "nothing was done to it");
        }
        return wrong;
    }

private:
    static void compare(const QByteArray &key, const Truth &truth, std::vector<KeyEvent> &keyEvents, QStringList &wrong)
    {
        // If no read fell between the release and the next hold, the tracker reports only the new holder.
        const bool isReplaced = !keyEvents.empty() && keyEvents.front().type == Type::Replaced;
        if (truth.kind == Kind::TakenAgain && !isReplaced) {
            expect(key, truth, truth.released, {Type::Ended}, keyEvents, wrong);
            expect(key, truth, truth.done, {Type::Appeared}, keyEvents, wrong);
        } else if (truth.kind == Kind::TakenAgain) {
            expect(key, truth, {truth.released.from, truth.done.to}, {Type::Replaced}, keyEvents, wrong);
        } else if (truth.kind == Kind::TakenOver) {
            expect(key, truth, truth.done, {Type::HandedOver, Type::Replaced}, keyEvents, wrong);
        } else {
            expect(key, truth, truth.done, {Type::Renewed}, keyEvents, wrong);
        }
    }
    /// Checks that the next event is of one of these kinds and at this time.
    static void expect(const QByteArray &key, const Truth &truth, const Times &times, const std::vector<Type> &kinds,
                       std::vector<KeyEvent> &keyEvents, QStringList &wrong)
    {
        if (keyEvents.empty()) {
            wrong += QString::fromLatin1(key) + QStringLiteral(": an event is missing");
            return;
        }
        const KeyEvent keyEvent = keyEvents.front();
        keyEvents.erase(keyEvents.begin());
        if (std::ranges::find(kinds, keyEvent.type) == kinds.end())
            wrong += about(key, truth, keyEvent, "it was something else");
        else if (!times.meets(keyEvent))
            wrong += about(key, truth, keyEvent, "it was not then");
        else if (keyEvent.type != Type::Ended && keyEvent.after && truth.kind != Kind::Renewed
                 && keyEvent.after->bytes() != truth.token)
            wrong += about(key, truth, keyEvent, "it has another holder");
        else if (keyEvent.ending == Ending::Expired || keyEvent.ending == Ending::Flushed
                 || keyEvent.ending == Ending::Evicted)
            wrong += about(key, truth, keyEvent, "it did not end so");
    }
    static QString about(const QByteArray &key, const Truth &truth, const KeyEvent &keyEvent, const char *why)
    {
        const auto ms = [&](MonotonicTime time) {
            return QString::number(std::chrono::duration<double, std::milli>(time - truth.done.from).count(), 'f', 2);
        };
        return QStringLiteral(
                   "%1: %2; told: what %3, ending %4, source %5, from %6 to %7 (ms from the change on, which "
                   "took %8)")
            .arg(QString::fromLatin1(key), QLatin1String(why))
            .arg(int(keyEvent.type))
            .arg(int(keyEvent.ending))
            .arg(int(keyEvent.source))
            .arg(ms(keyEvent.notBefore), ms(keyEvent.notAfter), ms(truth.done.to));
    }

    std::map<QByteArray, std::vector<KeyEvent>> m_keyEvents;
    MonotonicTime m_lastReported;
};

} // namespace

/// Tests of bursts and streams of lock changes on a real server, compared with the clients' log. The tracker must
/// report each change once, with a time range that contains the true time.
class TestBursts final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<InspectedServer> inspected;
    std::unique_ptr<Clients> clients;
    Judge judge;
    std::map<QByteArray, qsizetype> holds; ///< Real number of new holds per key.

    void watch(EventSource::Mechanism mechanism, int locks)
    {
        judge = {};
        holds.clear();
        server = std::make_unique<test::TestServer>();
        if (mechanism == EventSource::Mechanism::Notifications)
            QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        else if (mechanism == EventSource::Mechanism::None)
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        clients = std::make_unique<Clients>(server->endpoint(), locks);
        inspected = std::make_unique<InspectedServer>(server->endpoint(), false, SystemClock::instance(), random);
        for (int i = 0; locks > detection::HoldRecorder::maxFollowed && i < locks; ++i)
            inspected->keyEventTracker().follow(keyOf(i));
        inspected->keyEventTracker().follow(marker);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == watching::Watcher::Phase::Watching);
        LATCHKEY_AWAIT(inspected->events().mechanism() == mechanism);
        LATCHKEY_AWAIT(inspected->locks().lockCount() == locks + 1 && inspected->locks().isIdle());
        connect(&inspected->keyEventTracker(), &events::KeyEventTracker::happened, this,
                [this](const KeyEvent &keyEvent) { judge.receive(keyEvent); });
        judge.forget();
        clients->clearLog();
    }
    [[nodiscard]] bool areChangedSampledSince(MonotonicTime time) const
    {
        const keys::KeyTable &table = inspected->store().known().table;
        return std::ranges::all_of(clients->log(), [&](const auto &each) {
            const auto id = table.find(each.first);
            return id && table.sampled(*id) >= time;
        });
    }
    void judgeAll(const QString &name)
    {
        const bool hasAll = test::waitFor([&] { return judge.hasAll(clients->log()); }, 100s);
        const auto told = judge.lastReported();
        if (hasAll) { // No further event may follow later.
            clients->mark();
            LATCHKEY_AWAIT(judge.hasMarker);
            judge.hasMarker = false;
            // Before the next burst, all values are read and the budget is restored.
            inspected->watcher().setCommandsPerSecond(50'000);
            LATCHKEY_AWAIT(inspected->locks().isIdle() && inspected->watcher().coverage().lag() == 0ns);
            if (inspected->events().mechanism() == EventSource::Mechanism::None)
                LATCHKEY_AWAIT(areChangedSampledSince(std::max(told, clients->lastDone())));
            inspected->watcher().setLimit(budget::CommandLimit::ofWatching());
        }
        for (const auto &[key, truths] : clients->log())
            holds[key] += std::ranges::count_if(truths, [](const Truth &t) { return t.kind != Kind::Renewed; });
        const QStringList wrong = judge.compare(clients->log());
        qInfo("%s: %zu locks, the last was told after %.0f ms", qPrintable(name), clients->log().size(),
              std::chrono::duration<double, std::milli>(told - clients->lastDone()).count());
        QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("%1: %2 wrong\n").arg(name).arg(wrong.size())
                                             + wrong.first(std::min<qsizetype>(8, wrong.size())).join(u'\n')));
        for (const auto &[key, more] : holds) {
            const auto &known = inspected->holds().history().holds({key, 0});
            if (inspected->holds().isIncomplete())
                break;
            QVERIFY2(static_cast<qsizetype>(known.size()) == std::min<qsizetype>(more + 1, 20),
                     qPrintable(QStringLiteral("%1 of %2 has %3 holds, and not %4")
                                    .arg(name, QString::fromLatin1(key))
                                    .arg(known.size())
                                    .arg(more + 1)));
        }
        judge.forget();
        clients->clearLog();
    }
    static void addMeans(bool isFast)
    {
        QTest::addColumn<int>("means");
        QTest::addColumn<int>("locks");
        const int many = isFast ? test::load(3000) : test::load(1000);
        QTest::addRow("notifications") << int(EventSource::Mechanism::Notifications) << many;
        QTest::addRow("tracking") << int(EventSource::Mechanism::Tracking) << many;
        QTest::addRow("polling alone") << int(EventSource::Mechanism::None) << (isFullLoad() ? many : test::load(300));
    }
    static bool isFullLoad() { return qEnvironmentVariableIntValue("LATCHKEY_FULL_LOAD") > 0; }

private Q_SLOTS:
    void cleanup()
    {
        inspected.reset();
        clients.reset();
        server.reset();
    }

    void burst_isReportedUnchanged_data()
    {
        addMeans(true);
        if (isFullLoad()) {
            QTest::addRow("notifications, 10000") << int(EventSource::Mechanism::Notifications) << 10'000;
            QTest::addRow("tracking, 10000") << int(EventSource::Mechanism::Tracking) << 10'000;
            QTest::addRow("polling alone, 10000") << int(EventSource::Mechanism::None) << 10'000;
        }
    }
    void burst_isReportedUnchanged()
    {
        QFETCH(int, means);
        QFETCH(int, locks);
        watch(EventSource::Mechanism(means), locks);
        if (QTest::currentTestFailed())
            return;
        for (const int count : {10, 100, 300, 1000, 3000}) {
            if (count * 3 > locks)
                break; // Consecutive bursts change different locks.
            for (const auto &[kind, name] : {std::pair(Kind::Renewed, "renewed"),
                                             {Kind::TakenAgain, "taken again"},
                                             {Kind::TakenOver, "taken over"}}) {
                bool isDone = false;
                std::thread writer([&, kind = kind] {
                    clients->change(kind, count);
                    QMetaObject::invokeMethod(this, [&] { isDone = true; }, Qt::QueuedConnection);
                });
                LATCHKEY_AWAIT(isDone);
                writer.join();
                judgeAll(QStringLiteral("%1 of %2 %3").arg(count).arg(locks).arg(QLatin1String(name)));
                if (QTest::currentTestFailed())
                    return;
            }
        }
    }

    void streamOfRenewals_isReportedUnchanged_data() { addMeans(false); }
    void streamOfRenewals_isReportedUnchanged()
    {
        QFETCH(int, means);
        QFETCH(int, locks);
        watch(EventSource::Mechanism(means), locks);
        if (QTest::currentTestFailed())
            return;
        for (const int perSecond : {30, 100, 300}) {
            const int count = std::min(perSecond, locks);
            int done = 0;
            const auto begun = SystemClock::instance().now();
            QTimer pace;
            connect(&pace, &QTimer::timeout, this, [&] {
                const std::chrono::duration<double> passed = SystemClock::instance().now() - begun;
                for (; done < count && done < passed.count() * perSecond; ++done)
                    clients->renewNext();
            });
            pace.start(1);
            LATCHKEY_AWAIT(done == count);
            pace.stop();
            judgeAll(QStringLiteral("%1 a second").arg(perSecond));
            if (QTest::currentTestFailed())
                return;
        }
    }
};

LATCHKEY_TEST(TestBursts)

} // namespace tst_bursts

#include "tst_bursts.moc"
