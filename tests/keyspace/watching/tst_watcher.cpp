#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/rows/endedrows.h"
#include "core/keyspace/watching/serverwatcher.h"
#include "tests/support/adjustableclock.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_watcher {

using namespace latchkey;
using namespace latchkey::budget;
using namespace latchkey::events;
using namespace latchkey::watching;
using keys::KeyRecord;
using keys::KeyState;
using keys::KeyStore;
using keys::KeyType;
using net::Session;
using Phase = Watcher::Phase;
using namespace std::chrono_literals;

class TestWatcher final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<test::AdjustableClock> clock;
    std::unique_ptr<Session> session;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;
    std::unique_ptr<rows::RowList> list;
    std::unique_ptr<rows::EndedRows> endedRows;
    std::unique_ptr<ServerWatcher> watcher;

    std::optional<keys::KeyRecord> lease(const QByteArray &key) const
    {
        const auto id = store->known().table.find(key);
        return id ? std::optional(store->known().table.at(*id)) : std::nullopt;
    }
    /// Returns the state in which the last key of this name ended; Live if no such key has ended.
    KeyState howItWent(const QByteArray &key) const
    {
        for (const keys::EndedKey &ended : endedRows->since({})) {
            if (ended.key == key)
                return ended.state;
        }
        return KeyState::Live;
    }
    const keys::RawValue *value(const QByteArray &key) const
    {
        const auto id = store->known().table.find(key);
        return id ? store->known().value(*id) : nullptr;
    }
    /// Begins to watch without waiting.
    void begin(const net::Endpoint &endpoint, std::chrono::milliseconds pingInterval = 1s)
    {
        session = std::make_unique<Session>(endpoint, *clock, random);
        Session::Timing timing;
        timing.pingInterval = pingInterval;
        session->setTiming(timing);
        store = std::make_unique<KeyStore>(*clock);
        list = std::make_unique<rows::RowList>(*store);
        endedRows = std::make_unique<rows::EndedRows>(*list);
        feed = std::make_unique<inspection::KeyStoreUpdater>(
            *store, [this] { QTimer::singleShot(0, list.get(), [this] { commit(); }); });
        dispatcher = std::make_unique<ObservationDispatcher>();
        watcher = std::make_unique<ServerWatcher>(*session, store->known(), *dispatcher, *clock);
        dispatcher->addFirst(*feed);
        connect(watcher.get(), &Watcher::ticked, list.get(), [this] { commit(); });
        session->start();
    }
    void commit() { (void)store->commit(); }
    void watch(const net::Endpoint &endpoint)
    {
        begin(endpoint);
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
    }
    void fill(const char *prefix, int count, const char *milliseconds = "600000")
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 0, ARGV[2] - 1 do redis.call('SET', ARGV[1] .. i, 'v', 'PX', ARGV[3]) end return 1",
                           "0", prefix, QByteArray::number(count), milliseconds})
                    .isInteger(1));
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        clock = std::make_unique<test::AdjustableClock>();
    }
    void cleanup()
    {
        watcher.reset();
        dispatcher.reset();
        feed.reset();
        endedRows.reset();
        list.reset();
        store.reset();
        session.reset();
        clock.reset();
        server.reset();
    }

    void existingAndNewKeys_areFound()
    {
        QVERIFY((*server)({"SET", "early", "v", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 1);
        QVERIFY((*server)({"SET", "late", "v", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(list->rowCount() == 2);
        LATCHKEY_AWAIT(watcher->databaseSize() >= 1);
    }

    /// Missed keys of a scan are determined in portions. A new scan that starts meanwhile has found no key yet.
    void repeatedReadJustAfterAScan_reportsNoEnd()
    {
        constexpr int count = 3000;
        QVERIFY(
            (*server)({"EVAL", "for i = 1, 3000 do redis.call('SET', 'k' .. i, 'v', 'PX', 600000) end return 1", "0"})
                .isInteger(1));
        begin(server->endpoint());
        watcher->setCommandsPerSecond(50); // A key removed by mistake is not found again soon.
        bool hasLookedAgain = false;
        connect(watcher.get(), &Watcher::phaseChanged, list.get(), [&](Phase phase) {
            if (phase == Phase::Watching)
                QTimer::singleShot(0, list.get(), [&] { watcher->rescan(), hasLookedAgain = true; });
        });
        LATCHKEY_AWAIT(hasLookedAgain && store->liveCount() == count);
        int scans = 0;
        bool wasRunning = false;
        LATCHKEY_AWAIT((scans += !wasRunning && watcher->keysScanned() == count,
                        wasRunning = watcher->keysScanned() == count, scans >= 2));
        QCOMPARE(store->liveCount(), count);
        QVERIFY(endedRows->since({}).empty());
    }

    /// Keys near their end could use the whole budget. The other requests must still get their share.
    void manyKeysNearTheirEnd_leaveRoomForTheRest()
    {
        fill("k", 3000, "60000");
        QVERIFY((*server)({"SET", "shown", "its value", "PX", "60000"}).isOk());
        clock->setSpeed(5);
        watch(server->endpoint());
        watcher->setCommandsPerSecond(200);
        LATCHKEY_AWAIT(lease("shown"));
        const auto asked = session->commandsSent();
        LATCHKEY_AWAIT(session->commandsSent() > asked + 200); // The accumulated budget is spent.
        const auto shown = *store->known().table.find("shown");
        watcher->setVisibleKeys({shown});
        QVERIFY((*server)({"SET", "new", "v", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(lease("new"));
        LATCHKEY_AWAIT(value("shown") != nullptr);
    }

    void releasedLock_isRemovedAndReported()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 1);
        QVERIFY((*server)({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(howItWent("lock") == KeyState::Removed);
        QCOMPARE(list->rowCount(), 0);
    }

    void expiredLock_isRemovedAndReported()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "700"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(howItWent("lock") == KeyState::Expired);
        QVERIFY(!lease("lock"));
    }

    void extendedLock_isFollowed()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "2000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(lease("lock"));
        const auto before = lease("lock")->deadline;
        QVERIFY((*server)({"PEXPIRE", "lock", "60000"}).isInteger(1));
        LATCHKEY_AWAIT(lease("lock")->deadline.at() > before.at() + 10s);
        QVERIFY((*server)({"PERSIST", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(lease("lock")->deadline.isNever());
        QCOMPARE(store->persistentCount(), qsizetype(1));
    }

    void flushedDatabase_emptiesTheTable()
    {
        fill("k", 500);
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 500);
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(store->liveCount() == 0);
        LATCHKEY_AWAIT(list->rowCount() == 0);
    }

    void valuesOnScreen_areReadAndFollowed()
    {
        QVERIFY((*server)({"SET", "lock", "holder-1", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "other", "unseen", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 2);
        const auto id = *store->known().table.find("lock");
        watcher->setVisibleKeys({id});
        LATCHKEY_AWAIT(value("lock") && value("lock")->bytes() == "holder-1");
        QCOMPARE(store->known().table.type(id), KeyType::String);
        QVERIFY((*server)({"SET", "lock", "holder-2", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(value("lock")->bytes() == "holder-2");
        QVERIFY2(value("other") == nullptr, "it is not displayed");
    }

    void completion_readsWhatSortingNeeds()
    {
        for (int i = 0; i < 2000; ++i)
            QVERIFY((*server)({"SET", "k" + QByteArray::number(i), QByteArray::number(9999 - i)}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 2000);
        list->setSortOrder({&rows::byValue, false});
        watcher->setCompletion(ValueReader::Part::Values);
        LATCHKEY_AWAIT(list->recordAt(0).key == base::Key("k1999") && list->recordAt(1999).key == base::Key("k0"));
    }

    void budget_isKept()
    {
        // All keys end soon, so polling them would exceed the budget.
        fill("k", 3000, "14000");
        clock->setSpeed(4);
        watch(server->endpoint());
        watcher->setCommandsPerSecond(200);
        LATCHKEY_AWAIT(list->rowCount() == 3000);
        const quint64 before = session->commandsSent();
        const auto start = clock->now();
        LATCHKEY_AWAIT(clock->now() > start + 3s);
        const std::chrono::duration<double> seconds = clock->now() - start;
        const double perSecond = static_cast<double>(session->commandsSent() - before) / seconds.count();
        // The session's own PING is not the watcher's, and a tick may exceed the budget a little.
        QVERIFY2(perSecond < 230, qPrintable(QString::number(perSecond)));
        QVERIFY2(perSecond > 50, "it must be asking, else nothing is tested");
    }

    void paused_asksNothing()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "60000"}).isOk());
        begin(server->endpoint(), 300ms);
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching && list->rowCount() == 1);
        watcher->setPaused(true);
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QSignalSpy pings(session.get(), &Session::roundTripMeasured);
        LATCHKEY_AWAIT(pings.size() == 2);
        QVERIFY(lease("k"));
        watcher->setPaused(false);
        LATCHKEY_AWAIT(!lease("k"));
    }

    void reconnect_keepsTheViewAndScansAgain()
    {
        QVERIFY((*server)({"SET", "stays", "v", "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "goes", "v", "PX", "600000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 2);
        QSignalSpy phases(watcher.get(), &Watcher::phaseChanged);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        QVERIFY((*server)({"DEL", "goes"}).isInteger(1));
        LATCHKEY_AWAIT(watcher->phase() == Phase::Away);
        QCOMPARE(list->rowCount(), 2);
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        LATCHKEY_AWAIT(store->liveCount() == 1);
        QVERIFY(lease("stays"));
    }

    /// The keys are too many to poll, but must not be shown as live for minutes.
    void manyDeletedKeys_areGoneAfterTheNextScan()
    {
        fill("k", 5000);
        fill("stays", 10);
        watch(server->endpoint());
        watcher->setCommandsPerSecond(100);
        LATCHKEY_AWAIT(list->rowCount() == 5010);
        QVERIFY((*server)({"EVAL", "for i = 0, 4999 do redis.call('DEL', 'k' .. i) end return 1", "0"}).isInteger(1));
        const quint64 before = session->commandsSent();
        LATCHKEY_AWAIT(list->rowCount() == 10);
        QVERIFY2(session->commandsSent() - before < 2000, "they cannot all have been asked about");
        QVERIFY(endedRows->since({}).front().source == keys::EndSource::Inferred);
        QCOMPARE(store->liveCount(), qsizetype(10));
    }

    void flushAndRefill_isReadAgainAndMemoryDoesNotGrow()
    {
        watch(server->endpoint());
        watcher->setCommandsPerSecond(50'000); // The budget is not tested here.
        std::size_t most = 0;
        for (int round = 0; round < 4; ++round) {
            fill("round", 3000);
            LATCHKEY_AWAIT(list->rowCount() == 3000);
            if (round == 0)
                most = store->bytesAllocated();
            QVERIFY(store->bytesAllocated() <= most);
            QVERIFY((*server)({"FLUSHALL"}).isOk());
            LATCHKEY_AWAIT(list->rowCount() == 0);
        }
    }

    /// A narrower ACL must not delay all other keys, and unknown data is no longer shown.
    void keysDeniedLater_areRemovedReportedAndNotReadAgain()
    {
        fill("app:", 50);
        fill("other:", 200);
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 250);
        QVERIFY(!watcher->problem());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetkeys", "~app:*"}).isOk());
        LATCHKEY_AWAIT(watcher->problem());
        QCOMPARE(watcher->problem()->kind, base::ErrorKind::PermissionDenied);
        LATCHKEY_AWAIT(list->rowCount() == 50);
        QVERIFY2(endedRows->since({}).empty(), "their end is not known");
        QVERIFY((*server)({"SET", "app:new", "v"}).isOk());
        LATCHKEY_AWAIT(lease("app:new"));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "allkeys"}).isOk());
        clock->setSpeed(10); // A refusal is remembered for seconds.
        LATCHKEY_AWAIT(list->rowCount() == 251);
        LATCHKEY_AWAIT(!watcher->problem());
    }

    /// An old token with a new lease would show a lock that never existed.
    void valueAndTimeLeft_areShownTogether()
    {
        QVERIFY((*server)({"SET", "lock", "token-0", "PX", "100000"}).isOk());
        clock->setSpeed(4); // Keys on screen are polled every second.
        watch(server->endpoint());
        LATCHKEY_AWAIT(list->rowCount() == 1);
        watcher->setVisibleKeys({list->idAt(0)});
        LATCHKEY_AWAIT(value("lock"));
        int torn = 0;
        // Each token has its own lease: a multiple of 100,000 milliseconds.
        connect(watcher.get(), &Watcher::ticked, list.get(), [&] {
            const auto record = lease("lock");
            const int token = value("lock") ? value("lock")->bytes().sliced(6).toInt() : -1;
            const auto left = keys::leftAt(record->deadline, record->sampled);
            if (std::chrono::round<std::chrono::seconds>(left) / 100s != token
                && std::chrono::abs(left - (token + 1) * 100s) > 20s)
                ++torn;
        });
        for (int token = 1; token <= 8; ++token) {
            const QByteArray lifetime = QByteArray::number((token + 1) * 100'000);
            QVERIFY((*server)({"SET", "lock", "token-" + QByteArray::number(token), "PX", lifetime}).isOk());
            LATCHKEY_AWAIT(value("lock") && value("lock")->bytes() == "token-" + QByteArray::number(token));
        }
        QCOMPARE(torn, 0);
    }

    /// After a reconnect every key is read again; keys on screen together with their value.
    void valueAndTimeLeft_areShownTogetherAfterAReconnectToo()
    {
        QVERIFY((*server)({"SET", "lock", "token-0", "PX", "100000"}).isOk());
        fill("other", 2000);
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->liveCount() == 2001);
        const auto attend = [&] { watcher->setVisibleKeys({*store->known().table.find("lock")}); };
        attend();
        LATCHKEY_AWAIT(value("lock"));
        int torn = 0;
        connect(watcher.get(), &Watcher::ticked, list.get(), [&] {
            const auto record = lease("lock");
            const bool isOldToken = value("lock") && value("lock")->bytes() == "token-0";
            if (record && isOldToken && keys::leftAt(record->deadline, record->sampled) > 500s)
                ++torn;
        });
        QVERIFY((*server)({"EVAL",
                           "redis.call('SET', 'lock', 'token-1', 'PX', 900000) return redis.call('PTTL', 'lock')", "0"})
                    .isInteger());
        (void)(*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
        LATCHKEY_AWAIT(value("lock") && value("lock")->bytes() == "token-1");
        QCOMPARE(torn, 0);
        LATCHKEY_AWAIT(keys::leftAt(lease("lock")->deadline, lease("lock")->sampled) > 500s);
    }

    /// Values for sorting are read within the limit if the user wants the limit for all reads.
    void completion_keepsTheLimitWhereTheFirstScanDoes()
    {
        fill("k", 2000);
        clock->setSpeed(4);
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->liveCount() == 2000);
        watcher->setCommandsPerSecond(300);
        watcher->setFirstScanLimit(watcher->limit());
        watcher->setCompletion(ValueReader::Part::Values);
        const quint64 before = session->commandsSent();
        const auto start = clock->now();
        LATCHKEY_AWAIT(clock->now() > start + 3s);
        const std::chrono::duration<double> seconds = clock->now() - start;
        const double perSecond = static_cast<double>(session->commandsSent() - before) / seconds.count();
        QVERIFY2(perSecond < 400, qPrintable(QString::number(perSecond)));
        QVERIFY2(!store->known().values.isEmpty(), "it must be reading, else nothing is tested");
        watcher->setFirstScanLimit({});
        LATCHKEY_AWAIT(store->known().values.size() == 2000);
    }

    /// If the user wants it, the limit also holds for the first scan, and the watcher reports the resulting duration.
    void pacedFirstScan_keepsTheLimit()
    {
        fill("k", 1200);
        clock->setSpeed(4);
        begin(server->endpoint());
        const auto limit = CommandLimit::ofRate(400);
        watcher->setFirstScanLimit(limit);
        QCOMPARE(watcher->scanTimeWithin(limit, 800'000), 2002s);
        LATCHKEY_AWAIT(watcher->phase() == Phase::FirstScan);
        const auto started = clock->now();
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        LATCHKEY_AWAIT(list->rowCount() == 1200);
        const std::chrono::duration<double> seconds = clock->now() - started;
        const double perSecond = 1200 / seconds.count();
        QVERIFY2(perSecond < 520, qPrintable(QString::number(perSecond)));
    }

    void newKeys_areFoundWithinTheReportedTime()
    {
        watch(server->endpoint());
        LATCHKEY_AWAIT(watcher->newKeyDelay());
        QVERIFY(*watcher->newKeyDelay() >= 250ms);
    }

    void nothing_isEverWritten()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "60000"}).isOk());
        QVERIFY(!(*server)({"HSET", "h", "f", "v"}).isError());
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "on", ">p", "~*", "+@read", "+@connection", "+info"}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("p");
        watch(endpoint);
        LATCHKEY_AWAIT(list->rowCount() == 2);
        std::vector<keys::KeyId> all {list->idAt(0), list->idAt(1)};
        watcher->setVisibleKeys(all);
        LATCHKEY_AWAIT(store->known().value(all[0]) && store->known().value(all[1]));
        const auto log = (*server)({"ACL", "LOG"}).elements();
        QVERIFY2(log.empty(), qPrintable(resp::Reply::array(log).toText()));
    }

    void deniedScan_isReported()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-scan"}).isOk());
        begin(server->endpoint());
        LATCHKEY_AWAIT(watcher->problem());
        QCOMPARE(watcher->problem()->kind, base::ErrorKind::PermissionDenied);
    }
};

LATCHKEY_TEST(TestWatcher)

} // namespace tst_watcher

#include "tst_watcher.moc"
