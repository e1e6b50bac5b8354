#include "core/inspect/inspection/serverregistry.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/sentinelsetup.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_incidents {

using namespace latchkey;
using namespace latchkey::inspection;
using base::SystemClock;
using watching::Watcher;
using Kind = Incident::Kind;

/// Incidents of a server: each is reported once, and writing is disarmed until the user arms it again.
class TestIncidents final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<ServerRegistry> registry;

    std::shared_ptr<InspectedServer> open(const net::Endpoint &endpoint, bool isPrivate = false)
    {
        auto inspected = registry->open(endpoint, isPrivate);
        inspected->start();
        [&] { LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching); }();
        inspected->setArmed(true);
        return inspected;
    }
    static void fill(test::TestServer &server, int keys)
    {
        QVERIFY(server({"EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'k:' .. i, 'v') end return 1", "0",
                        QByteArray::number(keys)})
                    .isInteger(1));
    }

private Q_SLOTS:
    void initTestCase() { qRegisterMetaType<Incident>(); }
    void init() { registry = std::make_unique<ServerRegistry>(SystemClock::instance(), random); }

    void flush_isReportedWithItsCountAndDisarms_data()
    {
        QTest::addColumn<int>("keys");
        for (const int keys : {1, 100, 200, 5000})
            QTest::addRow("%d", keys) << keys;
    }
    void flush_isReportedWithItsCountAndDisarms()
    {
        QFETCH(int, keys);
        test::TestServer server;
        fill(server, keys);
        const auto inspected = open(server.endpoint());
        LATCHKEY_AWAIT(inspected->store().liveCount() == keys);
        LATCHKEY_AWAIT(inspected->events().mechanism() != watching::EventSource::Mechanism::None);
        QSignalSpy told(inspected.get(), &InspectedServer::incidentHappened);
        const base::MonotonicTime before = SystemClock::instance().now();
        QVERIFY(server({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(told.count() == 1);
        const auto incident = told.front().front().value<Incident>();
        QCOMPARE(incident.kind, Kind::Flushed);
        QCOMPARE(incident.keys, keys);
        QVERIFY(!inspected->isArmed());
        LATCHKEY_AWAIT(inspected->store().endedCounter().since(before) == keys);
    }

    void lastLocksRelease_isNoFlush()
    {
        test::TestServer server;
        fill(server, 1);
        const auto inspected = open(server.endpoint());
        LATCHKEY_AWAIT(inspected->store().liveCount() == 1);
        const QSignalSpy told(inspected.get(), &InspectedServer::incidentHappened);
        QVERIFY(server({"DEL", "k:1"}).isInteger(1));
        LATCHKEY_AWAIT(inspected->store().liveCount() == 0);
        fill(server, 2); // The reports about these keys come after a report of a flush.
        LATCHKEY_AWAIT(inspected->store().liveCount() == 2);
        QCOMPARE(told.count(), 0);
        QVERIFY(inspected->isArmed());
    }

    void otherProcessAtTheAddress_isReportedAndDisarms()
    {
        const quint16 port = test::freePort();
        auto first = std::make_unique<test::TestServer>(test::listeningAt(port));
        fill(*first, 300);
        const auto inspected = open(test::localEndpoint(port));
        LATCHKEY_AWAIT(inspected->store().liveCount() == 300);
        QSignalSpy told(inspected.get(), &InspectedServer::incidentHappened);
        first->kill();
        first.reset();
        const test::TestServer second(test::listeningAt(port));
        inspected->session().retryNow();
        LATCHKEY_AWAIT(told.count() >= 1);
        QCOMPARE(told.front().front().value<Incident>().kind, Kind::Restarted);
        QVERIFY(!inspected->isArmed());
        LATCHKEY_AWAIT(inspected->store().liveCount() == 0);
    }

    void failover_isReportedAndDisarms()
    {
        test::TestServer server;
        const auto inspected = open(server.endpoint());
        LATCHKEY_AWAIT(inspected->evaluator().server().isReplica == false);
        LATCHKEY_AWAIT(inspected->isArmed());
        QSignalSpy told(inspected.get(), &InspectedServer::incidentHappened);
        const auto reconnect = [&] { return server({"CLIENT", "KILL", "TYPE", "normal"}).isInteger(); };
        QVERIFY(server({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        QVERIFY(reconnect());
        LATCHKEY_AWAIT(told.count() == 1);
        QCOMPARE(told.front().front().value<Incident>().kind, Kind::Demoted);
        QVERIFY(!inspected->isArmed());
        QVERIFY(server({"REPLICAOF", "NO", "ONE"}).isOk());
        QVERIFY(reconnect());
        LATCHKEY_AWAIT(told.count() == 2);
        QCOMPARE(told.back().front().value<Incident>().kind, Kind::Promoted);
    }

    /// The sentinels move the server to another address. The lost lock ends in the history, and the kept one stays.
    void failoverBySentinels_isReportedAndDisarms()
    {
        test::SentinelSetup setup;
        const auto inspected = open(setup.endpoint());
        QVERIFY(setup.ask(0, {"SET", "lock:kept", QByteArray(32, 'a'), "PX", "60000"}).isOk());
        setup.awaitReplicas();
        setup.suspend(1);
        setup.suspend(2);
        QVERIFY(setup.ask(0, {"CLIENT", "KILL", "TYPE", "replica"}).isInteger());
        QVERIFY(setup.ask(0, {"SET", "lock:lost", QByteArray(32, 'b'), "PX", "60000"}).isOk());
        const history::History &history = inspected->holds().history();
        LATCHKEY_AWAIT(history.holds({"lock:kept"}).size() == 1 && history.holds({"lock:lost"}).size() == 1);
        QSignalSpy told(inspected.get(), &InspectedServer::incidentHappened);
        setup.kill(0);
        setup.resume(1);
        setup.resume(2);
        LATCHKEY_AWAIT(told.count() == 1);
        const auto incident = told.front().front().value<Incident>();
        QCOMPARE(incident.kind, Kind::FailedOver);
        QCOMPARE(incident.from, setup.address(0));
        // The sentinels learn of it one after the other.
        LATCHKEY_AWAIT(setup.namedPrimary() > 0 && incident.to == setup.address(setup.namedPrimary()));
        QVERIFY(!inspected->isArmed());
        LATCHKEY_AWAIT(history.holds({"lock:lost"}).back().isOver());
        QCOMPARE(history.holds({"lock:lost"}).back().ending, events::Ending::Lost);
        QCOMPARE(history.holds({"lock:lost"}).back().holder, QByteArray(32, 'b'));
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        QVERIFY(!history.holds({"lock:kept"}).back().isOver());
    }

    /// It belongs to this program, so no foreign keys are at risk.
    void privateServer_staysArmed()
    {
        test::TestServer server;
        fill(server, 300);
        const auto inspected = open(server.endpoint(), true);
        LATCHKEY_AWAIT(inspected->store().liveCount() == 300);
        const QSignalSpy told(inspected.get(), &InspectedServer::incidentHappened);
        QVERIFY(server({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(told.count() == 1);
        QVERIFY(inspected->isArmed());
    }

    void sentences_nameTheServer()
    {
        const QString place = QStringLiteral("redis://db:6379");
        QCOMPARE(incidentText({Kind::Flushed, 5000}, place).toString(),
                 QStringLiteral("redis://db:6379 was flushed: 5000 keys went at once"));
        for (const Kind kind : {Kind::Restarted, Kind::Demoted, Kind::Promoted})
            QVERIFY(incidentText({kind, 0}, place).toString().contains(place));
    }
};

LATCHKEY_TEST(TestIncidents)

} // namespace tst_incidents

#include "tst_incidents.moc"
