#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/watching/valuereader.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_valuereader {

using namespace latchkey;
using namespace latchkey::events;
using namespace latchkey::watching;
using base::SystemClock;
using keys::KeyId;
using keys::KeyStore;
using keys::KeyType;
using keys::RawValue;
using net::Connection;
using namespace std::chrono_literals;

class TestValueReader final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;
    std::unique_ptr<ValueReader> reader;

    void dial()
    {
        connection.reset();
        net::Dialer dialer(SystemClock::instance());
        dialer.dial(server->endpoint(), 30s, [this](base::Result<net::DialResult<Connection>> dialled) {
            LATCHKEY_VERIFY_RESULT(dialled);
            connection = std::move(dialled->connection);
        });
        LATCHKEY_AWAIT(connection);
    }
    KeyId know(const QByteArray &key)
    {
        const KeyId id = store->observe(key, base::Deadline::never(), SystemClock::instance().now());
        while (store->commit()) {}
        return id;
    }
    /// Returns the known value of the key after reading it; size -1 if unknown.
    RawValue read(const QByteArray &key)
    {
        (void)know(key);
        QSignalSpy finished(reader.get(), &ValueReader::finished);
        reader->read(*connection, {key}, ValueReader::Part::Values);
        if (!test::waitFor([&] { return finished.size() == 1; }))
            qFatal("the reader did not finish");
        while (store->commit()) {}
        const auto id = store->known().table.find(key);
        const RawValue *value = id ? store->known().value(*id) : nullptr;
        return value == nullptr ? RawValue {KeyType::Unknown, -1, {}} : *value;
    }
    using Parts = QList<QByteArray>;

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        connection.reset();
        store = std::make_unique<KeyStore>(SystemClock::instance());
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
        dispatcher = std::make_unique<ObservationDispatcher>();
        dispatcher->add(*feed);
        reader = std::make_unique<ValueReader>(store->known(), *dispatcher);
        reader->setAsksIdleTimes(true);
        dial();
    }
    void cleanup()
    {
        reader.reset();
        dispatcher.reset();
        feed.reset();
        connection.reset();
        server.reset();
        store.reset();
    }

    /// Reading eight elements would transfer megabytes every second. Only the number of elements is read.
    void hugeElements_areNotReadAtAll()
    {
        auto &s = *server;
        const QByteArray fill = "local v = string.rep('x', 2000000) ";
        QVERIFY(s({"EVAL", fill + "return redis.call('HSET', 'hash', 'f', v, 'g', 'small')", "0"}).isInteger(2));
        QVERIFY(s({"EVAL", fill + "return redis.call('RPUSH', 'list', v)", "0"}).isInteger(1));
        QVERIFY(s({"EVAL", fill + "return redis.call('SADD', 'set', v)", "0"}).isInteger(1));
        QVERIFY(s({"EVAL", fill + "return redis.call('ZADD', 'zset', 1, v)", "0"}).isInteger(1));
        QCOMPARE(read("hash"), (RawValue {KeyType::Hash, 2, {}}));
        QCOMPARE(read("hash"), (RawValue {KeyType::Hash, 2, {}})); // The second read does not transfer elements either.
        QCOMPARE(read("list"), (RawValue {KeyType::List, 1, {}}));
        QCOMPARE(read("set"), (RawValue {KeyType::Set, 1, {}}));
        QCOMPARE(read("zset"), (RawValue {KeyType::SortedSet, 1, {}}));
        QVERIFY(connection->isOpen());
    }

    /// Most large collections have many small elements.
    void manySmallElements_areRead()
    {
        QVERIFY(
            (*server)({"EVAL", "for i = 1, 100000 do redis.call('RPUSH', 'list', 'element ' .. i) end return 1", "0"})
                .isInteger(1));
        const RawValue value = read("list");
        QCOMPARE(value.size, 100'000);
        QCOMPARE(value.parts.front(), QByteArray("element 1"));
    }

    /// The key was read before without a problem. Its huge element now costs one connection, but only once.
    void elementThatBecomesHuge_costsOneConnection_data()
    {
        QTest::addColumn<bool>("mayWeigh");
        QTest::addRow("weighed") << true;
        QTest::addRow("weighing denied") << false;
    }
    void elementThatBecomesHuge_costsOneConnection()
    {
        QFETCH(bool, mayWeigh);
        auto &s = *server;
        if (!mayWeigh)
            QVERIFY(s({"ACL", "SETUSER", "default", "-memory"}).isOk());
        QVERIFY(s({"HSET", "hash", "f", "small"}).isInteger(1));
        QCOMPARE(read("hash"), (RawValue {KeyType::Hash, 1, {"f", "small"}}));
        QVERIFY(!s({"EVAL", "return redis.call('HSET', 'hash', 'f', string.rep('x', 70000000))", "0"}).isError());
        QSignalSpy closed(connection.get(), &Connection::closed);
        reader->read(*connection, {"hash"}, ValueReader::Part::Values);
        LATCHKEY_AWAIT(closed.size() == 1);
        QVERIFY(!reader->isReading());
        for (int i = 0; i < 2; ++i) {
            dial();
            QCOMPARE(read("hash"), (RawValue {KeyType::Hash, 1, {}}));
            QVERIFY(connection->isOpen());
        }
        QVERIFY(!s({"HSET", "hash", "f", "small again"}).isError());
        if (mayWeigh)
            QCOMPARE(read("hash"), (RawValue {KeyType::Hash, 1, {"f", "small again"}}));
    }

    void everyType_isReadAsItIs()
    {
        auto &s = *server;
        QVERIFY(s({"SET", "string", "tok\xff\0en"}).isOk());
        QVERIFY(s({"SET", "long", QByteArray(5000, 'x')}).isOk());
        QVERIFY(!s({"HSET", "hash", "owner", "ann", "count", "2"}).isError());
        QVERIFY(!s({"RPUSH", "list", "a", "b", "c", "d", "e"}).isError());
        QVERIFY(!s({"SADD", "set", "only"}).isError());
        QVERIFY(!s({"ZADD", "zset", "1.5", "low", "2", "high"}).isError());
        QVERIFY(!s({"XADD", "stream", "*", "f", "v"}).isError());

        QCOMPARE(read("string").bytes(), QByteArray("tok\xff"));
        QCOMPARE(read("long").bytes(), QByteArray(256, 'x'));
        QCOMPARE(read("long").size, qint64(5000));
        QCOMPARE(read("hash").parts, (Parts {"owner", "ann", "count", "2"}));
        QCOMPARE(read("list").parts, (Parts {"a", "b", "c", "d", "e"}));
        QCOMPARE(read("list").size, qint64(5));
        QCOMPARE(read("set").parts, (Parts {"only"}));
        QCOMPARE(read("zset").parts, (Parts {"low", "1.5", "high", "2"}));
        QCOMPARE(read("stream").parts, (Parts {}));
        QCOMPARE(read("stream").size, qint64(1));
        QCOMPARE(store->known().table.type(*store->known().table.find("zset")), KeyType::SortedSet);
    }

    void reads_touchOnlyTheBeginningOfWhatIsLarge()
    {
        auto &s = *server;
        QVERIFY(
            !s({"EVAL", "for i = 1, 100000 do redis.call('RPUSH', KEYS[1], i) end return 1", "1", "list"}).isError());
        QVERIFY(s({"SET", "big", QByteArray(20'000'000, 'x')}).isOk());
        QCOMPARE(read("list").size, qint64(100'000));
        QCOMPARE(read("list").elementsRead(), qsizetype(8));
        QCOMPARE(read("big").size, qint64(20'000'000));
        QCOMPARE(read("big").bytes().size(), 256);
    }

    void keyOfAnotherTypeByNow_isReadAtOnce()
    {
        auto &s = *server;
        QVERIFY(s({"SET", "k", "v"}).isOk());
        QCOMPARE(read("k").bytes(), QByteArray("v"));
        QVERIFY(s({"DEL", "k"}).isInteger(1));
        QVERIFY(!s({"RPUSH", "k", "a"}).isError());
        QCOMPARE(read("k").parts, Parts {"a"});
        QCOMPARE(store->known().table.type(*store->known().table.find("k")), KeyType::List);
    }

    void missingKey_isNoError()
    {
        QCOMPARE(read("absent").size, qint64(-1));
        QVERIFY(!reader->isReading());
    }

    void keyThatIsGone_isForgotten()
    {
        QVERIFY((*server)({"SET", "k", "holder"}).isOk());
        QCOMPARE(read("k").bytes(), QByteArray("holder"));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(read("k").size, qint64(-1));
        QCOMPARE(store->liveCount(), qsizetype(0));
    }

    /// The end passed on with a value comes from PTTL before and after the value is read.
    void timeLeft_comesWithTheValue()
    {
        QVERIFY((*server)({"SET", "k", "holder", "PX", "60000"}).isOk());
        (void)read("k");
        const auto left =
            store->known().table.deadline(*store->known().table.find("k")).remaining(SystemClock::instance().now());
        QVERIFY(left && *left > 30s && *left <= 60s);
    }

    /// A key with OBJECT IDLETIME of one hour has existed for an hour, although it was just scanned. Other keys are not
    /// asked about, nor is a key whose value was read.
    void ageOfAnEndlessKey_isAskedOnce()
    {
        auto &s = *server;
        QVERIFY(s({"SET", "new", "holder"}).isOk());
        const QByteArray payload = s({"DUMP", "new"}).bytes();
        QVERIFY(s({"RESTORE", "old", "0", payload, "IDLETIME", "3600"}).isOk());
        QVERIFY(s({"SET", "leased", "holder", "PX", "600000"}).isOk());
        store->observe("leased", base::Deadline(SystemClock::instance().now() + 600s, 1ms),
                       SystemClock::instance().now());
        const auto before = SystemClock::instance().now();
        (void)read("old");
        const KeyId old = *store->known().table.find("old");
        const auto existed = store->known().existedAt(old);
        QVERIFY(existed && *existed <= SystemClock::instance().now() - 3595s && *existed >= before - 3600s);
        store->observeExistedAt("old", before); // A second answer, after the first read of the value.
        while (store->commit()) {}
        QCOMPARE(store->known().existedAt(old), existed);
        (void)read("new");
        if (events::areIdleTimesTrue(resp::ServerInfo::fromInfo(s({"INFO"}).bytes()))) {
            const auto fresh = store->known().existedAt(*store->known().table.find("new"));
            QVERIFY(fresh && *fresh >= before); // A second at most, which can be rounding.
        }
        (void)read("old");
        QSignalSpy finished(reader.get(), &ValueReader::finished);
        reader->read(*connection, {"leased"}, ValueReader::Part::Values);
        LATCHKEY_AWAIT(finished.size() == 1);
        QVERIFY(s({"INFO", "commandstats"}).bytes().contains("cmdstat_object|idletime:calls=2,"));

        // Another value can belong to another key of that name.
        QVERIFY(s({"SET", "old", "somebody else"}).isOk());
        (void)read("old");
        QVERIFY(!store->known().existedAt(old));
        store->observeExistedAt("new", before);
        store->observeAbsent("new", SystemClock::instance().now());
        while (store->commit()) {}
        QVERIFY(!store->known().existedAt(know("new")));
    }

    void idleTimes_areNotAskedUnlessTrue()
    {
        QVERIFY((*server)({"SET", "k", "holder"}).isOk());
        reader->setAsksIdleTimes(false);
        QCOMPARE(read("k").bytes(), QByteArray("holder"));
        QVERIFY(!(*server)({"INFO", "commandstats"}).bytes().contains("idletime"));
    }

    void idleTime_isWithinTheServersClock_data()
    {
        QTest::addColumn<qint64>("idle");
        QTest::addColumn<bool>("isUsed");
        QTest::addRow("none") << qint64(0) << true;
        QTest::addRow("the longest") << qint64((1 << 24) - 1) << true;
        QTest::addRow("beyond the clock") << qint64(1 << 24) << false;
        QTest::addRow("negative") << qint64(-1) << false;
    }
    void idleTime_isWithinTheServersClock()
    {
        QFETCH(const qint64, idle);
        const auto used = events::idleTimeFrom(resp::Reply::integer(idle));
        QTEST(used.has_value(), "isUsed");
        QVERIFY(!used || used->span == std::chrono::seconds(idle));
        QVERIFY(!events::idleTimeFrom(resp::Reply::error("NOPERM")));
        QVERIFY(!events::idleTimeFrom(resp::Reply::bulk("3")));
    }

    /// Redis 8.0 reports up to 194 days for a key that was just written.
    void idleTimes_areTrueOfSomeServersOnly_data()
    {
        QTest::addColumn<QByteArray>("info");
        QTest::addColumn<bool>("isTrue");
        QTest::addRow("Redis 6") << QByteArray("redis_version:6.0.16\r\n") << true;
        QTest::addRow("Redis 7") << QByteArray("redis_version:7.4.1\r\n") << true;
        QTest::addRow("Redis 8") << QByteArray("redis_version:8.0.2\r\n") << false;
        QTest::addRow("Redis 10") << QByteArray("redis_version:10.0.0\r\n") << false;
        QTest::addRow("no version") << QByteArray("redis_version:unstable\r\n") << false;
        QTest::addRow("Valkey") << QByteArray("redis_version:7.2.4\r\nvalkey_version:8.1.0\r\n") << true;
        QTest::addRow("denied INFO") << QByteArray() << false;
    }
    void idleTimes_areTrueOfSomeServersOnly()
    {
        QFETCH(const QByteArray, info);
        QTEST(events::areIdleTimesTrue(resp::ServerInfo::fromInfo(info)), "isTrue");
    }

    /// A denied command adds a line to the server's ACL LOG, so it is sent once.
    void deniedIdleTime_isAskedOnce_data()
    {
        QTest::addColumn<resp::Command>("setting");
        QTest::addRow("denied") << resp::Command {"ACL", "SETUSER", "default", "-object"};
        QTest::addRow("not counted") << resp::Command {"CONFIG", "SET", "maxmemory-policy", "allkeys-lfu"};
    }
    void deniedIdleTime_isAskedOnce()
    {
        QFETCH(const resp::Command, setting);
        auto &s = *server;
        QVERIFY(s(setting).isOk());
        for (const char *key : {"a", "b"}) {
            QVERIFY(s({"SET", key, "holder"}).isOk());
            QCOMPARE(read(key).bytes(), QByteArray("holder"));
            QVERIFY(!store->known().existedAt(*store->known().table.find(key)));
        }
        const QByteArray calls = s({"INFO", "commandstats"}).bytes();
        QVERIFY2(calls.contains("rejected_calls=1,failed_calls=0") || calls.contains("failed_calls=1"),
                 calls.constData());
    }

    void emptyString_isAValue()
    {
        QVERIFY((*server)({"SET", "k", ""}).isOk());
        QCOMPARE(read("k").size, qint64(0));
    }

    void types_canBeReadAlone()
    {
        QVERIFY(!(*server)({"SADD", "k", "a"}).isError());
        const KeyId id = know("k");
        QSignalSpy finished(reader.get(), &ValueReader::finished);
        reader->read(*connection, {"k"}, ValueReader::Part::Types);
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}
        QCOMPARE(store->known().table.type(id), KeyType::Set);
        QVERIFY(store->known().value(id) == nullptr);
    }

    void typeNames_areTheServers()
    {
        for (const KeyType type :
             {KeyType::Hash, KeyType::List, KeyType::Set, KeyType::Stream, KeyType::String, KeyType::SortedSet})
            QCOMPARE(keys::keyTypeFrom(keys::keyTypeName(type).toLatin1()), type);
        QCOMPARE(keys::keyTypeFrom("none"), KeyType::Unknown);
        QCOMPARE(keys::keyTypeFrom("ReJSON-RL"), KeyType::Other);
    }
};

LATCHKEY_TEST(TestValueReader)

} // namespace tst_valuereader

#include "tst_valuereader.moc"
