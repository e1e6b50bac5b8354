#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/fakeredis.h"
#include "tests/support/freeport.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTcpSocket>
#include <QTest>

#include <csignal>

namespace tst_session {

using namespace latchkey;
using namespace latchkey::net;
using namespace latchkey::resp;
using base::ErrorKind;
using base::SystemClock;
using State = Session::State;
using namespace std::chrono_literals;

namespace {

Endpoint tcp(quint16 port)
{
    return Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:%1").arg(port)).value();
}

} // namespace

class TestSession final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};

private Q_SLOTS:
    void start_connectsAndMeasures()
    {
        test::TestServer server;
        Session session(server.endpoint(), SystemClock::instance(), random);
        session.start();
        QCOMPARE(session.state(), State::Connecting);
        LATCHKEY_AWAIT(session.state() == State::Ready);
        QVERIFY(session.connection() != nullptr);
        QVERIFY(session.server().display().startsWith(QStringLiteral("Redis ")));
        QVERIFY(session.roundTrip() > 0ns);
        QVERIFY(!session.lastError());

        QSignalSpy measured(&session, &Session::roundTripMeasured);
        const quint64 before = session.commandsSent();
        LATCHKEY_AWAIT(measured.size() == 1);
        QCOMPARE(session.commandsSent(), before + 1);
    }

    void refusedConnection_isRetriedUntilTheServerIsThere()
    {
        const quint16 port = test::freePort();

        Session session(tcp(port), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        QCOMPARE(session.lastError()->kind, ErrorKind::Unreachable);
        QCOMPARE(session.lastError()->message(),
                 QStringLiteral("cannot connect to redis://127.0.0.1:%1: Connection refused").arg(port));
        QVERIFY(session.nextAttempt() > base::MonotonicTime());

        test::TestServer server(
            {QStringLiteral("--port"), QString::number(port), QStringLiteral("--bind"), QStringLiteral("127.0.0.1")});
        LATCHKEY_AWAIT(session.state() == State::Ready);
        QVERIFY(!session.lastError());
    }

    void lostServer_isFoundAgain()
    {
        const quint16 port = test::freePort();
        const QStringList arguments {QStringLiteral("--port"), QString::number(port), QStringLiteral("--bind"),
                                     QStringLiteral("127.0.0.1")};

        auto server = std::make_unique<test::TestServer>(arguments);
        Session session(tcp(port), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        const QString firstRun = session.server().runId;
        const quint64 sent = session.commandsSent();

        server->kill();
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        QCOMPARE(session.lastError()->kind, ErrorKind::ConnectionLost);
        QVERIFY(session.connection() == nullptr);
        QCOMPARE(session.server().runId, firstRun);
        QVERIFY2(session.commandsSent() >= sent, "the count goes on over connections");

        server = std::make_unique<test::TestServer>(arguments);
        LATCHKEY_AWAIT(session.state() == State::Ready);
        QVERIFY(session.server().runId != firstRun);
    }

    void silentServer_isGivenUpAndRetried()
    {
        test::TestServer server;
        Session session(server.endpoint(), SystemClock::instance(), random);
        session.setTiming({500ms, 20ms, 100ms});
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        ::kill(static_cast<pid_t>(server.process().processId()), SIGSTOP);
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        QCOMPARE(session.lastError()->kind, ErrorKind::TimedOut);
        ::kill(static_cast<pid_t>(server.process().processId()), SIGCONT);
        LATCHKEY_AWAIT(session.state() == State::Ready);
    }

    /// A proxy loses one reply; each later reply is then that to the request before.
    void shiftedReplies_endTheConnection()
    {
        int pings = 0;
        const test::FakeRedis shifted([&pings](const QList<QByteArray> &command) -> QByteArray {
            if (command.front() == "PING")
                return ++pings == 2 ? ":2157\r\n" : "+PONG\r\n";
            return "-ERR unknown command\r\n";
        });
        Session session(Endpoint::fromUrl(shifted.url()).value(), SystemClock::instance(), random);
        Session::Timing timing;
        timing.pingInterval = 20ms;
        session.setTiming(timing);
        QSignalSpy states(&session, &Session::stateChanged);
        session.start();
        LATCHKEY_AWAIT(session.lastError().has_value());
        QCOMPARE(session.lastError()->kind, ErrorKind::Protocol);
        QCOMPARE(session.lastError()->message(), QStringLiteral("the replies do not match the requests"));
        LATCHKEY_AWAIT(session.state() == State::Ready && pings > 3);
        QCOMPARE(states.count({QVariant::fromValue(State::Waiting)}), 1);
    }

    void retryNow_doesNotWait()
    {
        Session session(tcp(1), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        session.retryNow();
        QCOMPARE(session.state(), State::Connecting);
    }

    void stop_endsEverything()
    {
        test::TestServer server;
        Session session(server.endpoint(), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        session.stop();
        QCOMPARE(session.state(), State::Stopped);
        QVERIFY(session.connection() == nullptr);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
    }

    void wrongPassword_isReportedAsSuch()
    {
        test::TestServer server;
        QVERIFY(server({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        Session session(server.endpoint(), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        QCOMPARE(session.lastError()->kind, ErrorKind::AuthenticationRequired);
    }

    void refusedPassword_isTriedAgainAfterAWhile()
    {
        test::TestServer server;
        QVERIFY(server({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        net::Endpoint endpoint = server.endpoint();
        endpoint.password = QStringLiteral("wrong");
        Session session(endpoint, SystemClock::instance(), random);
        Session::Timing timing;
        timing.passwordWait = 100ms;
        session.setTiming(timing);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        QCOMPARE(session.lastError()->kind, ErrorKind::WrongPassword);
        QVERIFY(session.nextAttempt() != base::MonotonicTime::max());
        QVERIFY(server({"CONFIG", "SET", "requirepass", "wrong"}).isOk());
        LATCHKEY_AWAIT(session.state() == State::Ready);
    }

    void wrongPassword_waitsLong()
    {
        test::TestServer server;
        QVERIFY(server({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        net::Endpoint endpoint = server.endpoint();
        endpoint.password = QStringLiteral("wrong");
        Session session(endpoint, SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        QVERIFY(session.nextAttempt() - SystemClock::instance().now() > 10s);
    }

    void missingPassword_isTriedAgainSoon()
    {
        test::TestServer server;
        QVERIFY(server({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        Session session(server.endpoint(), SystemClock::instance(), random);
        QSignalSpy states(&session, &Session::stateChanged);
        session.start();
        // Each wait is short, also after several attempts.
        for (int attempt = 0; attempt < 3; ++attempt) {
            LATCHKEY_AWAIT(states.count() >= 2 * attempt + 2 && session.state() == State::Waiting);
            QCOMPARE(session.lastError()->kind, ErrorKind::AuthenticationRequired);
            QVERIFY(session.nextAttempt() - SystemClock::instance().now() <= 3s);
            session.retryNow();
        }
        QVERIFY(server({"CONFIG", "SET", "requirepass", ""}).isOk());
        LATCHKEY_AWAIT(session.state() == State::Ready);
    }

    void passwordAcceptedBefore_isTriedAgainSoonUpToALimit()
    {
        test::TestServer server;
        QVERIFY(server({"ACL", "SETUSER", "reader", "on", ">hunter2", "+@all", "~*"}).isOk());
        net::Endpoint endpoint = server.endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("hunter2");
        Session session(endpoint, SystemClock::instance(), random);
        QSignalSpy states(&session, &Session::stateChanged);
        session.start();
        LATCHKEY_AWAIT(session.state() == State::Ready);
        QCOMPARE(server({"ACL", "DELUSER", "reader"}).toInteger(), 1);
        LATCHKEY_AWAIT(session.state() == State::Waiting);
        int soon = 0;
        while (session.lastError()->kind != ErrorKind::WrongPassword
               || session.nextAttempt() - SystemClock::instance().now() <= 3s) {
            const auto before = states.count();
            session.retryNow();
            LATCHKEY_AWAIT(states.count() > before + 1 && session.state() == State::Waiting);
            QVERIFY(++soon < 100);
        }
        QVERIFY(soon > 5);
        QVERIFY(session.nextAttempt() - SystemClock::instance().now() > 10s);
    }
};

LATCHKEY_TEST(TestSession)

} // namespace tst_session

#include "tst_session.moc"
