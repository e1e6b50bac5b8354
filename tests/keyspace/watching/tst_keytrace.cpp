#include "core/keyspace/watching/keytrace.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTcpSocket>
#include <QTest>

namespace tst_keytrace {

using namespace latchkey;
using namespace latchkey::watching;
using base::SystemClock;
using namespace std::chrono_literals;

class TestKeyTrace final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<KeyTrace> trace;
    QList<TracedCommand> traced;
    bool hasBegun = false;
    bool hasEnded = false;
    std::optional<base::Error> error;

    void start(const QList<QByteArray> &keys, std::chrono::milliseconds duration = 60s,
               std::optional<net::Endpoint> endpoint = {})
    {
        hasBegun = false;
        hasEnded = false;
        traced.clear();
        trace->start(endpoint ? *endpoint : server->endpoint(), keys, duration);
        LATCHKEY_AWAIT(hasBegun || hasEnded);
    }
    [[nodiscard]] QList<QByteArray> names() const
    {
        QList<QByteArray> all;
        for (const TracedCommand &command : traced)
            all += command.words.name().toUpper();
        return all;
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        trace = std::make_unique<KeyTrace>(SystemClock::instance());
        connect(trace.get(), &KeyTrace::began, this, [this] { hasBegun = true; });
        connect(trace.get(), &KeyTrace::traced, this, [this](const TracedCommand &command) { traced += command; });
        connect(trace.get(), &KeyTrace::ended, this, [this](const std::optional<base::Error> &why) {
            hasEnded = true;
            error = why;
        });
    }
    void cleanup()
    {
        trace.reset();
        server.reset();
    }

