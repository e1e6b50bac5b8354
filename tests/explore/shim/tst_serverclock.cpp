#include "core/explore/shim/serverclock.h"
#include "core/redis/net/dialer.h"
#include "core/redis/privateserver/privateserver.h"
#include "tests/explore/shim/programclockfixture.h"
#include "tests/support/foreignlibraries.h"
#include "tests/support/testprogram.h"

#include <thread>

namespace tst_serverclock {

using namespace latchkey;
using namespace std::chrono_literals;
using test::ProgramClockFixture;

namespace {

/// A real server with the clock of the fixture, and a connection to it.
class ClockedServer final
{
public:
    explicit ClockedServer(const ProgramClockFixture &fixture)
    {
        const auto view = fixture.clock->addView(shim::ProgramClock::server);
        server.setLaunchHook([&fixture, view](process::Launch &launch) { fixture.clock->show(view, launch); });
        if (const auto started = server.startAndWait(); !started)
            qFatal("%s", qPrintable(started.error().message()));
        auto dialled = net::dialBlocking(server.endpoint(), 30s);
        if (!dialled)
            qFatal("%s", qPrintable(dialled.error().message()));
        m_connection = std::move(dialled->connection);
    }

    resp::Reply operator()(const resp::Command &command)
    {
        auto reply = m_connection->execute(command, 30s);
        if (!reply)
            qFatal("%s", qPrintable(reply.error().message()));
        return std::move(*reply);
    }

    privateserver::PrivateServer server;

private:
    std::unique_ptr<net::BlockingConnection> m_connection;
};

} // namespace

/// Tests a real redis-server with a virtual clock.
class TestServerClock final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ttl_isExactForAsLongAsOneLikes()
    {
        const ProgramClockFixture fixture;
        ClockedServer server(fixture);
        QVERIFY(fixture.clock->usesOnlyVirtualClock(static_cast<pid_t>(server.server.processId())));
        QVERIFY(server({"SET", "k", "v", "PX", "5000"}).isOk());
        for (int i = 0; i < 2000; ++i)
            QVERIFY(server({"PTTL", "k"}).isInteger(5000));
        fixture.advanceClock(4999ms);
        QVERIFY(server({"PTTL", "k"}).isInteger(1));
        fixture.advanceClock(1ms);
        QVERIFY(server({"PTTL", "k"}).isInteger(0)); // Redis removes a key one millisecond after its expiry.
        QVERIFY(server({"GET", "k"}).isBulk("v"));
        fixture.advanceClock(1ms);
        QVERIFY(server({"GET", "k"}).isNil());
        QVERIFY(server({"PTTL", "k"}).isInteger(-2));
    }

    void date_isTheClocks()
    {
        const ProgramClockFixture fixture;
        ClockedServer server(fixture);
        const auto time = server({"TIME"});
        QVERIFY(time.elements().at(0).isBulk("1000000000"));
        QVERIFY(time.elements().at(1).isBulk("0"));
        QVERIFY(server({"SET", "k", "v", "PXAT", "1000000000250"}).isOk());
        QVERIFY(server({"PTTL", "k"}).isInteger(250));
    }

