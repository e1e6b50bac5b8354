#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <csignal>

namespace tst_loopdriver {

using namespace latchkey;
using namespace latchkey::exchange;
using base::ErrorKind;
using base::SystemClock;
using net::Session;
using resp::Command;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

struct Frame
{
    Frame() { ++alive; }
    Frame(const Frame &) { ++alive; }
    Frame &operator=(const Frame &) = default;
    ~Frame() { --alive; }
    static inline int alive = 0;
};

Exchange<QString> steps(QByteArray key)
{
    const Frame frame;
    const base::OwnerToken token = co_await freshToken();
    const Command set {"SET", key, token.bytes()};
    const Reply written = co_await set;
    co_await Pause {1ms};
    const Reply read = co_await resp::get(base::Key(key));
    const Instant instant = co_await now();
    Q_UNUSED(instant)
    co_return written.toText() + u' ' + read.toText();
}

Exchange<Answers> all(Batch batch)
{
    const Answers answers = co_await std::move(batch);
    co_return answers;
}

Exchange<Reply> one(Command command)
{
    const Reply reply = co_await std::move(command);
    co_return reply;
}

Exchange<void> rest(std::chrono::milliseconds duration)
{
    co_await Pause {duration};
}

Exchange<qint64> freshId()
{
    Request request = Request(Command {"CLIENT", "ID"}).onNewConnection();
    const Reply reply = co_await std::move(request);
    co_return reply.toInteger();
}

Exchange<ErrorKind> errorOf(Request request)
{
    const Answer answer = co_await tentatively(std::move(request));
    co_return answer ? ErrorKind::Local : answer.error().kind;
}

Exchange<ErrorKind> dueWithin(std::chrono::milliseconds time, Request request)
{
    const Instant instant = co_await now();
    const ErrorKind kind = co_await dueBy(instant.monotonic + time, errorOf(std::move(request)));
    co_return kind;
}

} // namespace

