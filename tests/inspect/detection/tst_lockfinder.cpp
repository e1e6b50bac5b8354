#include "core/inspect/inspection/serverregistry.h"
#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_lockfinder {

using namespace latchkey;
using namespace latchkey::inspection;
using base::SystemClock;
using keys::KeyAnalysis;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

const QByteArray uuid = "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6";
const QByteArray other = "11111111-2222-4333-8444-555555555555";

/// A watcher that sends no requests and notes those of the finder.
class StubWatcher final : public Watcher
{
public:
    Phase state = Phase::FirstScan;
    QSet<QByteArray> requested;
    qint64 unrequested = 0;

    void requestValues(const QList<QByteArray> &names) override { requested.unite({names.begin(), names.end()}); }
    void setUnrequested(qint64 keys) override { unrequested = keys; }
    void send(resp::Commands, const QObject *, net::RequestScope::Answered) override {}
    [[nodiscard]] Phase phase() const override { return state; }
    [[nodiscard]] quint64 keysScanned() const override { return 0; }
    [[nodiscard]] qint64 databaseSize() const override { return 0; }
    [[nodiscard]] bool isIncomplete() const override { return false; }
    [[nodiscard]] events::Coverage coverage() const override { return events::Coverage({}); }
    [[nodiscard]] base::MonotonicTime gapChangedAt() const override { return {}; }
    [[nodiscard]] bool hasChangeEvents() const override { return true; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> newKeyDelay() const override { return {}; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> unseenFor() const override { return {}; }
    [[nodiscard]] std::optional<base::MonotonicTime> lastScanBegan() const override { return {}; }
    [[nodiscard]] base::MonotonicTime lastAnswered() const override { return {}; }
    [[nodiscard]] const std::optional<base::Error> &problem() const override { return none; }
    [[nodiscard]] bool hasFastFirstScan() const override { return true; }

private:
    const std::optional<base::Error> none;
};

} // namespace

/// The locks of a real server with none of them on screen.
class TestLockFinder final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<ServerRegistry> registry;
    std::shared_ptr<InspectedServer> inspected;

    void open(const net::Endpoint &endpoint)
    {
        inspected.reset();
        registry = std::make_unique<ServerRegistry>(SystemClock::instance(), random);
        inspected = registry->open(endpoint, false);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
    }
    [[nodiscard]] qsizetype locks() const { return inspected->locks().lockCount(); }
    [[nodiscard]] KeyAnalysis analysisOf(const QByteArray &key) const
    {
        const keys::KnownKeys &known = inspected->store().known();
        const auto id = known.table.find(key);
        const KeyAnalysis *found = id ? known.analysisOf(*id) : nullptr;
        return found == nullptr ? KeyAnalysis() : *found;
    }
    /// The known value of the key; empty if the key is gone.
    [[nodiscard]] QByteArray valueOf(const QByteArray &key) const
    {
        const keys::KnownKeys &known = inspected->store().known();
        const auto id = known.table.find(key);
        const keys::RawValue *value = id && known.isLive(*id) ? known.value(*id) : nullptr;
        return value == nullptr ? QByteArray() : value->bytes();
    }
    void set(const QByteArray &key, const QByteArray &value)
    {
        QVERIFY((*server)({"SET", key, value, "PX", "600000"}).isOk());
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        open(server->endpoint());
    }
    void cleanup()
    {
        inspected.reset();
        registry.reset();
        server.reset();
    }

