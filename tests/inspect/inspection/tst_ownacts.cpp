#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_ownacts {

using namespace latchkey;
using namespace latchkey::inspection;
using base::SystemClock;
using history::Hold;
using watching::ChangeOutcome;
using watching::ChangeResult;
using watching::EventSource;
using watching::KeySnapshot;
using watching::NewExpiry;
using watching::Watcher;
using Kind = history::OwnChange::Kind;
using namespace std::chrono_literals;

/// This program's changes on a lock of a real server: its history attributes them to this program, whatever the source
/// of events.
class TestOwnActs final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<InspectedServer> inspected;

    const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");

    KeySnapshot snapshot()
    {
        std::optional<base::Result<KeySnapshot>> found;
        inspected->takeSnapshot(base::Key("lock:a"),
                                [&](base::Result<KeySnapshot> taken) { found = std::move(taken); });
        if (!test::waitFor([&] { return found.has_value(); }))
            qFatal("no snapshot was taken");
        return found->value();
    }
    ChangeResult act(const std::function<void(KeyChangeQueue::Done)> &what)
    {
        std::optional<base::Result<ChangeResult>> result;
        what([&](const base::Result<ChangeResult> &done) { result = done; });
        if (!test::waitFor([&] { return result.has_value(); }))
            qFatal("nothing became of the act");
        return result->value();
    }
    const std::deque<Hold> &holds() const { return inspected->holds().history().holds({"lock:a", 0}); }
    std::vector<Kind> kinds() const
    {
        std::vector<Kind> all;
        for (const history::OwnChange &done : holds().back().ownChanges)
            all.push_back(done.kind);
        return all;
    }
    /// Waits for a read at the lock that was asked for from now on.
    void waitForRead()
    {
        const auto now = SystemClock::instance().now();
        inspected->watcher().keysChanged({"lock:a"});
        const auto &table = inspected->store().known().table;
        LATCHKEY_AWAIT(table.find("lock:a") && table.sampled(*table.find("lock:a")) > now);
    }

    void watchByPolling()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        inspected = std::make_unique<InspectedServer>(server->endpoint(), false, SystemClock::instance(), random);
        inspected->setArmed(true);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        inspected.reset();
        server.reset();
    }

    void everyAct_isOurs_data()
    {
        QTest::addColumn<int>("means");
        QTest::addRow("notifications") << int(EventSource::Mechanism::Notifications);
        QTest::addRow("tracking") << int(EventSource::Mechanism::Tracking);
        QTest::addRow("polling alone") << int(EventSource::Mechanism::None);
    }
    void everyAct_isOurs()
    {
        QFETCH(int, means);
        if (means == int(EventSource::Mechanism::Notifications))
            QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        else if (means == int(EventSource::Mechanism::None))
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        inspected = std::make_unique<InspectedServer>(server->endpoint(), false, SystemClock::instance(), random);
        inspected->setArmed(true);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        LATCHKEY_AWAIT(int(inspected->events().mechanism()) == means);
        LATCHKEY_AWAIT(!holds().empty());

        const KeySnapshot first = snapshot();
        const NewExpiry hour = NewExpiry::in(base::Lease::of(1h).value());
        const ChangeResult set =
            act([&](const KeyChangeQueue::Done &done) { inspected->expireIfUnchanged(first, hour, done); });
        QCOMPARE(set.outcome, ChangeOutcome::Done);
        QCOMPARE(kinds(), std::vector {Kind::ExpirySet});
        waitForRead();
        QVERIFY(inspected->locks().ttlHistory("lock:a"));
        QCOMPARE(inspected->locks().ttlHistory("lock:a")->renewals(), 0);
        (void)act([&](const KeyChangeQueue::Done &done) { inspected->undo(first, set.after, done); });
        waitForRead();
        (void)act([&](const KeyChangeQueue::Done &done) {
            inspected->expireIfUnchanged(snapshot(), NewExpiry::never(), done);
        });
        waitForRead();
        QCOMPARE(kinds(), (std::vector {Kind::ExpirySet, Kind::ExpiryRestored, Kind::ExpiryRemoved}));

        const KeySnapshot shown = snapshot();
        const ChangeResult removed =
            act([&](const KeyChangeQueue::Done &done) { inspected->deleteIfUnchanged(shown, done); });
        QCOMPARE(removed.outcome, ChangeOutcome::Done);
        QVERIFY(holds().back().isEndedByUs());
        QCOMPARE(act([&](const KeyChangeQueue::Done &done) { inspected->undo(shown, removed.after, done); }).outcome,
                 ChangeOutcome::Done);
        waitForRead();
        QCOMPARE(kinds(), (std::vector {Kind::ExpirySet, Kind::ExpiryRestored, Kind::ExpiryRemoved, Kind::Deleted,
                                        Kind::Restored}));
        const recognition::TtlHistory *ttlHistory = inspected->locks().ttlHistory("lock:a");
        QVERIFY(ttlHistory == nullptr || ttlHistory->renewals() == 0);
        QCOMPARE(holds().size(), std::size_t(1));
        QVERIFY(!holds().back().isOver());
        QCOMPARE(holds().back().extensionCount, 0);
        QCOMPARE(holds().back().holder, std::optional(token));

        // The holder's own changes are attributed to the holder.
        QVERIFY((*server)({"PEXPIRE", "lock:a", "30000"}).isInteger(1));
        LATCHKEY_AWAIT(holds().back().deadline && !holds().back().deadline->isNever());
        QVERIFY((*server)({"PEXPIRE", "lock:a", "60000"}).isInteger(1));
        LATCHKEY_AWAIT(holds().back().extensionCount == 1);
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(holds().back().isOver());
        QVERIFY(!holds().back().isEndedByUs());
        QCOMPARE(inspected->holds().history().statistics({"lock:a", 0}).holds, 1);
    }

    /// PTTL was refused, and so the list of keys has dropped the lock. Its value was read, and another holder has taken
    /// the lock since. The deletion has ended the hold of the other one.
    void holdThatWasDeleted_isTheComparedOne()
    {
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        watchByPolling();
        LATCHKEY_AWAIT(inspected->store().exists("lock:a"));
        inspected->watcher().setPaused(true);
        std::vector<events::KeyEvent> keyEvents;
        connect(&inspected->keyEventTracker(), &events::KeyEventTracker::happened, this,
                [&keyEvents](const events::KeyEvent &keyEvent) { keyEvents.push_back(keyEvent); });
        const auto now = SystemClock::instance().now();
        inspected->keyEventTracker().follow("lock:a", 0);
        inspected->dispatcher().deliver({{"lock:a", events::AccessDenied {}, now - 1ms, now}});
        inspected->dispatcher().deliver(
            {{"lock:a", events::ValueReply {{keys::KeyType::String, token.size(), {token}}}, now - 1ms, now}});
        QVERIFY(!inspected->store().exists("lock:a"));
        QVERIFY((*server)({"SET", "lock:a", "another", "PX", "600000"}).isOk());
        const KeySnapshot shown = snapshot();
        const ChangeResult removed =
            act([&](const KeyChangeQueue::Done &done) { inspected->deleteIfUnchanged(shown, done); });
        QCOMPARE(removed.outcome, ChangeOutcome::Done);
        QCOMPARE(keyEvents.size(), std::size_t(2));
        QCOMPARE(keyEvents.front().type, events::KeyEvent::Type::Replaced);
        QCOMPARE(keyEvents.back().ending, events::Ending::Deleted);
        QCOMPARE(keyEvents.back().before->bytes(), QByteArray("another"));
    }
};

LATCHKEY_TEST(TestOwnActs)

} // namespace tst_ownacts

#include "tst_ownacts.moc"
