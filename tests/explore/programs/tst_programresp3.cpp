#include "core/explore/programs/resp3replies.h"
#include "core/redis/resp/codec.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QLocalSocket>
#include <QTest>

namespace tst_programresp3 {

using namespace latchkey;
using resp::Command;
using resp::Commands;
using resp::Reply;

/// Tests programs whose client library uses RESP3.
class TestProgramResp3 final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;

    /// The bytes with which the server answers the commands from `first` on over RESP3. Empty: the server has no RESP3.
    QByteArray realAnswers(const Commands &commands, qsizetype first)
    {
        constexpr int longest = 30'000;
        const QByteArray mark = "the mark";
        const QByteArray end = "the end";
        QLocalSocket socket;
        socket.connectToServer(server->endpoint().path);
        if (!socket.waitForConnected(longest))
            return {};
        Commands all {{"HELLO", "3"}};
        all.insert(all.end(), commands.begin(), commands.begin() + first);
        all.push_back({"ECHO", mark});
        all.insert(all.end(), commands.begin() + first, commands.end());
        all.push_back({"ECHO", end});
        QByteArray wire;
        for (const Command &command : all)
            resp::encode(command, wire);
        socket.write(wire);
        QByteArray answers;
        while (!answers.endsWith(end + "\r\n") && socket.waitForReadyRead(longest))
            answers += socket.readAll();
        if (answers.startsWith('-'))
            return {};
        answers = answers.mid(answers.indexOf(mark) + mark.size() + 2);
        return answers.first(answers.lastIndexOf("$7\r\n"));
    }

    static Commands commandsIn(const QString &text)
    {
        Commands commands;
        for (const QString &line : text.split(QStringLiteral("; "))) {
            Command &command = commands.emplace_back();
            for (const QString &word : line.split(u' '))
                command << word.toUtf8();
        }
        return commands;
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }

    /// Each reply has the bytes that a real server sends over RESP3 after the same commands.
    void replies_areThoseOfARealServer_data()
    {
        QTest::addColumn<QString>("commands");
        for (const char *commands :
             {"GET k",
              "SET k v",
              "SET k v; GET k",
              "INCR n",
              "SET k v; INCR k",
              "MGET a b",
              "HGETALL h",
              "HSET h a 1 b 2; HGETALL h",
              "HSET h a 1; HGET h b",
              "HSET h a 1; HMGET h a b",
              "HSET h a 1; HRANDFIELD h 1 WITHVALUES",
              "HSET h a 1; HRANDFIELD h 1",
              "HSET h a 1; HSCAN h 0",
              "SADD s a; SMEMBERS s",
              "SMEMBERS s",
              "SADD s a; SPOP s 5",
              "SADD s a; SPOP s",
              "SADD s a; SRANDMEMBER s 3",
              "SADD s a; SINTER s s",
              "SADD s a; SUNION s t",
              "SADD s a; SDIFF s t",
              "SADD s a; SMISMEMBER s a b",
              "ZADD z 1.5 a",
              "ZADD z INCR 1.5 a",
              "ZADD z 1 a; ZADD z NX INCR 1.5 a",
              "ZADD z 1.5 a; ZSCORE z a",
              "ZSCORE z a",
              "ZADD z inf a; ZSCORE z a",
              "ZADD z 1 a; ZINCRBY z 2 a",
              "ZADD z 1 a; ZMSCORE z a b",
              "ZADD z 1 a 2.5 b; ZRANGE z 0 -1",
              "ZADD z 1 a 2.5 b; ZRANGE z 0 -1 WITHSCORES",
              "ZADD z 1 a 2 b; ZREVRANGE z 0 -1 WITHSCORES",
              "ZADD z 1 a 2 b; ZRANGEBYSCORE z -inf 9 withscores",
              "ZADD z 1 a; ZUNION 2 z y WITHSCORES",
              "ZADD z 1 a; ZRANDMEMBER z 1 WITHSCORES",
              "ZADD z 1 a 2 b; ZPOPMIN z",
              "ZPOPMIN z",
              "ZADD z 1 a 2 b; ZPOPMAX z 2",
              "ZADD z 1 a; BZPOPMIN z 1",
              "ZADD z 1 a 2 b; ZMPOP 1 z MIN COUNT 2",
              "ZMPOP 1 z MIN",
              "ZADD z 1 a; ZRANK z a",
              "ZADD z 1 a; ZSCAN z 0",
              "RPUSH l a b; LRANGE l 0 -1",
              "LPOP l",
              "RPUSH l a; BLPOP l 1",
              "LPOS l a",
              "RPUSH l a; LMPOP 1 l LEFT",
              "XADD s 1-1 f v; XRANGE s - +",
              "XADD s 1-1 f v; XREAD STREAMS s 0",
              "XREAD STREAMS s 0",
              "XADD s 1-1 f v; XGROUP CREATE s g 0; XREADGROUP GROUP g me STREAMS s >",
              "XADD s 1-1 f v; XGROUP CREATE s g 0; XPENDING s g",
              "XADD s 1-1 f v; XGROUP CREATE s g 0; XINFO GROUPS s",
              "XADD s 1-1 f v; XINFO STREAM s",
              "GEOADD g 13.5 38.1 a; GEOPOS g a b",
              "GEOADD g 13.5 38.1 a; GEODIST g a a",
              "SET a ab; SET b ab; LCS a b IDX",
              "CONFIG GET maxmemory",
              "EXISTS k",
              "TTL k",
              "GETDEL k",
              "TYPE k",
              "OBJECT ENCODING k",
              "EVAL return{1,false,'a',true} 0",
              "EVAL return(nil) 0",
              "HSET h a 1; EVAL return(redis.call('hgetall','h')) 0",
              "EVAL return(redis.call('get','k')) 0",
              "SET k v; MULTI; HSET h a 1; HGETALL h; GET none; ZADD z 1 a; ZSCORE z a; INCR k; EXEC",
              "MULTI; SET k v; DISCARD",
              "MULTI; EXEC",
              "PING",
              "DEL k",
              "KEYS *",
              "SCAN 0",
              "COPY a b",
              "TIMES"})
            QTest::newRow(commands) << QString::fromLatin1(commands);
    }
    void replies_areThoseOfARealServer()
    {
        QFETCH(const QString, commands);
        const Commands all = commandsIn(commands);
        const auto begin = std::ranges::find_if(all, [](const Command &command) { return command.name() == "MULTI"; });
        const auto first = begin == all.end() ? all.end() - 1 : begin;
        const QByteArray real = realAnswers(all, first - all.begin());
        if (real.isEmpty())
            QSKIP("this server has no RESP3 (Redis 6)");
        (*server)({"FLUSHALL"});
        QByteArray wire;
        Reply reply;
        for (const Command &command : all) {
            reply = (*server)(command);
            if (command.name() == "MULTI" || reply == Reply::status("QUEUED"))
                resp::encode(reply, wire);
        }
        programs::encodeAsResp3(Commands(first, all.end()), reply, wire);
        QCOMPARE(wire, real);
    }

