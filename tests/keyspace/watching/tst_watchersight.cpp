#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/watching/serverwatcher.h"
#include "tests/support/await.h"
#include "tests/support/fakeredis.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

namespace tst_watchersight {

using namespace latchkey;
using namespace latchkey::events;
using namespace latchkey::watching;
using base::ErrorKind;
using base::Glob;
using base::SystemClock;
using keys::KeyStore;
using net::Session;
using Phase = Watcher::Phase;
using namespace std::chrono_literals;

/// Tests of the coverage that a watcher reports, on real servers that fail.
class TestWatcherSight final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Session> session;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;
    std::unique_ptr<ServerWatcher> watcher;
    int ticks = 0;

    void begin() { begin(server->endpoint()); }
    void begin(const net::Endpoint &endpoint)
    {
        session = std::make_unique<Session>(endpoint, SystemClock::instance(), random);
        store = std::make_unique<KeyStore>(SystemClock::instance());
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
        dispatcher = std::make_unique<ObservationDispatcher>();
        watcher = std::make_unique<ServerWatcher>(*session, store->known(), *dispatcher, SystemClock::instance());
        dispatcher->addFirst(*feed);
        connect(watcher.get(), &Watcher::ticked, this, [this] {
            ++ticks;
            (void)store->commit();
        });
        session->start();
    }
    void watch()
    {
        begin();
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching && watcher->coverage().isComplete());
    }
    /// Returns the number of commands sent during `count` ticks of the watcher.
    quint64 commandsIn(int count)
    {
        const quint64 before = session->commandsSent();
        const int until = ticks + count;
        (void)test::waitFor([&] { return ticks >= until; });
        return session->commandsSent() - before;
    }
    void signalServer(int number) const { ::kill(static_cast<pid_t>(server->process().processId()), number); }
    void fill(int count)
    {
        QVERIFY((*server)({"EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'k:' .. i, 'v', 'PX', 600000) end return 1",
                           "0", QByteArray::number(count)})
                    .isInteger(1));
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        ticks = 0;
    }
    void cleanup()
    {
        watcher.reset();
        dispatcher.reset();
        feed.reset();
        store.reset();
        session.reset();
        server.reset();
    }

    void beforeTheFirstConnection_nothingIsSeen()
    {
        begin();
        QVERIFY(!watcher->coverage().isObserving());
        QCOMPARE(watcher->coverage().gap()->why.message(), QStringLiteral("not connected yet"));
        QSignalSpy changes(watcher.get(), &Watcher::gapChanged);
        LATCHKEY_AWAIT(session->state() == Session::State::Ready);
        QCOMPARE(changes.size(), 1);
        LATCHKEY_AWAIT(watcher->coverage().isComplete());
        QCOMPARE(watcher->coverage().unobservedDuration(), 0ns);
    }

    /// The key is neither absent nor present, because the server's reply says nothing about it.
    void replyOfAnotherType_tellsNothingOfAKey()
    {
        QByteArray left = ":3600000\r\n";
        const test::FakeRedis fake([&left](const QList<QByteArray> &command) -> QByteArray {
            if (command.front() == "SCAN")
                return QByteArrayLiteral("*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n");
            return command.front() == "PTTL" ? left : QByteArrayLiteral(":1\r\n");
        });
        begin(*net::Endpoint::fromUrl(fake.url()));
        LATCHKEY_AWAIT(store->liveCount() == 1 && watcher->coverage().isObserving());
        left = "+OK\r\n";
        watcher->keysChanged({"k"});
        LATCHKEY_AWAIT(!watcher->coverage().isObserving());
        const int until = ticks + 60;
        LATCHKEY_AWAIT(ticks >= until);
        QCOMPARE(store->liveCount(), 1);
        left = ":3600000\r\n";
        LATCHKEY_AWAIT(watcher->coverage().isObserving());
    }

    void completeScan_isComplete()
    {
        fill(2000);
        watch();
        const Coverage coverage = watcher->coverage();
        QCOMPARE(coverage.scannedKeys(), 2000);
        QCOMPARE(coverage.databaseSize().value_or(-1), 2000);
    }

    /// The server answers every request with the same error, so more requests do not help.
    void serverInTrouble_isAskedLess()
    {
        fill(1000);
        watch();
        const quint64 before = commandsIn(60);
        QVERIFY((*server)({"CONFIG", "SET", "replica-serve-stale-data", "no"}).isOk());
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        LATCHKEY_AWAIT(!watcher->coverage().isObserving());
        QCOMPARE(watcher->coverage().gap()->why.kind, ErrorKind::MasterDown);
        watcher->keysChanged({"k:1", "k:2"});
        const quint64 during = commandsIn(60);
        QVERIFY2(during < 40 && during < before, qPrintable(QString::number(during)));
        QVERIFY((*server)({"REPLICAOF", "NO", "ONE"}).isOk());
        LATCHKEY_AWAIT(watcher->coverage().isObserving());
        QVERIFY(watcher->coverage().unobservedDuration() > 0ns);
        QVERIFY((*server)({"SET", "new", "v"}).isOk());
        LATCHKEY_AWAIT(store->known().table.find("new"));
    }

    /// The gap of the watcher begins at the last reply, although the connection is open.
    void stoppedServer_isNotSeen()
    {
        watch();
        const base::MonotonicTime stopped = SystemClock::instance().now();
        signalServer(SIGSTOP);
        LATCHKEY_AWAIT(!watcher->coverage().isObserving());
        const Coverage coverage = watcher->coverage();
        QVERIFY(coverage.gap()->from <= stopped + 300ms);
        QVERIFY(coverage.unobservedDuration() >= CoverageMeter::maxSilence);
        QVERIFY(!coverage.isComplete());
        signalServer(SIGCONT);
        LATCHKEY_AWAIT(watcher->coverage().isObserving());
    }

    void lostServer_isNotSeenSinceItsLastReply()
    {
        watch();
        QSignalSpy changes(watcher.get(), &Watcher::gapChanged);
        server->kill();
        LATCHKEY_AWAIT(!watcher->coverage().isObserving());
        QVERIFY(!changes.isEmpty());
        QCOMPARE(watcher->phase(), Phase::Away);
    }

    void refusedScan_isBlindFromTheStart()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-scan"}).isOk());
        begin();
        LATCHKEY_AWAIT(session->state() == Session::State::Ready && !watcher->coverage().isObserving());
        const Coverage coverage = watcher->coverage();
        QCOMPARE(coverage.gap()->request.value_or(KeyRequest::Type), KeyRequest::Names);
        QVERIFY(coverage.narrowedTo(KeyRequest::Expiry).isObserving());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+scan"}).isOk());
        LATCHKEY_AWAIT(watcher->coverage().isObserving() && watcher->coverage().isScanComplete());
    }

    /// No key changes meanwhile, so no other request would show the permission.
    void refusedValues_areRetried_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command : {"getrange", "strlen", "type"})
            QTest::addRow("%s", command) << QByteArray(command);
    }
    void refusedValues_areRetried()
    {
        QFETCH(const QByteArray, command);
        fill(20);
        watch();
        const auto request = [this] {
            QList<QByteArray> names;
            for (int i = 1; i <= 20; ++i)
                names += "k:" + QByteArray::number(i);
            watcher->requestValues(names);
        };
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-" + command}).isOk());
        request();
        LATCHKEY_AWAIT(!watcher->coverage().isObserving());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+" + command}).isOk());
        LATCHKEY_AWAIT(watcher->coverage().isObserving() && store->known().values.size() == 20);
        QVERIFY(watcher->coverage().denied().empty());
    }

    /// The names of all keys are scanned, but other keys cost no request.
    void confinedWatcher_asksAboutItsKeysAlone()
    {
        fill(5000);
        for (const char *key : {"job:1", "job:2"})
            QVERIFY((*server)({"SET", key, "v"}).isOk());
        begin();
        watcher->setKeyFilter({Glob("job:*")});
        LATCHKEY_AWAIT(watcher->coverage().isComplete());
        QCOMPARE(watcher->coverage().scannedKeys(), 5002);
        LATCHKEY_AWAIT(store->liveCount() == 2);
        QVERIFY(session->commandsSent() < 1000);
        watcher->keysChanged({"k:1", "job:3"});
        QVERIFY((*server)({"SET", "job:3", "v"}).isOk());
        LATCHKEY_AWAIT(store->known().table.find("job:3"));
        QCOMPARE(store->liveCount(), 3);
    }
};

LATCHKEY_TEST(TestWatcherSight)

} // namespace tst_watchersight

#include "tst_watchersight.moc"
