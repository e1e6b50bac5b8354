#include "core/redis/net/connection.h"
#include "tests/support/await.h"
#include "tests/support/devicepair.h"
#include "tests/support/faultydevice.h"
#include "tests/support/manualclock.h"
#include "tests/support/scriptedserver.h"
#include "tests/support/testprogram.h"

#include <QElapsedTimer>
#include <QLocalServer>
#include <QLocalSocket>
#include <QNetworkProxy>
#include <QPointer>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

#include <poll.h>

namespace tst_connection {

using namespace latchkey;
using namespace latchkey::net;
using namespace latchkey::resp;
using base::ErrorKind;
using test::FaultyDevice;
using test::PairDevice;
using test::ScriptedServer;
using namespace std::chrono_literals;

namespace {

using Outcome = base::Result<Connection::Delivery>;

/// A connection to a scripted server, with the outcomes of its requests in the order of their callbacks.
struct Fixture
{
    explicit Fixture(ScriptedServer::Script script)
        : Fixture(std::move(script), FaultyDevice::never)
    {}
    Fixture(ScriptedServer::Script script, qint64 readable)
    {
        auto [near, far] = PairDevice::makePair();
        server = std::make_unique<ScriptedServer>(std::move(far), std::move(script));
        connection = std::make_unique<Connection>(std::make_unique<FaultyDevice>(std::move(near), readable),
                                                  QStringLiteral("redis://test"), base::SystemClock::instance());
        QObject::connect(connection.get(), &Connection::closed, connection.get(),
                         [this](const base::Error &error) { closed.push_back(error); });
    }

    void send(const Commands &commands, std::chrono::milliseconds timeout = 30s)
    {
        connection->send(commands, timeout, connection.get(),
                         [this](Outcome outcome) { outcomes.push_back(std::move(outcome)); });
    }
    [[nodiscard]] QString text(std::size_t request) const
    {
        const Outcome &outcome = outcomes.at(request);
        return outcome ? Reply::array(outcome->replies).toText()
                       : QStringLiteral("failed: ") + outcome.error().message();
    }

    std::unique_ptr<ScriptedServer> server;
    std::unique_ptr<Connection> connection;
    std::vector<Outcome> outcomes;
    std::vector<base::Error> closed;
};

/// A device that replies to any written bytes and emits readyRead() before the write returns.
class InstantDevice final : public QIODevice
{
public:
    InstantDevice() { open(ReadWrite | Unbuffered); }

    [[nodiscard]] bool isSequential() const override { return true; }
    [[nodiscard]] qint64 bytesAvailable() const override { return m_answer.size() + QIODevice::bytesAvailable(); }

protected:
    qint64 readData(char *data, qint64 most) override
    {
        const qint64 count = std::min<qint64>(most, m_answer.size());
        std::copy_n(m_answer.cbegin(), count, data);
        m_answer.remove(0, count);
        return count;
    }
    qint64 writeData(const char *, qint64 size) override
    {
        m_answer += "+PONG\r\n";
        Q_EMIT readyRead();
        return size;
    }

private:
    QByteArray m_answer;
};

/// Replies to every command with its second word.
QByteArray echo(const QList<QByteArray> &command)
{
    return "+" + command.value(1) + "\r\n";
}

} // namespace

class TestConnection final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void maxClientsError_isReadBeforeTheEndOfTheConnection()
    {
        Fixture fixture([](const QList<QByteArray> &) { return QByteArray(); });
        fixture.send({{"CLIENT", "SETNAME", "me"}, {"INFO"}});
        LATCHKEY_AWAIT(fixture.server->commands().size() == 2);
        fixture.server->device().write("-ERR max number of clients reached\r\n");
        fixture.server->device().close();
        LATCHKEY_AWAIT(fixture.closed.size() == 1);
        QCOMPARE(fixture.closed.front().kind, ErrorKind::TooManyClients);
        QCOMPARE(fixture.outcomes.front().error(), fixture.closed.front());
    }

    void send_deliversRepliesInOrder()
    {
        Fixture fixture(echo);
        fixture.send({{"ECHO", "a"}});
        fixture.send({{"ECHO", "b"}, {"ECHO", "c"}});
        fixture.send({{"ECHO", "d"}});
        QVERIFY2(fixture.outcomes.empty(), "never from within send()");
        LATCHKEY_AWAIT(fixture.outcomes.size() == 3);
        QCOMPARE(fixture.text(0), QStringLiteral("[a]"));
        QCOMPARE(fixture.text(1), QStringLiteral("[b, c]"));
        QCOMPARE(fixture.text(2), QStringLiteral("[d]"));
        QCOMPARE(fixture.connection->commandsSent(), quint64(4));
        QVERIFY(fixture.outcomes[0]->sent <= fixture.outcomes[0]->received);
    }

