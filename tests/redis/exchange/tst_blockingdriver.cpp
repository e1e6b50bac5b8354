#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QElapsedTimer>
#include <QLocalServer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace tst_blockingdriver {

using namespace latchkey;
using namespace latchkey::exchange;
using base::ErrorKind;
using resp::Command;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

Exchange<Reply> one(Command command)
{
    const Reply reply = co_await std::move(command);
    co_return reply;
}

Exchange<QByteArray> fresh(Command command)
{
    Request request = Request(std::move(command)).onNewConnection();
    const Reply reply = co_await std::move(request);
    co_return reply.bytes();
}

Exchange<Answers> all(Batch batch)
{
    const Answers answers = co_await std::move(batch);
    co_return answers;
}

Batch impatient(const Command &command)
{
    return Batch().add(command).add(command, 1).within(300ms);
}

Exchange<base::OwnerToken> token()
{
    const base::OwnerToken drawn = co_await freshToken();
    co_return drawn;
}

Exchange<std::chrono::nanoseconds> rest()
{
    const Instant before = co_await now();
    co_await Pause {20ms};
    const Instant after = co_await now();
    co_return after.monotonic - before.monotonic;
}

Exchange<Reply> dueWithin(std::chrono::milliseconds time, Command command)
{
    const Instant instant = co_await now();
    const Reply reply = co_await dueBy(instant.monotonic + time, one(std::move(command)));
    co_return reply;
}

} // namespace