    /// The protocol of the client has no effect on the schedules.
    void verdicts_areThoseOfResp2_data()
    {
        QTest::addColumn<QByteArray>("worker");
        for (const char *worker : {"semaphore", "getdel", "readwrite", "watchmulti", "signalchannel", "everywait"})
            QTest::newRow(worker) << QByteArray(worker);
    }
    void verdicts_areThoseOfResp2()
    {
        QFETCH(const QByteArray, worker);
        std::vector<test::Explored> explored;
        for (const char *protocol : {"2", "3"}) {
            programs::Program program = test::worker(worker.constData());
            if (worker == "readwrite" || worker == "watchmulti")
                program.resource = "order:1";
            program.limits = {1, 1, 0, 1, {}};
            program.words.prepend(QByteArray("LATCHKEY_TEST_RESP=") + protocol);
            program.words.prepend("env");
            explored.push_back(
                test::explore(program, {QStringLiteral("no-immortal-key"), QStringLiteral("lost-update")}));
            QVERIFY2(!explored.back().error, qPrintable(explored.back().errorText()));
        }
        const auto &[two, three] = std::tie(explored.front().results, explored.back().results);
        QCOMPARE(three.size(), two.size());
        for (std::size_t i = 0; i < two.size(); ++i) {
            QCOMPARE(three[i].verdict, two[i].verdict);
            QCOMPARE(three[i].schedules, two[i].schedules);
            QCOMPARE(three[i].states, two[i].states);
        }
    }

    void unsupportedReplyForm_isNamedInTheError_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("part");
        QTest::newRow("other form") << QStringLiteral("XINFO STREAM s FULL") << QStringLiteral("XINFO over RESP3");
        QTest::newRow("script") << QStringLiteral("EVAL redis.setresp(3) 0") << QStringLiteral("redis.setresp");
    }
    void unsupportedReplyForm_isNamedInTheError()
    {
        QFETCH(const QString, command);
        QFETCH(const QString, part);
        const auto why = programs::unsupportedInResp3(commandsIn(command).front());
        QVERIFY(why);
        QVERIFY2(base::Error(base::ErrorKind::Protocol, *why).message().contains(part),
                 qPrintable(base::Error(base::ErrorKind::Protocol, *why).message()));
        QVERIFY(!programs::unsupportedInResp3({"GET", "k"}));
    }
};

LATCHKEY_TEST(TestProgramResp3)

} // namespace tst_programresp3

#include "tst_programresp3.moc"