class TestLoopDriver final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random;
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Session> session;

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        session = std::make_unique<Session>(server->endpoint(), SystemClock::instance(), random);
        session->start();
        LATCHKEY_AWAIT(session->state() == Session::State::Ready);
    }
    void cleanup()
    {
        session.reset();
        server.reset();
        QCOMPARE(Frame::alive, 0);
    }

    void exchanges_runSideBySide()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        QStringList results;
        for (int i = 0; i < 100; ++i)
            driver.run<QString>(steps("k" + QByteArray::number(i)), [&](const base::Result<QString> &result) {
                results += result.value_or(QStringLiteral("failed"));
            });
        QVERIFY2(results.isEmpty(), "never from within run()");
        QCOMPARE(driver.running(), std::size_t(100));
        LATCHKEY_AWAIT(results.size() == 100);
        for (const QString &result : results)
            QVERIFY2(result.startsWith(QStringLiteral("OK \"token-")), qPrintable(result));
        QCOMPARE(driver.running(), std::size_t(0));
    }

    void cancel_destroysTheExchangeWithoutACall()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        int called = 0;
        std::vector<LoopDriver::RunId> runs;
        for (int i = 0; i < 300; ++i)
            runs.push_back(driver.run<QString>(steps("k" + QByteArray::number(i)),
                                               [&](const base::Result<QString> &) { ++called; }));
        // Cancels two of three exchanges, each at the point that it has reached.
        LATCHKEY_AWAIT(called > 0 || random.unit() >= 0);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (i % 3 != 0)
                driver.cancel(runs[i]);
            if (i % 7 == 0)
                QCoreApplication::sendPostedEvents();
        }
        LATCHKEY_AWAIT(driver.running() == 0);
        // The replies of cancelled requests were dropped in order: the connection still matches replies to requests.
        QByteArray echoed;
        driver.run<Reply>(one({"ECHO", "still right"}),
                          [&](const base::Result<Reply> &reply) { echoed = reply->bytes(); });
        LATCHKEY_AWAIT(echoed == "still right");
    }

    void destroyingTheDriver_cancelsEverything()
    {
        auto driver =
            std::make_unique<LoopDriver>(std::vector<Session *> {session.get()}, SystemClock::instance(), random);
        for (int i = 0; i < 10; ++i)
            driver->run<QString>(steps("k"), [](const base::Result<QString> &) { QFAIL("cancelled"); });
        QCoreApplication::sendPostedEvents();
        driver.reset();
        QCOMPARE(Frame::alive, 0);
    }

    void destroyingTheDriverFromACallback_isSafe()
    {
        auto driver =
            std::make_unique<LoopDriver>(std::vector<Session *> {session.get()}, SystemClock::instance(), random);
        bool called = false;
        driver->run<QString>(steps("k"), [&](const base::Result<QString> &) {
            called = true;
            driver.reset();
        });
        LATCHKEY_AWAIT(called);
    }

    void batch_overSeveralServersKeepsItsOrder()
    {
        test::TestServer other;
        Session second(other.endpoint(), SystemClock::instance(), random);
        second.start();
        LATCHKEY_AWAIT(second.state() == Session::State::Ready);
        QVERIFY((*server)({"SET", "k", "first"}).isOk());
        QVERIFY(other({"SET", "k", "second"}).isOk());

        LoopDriver driver({session.get(), &second}, SystemClock::instance(), random);
        Answers answers;
        driver.run<Answers>(all(Batch().add({"GET", "k"}, 1).add({"GET", "k"}).add({"GET", "k"}, 1)),
                            [&](base::Result<Answers> result) { answers = std::move(*result); });
        LATCHKEY_AWAIT(answers.size() == 3);
        QVERIFY(answers[0]->isBulk("second"));
        QVERIFY(answers[1]->isBulk("first"));
        QVERIFY(answers[2]->isBulk("second"));
    }

    void batch_hasItsOwnPatienceAndNewConnections()
    {
        test::TestServer stopped;
        Session second(stopped.endpoint(), SystemClock::instance(), random);
        second.start();
        LATCHKEY_AWAIT(second.state() == Session::State::Ready);
        LoopDriver driver({session.get(), &second}, SystemClock::instance(), random);
        driver.setTimeout(1h);

        Answers ids;
        driver.run<Answers>(all(Batch().add({"CLIENT", "ID"})),
                            [&](base::Result<Answers> result) { ids = std::move(*result); });
        LATCHKEY_AWAIT(ids.size() == 1);

        const auto stoppedId = static_cast<pid_t>(stopped.process().processId());
        ::kill(stoppedId, SIGSTOP);
        Batch batch = Batch().add({"PING"}, 1).within(300ms);
        batch.add(Request({"CLIENT", "ID"}).onNewConnection());
        Answers answers;
        driver.run<Answers>(all(batch), [&](base::Result<Answers> result) { answers = std::move(*result); });
        LATCHKEY_AWAIT(answers.size() == 2);
        QCOMPARE(answers[0].error().kind, ErrorKind::TimedOut);
        QVERIFY(answers[1].has_value());
        QVERIFY(answers[1]->toInteger() != ids[0]->toInteger());

        // Two new connections at once. One of them fails, so its command was not sent.
        Batch renewed = Batch().within(300ms);
        renewed.add(Request({"CLIENT", "ID"}, 1).onNewConnection()).add(Request({"CLIENT", "ID"}).onNewConnection());
        answers.clear();
        driver.run<Answers>(all(renewed), [&](base::Result<Answers> result) { answers = std::move(*result); });
        LATCHKEY_AWAIT(answers.size() == 2);
        ::kill(stoppedId, SIGCONT);
        QCOMPARE(answers[0].error().kind, ErrorKind::Unreachable);
        QVERIFY(answers[1].has_value());
    }

    void sessionWithoutConnection_answersWithATypedError()
    {
        Session idle(server->endpoint(), SystemClock::instance(), random);
        LoopDriver driver({&idle}, SystemClock::instance(), random);
        std::optional<base::Error> error;
        driver.run<Reply>(one({"PING"}), [&](const base::Result<Reply> &result) { error = result.error(); });
        LATCHKEY_AWAIT(error.has_value());
        QCOMPARE(error->kind, ErrorKind::Unreachable);
    }

    void newConnection_isANewOneAndIsClosedAfterwards()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        qint64 own = 0;
        qint64 fresh = 0;
        driver.run<Reply>(one({"CLIENT", "ID"}), [&](const base::Result<Reply> &reply) { own = reply->toInteger(); });
        driver.run<qint64>(freshId(), [&](const base::Result<qint64> &id) { fresh = id.value_or(-1); });
        LATCHKEY_AWAIT(own != 0 && fresh != 0);
        QVERIFY(fresh > 0 && fresh != own);
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST"}).bytes().count("name=latchkey")
                       == 2); // One of the session, one of the test.
    }

    void pauseLongerThanATimerCounts_isNotCutShort()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        bool hasEnded = false;
        bool shortOneHasEnded = false;
        const auto ended = [](bool &flag) { return [&flag](const base::Result<void> &) { flag = true; }; };
        // As an int of milliseconds, this pause would be 1 ms.
        driver.run<void>(rest(std::chrono::milliseconds((1LL << 32) + 1)), ended(hasEnded));
        driver.run<void>(rest(20ms), ended(shortOneHasEnded));
        LATCHKEY_AWAIT(shortOneHasEnded);
        QVERIFY(!hasEnded);
    }

    void transcript_containsTheExchange()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        QStringList transcript;
        driver.setListener([&](const TranscriptEntry &entry) { transcript += entry.toText(); });
        bool done = false;
        driver.run<QString>(steps("k"), [&](const base::Result<QString> &) { done = true; });
        LATCHKEY_AWAIT(done);
        QCOMPARE(transcript.size(), 2);
        QVERIFY2(transcript[0].startsWith(QStringLiteral("SET k token-"))
                     && transcript[0].endsWith(QStringLiteral("→ OK")),
                 qPrintable(transcript[0]));
    }

    void deadlineOfTheExchange_isKept()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        driver.setTimeout(1h);
        const auto error = [&](std::chrono::milliseconds time, Request request) {
            std::optional<ErrorKind> kind;
            driver.run<ErrorKind>(dueWithin(time, std::move(request)),
                                  [&](const base::Result<ErrorKind> &result) { kind = *result; });
            [&] { LATCHKEY_AWAIT(kind.has_value()); }();
            return *kind;
        };
        const Command forEver {"BLPOP", "never", "0"};
        const Command set {"SET", "k", "v"};
        QCOMPARE(error(1h, Request(set)), ErrorKind::Local); // Local stands for success.
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(error(0ms, Request(set)), ErrorKind::Unreachable);
        QCOMPARE(error(-1h, Request(set)), ErrorKind::Unreachable);
        QCOMPARE(error(0ms, Request(set).onNewConnection()), ErrorKind::Unreachable);
        QVERIFY2((*server)({"EXISTS", "k"}).isInteger(0), "nothing was sent");
        QCOMPARE(error(30ms, Request(forEver).onNewConnection()), ErrorKind::TimedOut);
        QCOMPARE(session->state(), Session::State::Ready);
        QCOMPARE(error(30ms, Request(forEver)), ErrorKind::TimedOut);
    }

    void lostConnection_leavesTheOutcomeUnknown()
    {
        LoopDriver driver({session.get()}, SystemClock::instance(), random);
        std::optional<base::Error> error;
        driver.run<Reply>(one({"BLPOP", "never", "0"}),
                          [&](const base::Result<Reply> &result) { error = result.error(); });
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST"}).bytes().contains("cmd=blpop"));
        server->kill();
        LATCHKEY_AWAIT(error.has_value());
        QVERIFY(base::leavesOutcomeUnknown(error->kind));
    }
};

LATCHKEY_TEST(TestLoopDriver)

} // namespace tst_loopdriver

#include "tst_loopdriver.moc"
