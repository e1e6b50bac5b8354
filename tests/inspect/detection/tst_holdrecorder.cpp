#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/await.h"
#include "tests/support/faultyproxy.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QTemporaryDir>

#include <csignal>

namespace tst_holdrecorder {

using namespace latchkey;
using namespace latchkey::inspection;
using base::SystemClock;
using events::Ending;
using history::Hold;
using watching::EventSource;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

const QByteArray token = "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6";

} // namespace

/// Tests of the holds that are recorded for locks on a real server.
class TestHoldRecorder final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<InspectedServer> inspected;

    const std::deque<Hold> &holds(const QByteArray &key) const { return inspected->holds().history().holds({key, 0}); }
    void inspect(const net::Endpoint &endpoint)
    {
        inspected = std::make_unique<InspectedServer>(endpoint, false, SystemClock::instance(), random);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
    }
    void cleanup()
    {
        inspected.reset();
        server.reset();
    }

    void locksThatWereThere_haveOneHoldOfUnseenStart()
    {
        constexpr int locks = 200;
        for (int i = 0; i < locks; ++i)
            QVERIFY((*server)({"SET", "lock:" + QByteArray::number(i), token, "PX", "900000"}).isOk());
        inspect(server->endpoint());
        LATCHKEY_AWAIT(inspected->locks().lockCount() == locks && inspected->locks().isIdle());
        for (int i = 0; i < locks; ++i) {
            const QByteArray key = "lock:" + QByteArray::number(i);
            LATCHKEY_AWAIT(!holds(key).empty());
            QCOMPARE(holds(key).size(), std::size_t(1));
            QCOMPARE(holds(key).front().start, Hold::Start::Unseen);
            QVERIFY(!holds(key).front().isOver());
        }
    }

    void lockThatComes_isHeldFromWhenItCame()
    {
        inspect(server->endpoint());
        LATCHKEY_AWAIT(inspected->events().mechanism() == EventSource::Mechanism::Notifications);
        LATCHKEY_AWAIT(!inspected->locks().isCatchingUp());
        const auto before = SystemClock::instance().now();
        QVERIFY((*server)({"SET", "lock:new", token, "PX", "1000"}).isOk());
        const auto after = SystemClock::instance().now();
        LATCHKEY_AWAIT(!holds("lock:new").empty() && holds("lock:new").front().isOver());
        const Hold &hold = holds("lock:new").front();
        QCOMPARE(hold.start, Hold::Start::Acquired);
        QCOMPARE(hold.ending, Ending::Expired);
        const auto behind = [&](base::MonotonicTime time) {
            return std::chrono::duration<double, std::milli>(time - before).count();
        };
        QVERIFY2(hold.from.earliest <= after && hold.from.latest >= before,
                 qPrintable(QStringLiteral("written within %1 ms, held from between %2 and %3")
                                .arg(behind(after))
                                .arg(behind(hold.from.earliest))
                                .arg(behind(hold.from.latest))));
        // The hold counts from the meeting of the key, not from the read of its value.
        QVERIFY(hold.duration(after) - hold.from.uncertainty() <= hold.until->latest - before);
        QVERIFY(hold.from.latest < hold.until->earliest);
    }

    /// On a slow link the notification and the read of a new key arrive late, and its start lies before both.
    void lockOnASlowLink_isHeldFromWhenItCame()
    {
        test::FaultyProxy proxy(server->endpoint());
        inspect(proxy.endpoint());
        LATCHKEY_AWAIT(inspected->events().mechanism() == EventSource::Mechanism::Notifications);
        LATCHKEY_AWAIT(!inspected->locks().isCatchingUp());
        proxy.hold();
        const auto before = SystemClock::instance().now();
        QVERIFY((*server)({"SET", "lock:new", token, "PX", "600000"}).isOk());
        const QDeadlineTimer held(1200); // A PING is sent each second, and its reply is late too.
        LATCHKEY_AWAIT(held.hasExpired());
        proxy.release();
        LATCHKEY_AWAIT(!holds("lock:new").empty());
        const Hold &hold = holds("lock:new").front();
        QCOMPARE(hold.start, Hold::Start::Acquired);
        QVERIFY2(hold.from.earliest <= before + 1ms,
                 qPrintable(QString::number(std::chrono::duration<double>(hold.from.earliest - before).count())));
        QVERIFY(hold.from.latest >= before + 1000ms);
    }

    /// A hold that was too short to be read does not move the start of a later one.
    void lockAfterAHoldThatWasNotRead_isHeldFromWhenItCame()
    {
        inspect(server->endpoint());
        LATCHKEY_AWAIT(inspected->events().mechanism() == EventSource::Mechanism::Notifications);
        LATCHKEY_AWAIT(!inspected->locks().isCatchingUp());
        for (int i = 0; i < 5; ++i) {
            QVERIFY((*server)({"SET", "lock:new", token, "PX", "600000"}).isOk());
            QVERIFY((*server)({"DEL", "lock:new"}).isInteger(1));
        }
        const QDeadlineTimer later(1500);
        LATCHKEY_AWAIT(later.hasExpired() && !inspected->store().known().table.find("lock:new"));
        const auto before = SystemClock::instance().now();
        QVERIFY((*server)({"SET", "lock:new", token, "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(!holds("lock:new").empty() && !holds("lock:new").back().isOver());
        QVERIFY(holds("lock:new").back().from.earliest >= before - 1000ms);
    }

    /// The key was read when it was found: another read would have a later time.
    void followedLock_isNotReadTwice()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", ""}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        inspect(server->endpoint());
        LATCHKEY_AWAIT(!inspected->locks().isCatchingUp());
        const auto now = SystemClock::instance().now();
        std::optional<events::KeyEvent> ended;
        connect(&inspected->keyEventTracker(), &events::KeyEventTracker::happened, this,
                [&](const events::KeyEvent &keyEvent) {
                    if (keyEvent.type == events::KeyEvent::Type::Ended)
                        ended = keyEvent;
                });
        inspected->keyEventTracker().follow("lock:followed", 0, now - 100ms);
        inspected->dispatcher().deliver({{"lock:followed", events::Exists {base::Deadline(now + 1min, 1ms)}, now - 50ms,
                                          now, events::Source::Poll}});
        LATCHKEY_AWAIT(ended); // The server has no such key.
        QCOMPARE(ended->notBefore, now - 50ms);
    }

    /// No command on these keys has ended them, and the server reports no end.
    void exchangeOfDatabases_leavesItNotKnownHowTheyEnded()
    {
        for (const char *key : {"lock:a", "lock:b"})
            QVERIFY((*server)({"SET", key, token, "PX", "900000"}).isOk());
        inspect(server->endpoint());
        LATCHKEY_AWAIT(inspected->events().mechanism() == EventSource::Mechanism::Notifications);
        LATCHKEY_AWAIT(!holds("lock:a").empty() && !holds("lock:b").empty());
        // A read of each key after the start of the notifications.
        QVERIFY((*server)({"PEXPIRE", "lock:a", "1800000"}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "lock:b", "1800000"}).isInteger(1));
        LATCHKEY_AWAIT(holds("lock:a").front().extensionCount == 1 && holds("lock:b").front().extensionCount == 1);
        QVERIFY((*server)({"SWAPDB", "0", "1"}).isOk());
        LATCHKEY_AWAIT(holds("lock:a").front().isOver() && holds("lock:b").front().isOver());
        QCOMPARE(holds("lock:a").front().ending, Ending::Unknown);
        QCOMPARE(holds("lock:b").front().ending, Ending::Unknown);
    }

    /// The connection exists, but transports nothing.
    void serverThatIsStopped_isAGap()
    {
        inspect(server->endpoint());
        const history::History &history = inspected->holds().history();
        const auto pid = static_cast<pid_t>(server->process().processId());
        QCOMPARE(::kill(pid, SIGSTOP), 0);
        const bool isGap = test::waitFor([&] { return !history.gaps().empty(); });
        QCOMPARE(::kill(pid, SIGCONT), 0);
        QVERIFY(isGap);
        LATCHKEY_AWAIT(history.gaps().back().to);
    }

    void serverThatWasRestarted_leavesItNotKnownHowItEnded()
    {
        const QTemporaryDir folder;
        const QString place = folder.filePath(QStringLiteral("redis.sock"));
        QVERIFY(QFile::link(server->endpoint().path, place));
        net::Endpoint endpoint = server->endpoint();
        endpoint.path = place;
        for (const char *key : {"lock:a", "lock:b"})
            QVERIFY((*server)({"SET", key, token, "PX", "900000"}).isOk());
        inspect(endpoint);
        LATCHKEY_AWAIT(!holds("lock:a").empty() && !holds("lock:b").empty());
        const test::TestServer other; // A server without keys, because nothing was saved.
        server->kill();
        QVERIFY(QFile::remove(place));
        QVERIFY(QFile::link(other.endpoint().path, place));
        LATCHKEY_AWAIT(holds("lock:a").front().isOver() && holds("lock:b").front().isOver());
        QCOMPARE(holds("lock:a").front().ending, Ending::Unknown);
        QCOMPARE(holds("lock:b").front().ending, Ending::Unknown);
    }
};

LATCHKEY_TEST(TestHoldRecorder)

} // namespace tst_holdrecorder

#include "tst_holdrecorder.moc"