class TestBlockingDriver final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commands_areCarriedOut()
    {
        test::TestServer server;
        BlockingDriver driver({server.endpoint()});
        const auto reply = driver.run(one({"SET", "k", "v"}));
        LATCHKEY_VERIFY_RESULT(reply);
        QVERIFY(reply->isOk());
        QVERIFY(server({"GET", "k"}).isBulk("v"));
    }

    void batch_goesToItsServersAndKeepsItsOrder()
    {
        test::TestServer first;
        test::TestServer second;
        QVERIFY(first({"SET", "k", "first"}).isOk());
        QVERIFY(second({"SET", "k", "second"}).isOk());
        BlockingDriver driver({first.endpoint(), second.endpoint()});
        const auto answers = driver.run(
            all(Batch().add({"GET", "k"}, 1).add({"GET", "k"}).add({"LPUSH", "k", "x"}, 1).add({"GET", "k"}, 1)));
        LATCHKEY_VERIFY_RESULT(answers);
        QCOMPARE(answers->size(), std::size_t(4));
        QVERIFY((*answers)[0]->isBulk("second"));
        QVERIFY((*answers)[1]->isBulk("first"));
        QCOMPARE((*answers)[2].error().kind, ErrorKind::WrongType);
        QVERIFY((*answers)[3]->isBulk("second"));
    }

    void batch_withADeadServerStillHasTheOthersAnswers()
    {
        test::TestServer alive;
        auto dead = std::make_unique<test::TestServer>();
        BlockingDriver driver({alive.endpoint(), dead->endpoint()});
        dead.reset();
        const auto answers = driver.run(all(Batch().add({"PING"}, 1).add({"PING"})));
        LATCHKEY_VERIFY_RESULT(answers);
        QCOMPARE((*answers)[0].error().kind, ErrorKind::Unreachable);
        QVERIFY((*answers)[1].has_value());
    }

    void stoppedServer_isGivenUpAndTheOthersAreNotHeldUpByIt()
    {
        test::TestServer alive;
        test::TestServer stopped;
        BlockingDriver driver({stopped.endpoint(), alive.endpoint()}, 300ms);
        LATCHKEY_VERIFY_RESULT(driver.connect());
        ::kill(static_cast<pid_t>(stopped.process().processId()), SIGSTOP);
        const auto answers = driver.run(all(Batch().add({"PING"}).add({"PING"}, 1)));
        ::kill(static_cast<pid_t>(stopped.process().processId()), SIGCONT);
        LATCHKEY_VERIFY_RESULT(answers);
        QCOMPARE((*answers)[0].error().kind, ErrorKind::TimedOut);
        QVERIFY((*answers)[1].has_value());
    }

    void deadlineOfTheExchange_isKept()
    {
        test::TestServer server;
        BlockingDriver driver({server.endpoint()}, 1h);
        LATCHKEY_VERIFY_RESULT(driver.run(dueWithin(1h, {"PING"})));
        QCOMPARE(driver.run(dueWithin(30ms, {"BLPOP", "never", "0"})).error().kind, ErrorKind::TimedOut);

        // Too late for sending and for connecting.
        QCOMPARE(driver.run(dueWithin(0ms, {"SET", "k", "v"})).error().kind, ErrorKind::Unreachable);
        QCOMPARE(driver.run(dueWithin(-1h, {"SET", "k", "v"})).error().kind, ErrorKind::Unreachable);
        QVERIFY(server({"EXISTS", "k"}).isInteger(0));
    }

    /// Servers that accept connections and never reply: many of them take no more time than one of them.
    void muteServers_areWaitedForSideBySide()
    {
        constexpr int count = 40;
        QTemporaryDir folder;
        std::vector<std::unique_ptr<QLocalServer>> mutes;
        std::vector<net::Endpoint> endpoints;
        Batch batch;
        for (int i = 0; i < count; ++i) {
            const QString path = folder.filePath(QString::number(i));
            mutes.push_back(std::make_unique<QLocalServer>());
            QVERIFY(mutes.back()->listen(path));
            endpoints.push_back(net::Endpoint::unixSocket(path));
            batch.add({"PING"}, i);
        }
        BlockingDriver driver(endpoints, 1s);
        QElapsedTimer elapsed;
        elapsed.start();
        const auto answers = driver.run(all(batch));
        LATCHKEY_VERIFY_RESULT(answers);
        for (const Answer &answer : *answers)
            QCOMPARE(answer.error().kind, ErrorKind::Unreachable); // Nothing was sent: no handshake was completed.
        QVERIFY2(elapsed.elapsed() < count * 1000 / 2, "one after the other would take the sum");
    }

    void batch_mayHaveLessPatienceThanTheDriver()
    {
        test::TestServer alive;
        test::TestServer stopped;
        BlockingDriver driver({stopped.endpoint(), alive.endpoint()}, std::chrono::hours(1));
        LATCHKEY_VERIFY_RESULT(driver.connect());
        ::kill(static_cast<pid_t>(stopped.process().processId()), SIGSTOP);
        const auto answers = driver.run(all(impatient({"PING"})));
        // The connection has been closed. A new one cannot be opened within the same timeout.
        const auto again = driver.run(all(impatient({"PING"})));
        ::kill(static_cast<pid_t>(stopped.process().processId()), SIGCONT);
        QCOMPARE((*answers)[0].error().kind, ErrorKind::TimedOut);
        QVERIFY((*answers)[1].has_value());
        QCOMPARE((*again)[0].error().kind, ErrorKind::Unreachable);
        QVERIFY((*again)[1].has_value());
    }

    void batch_overNewConnections()
    {
        test::TestServer first;
        test::TestServer second;
        BlockingDriver driver({first.endpoint(), second.endpoint()});
        const auto ids = driver.run(all(Batch().add({"CLIENT", "ID"}).add({"CLIENT", "ID"}, 1)));
        Batch batch;
        batch.add(Request({"CLIENT", "ID"}).onNewConnection()).add({"CLIENT", "ID"}, 1);
        const auto others = driver.run(all(batch));
        LATCHKEY_VERIFY_RESULT(others);
        QVERIFY((*others)[0]->toInteger() != (*ids)[0]->toInteger());
        QCOMPARE((*others)[1]->toInteger(), (*ids)[1]->toInteger());
    }

    void lostConnection_isReplacedForTheNextCommand()
    {
        test::TestServer server;
        BlockingDriver driver({server.endpoint()});
        LATCHKEY_VERIFY_RESULT(driver.connect());
        QVERIFY(server({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        const auto lost = driver.run(one({"PING"}));
        QVERIFY(!lost);
        QCOMPARE(lost.error().kind, ErrorKind::ConnectionLost);
        LATCHKEY_VERIFY_RESULT(driver.run(one({"PING"})));
    }

    void newConnection_isANewOne()
    {
        test::TestServer server;
        BlockingDriver driver({server.endpoint()});
        const auto id = driver.run(one({"CLIENT", "ID"}));
        const auto again = driver.run(one({"CLIENT", "ID"}));
        LATCHKEY_VERIFY_RESULT(id);
        QCOMPARE(again->toInteger(), id->toInteger());
        const auto other = driver.run(fresh({"CLIENT", "INFO"}));
        LATCHKEY_VERIFY_RESULT(other);
        QVERIFY(!other->startsWith("id=" + QByteArray::number(id->toInteger()) + " "));
    }

    void timeAndChance_areTheDrivers()
    {
        test::ScriptedRandom random;
        BlockingDriver driver({}, 1s, base::SystemClock::instance(), random);
        QCOMPARE(driver.run(token()).value(), base::OwnerToken("token-1"));
        QVERIFY(driver.run(rest()).value() >= 20ms);
    }

    void unreachableServer_isATypedError()
    {
        BlockingDriver driver({net::Endpoint::unixSocket(QStringLiteral("/nonexistent.sock"))});
        const auto connected = driver.connect();
        QVERIFY(!connected);
        QCOMPARE(connected.error().kind, ErrorKind::Unreachable);
        QCOMPARE(driver.run(one({"PING"})).error().kind, ErrorKind::Unreachable);
    }
};

LATCHKEY_TEST(TestBlockingDriver)

} // namespace tst_blockingdriver

#include "tst_blockingdriver.moc"
