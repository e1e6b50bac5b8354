#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/watching/serverwatcher.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QLocalSocket>
#include <QTest>

namespace tst_costlimit {

using namespace latchkey;
using namespace latchkey::budget;
using namespace latchkey::events;
using namespace latchkey::watching;
using base::MonotonicTime;
using base::SystemClock;
using Phase = Watcher::Phase;
using namespace std::chrono_literals;

/// Tests of the limit by cost on a real server, measured by the server's own statistics.
class TestCostLimit final : public QObject
{
    Q_OBJECT

    /// Server's time for all commands until a moment.
    struct Spent
    {
        MonotonicTime at;
        double microseconds = 0;
    };
    static constexpr int manyKeys = 100'000;

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<net::Session> session;
    std::unique_ptr<keys::KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;
    std::unique_ptr<ServerWatcher> watcher;
    int asked = 0; ///< Number of requests for the costs since countCostRequests().

    void fill(int count)
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, ARGV[1] do redis.call('SET', 'key:of:something:' .. i, 'v', 'PX', 6000000) end "
                           "return 1",
                           "0", QByteArray::number(count)})
                    .isInteger(1));
    }
    void begin(const std::optional<CommandLimit> &firstScan)
    {
        session = std::make_unique<net::Session>(server->endpoint(), SystemClock::instance(), random);
        store = std::make_unique<keys::KeyStore>(SystemClock::instance());
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
        dispatcher = std::make_unique<ObservationDispatcher>();
        watcher = std::make_unique<ServerWatcher>(*session, store->known(), *dispatcher, SystemClock::instance());
        dispatcher->addFirst(*feed);
        connect(watcher.get(), &Watcher::ticked, watcher.get(), [this] { (void)store->commit(); });
        watcher->setFirstScanLimit(firstScan);
        session->start();
        LATCHKEY_AWAIT(watcher->phase() == Phase::FirstScan);
    }
    void countCostRequests()
    {
        asked = 0;
        session->addTrafficObserver([this](const resp::Commands &commands) -> net::Connection::ReplyObserver {
            asked += static_cast<int>(commands.front().name() == "INFO"
                                      && commands.front().words().back() == "commandstats");
            return {};
        });
    }
    [[nodiscard]] Spent spent()
    {
        Spent all {SystemClock::instance().now(), 0};
        for (const QByteArray &line : (*server)({"INFO", "commandstats"}).bytes().split('\n')) {
            constexpr auto mark = ",usec=";
            const qsizetype at = line.indexOf(mark);
            if (at > 0)
                all.microseconds += line.mid(at + static_cast<qsizetype>(qstrlen(mark))).split(',').front().toDouble();
        }
        return all;
    }
    [[nodiscard]] static double share(const Spent &from, const Spent &to)
    {
        return (to.microseconds - from.microseconds)
             / std::chrono::duration<double, std::micro>(to.at - from.at).count();
    }
    [[nodiscard]] static double share(double microseconds, std::chrono::nanoseconds time)
    {
        return microseconds / std::chrono::duration<double, std::micro>(time).count();
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        watcher.reset();
        dispatcher.reset();
        feed.reset();
        store.reset();
        session.reset();
        server.reset();
    }

    void firstScanOfAProductionServer_keepsItsShare()
    {
        fill(manyKeys);
        const auto limit = defaultFirstScanLimit(server->endpoint(), true);
        const Spent before = spent();
        begin(limit);
        LATCHKEY_AWAIT(watcher->firstScanLeft() && *watcher->firstScanLeft() >= 1s);
        QVERIFY(!watcher->hasFastFirstScan());
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        const Spent after = spent();
        const double used = share(before, after);
        const double told = share(watcher->serverTimeSpent().value_or(0), after.at - before.at);
        const QString figures = QStringLiteral("%1 of the core in %2 s, told %3")
                                    .arg(used)
                                    .arg(std::chrono::duration<double>(after.at - before.at).count())
                                    .arg(told);
        qInfo("%s", qPrintable(figures));
        QCOMPARE(store->liveCount(), qsizetype(manyKeys));
        QVERIFY2(used <= *limit->share() * 1.2, qPrintable(figures));
        QVERIFY2(used >= *limit->share() * 0.2, "it must use its share, else nothing is tested");
        QVERIFY2(told >= used * 0.6 && told <= *limit->share() * 1.2, qPrintable(figures));
        QVERIFY(!watcher->firstScanLeft());
    }

    /// With notifications off, the watcher scans again and again, a thousand keys with each command.
    void watching_keepsItsShare()
    {
        fill(30'000);
        begin({});
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching && watcher->serverTimeSpent());
        const auto limit = CommandLimit::ofWatching();
        QVERIFY(watcher->limit() == limit);
        LATCHKEY_AWAIT(watcher->newKeyDelay()); // A scan within the limit is complete.
        countCostRequests();
        LATCHKEY_AWAIT(asked >= 8); // The estimates begin with constants; by now they are this server's.
        const Spent before = spent();
        const double shownBefore = *watcher->serverTimeSpent();
        LATCHKEY_AWAIT(SystemClock::instance().now() > before.at + 6s);
        const Spent after = spent();
        const double used = share(before, after);
        const double told = share(*watcher->serverTimeSpent() - shownBefore, after.at - before.at);
        const QString figures = QStringLiteral("%1 of the core, told %2").arg(used).arg(told);
        qInfo("%s", qPrintable(figures));
        QVERIFY2(used <= *limit.share() * 1.6, qPrintable(figures));
        QVERIFY2(used >= *limit.share() * 0.1, "it must be asking, else nothing is tested");
        QVERIFY2(told >= used * 0.6 && told <= *limit.share() * 1.2, qPrintable(figures));
    }

    /// The estimates begin with constants, which a slow server exceeds until the first averages are known.
    void costsOfANewConnection_areAskedForOften()
    {
        fill(1000);
        begin({});
        countCostRequests();
        const MonotonicTime began = SystemClock::instance().now();
        LATCHKEY_AWAIT(asked >= 5);
        const auto first = (SystemClock::instance().now() - began) / asked;
        LATCHKEY_AWAIT(asked >= 10);
        const MonotonicTime settled = SystemClock::instance().now();
        const int before = asked;
        LATCHKEY_AWAIT(asked > before + 1);
        const auto later = (SystemClock::instance().now() - settled) / (asked - before);
        QVERIFY2(first < later / 2, "half a second, and five seconds");
    }

    void deniedInfo_leavesALimitOfCommandsPerSecond()
    {
        fill(2500);
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-info"}).isOk());
        const auto limit = CommandLimit::ofShare(0.01);
        begin(limit);
        const MonotonicTime began = SystemClock::instance().now();
        const quint64 before = session->commandsSent();
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        const std::chrono::duration<double> passed = SystemClock::instance().now() - began;
        const double perSecond = static_cast<double>(session->commandsSent() - before) / passed.count();
        // A quarter of a second is saved at the beginning.
        QVERIFY2(perSecond <= 1.25 * limit.perSecond(), qPrintable(QString::number(perSecond)));
        QVERIFY2(perSecond >= 0.2 * limit.perSecond(), "it must be asking, else nothing is tested");
        QVERIFY2(!watcher->serverTimeSpent(), "it is not known");
        QCOMPARE(store->liveCount(), qsizetype(2500));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+info"}).isOk());
    }

    void serverInTrouble_isAskedLess_data()
    {
        QTest::addColumn<QByteArray>("trouble");
        QTest::newRow("MASTERDOWN") << QByteArray("REPLICAOF 127.0.0.1 1\r\n");
        QTest::newRow("BUSY") << QByteArray("EVAL \"while true do end\" 0\r\n");
    }
    void serverInTrouble_isAskedLess()
    {
        QFETCH(QByteArray, trouble);
        QVERIFY((*server)({"CONFIG", "SET", "replica-serve-stale-data", "no"}).isOk());
        QVERIFY((*server)({"CONFIG", "SET", "lua-time-limit", "50"}).isOk());
        fill(1000);
        begin({});
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching && watcher->serverTimeSpent());
        const auto rate = [&](std::chrono::milliseconds time) {
            const MonotonicTime began = SystemClock::instance().now();
            const quint64 before = session->commandsSent();
            (void)test::waitFor([&] { return SystemClock::instance().now() > began + time; });
            const std::chrono::duration<double> passed = SystemClock::instance().now() - began;
            return static_cast<double>(session->commandsSent() - before) / passed.count();
        };
        const double usual = rate(3s);
        QLocalSocket other;
        other.connectToServer(server->endpoint().path);
        QVERIFY(other.waitForConnected());
        other.write(trouble);
        LATCHKEY_AWAIT(!watcher->coverage().isObserving());
        const double inTrouble = rate(6s);
        const QString figures = QStringLiteral("%1 a second, in trouble %2").arg(usual).arg(inTrouble);
        qInfo("%s", qPrintable(figures));
        QVERIFY2(inTrouble < usual / 4, qPrintable(figures));
        QVERIFY2(watcher->serverTimeSpent(), "what was learned stays");
        if (trouble.startsWith("EVAL"))
            QVERIFY((*server)({"SCRIPT", "KILL"}).isOk());
    }
};

LATCHKEY_TEST(TestCostLimit)

} // namespace tst_costlimit

#include "tst_costlimit.moc"
