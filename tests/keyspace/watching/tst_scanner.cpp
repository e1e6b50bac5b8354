#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/watching/scanner.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/devicepair.h"
#include "tests/support/load.h"
#include "tests/support/scriptedserver.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_scanner {

using namespace latchkey;
using namespace latchkey::events;
using namespace latchkey::watching;
using base::Glob;
using base::SystemClock;
using keys::KeyRecord;
using keys::KeyStore;
using keys::KeyType;
using net::Connection;
using resp::Reply;
using namespace std::chrono_literals;

class TestScanner final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;

    void fill(int count, const QByteArray &prefix, const QByteArray &milliseconds)
    {
        // Uses one script to avoid a million round trips.
        const Reply reply =
            (*server)({"EVAL",
                       "for i = 1, ARGV[1] do if ARGV[3] == '' then redis.call('SET', KEYS[1] .. i, 'v') else "
                       "redis.call('SET', KEYS[1] .. i, 'v', 'PX', ARGV[3] + i) end end return 1",
                       "1", prefix, QByteArray::number(count), "", milliseconds});
        QVERIFY2(reply.isInteger(1), qPrintable(reply.toText()));
    }

    std::optional<keys::KeyRecord> lease(const QByteArray &key)
    {
        while (store->commit()) {}
        const auto id = store->known().table.find(key);
        return id ? std::optional(store->known().table.at(*id)) : std::nullopt;
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        store = std::make_unique<KeyStore>(SystemClock::instance());
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
        dispatcher = std::make_unique<ObservationDispatcher>();
        dispatcher->add(*feed);
        net::Dialer dialer(SystemClock::instance());
        dialer.dial(server->endpoint(), 30s, [this](base::Result<net::DialResult<Connection>> dialled) {
            LATCHKEY_VERIFY_RESULT(dialled);
            connection = std::move(dialled->connection);
        });
        LATCHKEY_AWAIT(connection);
    }
    void cleanup()
    {
        connection.reset();
        server.reset();
        dispatcher.reset();
        feed.reset();
        store.reset();
    }

    void everyKey_arrivesWithItsEnd()
    {
        fill(25'000, "lock:", "3600000");
        fill(1000, "plain:", "");
        const QList<QByteArray> awkward {QByteArray("nul\0key", 7), "\xff\xfe", QByteArray(512, 'k'), "",
                                         "with\r\nline end"};
        for (const QByteArray &key : awkward)
            QVERIFY((*server)({"SET", key, "v", "PX", "7200000"}).isOk());

        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}
        QCOMPARE(store->liveCount(), qsizetype(26'005));
        QCOMPARE(store->persistentCount(), qsizetype(1000));
        QCOMPARE(store->known().table.size(), qsizetype(26'005));
        QVERIFY(scanner.keysScanned() >= 26'005);

        const auto first = lease("lock:1");
        QVERIFY(first);
        const auto left = first->deadline.remaining(SystemClock::instance().now());
        QVERIFY(left && *left > 3500s && *left <= 3601s);
        for (const QByteArray &key : awkward)
            QVERIFY2(lease(key), key.toPercentEncoding().constData());
    }

    void match_isTheServers()
    {
        fill(2000, "lock:", "3600000");
        fill(2000, "cache:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        Scanner::Options options;
        options.match = Glob("lock:*9");
        options.readsTypes = true;
        scanner.begin(*connection, options);
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}
        QCOMPARE(store->liveCount(), qsizetype(200));
        QCOMPARE(lease("lock:9")->type, KeyType::String);
    }

    void onDemand_asksOnlyAboutWhatIsNew()
    {
        fill(3000, "old:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}

        fill(10, "new:", "3600000");
        QVERIFY((*server)({"CONFIG", "RESETSTAT"}).isOk());
        Scanner::Options options;
        options.pace = Scanner::Pace::OnDemand;
        scanner.begin(*connection, options);
        constexpr int most = 5;
        int steps = 0;
        while (finished.size() == 1) {
            LATCHKEY_AWAIT(scanner.canStep() || finished.size() == 2);
            const quint64 before = scanner.commandsSent();
            scanner.step(most);
            QVERIFY2(scanner.commandsSent() - before <= most, "no more than was granted");
            ++steps;
        }
        while (store->commit()) {}
        QCOMPARE(store->liveCount(), qsizetype(3010));
        QVERIFY2(steps >= 3, "a thousand keys at a time");
        QVERIFY(scanner.wasScanned(*store->known().table.find("old:1")));
        QVERIFY(scanner.wasScanned(*store->known().table.find("new:1")));
        const QByteArray stats = (*server)({"INFO", "commandstats"}).bytes();
        QVERIFY2(stats.contains("cmdstat_pttl:calls=10,"), stats.constData());
    }

    void deletedKey_isNotReturnedByTheScan()
    {
        fill(100, "old:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}
        // The scanner stores times in hundredths of a second.
        const auto before = SystemClock::instance().now();
        LATCHKEY_AWAIT(SystemClock::instance().now() > before + 30ms);
        QVERIFY((*server)({"DEL", "old:7"}).isInteger(1));
        Scanner::Options options;
        options.pace = Scanner::Pace::OnDemand;
        scanner.begin(*connection, options);
        while (finished.size() == 1) {
            LATCHKEY_AWAIT(scanner.canStep() || finished.size() == 2);
            scanner.step(100);
        }
        QVERIFY(!scanner.wasScanned(*store->known().table.find("old:7")));
        QVERIFY(scanner.wasScanned(*store->known().table.find("old:8")));
    }

    void limit_isObservedAndReported()
    {
        fill(5000, "k:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        Scanner::Options options;
        options.maxKeys = 1500;
        scanner.begin(*connection, options);
        LATCHKEY_AWAIT(finished.size() == 1);
        QVERIFY(scanner.isIncomplete());
        QVERIFY(store->liveCount() >= 1500 && store->liveCount() < 5000);
    }

    void deniedScan_isATypedError()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-scan"}).isOk());
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy failed(&scanner, &Scanner::failed);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(failed.size() == 1);
        QCOMPARE(failed[0][0].value<base::Error>().kind, base::ErrorKind::PermissionDenied);
        QVERIFY(!scanner.isRunning());
    }

    void deniedKeys_areOmittedAndReported()
    {
        fill(100, "mine:", "3600000");
        fill(100, "theirs:", "3600000");
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetkeys", "~mine:*"}).isOk());
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(finished.size() == 1);
        QVERIFY(scanner.denial());
        QCOMPARE(scanner.denial()->kind, base::ErrorKind::PermissionDenied);
        QCOMPARE(store->liveCount(), qsizetype(100));
    }

    void lostConnection_endsTheScan()
    {
        fill(test::load(50'000), "k:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy failed(&scanner, &Scanner::failed);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(scanner.keysScanned() > 0);
        connection->close();
        LATCHKEY_AWAIT(failed.size() == 1);
        QVERIFY(!scanner.isRunning());
    }

    /// The cursor repeats; a real server's cursor does not.
    void cursorThatComesBack_endsTheScan()
    {
        auto pair = test::PairDevice::makePair();
        int pages = 0;
        test::ScriptedServer endless(std::move(pair.second), [&](const QList<QByteArray> &) {
            return "*2\r\n$1\r\n" + QByteArray::number(1 + ++pages % 7) + "\r\n*0\r\n";
        });
        Connection toEndless(std::move(pair.first), QStringLiteral("endless"), SystemClock::instance());
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy failed(&scanner, &Scanner::failed);
        scanner.begin(toEndless, {});
        LATCHKEY_AWAIT(failed.size() == 1);
        QVERIFY(failed.front().front().value<base::Error>().message().contains(QStringLiteral("SCAN does not end")));
    }

    /// A caller that cannot take more keys holds the scan, and loses no key.
    void pausedScan_resumes()
    {
        fill(5000, "k:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        scanner.pause();
        // One step was in progress, and its keys are read.
        LATCHKEY_AWAIT(store->known().table.size() >= 1000);
        bool isAnswered = false;
        connection->send({{"PING"}}, 60s, this, [&](const base::Result<Connection::Delivery> &) { isAnswered = true; });
        LATCHKEY_AWAIT(isAnswered); // All earlier requests are answered too.
        QCOMPARE(finished.size(), 0);
        QVERIFY(scanner.isRunning() && scanner.keysScanned() < 2000);
        scanner.resume();
        LATCHKEY_AWAIT(finished.size() == 1);
        QCOMPARE(store->known().table.size(), 5000);
    }

    void keysThatAreNotWanted_areMetAndNotAskedAbout()
    {
        fill(3000, "k:", "3600000");
        fill(5, "job:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        scanner.setFilter([](QByteArrayView name) { return name.startsWith("job:"); });
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}
        QCOMPARE(store->liveCount(), 5);
        QCOMPARE(scanner.keysScanned(), 3005U);
        QVERIFY(scanner.commandsSent() < 100);
    }

    /// Other keys wait, even if the scan found them first.
    void keysThatComeFirst_areAskedAboutBeforeOthers()
    {
        fill(2000, "k:", "3600000");
        fill(3, "job:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        scanner.setPreferred([](QByteArrayView name) { return name.startsWith("job:"); });
        Scanner::Options options;
        options.pace = Scanner::Pace::OnDemand;
        options.count = 100'000;
        scanner.begin(*connection, options);
        scanner.step(1);
        LATCHKEY_AWAIT(scanner.keysScanned() >= 2003);
        scanner.step(3);
        LATCHKEY_AWAIT(lease("job:1") && lease("job:2") && lease("job:3"));
        QCOMPARE(store->liveCount(), 3);
    }

    void stop_dropsWhatIsStillToCome()
    {
        fill(test::load(50'000), "k:", "3600000");
        Scanner scanner(store->known(), *dispatcher, SystemClock::instance());
        QSignalSpy finished(&scanner, &Scanner::finished);
        scanner.begin(*connection, {});
        LATCHKEY_AWAIT(scanner.keysScanned() > 0);
        scanner.stop();
        const auto known = store->liveCount();
        bool answered = false;
        connection->send({resp::ping()}, 30s, this, [&](const auto &) { answered = true; });
        LATCHKEY_AWAIT(answered);
        QCOMPARE(store->liveCount(), known);
        QCOMPARE(finished.size(), 0);
    }
};

LATCHKEY_TEST(TestScanner)

} // namespace tst_scanner

#include "tst_scanner.moc"
