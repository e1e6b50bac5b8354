#include "core/inspect/inspection/release.h"
#include "core/keyspace/watching/conditionalchanges.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/net/subscription.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_release {

using namespace latchkey;
using namespace latchkey::inspection;
using watching::ChangeOutcome;
using Obstacle = ReleaseMethod::Obstacle;
using Commands = QList<QList<QByteArray>>;

namespace {

const QByteArray redissonHolder = QByteArrayLiteral("b801a03b-dd72-4e75-bef2-e05bf3630559:23");
const QByteArray hexToken = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
const QByteArray uuid = QByteArrayLiteral("8169db19-d780-4b1d-9940-f8d3afdd0a1f");
const QByteArray signalToken = QByteArrayLiteral("hU5NP/Gks9a7R2Q3MgFpiKeD");
const QByteArray symfonyToken = QByteArrayLiteral("ZwEePKKC41G9O+ee5ATGaEcLUnswlnUNDuomJJLG/84=");

} // namespace

/// The release of a lock by its kind: determined and carried out on a real server.
class TestRelease final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<exchange::BlockingDriver> driver;

    resp::Reply send(const QList<QByteArray> &words)
    {
        resp::Command command;
        for (const QByteArray &word : words)
            command << word;
        return (*server)(command);
    }
    ReleasePlan look(const QByteArray &key, bool isCluster = false)
    {
        return driver->run(readForRelease(base::Key(key), recognition::Recogniser(), isCluster)).value();
    }
    static QByteArrayList names(const ReleaseMethod &method)
    {
        QByteArrayList all;
        for (const resp::Command &command : method.wakeCommands)
            all += command.words().at(0) + ' ' + command.words().at(1);
        return all;
    }