    void line_isParsed_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("isOne");
        QTest::addColumn<QByteArray>("client");
        QTest::addColumn<QByteArray>("lastWord");
        QTest::addRow("plain") << QByteArray("1700000000.123456 [3 127.0.0.1:5031] \"GET\" \"a b\"") << true
                               << QByteArray("127.0.0.1:5031") << QByteArray("a b");
        QTest::addRow("script") << QByteArray("1700000000.123456 [3 lua] \"get\" \"k\"") << true << QByteArray("lua")
                                << QByteArray("k");
        QTest::addRow("socket") << QByteArray("1700000000.123456 [3 unix:/tmp/a b.sock] \"get\" \"k\"") << true
                                << QByteArray("unix:/tmp/a b.sock") << QByteArray("k");
        QTest::addRow("address of version 6") << QByteArray("1700000000.1 [3 [::1]:5031] \"get\" \"k\"") << true
                                              << QByteArray("[::1]:5031") << QByteArray("k");
        QTest::addRow("escapes") << QByteArray("1700000000.1 [3 c] \"k\" \"\\\"\\\\\\n\\r\\t\\a\\b\\x00\\xff\"") << true
                                 << QByteArray("c") << QByteArray("\"\\\n\r\t\a\b\0\xff", 9);
        QTest::addRow("empty word") << QByteArray("1700000000.1 [3 c] \"SET\" \"k\" \"\"") << true << QByteArray("c")
                                    << QByteArray("");
        QTest::addRow("no words") << QByteArray("1700000000.1 [3 c] ") << false << QByteArray() << QByteArray();
        QTest::addRow("no end") << QByteArray("1700000000.1 [3 c] \"GET") << false << QByteArray() << QByteArray();
        QTest::addRow("cut escape") << QByteArray("1700000000.1 [3 c] \"\\x1") << false << QByteArray() << QByteArray();
        QTest::addRow("another status") << QByteArray("OK") << false << QByteArray() << QByteArray();
        QTest::addRow("no time") << QByteArray("soon [3 c] \"GET\"") << false << QByteArray() << QByteArray();
    }
    void line_isParsed()
    {
        QFETCH(QByteArray, line);
        QFETCH(bool, isOne);
        const auto command = tracedCommandFrom(line);
        QCOMPARE(command.has_value(), isOne);
        if (!isOne)
            return;
        QCOMPARE(command->database, 3);
        QTEST(command->client, "client");
        QTEST(command->words.words().back(), "lastWord");
        QCOMPARE(std::chrono::floor<std::chrono::seconds>(command->at.time_since_epoch()), 1'700'000'000s);
    }

    void commandsThatNameTheKey_areReportedInOrder()
    {
        const QByteArray key("lock \"\\\0\xff\r\n\xe5\xad\x97", 14);
        start({key});
        QVERIFY((*server)({"SET", key, "token", "NX", "PX", "60000"}).isOk());
        (void)(*server)({"GET", "another key"});
        (void)(*server)({"SET", "another key", "holds " + key});
        QVERIFY((*server)({"EVAL", "return redis.call('del', KEYS[1])", "1", key}).isInteger(1));
        LATCHKEY_AWAIT(traced.size() == 3);
        QCOMPARE(names(), (QList<QByteArray> {"SET", "EVAL", "DEL"}));
        QCOMPARE(traced[0].words, (resp::Command {"SET", key, "token", "NX", "PX", "60000"}));
        QVERIFY(traced[0].client.startsWith("unix:"));
        QCOMPARE(traced[2].client, QByteArray("lua"));
        LATCHKEY_AWAIT(trace->received() >= 5);
        QCOMPARE(trace->matched(), 3);
        QVERIFY(trace->left());
        QVERIFY(!hasEnded);
    }

    /// On a Unix socket all clients have the same address, so Latchkey's reads are recognised by their arguments.
    void readsWithOurWording_areMarked()
    {
        start({"k"});
        for (const resp::Command &command : {resp::Command {"PTTL", "k"},
                                             {"TYPE", "k"},
                                             {"GETRANGE", "k", "0", "255"},
                                             {"GETRANGE", "k", "0", "9"},
                                             {"GET", "k"},
                                             {"DEL", "k"},
                                             {"pttl", "k"}})
            (void)(*server)(command);
        LATCHKEY_AWAIT(traced.size() == 7);
        QCOMPARE(trace->ownReads(), 3);
        QCOMPARE(trace->matched(), 4);
        for (qsizetype i = 0; i < traced.size(); ++i)
            QCOMPARE(traced[i].isOwnRead, i < 3);
    }

    /// Over TCP, reads are recognised by their sender: a client with another name is another client, for any command.
    void readsOfOthers_areNotMarked()
    {
        const quint16 port = test::freePort();
        QVERIFY((*server)({"CONFIG", "SET", "port", QByteArray::number(port)}).isOk());
        const net::Endpoint endpoint = test::localEndpoint(port);
        const auto before = net::dialBlocking(endpoint, 30s);
        start({"k"}, 60s, endpoint);
        const auto later = net::dialBlocking(endpoint, 30s);
        LATCHKEY_VERIFY_RESULT(before);
        LATCHKEY_VERIFY_RESULT(later);
        (void)before->connection->execute(resp::Command {"PTTL", "k"}, 30s);
        (void)later->connection->execute(resp::Command {"PTTL", "k"}, 30s);
        LATCHKEY_AWAIT(traced.size() == 2);
        QCOMPARE(trace->ownReads(), 2);
        (void)before->connection->execute(resp::Command {"DEL", "k"}, 30s);
        LATCHKEY_AWAIT(traced.size() == 3);
        QVERIFY2(!traced.back().isOwnRead, "it is no read");
        QTcpSocket stranger;
        stranger.connectToHost(QStringLiteral("127.0.0.1"), port);
        stranger.write("*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n");
        LATCHKEY_AWAIT(traced.size() == 4);
        QVERIFY(!traced.back().isOwnRead);
        QCOMPARE(trace->ownReads(), 2);
    }

    void keyOfAnotherDatabase_isAnotherKey()
    {
        start({"k"});
        (void)(*server)({"EVAL", "redis.call('select', 3) return redis.call('set', 'k', 'v')", "0"});
        (void)(*server)({"SET", "k", "v"});
        LATCHKEY_AWAIT(!traced.isEmpty());
        QCOMPARE(names(), QList<QByteArray>({"SET"}));
        QCOMPARE(traced[0].database, 0);
    }

    void largeCommandOfAnotherClient_doesNotEndIt()
    {
        start({"k"});
        (void)(*server)({"SET", "large", QByteArray(1'000'000, '\xff')});
        (void)(*server)({"GET", "k"});
        LATCHKEY_AWAIT(traced.size() == 1);
        QVERIFY(!hasEnded);
    }

    void exploration_endsAutomatically()
    {
        start({"k"}, 200ms);
        QVERIFY(hasBegun);
        LATCHKEY_AWAIT(hasEnded);
        QVERIFY(!error);
        QVERIFY(!trace->isActive());
        // The connection is closed, so no client runs MONITOR.
        LATCHKEY_AWAIT(!(*server)({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
        start({"k"}); // The trace can start again.
        (void)(*server)({"GET", "k"});
        LATCHKEY_AWAIT(traced.size() == 1);
        trace->stop();
        QVERIFY(hasEnded);
    }

    void denial_isReported()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "&*", "+@read", "+@connection"}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        start({"k"}, 60s, endpoint);
        QVERIFY(hasEnded);
        QVERIFY(error);
        QCOMPARE(error->kind, base::ErrorKind::PermissionDenied);
    }

    void serverThatGoes_endsIt()
    {
        const net::Endpoint endpoint = server->endpoint();
        start({"k"});
        server->kill();
        LATCHKEY_AWAIT(hasEnded);
        QVERIFY(error);
        start({"k"}, 60s, endpoint); // The server is gone.
        QVERIFY(hasEnded);
        QVERIFY(error);
    }

    void traceThatIsDestroyed_leavesNothing()
    {
        start({"k"});
        trace.reset();
        LATCHKEY_AWAIT(!(*server)({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
    }
};

LATCHKEY_TEST(TestKeyTrace)

} // namespace tst_keytrace

#include "tst_keytrace.moc"
