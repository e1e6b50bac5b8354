#include "core/inspect/detection/lockanalysis.h"
#include "core/inspect/inspection/inspectedserver.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_holderclients {

using namespace latchkey;
using namespace latchkey::detection;
using namespace latchkey::inspection;
using base::SystemClock;
using findings::FindingKind;
using test::OtherClient;
using watching::Watcher;
using Criterion = ClientMatch::Criterion;
using namespace std::chrono_literals;

/// Holders and their clients on a real server.
class TestHolderClients final : public QObject
{
    Q_OBJECT

    static constexpr std::chrono::milliseconds askInterval {200}; // A tenth of the usual one.

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<InspectedServer> inspected;

    void open(const net::Endpoint &endpoint)
    {
        inspected = std::make_unique<InspectedServer>(endpoint, false, SystemClock::instance(), random);
        inspected->clients().setRequestInterval(askInterval);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
    }
    void hold(const QByteArray &key, const QByteArray &value)
    {
        QVERIFY((*server)({"SET", key, value, "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(inspected->locks().isLock(key));
    }
    /// Returns the known clients of the lock's holders; `isShown`: as for a lock whose details are shown.
    std::vector<HolderClients::HolderClient> matched(const QByteArray &key, bool isShown = false)
    {
        const auto decoded = inspected->locks().recognise(key).decoded;
        return isShown ? inspected->clients().clientsForDetails(key, decoded)
                       : inspected->clients().clientsOf(key, decoded);
    }
    [[nodiscard]] bool hasFinding(const QByteArray &key) const
    {
        const auto found = inspected->evaluator().findingsOf(key);
        return std::ranges::any_of(found, [](const auto &finding) { return finding.kind == FindingKind::HolderGone; });
    }
    /// Returns how often the server was asked for its clients.
    [[nodiscard]] qint64 timesAsked()
    {
        const QByteArray stats = (*server)({"INFO", "commandstats"}).bytes();
        const QByteArray mark = "cmdstat_client|list:calls=";
        const qsizetype at = stats.indexOf(mark);
        return at < 0 ? 0 : stats.sliced(at + mark.size()).split(',').front().toLongLong();
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        inspected.reset();
        server.reset();
    }

    void holder_isJoinedToTheClientOfItsName()
    {
        open(server->endpoint());
        const OtherClient worker(server->endpoint(), "worker-7");
        const OtherClient bystander(server->endpoint(), "worker-8");
        hold("lock:order", "worker-7"); // No user looks at it, but it is evaluated.
        LATCHKEY_AWAIT(matched("lock:order").size() == 1);
        const HolderClients::HolderClient found = matched("lock:order").front();
        QCOMPARE(found.match.criterion, Criterion::Name);
        QCOMPARE(found.holder, QByteArray("worker-7"));
        QCOMPARE(found.match.clients.size(), std::size_t(1));
        QCOMPARE(found.match.clients.front().id, worker({"CLIENT", "ID"}).toInteger());
        QVERIFY(found.isConnected);
        QVERIFY(!hasFinding("lock:order"));
    }

    void holder_isJoinedToTheClientOfItsAddress()
    {
        const quint16 port = test::freePort();
        server = std::make_unique<test::TestServer>(test::listeningAt(port));
        open(server->endpoint());
        const OtherClient worker(test::localEndpoint(port));
        QVERIFY(worker.address().startsWith("127.0.0.1:"));
        hold("lock:order", worker.address());
        LATCHKEY_AWAIT(matched("lock:order").size() == 1);
        QCOMPARE(matched("lock:order").front().match.criterion, Criterion::Address);
        QCOMPARE(matched("lock:order").front().match.value, worker.address());
    }

    void holder_isJoinedToTheConnectionThatItNames()
    {
        open(server->endpoint());
        const OtherClient worker(server->endpoint());
        const qint64 id = worker({"CLIENT", "ID"}).toInteger();
        hold("lock:order", "{\"owner\":\"billing-3\",\"connectionId\":" + QByteArray::number(id) + "}");
        LATCHKEY_AWAIT(matched("lock:order").size() == 1);
        QCOMPARE(matched("lock:order").front().match.criterion, Criterion::Id);
        QCOMPARE(matched("lock:order").front().match.clients.front().id, id);
    }

    /// Joined only by a trace: neither the token nor the client's name identifies the client.
    void holder_isJoinedToTheClientThatWasTraced_data()
    {
        QTest::addColumn<QList<QByteArray>>("acquiring");
        QTest::addColumn<QByteArray>("holder");
        const QByteArray token = "9891ac7c19c1ec9e54f0c08c8074917c";
        QTest::addRow("by one command") << QList<QByteArray> {"SET", "lock:order", token, "NX", "PX", "600000"}
                                        << token;
        QTest::addRow("by a script") << QList<QByteArray> {
            "EVAL", "return redis.call('SET',KEYS[1],ARGV[1],'NX','PX',600000)", "1", "lock:order",
            token} << token;
        QTest::addRow("and nobody is named")
            << QList<QByteArray> {"SET", "lock:order", "1", "NX", "PX", "600000"} << QByteArray();
    }
    void holder_isJoinedToTheClientThatWasTraced()
    {
        QFETCH(QList<QByteArray>, acquiring);
        QFETCH(QByteArray, holder);
        const quint16 port = test::freePort();
        server = std::make_unique<test::TestServer>(test::listeningAt(port));
        const net::Endpoint endpoint = test::localEndpoint(port);
        open(endpoint);
        watching::KeyTrace trace(SystemClock::instance());
        inspected->listenTo(trace);
        bool hasBegun = false;
        connect(&trace, &watching::KeyTrace::began, this, [&] { hasBegun = true; });
        trace.start(endpoint, {"lock:order"}, 60s);
        LATCHKEY_AWAIT(hasBegun);

        auto worker = std::make_unique<OtherClient>(endpoint);
        const OtherClient loser(endpoint);
        const QByteArray address = worker->address();
        resp::Command command;
        for (const QByteArray &word : acquiring)
            command << word;
        QVERIFY((*worker)(command).isOk());
        (void)loser({"SET", "lock:order", "f442172cd0841b68177e827d1a6528b1", "NX", "PX", "600000"});
        LATCHKEY_AWAIT(matched("lock:order").size() == 1);
        const HolderClients::HolderClient found = matched("lock:order").front();
        QCOMPARE(found.match.criterion, Criterion::Trace);
        QCOMPARE(found.holder, holder);
        QCOMPARE(found.match.value, address);
        QCOMPARE(found.match.clients.size(), std::size_t(1));
        QVERIFY(found.isConnected);
        QVERIFY(!hasFinding("lock:order"));
        worker.reset();
        LATCHKEY_AWAIT(hasFinding("lock:order"));
    }

    /// A killed client is a finding until the client is back.
    void clientThatIsKilled_isAFindingUntilItIsBack()
    {
        open(server->endpoint());
        auto worker = std::make_unique<OtherClient>(server->endpoint(), "worker-7");
        hold("lock:order", "worker-7");
        LATCHKEY_AWAIT(matched("lock:order").size() == 1);
        QVERIFY(!hasFinding("lock:order"));
        const qint64 id = (*worker)({"CLIENT", "ID"}).toInteger();
        QVERIFY((*server)({"CLIENT", "KILL", "ID", QByteArray::number(id)}).isInteger(1));
        LATCHKEY_AWAIT(hasFinding("lock:order"));
        QVERIFY(!matched("lock:order").front().isConnected);
        LATCHKEY_AWAIT(inspected->locks().findingCount() == 1); // Counted too, so that the table shows it.
        worker = std::make_unique<OtherClient>(server->endpoint(), "worker-7");
        LATCHKEY_AWAIT(!hasFinding("lock:order") && inspected->locks().findingCount() == 0);
    }

    /// Only a client that was connected can disconnect.
    void holderThatWasNeverConnected_isNoFinding()
    {
        open(server->endpoint());
        hold("lock:order", "worker-7");
        LATCHKEY_AWAIT(timesAsked() >= 3);
        QVERIFY(matched("lock:order").empty());
        QVERIFY(!hasFinding("lock:order"));
    }

    void anotherHolder_isAnotherClient()
    {
        open(server->endpoint());
        const OtherClient seven(server->endpoint(), "worker-7");
        const OtherClient eight(server->endpoint(), "worker-8");
        hold("lock:order", "worker-7");
        LATCHKEY_AWAIT(matched("lock:order").size() == 1);
        QVERIFY((*server)({"SET", "lock:order", "worker-8", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(matched("lock:order").size() == 1 && matched("lock:order").front().holder == "worker-8");
        QCOMPARE(matched("lock:order").front().match.value, QByteArray("worker-8"));
    }

    void unmatchableHolders_causeNoClientListUntilAPageShowsClients()
    {
        open(server->endpoint());
        const QByteArray token = "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6";
        const OtherClient worker(server->endpoint(), token); // The client's name equals its token.
        hold("lock:order", token);
        LATCHKEY_AWAIT(inspected->locks().isIdle());
        // A request because of the lock would have been sent before this one.
        bool isAnswered = false;
        inspected->watcher().send({resp::ping()}, this, [&](const auto &) { isAnswered = true; });
        LATCHKEY_AWAIT(isAnswered);
        QCOMPARE(timesAsked(), 0);
        LATCHKEY_AWAIT(matched("lock:order", true).size() == 1);
        QCOMPARE(matched("lock:order", true).front().match.criterion, Criterion::Name);
        QVERIFY(timesAsked() > 0);
    }

    void serverIsAsked_atMostEveryTwoSeconds_andOnlyWhileThereIsALock()
    {
        static_assert(HolderClients::defaultRequestInterval == 2s);
        open(server->endpoint());
        const auto from = SystemClock::instance().now();
        hold("lock:order", "worker-7");
        LATCHKEY_AWAIT(timesAsked() >= 3);
        QVERIFY(SystemClock::instance().now() - from >= 2 * askInterval);
        QVERIFY((*server)({"DEL", "lock:order"}).isInteger(1));
        LATCHKEY_AWAIT(!inspected->locks().isLock("lock:order"));
        const qint64 before = timesAsked();
        const auto until = SystemClock::instance().now() + 5 * askInterval / 2;
        LATCHKEY_AWAIT(SystemClock::instance().now() > until);
        QVERIFY(timesAsked() <= before + 1);
    }

    void veryManyLocks_onlySomeAndTheShownOnesAreMatched()
    {
        constexpr int locks = HolderClients::maxFollowed + 100;
        const OtherClient worker(server->endpoint(), "worker-7");
        QVERIFY(
            (*server)({"EVAL",
                       "for i = 1, ARGV[1] do redis.call('SET', 'lock:' .. i, 'worker-7', 'PX', 900000) end return 1",
                       "0", QByteArray::number(locks)})
                .isInteger(1));
        open(server->endpoint());
        const auto keys = [] {
            QByteArrayList all;
            for (int i = 1; i <= locks; ++i)
                all += "lock:" + QByteArray::number(i);
            return all;
        }();
        LATCHKEY_AWAIT(inspected->locks().lockCount() == locks && inspected->locks().isIdle());
        const auto joinedCount = [&] {
            return static_cast<qsizetype>(
                std::ranges::count_if(keys, [&](const QByteArray &key) { return !matched(key).empty(); }));
        };
        LATCHKEY_AWAIT(joinedCount() > 0);
        QCOMPARE(joinedCount(), HolderClients::maxFollowed);
        const auto left = std::ranges::find_if(keys, [&](const QByteArray &key) { return matched(key).empty(); });
        QVERIFY(left != keys.end());
        QCOMPARE(matched(*left, true).size(), std::size_t(1));
    }

    /// The table shows the client of a lock that no user looks at.
    void client_isAFactOfTheLock()
    {
        open(server->endpoint());
        hold("lock:order", "worker-7");
        const auto analysis = [&] {
            const keys::KnownKeys &known = inspected->store().known();
            const auto id = known.table.find("lock:order");
            const keys::KeyAnalysis *found = id ? known.analysisOf(*id) : nullptr;
            return found == nullptr ? keys::KeyAnalysis() : *found;
        };
        LATCHKEY_AWAIT(analysis().holder == "worker-7");
        QCOMPARE(analysis().clientName, QByteArray());
        const OtherClient worker(server->endpoint(), "worker-7");
        LATCHKEY_AWAIT(analysis().clientName == "worker-7");
        QCOMPARE(analysis().clientAddress, QByteArray()); // All clients of a Unix socket have one address.
    }

    void clientOfTheFacts_data()
    {
        QTest::addColumn<QByteArrayList>("addresses");
        QTest::addColumn<QByteArray>("address");
        QTest::addRow("TCP") << QByteArrayList {"10.0.0.12:5041"} << QByteArray("10.0.0.12:5041");
        QTest::addRow("socket") << QByteArrayList {"/tmp/redis.sock:0"} << QByteArray();
        QTest::addRow("several connections") << QByteArrayList {"10.0.0.12:5041", "10.0.0.12:5042"} << QByteArray();
    }
    void clientOfTheFacts()
    {
        QFETCH(QByteArrayList, addresses);
        HolderClients::HolderClient matched;
        matched.holder = "token";
        for (const QByteArray &address : addresses)
            matched.match.clients.push_back({7, address, "worker-7", {}, {}, 1s, 0s, {}});
        keys::KeyAnalysis analysis;
        analysis.holder = "token";
        detection::addClient({matched}, analysis);
        QCOMPARE(analysis.clientName, QByteArray("worker-7"));
        QTEST(analysis.clientAddress, "address");
        analysis = {};
        analysis.holder = "another";
        detection::addClient({matched}, analysis);
        QCOMPARE(analysis.clientName, QByteArray());
    }

    void deniedRequest_isSentOnceAndReported()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|list"}).isOk());
        open(server->endpoint());
        hold("lock:order", "worker-7");
        LATCHKEY_AWAIT(inspected->clients().denial());
        QCOMPARE(inspected->clients().denial()->kind, base::ErrorKind::PermissionDenied);
        const auto until = SystemClock::instance().now() + 3 * askInterval / 2;
        LATCHKEY_AWAIT(SystemClock::instance().now() > until);
        QVERIFY(matched("lock:order", true).empty());
        const QByteArray stats = (*server)({"INFO", "commandstats"}).bytes();
        QVERIFY2(stats.contains("cmdstat_client|list:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,"),
                 stats.constData());
        // The permission was granted meanwhile, and the connection is new.
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+client|list"}).isOk());
        const OtherClient worker(server->endpoint(), "worker-7");
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger());
        inspected->session().stop();
        inspected->session().start();
        LATCHKEY_AWAIT(!inspected->clients().denial() && matched("lock:order", true).size() == 1);
    }
};

LATCHKEY_TEST(TestHolderClients)

} // namespace tst_holderclients

#include "tst_holderclients.moc"