    /// The race finder sets the server's date in any order.
    void dateOfAServer_canBeSetBack()
    {
        auto clock = shim::ServerClock::create(QStringLiteral(CLOCK_LIBRARY), ProgramClockFixture::date);
        QVERIFY(clock);
        privateserver::PrivateServer server;
        server.setLaunchHook([&](process::Launch &launch) { (*clock)->show(launch); });
        QVERIFY(server.startAndWait());
        QVERIFY((*clock)->usesOnlyVirtualClock(static_cast<pid_t>(server.processId())));
        const auto dialled = net::dialBlocking(server.endpoint(), 30s);
        QVERIFY(dialled);
        const auto ask = [&](const resp::Command &command) {
            return dialled->connection->execute(command, 30s).value();
        };
        QVERIFY(ask({"SET", "k", "v", "PX", "5000"}).isOk());
        for (const auto &[time, left] : {std::pair(4000ms, 1000), std::pair(0ms, 5000), std::pair(4999ms, 1)}) {
            (*clock)->set(time);
            QVERIFY(ask({"PTTL", "k"}).isInteger(left));
            QVERIFY(ask({"TIME"}).elements().at(0).isBulk(QByteArray::number(1'000'000'000 + time / 1s)));
        }
        (*clock)->set(5001ms);
        QVERIFY(ask({"GET", "k"}).isNil());
        QVERIFY(ask({"SET", "k", "v", "PXAT", "1000000007001"}).isOk());
        QVERIFY(ask({"PTTL", "k"}).isInteger(2000));
    }

    void redisPysLock_waitsByTheClock_data()
    {
        QTest::addColumn<QByteArray>("leaseOfTheOther");
        QTest::addColumn<QByteArray>("outcome");
        QTest::addColumn<std::chrono::milliseconds>("least");
        QTest::addColumn<std::chrono::milliseconds>("most");
        QTest::addRow("gets it when the other's lease is over")
            << QByteArray("3000") << QByteArray("True") << 3000ms << 3150ms;
        QTest::addRow("gives up") << QByteArray("60000") << QByteArray("False") << 4850ms << 5000ms;
    }
    void redisPysLock_waitsByTheClock()
    {
        const auto redisPy = test::redisPy();
        if (!redisPy.absence.isEmpty())
            QSKIP(qPrintable(redisPy.absence));
        QFETCH(QByteArray, leaseOfTheOther);
        QFETCH(QByteArray, outcome);
        QFETCH(std::chrono::milliseconds, least);
        QFETCH(std::chrono::milliseconds, most);
        QByteArray first;
        for (int run = 0; run < 2; ++run) {
            const ProgramClockFixture fixture;
            ClockedServer server(fixture);
            QVERIFY(server({"SET", "job", "other", "PX", leaseOfTheOther}).isOk());
            test::LinePrinterProcess worker;
            worker.start(fixture.launch({QFile::encodeName(redisPy.program), "-u", "-c",
                                         "import redis, sys, time\n"
                                         "server = redis.Redis(unix_socket_path=sys.argv[1])\n"
                                         "began = time.monotonic_ns()\n"
                                         "has = server.lock('job', timeout=10, blocking_timeout=5).acquire()\n"
                                         "print(has, time.monotonic_ns() - began)\n",
                                         QFile::encodeName(server.server.endpoint().path)}));
            const auto began = fixture.clock->now();
            const auto passToItsNextTimer = [&] {
                const auto next = fixture.clock->nextTimer(worker.child.id());
                if (next > fixture.clock->now() && test::isAsleep(worker.child.id()))
                    fixture.clock->moveTo(*next);
                return !worker.isSilent();
            };
            LATCHKEY_AWAIT(passToItsNextTimer());
            const QByteArray said = worker.line();
            QVERIFY2(said.startsWith(outcome + ' '), said.constData());
            const auto took = fixture.clock->now() - began;
            QVERIFY2(took >= least && took <= most, said.constData());
            if (run == 0)
                first = said;
            QCOMPARE(said, first); // Exact to the nanosecond.
        }
    }

    void eventLoop_runsWithoutAnEvent()
    {
        const ProgramClockFixture fixture;
        ClockedServer server(fixture);
        // An expired key that is not accessed is found by the server's own cycle, which reads the clock a few times per
        // second.
        QVERIFY(server({"SET", "k", "v", "PX", "5000"}).isOk());
        fixture.advanceClock(6s);
        LATCHKEY_AWAIT(server({"DBSIZE"}).isInteger(0));
        // The waits of the server are not timers of the clock.
        QVERIFY(fixture.clock->timers().empty());
        // A client that blocks in the server waits on the virtual clock.
        bool hasEnded = false;
        auto dialled = net::dialBlocking(server.server.endpoint(), 30s);
        QVERIFY(dialled.has_value());
        std::thread blocked([&] {
            const auto reply = dialled->connection->execute({"BLPOP", "list", "60"}, 30s);
            hasEnded = reply.has_value() && reply->isNil();
        });
        LATCHKEY_AWAIT(server({"INFO", "clients"}).bytes().contains("blocked_clients:1"));
        fixture.advanceClock(61s);
        blocked.join();
        QVERIFY(hasEnded);
    }
};

LATCHKEY_TEST(TestServerClock)

} // namespace tst_serverclock

#include "tst_serverclock.moc"