    void send_fromACallbackWorks()
    {
        Fixture fixture(echo);
        QString second;
        fixture.connection->send({{"ECHO", "a"}}, 30s, this, [&](const Outcome &) {
            fixture.connection->send({{"ECHO", "b"}}, 30s, this,
                                     [&](const Outcome &outcome) { second = outcome->replies[0].toText(); });
        });
        LATCHKEY_AWAIT(second == u"b");
    }

    void answersThatWaitToBeRead_areNotMissing()
    {
        Fixture fixture(echo);
        constexpr int many = 100'000; // More than one turn of the event loop handles.
        fixture.send({{"ECHO", "first"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        const Commands commands(many, Command {"ECHO", "x"});
        fixture.send(commands, 1ms); // The double replies at once, so all replies arrive before the timeout.
        QElapsedTimer busy;
        busy.start();
        while (busy.elapsed() < 10) {} // This thread is busy with other work.
        LATCHKEY_AWAIT(fixture.outcomes.size() == 2);
        QVERIFY2(fixture.outcomes[1], fixture.outcomes[1] ? "" : qPrintable(fixture.outcomes[1].error().message()));
        QCOMPARE(fixture.outcomes[1]->replies.size(), std::size_t(many));
        QVERIFY(fixture.connection->isOpen());
    }

    void destroyingTheConnectionFromACallback_isSafe()
    {
        Fixture fixture(echo);
        bool called = false;
        fixture.connection->send({{"ECHO", "a"}}, 30s, this, [&](const Outcome &) {
            called = true;
            fixture.connection.reset();
        });
        fixture.send({{"ECHO", "b"}});
        LATCHKEY_AWAIT(called);
        QCoreApplication::sendPostedEvents();
        QVERIFY2(fixture.outcomes.empty(), "who destroys the connection does not want to hear of it");
    }

    /// A socket uses its own members after it has emitted a signal. If a callback destroyed the socket, it would crash.
    void destroyingTheConnectionFromACallback_leavesTheDeviceToFinishItsSignal()
    {
        auto [near, far] = PairDevice::makePair();
        const ScriptedServer server(std::move(far), echo);
        QPointer<QIODevice> device = near.get();
        auto connection = std::make_unique<Connection>(std::move(near), QStringLiteral("redis://test"),
                                                       base::SystemClock::instance());
        // Called after the connection's own slot, but not if that slot has destroyed the device.
        bool isSignalFinished = false;
        connect(device, &QIODevice::readyRead, this, [&] { isSignalFinished = true; });
        connection->send({{"ECHO", "a"}}, 30s, this, [&](const Outcome &) { connection.reset(); });
        LATCHKEY_AWAIT(!connection);
        QVERIFY(isSignalFinished);
        LATCHKEY_AWAIT(device.isNull());
    }

    void lateReply_endsTheConnectionAndAnswersNoRequest()
    {
        // The first command gets no reply in time. Its late reply arrives together with the second reply.
        Fixture fixture([](const QList<QByteArray> &command) {
            return command[1] == "slow" ? QByteArray() : QByteArray("+late\r\n+answer\r\n");
        });
        fixture.send({{"ECHO", "slow"}}, 50ms);
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        QCOMPARE(fixture.outcomes[0].error().kind, ErrorKind::TimedOut);
        QCOMPARE(fixture.outcomes[0].error().message(), QStringLiteral("redis://test: no answer within 50ms"));
        QVERIFY(!fixture.connection->isOpen());

        fixture.send({{"ECHO", "next"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 2);
        QCOMPARE(fixture.outcomes[1].error().kind, ErrorKind::ConnectionLost);
    }

    void deadlineOfALaterRequest_holdsBehindAPatientOne()
    {
        Fixture fixture([](const QList<QByteArray> &) { return QByteArray(); });
        fixture.send({{"ECHO", "patient"}}, 10min);
        fixture.send({{"ECHO", "hasty"}}, 20ms);
        LATCHKEY_AWAIT(fixture.outcomes.size() == 2);
        QCOMPARE(fixture.closed.size(), std::size_t(1));
        QCOMPARE(fixture.closed[0].kind, ErrorKind::TimedOut);
    }

    void surplusReply_endsTheConnection()
    {
        Fixture fixture([](const QList<QByteArray> &) { return QByteArray("+answer\r\n+forged\r\n"); });
        fixture.send({{"ECHO", "a"}});
        LATCHKEY_AWAIT(fixture.closed.size() == 1);
        QCOMPARE(fixture.text(0), QStringLiteral("[answer]"));
        QCOMPARE(fixture.closed[0].kind, ErrorKind::Protocol);
        QVERIFY(fixture.closed[0].message().contains(QStringLiteral("a reply without a request (forged)")));
    }

    void surplusReply_cutInHalfIsNotTheNextAnswer()
    {
        Fixture fixture([](const QList<QByteArray> &command) {
            return command[1] == "a" ? QByteArray("+answer\r\n+for") : QByteArray("ged\r\n+real\r\n");
        });
        fixture.send({{"ECHO", "a"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        fixture.send({{"ECHO", "b"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 2);
        QCOMPARE(fixture.outcomes[1].error().kind, ErrorKind::ConnectionLost);
    }

    void refusalOnConnecting_isGivenInTheServersWords()
    {
        Fixture fixture([](const QList<QByteArray> &) { return QByteArray(); });
        fixture.server->device().write("-DENIED Redis is running in protected mode\r\n");
        LATCHKEY_AWAIT(fixture.closed.size() == 1);
        QCOMPARE(fixture.closed[0].kind, ErrorKind::ProtectedMode);
    }

    void malformedReply_endsTheConnection()
    {
        Fixture fixture([](const QList<QByteArray> &) { return QByteArray("HTTP/1.1 400 Bad Request\r\n"); });
        fixture.send({{"ECHO", "a"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        QCOMPARE(fixture.outcomes[0].error().kind, ErrorKind::Protocol);
    }

    void connectionCutAtEveryByte_failsWhatIsOpenAndKeepsWhatCame()
    {
        const QByteArray answers = "$3\r\nabc\r\n*2\r\n:1\r\n:2\r\n";
        for (qsizetype cut = 0; cut < answers.size(); ++cut) {
            Fixture fixture(
                [&](const QList<QByteArray> &command) {
                    return command[1] == "a" ? answers.first(9) : answers.sliced(9);
                },
                cut);
            fixture.send({{"ECHO", "a"}});
            fixture.send({{"ECHO", "b"}});
            LATCHKEY_AWAIT(fixture.outcomes.size() == 2);
            QCOMPARE(fixture.closed.size(), std::size_t(1));
            QCOMPARE(fixture.outcomes[0].has_value(), cut >= 9);
            QVERIFY(!fixture.outcomes[1]);
            QCOMPARE(fixture.outcomes[1].error().kind, ErrorKind::ConnectionLost);
        }
    }

    void farEndClosing_failsWhatIsOpen()
    {
        Fixture fixture([](const QList<QByteArray> &) { return QByteArray(); });
        fixture.send({{"ECHO", "a"}});
        fixture.server->device().close();
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        QCOMPARE(fixture.text(0),
                 QStringLiteral("failed: redis://test: the connection was lost (the other end was closed)"));
    }

    void replyToADestroyedReceiver_isDroppedAndKeepsTheOrder()
    {
        Fixture fixture(echo);
        auto receiver = std::make_unique<QObject>();
        bool called = false;
        fixture.connection->send({{"ECHO", "a"}}, 30s, receiver.get(), [&](const Outcome &) { called = true; });
        fixture.send({{"ECHO", "b"}});
        receiver.reset();
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        QCOMPARE(fixture.text(0), QStringLiteral("[b]"));
        QVERIFY(!called);
    }

    void failureOfADestroyedReceiver_isDropped()
    {
        Fixture fixture(echo);
        auto receiver = std::make_unique<QObject>();
        int calls = 0;
        const auto send = [&](const Commands &commands) {
            fixture.connection->send(commands, 30s, receiver.get(), [&](const Outcome &) { ++calls; });
        };
        send({{"ECHO", "a"}});
        fixture.connection->close();
        QCOMPARE(calls, 1);
        send({{"ECHO", "b"}}); // Answered at the next turn of the event loop, as is the empty pipeline.
        send({});
        receiver.reset();
        QCoreApplication::sendPostedEvents();
        QCOMPARE(calls, 1);
    }

    void messageForADestroyedReceiver_isDropped()
    {
        Fixture fixture([](const QList<QByteArray> &command) {
            return QByteArrayLiteral("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n") + echo(command);
        });
        auto receiver = std::make_unique<QObject>();
        int messages = 0;
        fixture.connection->setMessageHandler(receiver.get(), [&](const Reply &) { ++messages; });
        fixture.send({{"ECHO", "a"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        QCOMPARE(messages, 1);
        receiver.reset();
        fixture.send({{"ECHO", "b"}});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 2);
        QCOMPARE(messages, 1);
    }

    /// A server has sent its last messages and has died, and the event loop has not run since.
    void messagesThatHaveArrived_areReadAtOnce_data()
    {
        QTest::addColumn<bool>("isDead");
        QTest::newRow("the server lives") << false;
        QTest::newRow("the server has died") << true;
    }
    void messagesThatHaveArrived_areReadAtOnce()
    {
        QFETCH(const bool, isDead);
        constexpr int count = 2000; // More than one read.
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        auto socket = std::make_unique<QTcpSocket>();
        socket->connectToHost(QHostAddress::LocalHost, listener.serverPort());
        QVERIFY(socket->waitForConnected() && listener.waitForNewConnection(30'000));
        const std::unique_ptr<QTcpSocket> far(listener.nextPendingConnection());
        const test::ManualClock clock; // A busy machine does not end the reading.
        Connection connection(std::move(socket), QStringLiteral("redis://test"), clock);
        int messages = 0;
        int ends = 0;
        connection.setMessageHandler(this, [&](const Reply &) { ++messages; });
        connect(&connection, &Connection::closed, this, [&] { ++ends; });
        QVERIFY(connection.readArrived(1ms)); // Nothing has arrived: it does not wait.
        QCOMPARE(messages, 0);
        far->write(QByteArrayLiteral("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n").repeated(count));
        while (far->bytesToWrite() > 0)
            QVERIFY(far->waitForBytesWritten(30'000));
        if (isDead)
            far->abort();
        QVERIFY(connection.readArrived(1ms));
        QCOMPARE(messages, count);
        QCOMPARE(ends, isDead ? 1 : 0);
        QCOMPARE(connection.isOpen(), !isDead);
    }

    /// A server has sent its last messages and has died with a command unread, so that the next write fails. Qt closes
    /// a socket whose write has failed, and discards what it has received.
    void messagesBeforeAFailedWrite_areDelivered_data()
    {
        QTest::addColumn<bool>("isUnix");
        QTest::addColumn<bool>("isReading");
        QTest::addColumn<bool>("isReadAtOnce");
        QTest::newRow("TCP") << false << false << false;
        QTest::newRow("TCP, first message read") << false << true << false;
        QTest::newRow("TCP, read at once") << false << false << true;
        QTest::newRow("Unix socket") << true << false << false;
        QTest::newRow("Unix socket, first message read") << true << true << false;
        QTest::newRow("Unix socket, read at once") << true << false << true;
    }
    void messagesBeforeAFailedWrite_areDelivered()
    {
        QFETCH(const bool, isUnix);
        QFETCH(const bool, isReading);
        QFETCH(const bool, isReadAtOnce);
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        constexpr int count = 2000;
        constexpr qint64 readBuffer = 4096; // The rest is in the kernel when the write fails.
        const QTemporaryDir folder;
        QTcpServer listener;
        QLocalServer unixListener;
        std::unique_ptr<QIODevice> socket;
        std::unique_ptr<QIODevice> far;
        int descriptor = -1;
        if (isUnix) {
            QVERIFY(unixListener.listen(folder.filePath(QStringLiteral("s"))));
            auto local = std::make_unique<QLocalSocket>();
            local->connectToServer(unixListener.fullServerName());
            QVERIFY(local->waitForConnected() && unixListener.waitForNewConnection(30'000));
            descriptor = static_cast<int>(local->socketDescriptor());
            local->setReadBufferSize(readBuffer);
            socket = std::move(local);
            far.reset(unixListener.nextPendingConnection());
        } else {
            QVERIFY(listener.listen(QHostAddress::LocalHost));
            auto tcp = std::make_unique<QTcpSocket>();
            tcp->setProxy(QNetworkProxy::NoProxy); // Like a socket of the Dialer.
            tcp->connectToHost(QHostAddress::LocalHost, listener.serverPort());
            QVERIFY(tcp->waitForConnected() && listener.waitForNewConnection(30'000));
            descriptor = static_cast<int>(tcp->socketDescriptor());
            tcp->setReadBufferSize(readBuffer);
            socket = std::move(tcp);
            far.reset(listener.nextPendingConnection());
        }
        Connection connection(std::move(socket), QStringLiteral("redis://test"), base::SystemClock::instance());
        const QSignalSpy closed(&connection, &Connection::closed);
        int failures = 0;
        const auto send = [&] { connection.send({resp::ping()}, 30s, this, [&](const Outcome &) { ++failures; }); };
        const auto dieAndSend = [&] {
            send(); // The server does not read it.
            far.reset();
            pollfd end {descriptor, 0, 0};
            do
                QVERIFY(::poll(&end, 1, 30'000) == 1);
            while ((end.revents & (POLLERR | POLLHUP)) == 0);
            send();
        };
        int messages = 0;
        connection.setMessageHandler(this, [&](const Reply &) {
            if (++messages == 1 && isReading)
                dieAndSend();
        });
        far->write(QByteArrayLiteral("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n").repeated(count));
        while (far->bytesToWrite() > 0)
            QVERIFY(far->waitForBytesWritten(30'000));
        if (!isReading)
            dieAndSend(); // The event loop has not run since the messages arrived.
        if (isReadAtOnce) {
            QVERIFY(connection.readArrived(30s));
            QCOMPARE(messages, count);
        }
        LATCHKEY_AWAIT(closed.size() == 1);
        QCOMPARE(messages, count);
        QCOMPARE(failures, 2);
    }

    /// A server has died, and its kernel has not sent all messages yet, because the receiver was busy.
    void messagesInTheSendBufferOfADeadServer_areDelivered()
    {
        constexpr int count = 20'000; // More than the receiver's socket has room for.
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        auto socket = std::make_unique<QTcpSocket>();
        socket->setProxy(QNetworkProxy::NoProxy);
        socket->connectToHost(QHostAddress::LocalHost, listener.serverPort());
        QVERIFY(socket->waitForConnected() && listener.waitForNewConnection(30'000));
        std::unique_ptr<QTcpSocket> far(listener.nextPendingConnection());
        Connection connection(std::move(socket), QStringLiteral("redis://test"), base::SystemClock::instance());
        int messages = 0;
        connection.setMessageHandler(this, [&](const Reply &) { ++messages; });
        const QSignalSpy closed(&connection, &Connection::closed);
        far->write(QByteArrayLiteral("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n").repeated(count));
        while (far->bytesToWrite() > 0)
            QVERIFY(far->waitForBytesWritten(30'000));
        far.reset();
        connection.send({resp::ping()}, 30s, this, [](const Outcome &) {});
        QCOMPARE(messages, 0);
        LATCHKEY_AWAIT(closed.size() == 1);
        QCOMPARE(messages, count);
    }

    /// The connection stays open for several sends in a row.
    void peerThatHasGone_isNotNoticedWithinSend()
    {
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        auto socket = std::make_unique<QTcpSocket>();
        socket->connectToHost(QHostAddress::LocalHost, listener.serverPort());
        QVERIFY(socket->waitForConnected() && listener.waitForNewConnection(30'000));
        const std::unique_ptr<QTcpSocket> far(listener.nextPendingConnection());
        const int descriptor = static_cast<int>(socket->socketDescriptor());
        Connection connection(std::move(socket), QStringLiteral("redis://test"), base::SystemClock::instance());
        const QSignalSpy closed(&connection, &Connection::closed);
        int failures = 0;
        const auto send = [&] { connection.send({resp::ping()}, 30s, this, [&](const Outcome &) { ++failures; }); };
        far->abort(); // Unread bytes are answered with a reset.
        send();
        pollfd reset {descriptor, POLLIN, 0};
        do // The event loop does not run here: only the write could notice the reset.
            QVERIFY(::poll(&reset, 1, 30'000) == 1);
        while ((reset.revents & POLLERR) == 0);
        send();
        send();
        QVERIFY(connection.isOpen());
        QCOMPARE(failures, 0);
        QVERIFY(closed.isEmpty());
        LATCHKEY_AWAIT(closed.size() == 1);
        QCOMPARE(failures, 3);
    }

    /// A device that reads while it writes, like TLS.
    void replyWithinAWrite_isDeliveredAfterSend()
    {
        Connection connection(std::make_unique<InstantDevice>(), QStringLiteral("redis://test"),
                              base::SystemClock::instance());
        int answers = 0;
        connection.send({resp::ping()}, 30s, this, [&](const Outcome &outcome) { answers += outcome ? 1 : 0; });
        QCOMPARE(answers, 0);
        LATCHKEY_AWAIT(answers == 1);
    }

    void emptyPipeline_isAnsweredAtOnce()
    {
        Fixture fixture(echo);
        fixture.send({});
        LATCHKEY_AWAIT(fixture.outcomes.size() == 1);
        QCOMPARE(fixture.text(0), QStringLiteral("[]"));
    }
};

LATCHKEY_TEST(TestConnection)

} // namespace tst_connection

#include "tst_connection.moc"