    void everyLockIsFound_withoutBeingShown()
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, 25000 do redis.call('SET', 'thing:' .. i, 'x', 'PX', 900000) end return 1", "0"})
                    .isInteger(1));
        for (int i = 0; i < 30; ++i)
            set("lock:order:" + QByteArray::number(i), uuid);
        open(server->endpoint());
        LATCHKEY_AWAIT(locks() == 30 && analysisOf("lock:order:0").holder == uuid
                       && analysisOf("lock:order:29").holder == uuid);
        QVERIFY(!analysisOf("lock:order:0").kind.isEmpty());
        QVERIFY(!analysisOf("lock:order:0").title.isEmpty());
        QVERIFY(analysisOf("thing:1").isEmpty());
        QVERIFY2(inspected->store().known().values.size() < 100, "values of what is no lock by its name were read");
    }

    /// A requested key no longer counts as not requested, although the names of few keys are checked twice.
    void unreadKeys_countOnce()
    {
        constexpr qint64 count = detection::LockFinder::fewKeys;
        QVERIFY((*server)({"EVAL",
                           "for i = 1, ARGV[1] do redis.call('SET', 'lock:' .. i, string.format('%032d', i), 'PX', "
                           "900000) end return 1",
                           "0", QByteArray::number(count)})
                    .isInteger(1));
        open(server->endpoint());
        qint64 most = 0;
        QObject::connect(inspected.get(), &InspectedServer::committed, inspected.get(),
                         [&] { most = std::max(most, inspected->watcher().coverage().unread()); });
        LATCHKEY_AWAIT(locks() > count / 4);
        QVERIFY2(most <= count, qPrintable(QString::number(most)));
    }

    /// The first scan ends while its last keys wait for a commit.
    void unreadKeys_countOnceIfTheyWaitForACommit()
    {
        constexpr int count = 500;
        test::ManualClock clock;
        keys::KeyStore store(clock);
        events::ObservationDispatcher dispatcher;
        StubWatcher watcher;
        detection::LockFinder finder(store, watcher, dispatcher, clock);
        for (int i = 0; i < count; ++i)
            store.observe("lock:" + QByteArray::number(i), base::Deadline::never(), clock.now());
        watcher.state = Watcher::Phase::Watching;
        Q_EMIT watcher.phaseChanged(watcher.state);
        QVERIFY(!store.commit());
        QVERIFY(finder.continueRecognition(QDeadlineTimer(0)));
        clock.advance(2s); // Keys that wait for longer than a second count.
        QVERIFY(finder.continueRecognition(QDeadlineTimer(0)));
        QCOMPARE(watcher.requested.size() + watcher.unrequested, count);
    }

    void amongFewKeys_aLockIsFoundWhateverItsName()
    {
        QVERIFY((*server)({"HSET", "order:5", uuid + ":47", "1"}).isInteger(1));
        LATCHKEY_AWAIT(analysisOf("order:5").kind.startsWith(QLatin1String("redisson")));
    }

    /// Only its end suggests a lock. Other read keys are forgotten.
    void amongManyKeys_aLockIsFoundByItsShortLease()
    {
        QVERIFY(
            (*server)({"EVAL",
                       "for i = 1, 25000 do redis.call('SET', 'thing:' .. i, 'x', 'PX', i <= 300 and 50000 or 900000) "
                       "end return 1",
                       "0"})
                .isInteger(1));
        QVERIFY((*server)({"HSET", "stock", uuid + ":47", "1"}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "stock", "30000"}).isInteger(1));
        QVERIFY((*server)({"HSET", "long", uuid + ":48", "1"}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "long", "9000000"}).isInteger(1));
        open(server->endpoint());
        LATCHKEY_AWAIT(analysisOf("stock").kind.startsWith(QLatin1String("redisson")));
        const QByteArray acquire =
            "redis.call('HSET', KEYS[1], ARGV[1], 1) return redis.call('PEXPIRE', KEYS[1], 30000)";
        QVERIFY((*server)({"EVAL", acquire, "1", "later", uuid + ":49"}).isInteger(1));
        LATCHKEY_AWAIT(analysisOf("later").kind.startsWith(QLatin1String("redisson")));
        QVERIFY(analysisOf("long").isEmpty());
        QVERIFY2(inspected->store().known().values.size() < 1000, "values that end late were read");
    }

    /// Its name, its value and its lease say nothing; that it was released and taken again does.
    void keyThatIsReleasedAndTakenAgain_isALock_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addRow("told which keys change") << QByteArray();
        QTest::addRow("told what happens") << QByteArray("KEA");
    }
    void keyThatIsReleasedAndTakenAgain_isALock()
    {
        QFETCH(QByteArray, notifications);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        open(server->endpoint());
        const auto hold = [this](const QByteArray &key, const QByteArray &token, const QByteArray &lease) {
            QVERIFY((*server)({"SET", key, token, "NX", "PX", lease}).isOk());
            LATCHKEY_AWAIT(valueOf(key) == token);
        };
        const QByteArray chinese = "\xe9\x92\xa5\xe5\x8c\x99:\xe8\xae\xa2\xe5\x8d\x95";
        for (const QByteArray &key : {QByteArray("invoice:77"), QByteArray("stock:9"), chinese}) {
            hold(key, uuid, "60000");
            QVERIFY(analysisOf(key).isEmpty());
            QVERIFY((*server)({"DEL", key}).isInteger(1));
            if (notifications.isEmpty())
                LATCHKEY_AWAIT(valueOf(key).isEmpty()); // Else the next hold may come at once.
            hold(key, other, "60000");
            LATCHKEY_AWAIT(analysisOf(key).kind == u"lock.token");
            QCOMPARE(analysisOf(key).holder, other);
            const recognition::Recognition recognition = inspected->locks().recognise(key);
            const auto &evidence = recognition.best().evidence;
            QVERIFY(std::ranges::find(evidence, recognition::Evidence::Kind::Released, &recognition::Evidence::kind)
                    != evidence.end());
            // The history goes by the same evidence.
            QCOMPARE(inspected->holds().holderOf(key, {keys::KeyType::String, other.size(), {other}}), other);
        }
        QCOMPARE(locks(), 3);
    }

    /// An expiry, an overwritten value and the same token again are no releases. (Tokens that several keys hold would
    /// be evidence of another kind.)
    void keyThatIsNotReleased_isNoLock()
    {
        const auto token = [](int number) { return QByteArray::number(number) + other.sliced(1); };
        const auto holdsNow = [this](const QByteArray &key, const QByteArray &value) { return valueOf(key) == value; };
        QVERIFY((*server)({"SET", "invoice:1", token(2), "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "invoice:2", token(3), "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "invoice:3", token(4)}).isOk());
        LATCHKEY_AWAIT(holdsNow("invoice:1", token(2)) && holdsNow("invoice:2", token(3))
                       && holdsNow("invoice:3", token(4)));
        // So long that it is seen before it ends.
        QVERIFY((*server)({"SET", "invoice:1", token(5), "PX", "4000"}).isOk());
        QVERIFY((*server)({"DEL", "invoice:2", "invoice:3"}).isInteger(2));
        QVERIFY((*server)({"SET", "invoice:2", token(3), "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "invoice:3", token(6), "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(holdsNow("invoice:1", token(5)) && holdsNow("invoice:2", token(3))
                       && holdsNow("invoice:3", token(6)));
        LATCHKEY_AWAIT(valueOf("invoice:1").isEmpty());
        QVERIFY((*server)({"SET", "invoice:1", token(7), "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(holdsNow("invoice:1", token(7)));
        for (const QByteArray key : {"invoice:1", "invoice:2", "invoice:3"})
            QVERIFY2(!inspected->locks().isLock(key), key.constData());
    }

    void releasedLock_isNoLockAnyMore()
    {
        set("lock:a", uuid);
        set("lock:b", other);
        LATCHKEY_AWAIT(locks() == 2);
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(locks() == 1);
        QVERIFY(!inspected->locks().recognise("lock:a").isLock());
        QVERIFY(inspected->locks().recognise("lock:b").isLock());
    }

    void anotherHolder_isSeenWithoutBeingOnScreen()
    {
        set("lock:a", uuid);
        LATCHKEY_AWAIT(analysisOf("lock:a").holder == uuid);
        set("lock:a", other);
        LATCHKEY_AWAIT(analysisOf("lock:a").holder == other);
    }

    /// Another holder with the same end, which no event reports and no poll shows.
    void anotherHolder_isSeenWithoutEventsToo()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client", "-config", "resetchannels"}).isOk());
        open(server->endpoint());
        set("lock:a", uuid);
        LATCHKEY_AWAIT(analysisOf("lock:a").holder == uuid);
        QVERIFY(!inspected->watcher().hasChangeEvents());
        QVERIFY((*server)({"SET", "lock:a", other, "KEEPTTL"}).isOk());
        LATCHKEY_AWAIT(analysisOf("lock:a").holder == other);
    }

    void companionKey_isReadAndWatched()
    {
        const QByteArray holder = uuid + ":47";
        QVERIFY((*server)({"HSET", "orders:lock", holder, "2"}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "orders:lock", "30000"}).isInteger(1));
        LATCHKEY_AWAIT(analysisOf("orders:lock").kind.startsWith(QLatin1String("redisson")));
        QCOMPARE(analysisOf("orders:lock").count, 2);
        // A fair lock keeps its waiters in a separate list.
        QVERIFY((*server)({"RPUSH", "redisson_lock_queue:{orders:lock}", other + ":1"}).isInteger(1));
        LATCHKEY_AWAIT(analysisOf("orders:lock").kind == QLatin1String("redisson.RFairLock"));
        QCOMPARE(inspected->locks().recognise("orders:lock").decoded.waiters.size(), std::size_t(1));
        QVERIFY((*server)({"DEL", "redisson_lock_queue:{orders:lock}"}).isInteger(1));
        LATCHKEY_AWAIT(analysisOf("orders:lock").kind != QLatin1String("redisson.RFairLock"));
    }

    void renewals_areCounted()
    {
        set("lock:a", uuid);
        LATCHKEY_AWAIT(locks() == 1);
        for (int renewals = 1; renewals <= 3; ++renewals) {
            QVERIFY((*server)({"PEXPIRE", "lock:a", QByteArray::number(600'000 + renewals * 1000)}).isInteger(1));
            LATCHKEY_AWAIT(inspected->locks().ttlHistory("lock:a")->renewals() == renewals);
        }
        set("lock:a", other); // Another hold.
        LATCHKEY_AWAIT(inspected->locks().ttlHistory("lock:a")->renewals() == 0);
    }

    void flushedAndRefilledServer_isScannedAgain()
    {
        set("lock:a", uuid);
        LATCHKEY_AWAIT(locks() == 1);
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(locks() == 0);
        set("lock:a", other);
        set("lock:b", other);
        LATCHKEY_AWAIT(locks() == 2 && analysisOf("lock:a").holder == other);
    }

    void deniedScriptsAndChannels_locksAreStillFound()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@read", "+@connection", "+dbsize",
                           "-script", "-pubsub"})
                    .isOk());
        set("lock:a", uuid);
        QVERIFY((*server)({"HSET", "orders:lock", uuid + ":47", "1"}).isInteger(1));
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        open(endpoint);
        LATCHKEY_AWAIT(locks() == 2 && analysisOf("lock:a").holder == uuid && analysisOf("orders:lock").count == 1);
    }

    void companionReads_runAtTheSpeedOfTheFirstScan()
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, 600 do redis.call('SET', 'lock:' .. i, string.format('%s%012d', ARGV[1], i), "
                           "'PX', 900000) end return 1",
                           "0", uuid.chopped(12)})
                    .isInteger(1));
        inspected.reset();
        registry = std::make_unique<ServerRegistry>(SystemClock::instance(), random);
        inspected = registry->open(server->endpoint(), false);
        inspected->watcher().setCommandsPerSecond(50); // Within this limit, the companion keys would take hours.
        inspected->start();
        QVERIFY(test::waitFor([&] { return locks() == 600 && inspected->locks().isIdle(); }));
        QVERIFY2(inspected->commandsSent() > 600 * 6, "nothing was asked of the keys beside them");
        // The end of the catching-up is noticed with the next commit.
        bool isNoticed = false;
        connect(inspected.get(), &InspectedServer::committed, this, [&] { isNoticed = true; });
        LATCHKEY_AWAIT(isNoticed && inspected->locks().isIdle());
        inspected->disconnect(this);
        // From now on the limit applies to wishes too.
        const quint64 before = inspected->commandsSent();
        const base::MonotonicTime from = SystemClock::instance().now();
        QList<QByteArray> others;
        for (int i = 0; i < 3000; ++i)
            others.append("other:" + QByteArray::number(i));
        inspected->watcher().requestValues(others);
        LATCHKEY_AWAIT(inspected->commandsSent() > before + 100);
        const std::chrono::duration<double> passed = SystemClock::instance().now() - from;
        // Twice the limit: unused tokens of the budget, and the last batch.
        const auto sent = static_cast<double>(inspected->commandsSent() - before);
        QVERIFY2(sent < 100 + 100 * (passed.count() + 1),
                 qPrintable(QStringLiteral("%1 commands in %2 s").arg(sent).arg(passed.count())));
    }

    void userDialects_areAppliedImmediately()
    {
        set("thing:7", "worker-7");
        LATCHKEY_AWAIT(inspected->store().liveCount() == 1);
        QCOMPARE(locks(), 0);
        inspected->locks().setDialects(inspected->locks().recogniser().dialects());
        QVERIFY(test::waitFor([&] { return inspected->locks().isIdle(); }));
        QCOMPARE(locks(), 0);
    }
};

LATCHKEY_TEST(TestLockFinder)

} // namespace tst_lockfinder

#include "tst_lockfinder.moc"
