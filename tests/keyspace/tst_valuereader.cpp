#include "core/keyspace/valuepreviews.h"
#include "core/keyspace/valuereader.h"
#include "core/resp/dialer.h"
#include "tests/support/await.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

using namespace latchkey;
using namespace latchkey::keyspace;
using base::SystemClock;
using keys::KeyId;
using keys::KeyType;
using keys::ValuePreview;
using resp::Connection;
using rows::RowStore;
using namespace std::chrono_literals;

class TestValueReader final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<RowStore> store;
    std::unique_ptr<ValueReader> reader;

    KeyId know(const QByteArray &key)
    {
        const KeyId id = store->observe(key, base::Deadline::never(), SystemClock::instance().now());
        while (store->commit()) {}
        return id;
    }
    ValuePreview read(const QByteArray &key)
    {
        const KeyId id = know(key);
        QSignalSpy finished(reader.get(), &ValueReader::finished);
        reader->read(*connection, {id}, ValueReader::What::Values);
        if (!QTest::qWaitFor([&] { return finished.size() == 1; }, 30'000))
            qFatal("the reader did not finish");
        while (store->commit()) {}
        const ValuePreview *value = store->value(id);
        return value == nullptr ? ValuePreview {"(not read)", -1, false} : *value;
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        store = std::make_unique<RowStore>(SystemClock::instance());
        reader = std::make_unique<ValueReader>(*store);
        resp::Dialer dialer(SystemClock::instance());
        dialer.dial(server->endpoint(), 30s, [this](base::Result<resp::Dialled<Connection>> dialled) {
            LATCHKEY_VERIFY_RESULT(dialled);
            connection = std::move(dialled->connection);
        });
        LATCHKEY_AWAIT(connection);
    }
    void cleanup()
    {
        reader.reset();
        connection.reset();
        server.reset();
        store.reset();
    }

    void everyType_hasAPreview()
    {
        auto &s = *server;
        QVERIFY(s({"SET", "string", "tok\xff\0en"}).isOk());
        QVERIFY(s({"SET", "long", QByteArray(5000, 'x')}).isOk());
        QVERIFY(!s({"HSET", "hash", "owner", "ann", "count", "2"}).isError());
        QVERIFY(!s({"RPUSH", "list", "a", "b", "c", "d", "e"}).isError());
        QVERIFY(!s({"SADD", "set", "only"}).isError());
        QVERIFY(!s({"ZADD", "zset", "1.5", "low", "2", "high"}).isError());
        QVERIFY(!s({"XADD", "stream", "*", "f", "v"}).isError());

        QCOMPARE(read("string").text, QByteArray("tok\xff"));
        QCOMPARE(read("long").text, QByteArray(128, 'x'));
        QCOMPARE(read("long").size, qint64(5000));
        QCOMPARE(read("hash").text, QByteArray("owner: ann, count: 2"));
        QCOMPARE(read("list").text, QByteArray("a, b, c, d, \u2026"));
        QCOMPARE(read("list").size, qint64(5));
        QCOMPARE(read("set").text, QByteArray("only"));
        QCOMPARE(read("zset").text, QByteArray("low: 1.5, high: 2"));
        QCOMPARE(read("stream").text, QByteArray("\u2026"));
        QCOMPARE(read("stream").size, qint64(1));
        QCOMPARE(store->table().type(*store->table().find("zset")), KeyType::SortedSet);
    }

    void previews_touchOnlyTheBeginningOfWhatIsLarge()
    {
        auto &s = *server;
        QVERIFY(
            !s({"EVAL", "for i = 1, 100000 do redis.call('RPUSH', KEYS[1], i) end return 1", "1", "list"}).isError());
        QVERIFY(s({"SET", "big", QByteArray(20'000'000, 'x')}).isOk());
        QCOMPARE(read("list").size, qint64(100'000));
        QVERIFY(read("list").text.size() < 100);
        QCOMPARE(read("big").size, qint64(20'000'000));
        QCOMPARE(read("big").text.size(), 128);
    }

    void keyOfAnotherTypeByNow_isReadAnewTheNextTime()
    {
        auto &s = *server;
        QVERIFY(s({"SET", "k", "v"}).isOk());
        QCOMPARE(read("k").text, QByteArray("v"));
        QVERIFY(s({"DEL", "k"}).isInteger(1));
        QVERIFY(!s({"RPUSH", "k", "a"}).isError());
        (void)read("k");
        QCOMPARE(store->table().type(*store->table().find("k")), KeyType::List);
        QCOMPARE(read("k").text, QByteArray("a"));
    }

    void missingKey_isNoError()
    {
        QCOMPARE(read("absent").size, qint64(-1));
        QVERIFY(!reader->isReading());
    }

    void keyThatIsGone_keepsWhatWasRead()
    {
        QVERIFY((*server)({"SET", "k", "holder"}).isOk());
        QCOMPARE(read("k").text, QByteArray("holder"));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(read("k").text, QByteArray("holder"));
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
        reader->read(*connection, {id}, ValueReader::What::Types);
        LATCHKEY_AWAIT(finished.size() == 1);
        while (store->commit()) {}
        QCOMPARE(store->table().type(id), KeyType::Set);
        QVERIFY(store->value(id) == nullptr);
    }

    void typeNames_areTheServers()
    {
        for (const KeyType type :
             {KeyType::Hash, KeyType::List, KeyType::Set, KeyType::Stream, KeyType::String, KeyType::SortedSet})
            QCOMPARE(keyTypeFrom(keyTypeName(type).toLatin1()), type);
        QCOMPARE(keyTypeFrom("none"), KeyType::Unknown);
        QCOMPARE(keyTypeFrom("ReJSON-RL"), KeyType::Other);
    }
};

QTEST_GUILESS_MAIN(TestValueReader)
#include "tst_valuereader.moc"