private Q_SLOTS:
    void initTestCase()
    {
        server = std::make_unique<test::TestServer>();
        driver = std::make_unique<exchange::BlockingDriver>(std::vector {server->endpoint()});
    }
    void cleanup() { QVERIFY(send({"FLUSHALL"}).isOk()); }

    void way_isThatOfTheKind_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<Commands>("writes");
        QTest::addColumn<Obstacle>("obstacle");
        QTest::addColumn<QByteArrayList>("beside");
        const auto add = [](const char *name, const QByteArray &key, const Commands &writes, Obstacle obstacle,
                            const QByteArrayList &beside = {}) {
            QTest::addRow("%s", name) << key << writes << obstacle << beside;
        };
        add("a token", "lock:a", {{"SET", "lock:a", hexToken, "PX", "600000"}}, Obstacle::None);
        add("a constant", "lock:a", {{"SET", "lock:a", "1", "PX", "600000"}}, Obstacle::None);
        add("a host and a process", "lock:a", {{"SET", "lock:a", "worker-7:4711", "PX", "600000"}}, Obstacle::None);
        add("no lock", "page:7", {{"SET", "page:7", "<html>"}}, Obstacle::NoLock);
        add("nothing", "lock:a", {}, Obstacle::NoLock);
        add("a list for those who wait", "lock:pages", {{"SET", "lock:pages", signalToken, "PX", "600000"}},
            Obstacle::None, {"DEL lock-signal:pages", "LPUSH lock-signal:pages", "PEXPIRE lock-signal:pages"});
        add("such a list under a prefix", "app:lock:pages", {{"SET", "app:lock:pages", signalToken, "PX", "600000"}},
            Obstacle::Unknown);
        add("Redisson", "order:5", {{"HSET", "order:5", redissonHolder, "2"}, {"PEXPIRE", "order:5", "30000"}},
            Obstacle::None, {"PUBLISH redisson_lock__channel:{order:5}", "PUBLISH redisson_lock__channel__{order:5}"});
        add("Redisson with fencing numbers", "order:5",
            {{"HSET", "order:5", redissonHolder, "1"},
             {"PEXPIRE", "order:5", "30000"},
             {"SET", "redisson_lock_token:{order:5}", "7"}},
            Obstacle::None, {"PUBLISH redisson_lock__channel:{order:5}", "PUBLISH redisson_lock__channel__{order:5}"});
        add("Redisson with a queue", "order:5",
            {{"HSET", "order:5", redissonHolder, "1"},
             {"PEXPIRE", "order:5", "30000"},
             {"RPUSH", "redisson_lock_queue:{order:5}", "414e56dd-1864-48ac-a6b6-a88cb86a407a:26"}},
            Obstacle::Queue);
        add("Redisson's readers", "catalogue",
            {{"HSET", "catalogue", "mode", "read", redissonHolder, "1"}, {"PEXPIRE", "catalogue", "30000"}},
            Obstacle::Shared);
        add("Redisson's permits", "{permits}:timeout",
            {{"SET", "permits", "2"}, {"ZADD", "{permits}:timeout", "1795319834231", "0123456789abcdef"}},
            Obstacle::Permits);
        add("BullMQ", "bull:mail:1:lock",
            {{"SET", "bull:mail:1:lock", uuid + ":3", "PX", "30000"}, {"RPUSH", "bull:mail:active", "1"}},
            Obstacle::Job);
        add("ShedLock", "job-lock:prod:cleanup",
            {{"SET", "job-lock:prod:cleanup", "ADDED:2026-11-22T04:24:34.074Z@vm:" + uuid, "PX", "60000"}},
            Obstacle::Unknown);
        add("Symfony, one", "catalogue",
            {{"ZADD", "catalogue", "4102444800000", symfonyToken, "4102444800000", "__write__"},
             {"PEXPIRE", "catalogue", "60000"}},
            Obstacle::None);
        add("Symfony, two readers", "catalogue",
            {{"ZADD", "catalogue", "4102444800000", symfonyToken, "4102444800000",
              "fVDQu+QsOx+4FlH1+1ZGOH1D9e6+NqZipHzCHzf+b84="},
             {"PEXPIRE", "catalogue", "60000"}},
            Obstacle::Shared);
    }
    void way_isThatOfTheKind()
    {
        QFETCH(QByteArray, key);
        QFETCH(Commands, writes);
        for (const QList<QByteArray> &write : writes)
            QVERIFY(!send(write).isError());
        const ReleasePlan found = look(key);
        QTEST(found.method.obstacle, "obstacle");
        QTEST(names(found.method), "beside");
        QCOMPARE(found.snapshot.exists(), !writes.isEmpty());
    }

    void clusterNode_tellsTheShardToo()
    {
        QVERIFY(!send({"HSET", "order:5", redissonHolder, "2"}).isError());
        const ReleaseMethod method = look("order:5", true).method;
        QVERIFY(names(method).contains("SPUBLISH redisson_lock__channel:{order:5}"));
        QCOMPARE(method.holdCount, 2);
    }

    /// The whole hold ends at once, and waiting clients are notified as by the holder's release.
    void releasedHold_isReportedToWaitingClients()
    {
        QVERIFY(!send({"HSET", "order:5", redissonHolder, "2"}).isError());
        QVERIFY(send({"PEXPIRE", "order:5", "30000"}).isInteger(1));
        net::Session session(server->endpoint(), base::SystemClock::instance(), random);
        net::Subscription waiting(session);
        QByteArrayList received;
        connect(&waiting, &net::Subscription::message, this,
                [&](const QByteArray &, const resp::Reply &payload) { received += payload.bytes(); });
        waiting.subscribe({"redisson_lock__channel:{order:5}"}, {});
        session.start();
        LATCHKEY_AWAIT(waiting.isActive());
        const ReleasePlan found = look("order:5");
        const auto acted = driver->run(watching::deleteIfUnchanged(found.snapshot, found.method.wakeCommands));
        LATCHKEY_VERIFY_RESULT(acted);
        QCOMPARE(acted->outcome, ChangeOutcome::Done);
        QVERIFY(send({"EXISTS", "order:5"}).isInteger(0));
        LATCHKEY_AWAIT(!received.isEmpty());
        QCOMPARE(received, QByteArrayList {"0"});
    }

    void releasedLock_wakesWhoSleepsOnItsList()
    {
        QVERIFY(send({"SET", "lock:pages", signalToken, "PX", "600000"}).isOk());
        const ReleasePlan found = look("lock:pages");
        QCOMPARE(driver->run(watching::deleteIfUnchanged(found.snapshot, found.method.wakeCommands)).value().outcome,
                 ChangeOutcome::Done);
        QVERIFY(send({"EXISTS", "lock:pages"}).isInteger(0));
        QVERIFY(send({"BLPOP", "lock-signal:pages", "30"}).elements().back().isBulk("1"));
    }
};

LATCHKEY_TEST(TestRelease)

} // namespace tst_release

#include "tst_release.moc"
