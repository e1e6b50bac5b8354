#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/descriptordevice.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QElapsedTimer>
#include <QLocalSocket>
#include <QTcpServer>
#include <QTest>

#include <sys/socket.h>
#include <unistd.h>

namespace tst_blockingconnection {

using namespace latchkey;
using namespace latchkey::net;
using namespace latchkey::resp;
using base::ErrorKind;
using namespace std::chrono_literals;

namespace {

/// A connection whose other end is a plain descriptor of the test.
struct Fixture
{
    Fixture()
    {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            qFatal("socketpair failed");
        far = ends[1];
        connection = std::make_unique<BlockingConnection>(std::make_unique<DescriptorDevice>(ends[0]),
                                                          QStringLiteral("unix:///test"));
    }
    ~Fixture() { closeFar(); }
    Q_DISABLE_COPY_MOVE(Fixture)

    void answer(const QByteArray &bytes) const
    {
        QCOMPARE(::write(far, bytes.constData(), static_cast<std::size_t>(bytes.size())), ssize_t(bytes.size()));
    }
    void closeFar()
    {
        if (far >= 0)
            ::close(std::exchange(far, -1));
    }

    int far = -1;
    std::unique_ptr<BlockingConnection> connection;
};

} // namespace

class TestBlockingConnection final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The server sends its error and closes the connection, before or after the request. The client's write may fail.
    void maxClientsError_isReadBeforeTheEndOfTheConnection()
    {
        Fixture fixture;
        fixture.answer("-ERR max number of clients reached\r\n");
        fixture.closeFar();
        const auto replies = fixture.connection->execute(Commands {{"CLIENT", "SETNAME", "me"}, {"INFO"}}, 5s);
        QVERIFY(!replies);
        QCOMPARE(replies.error().kind, ErrorKind::TooManyClients);
        QVERIFY(!fixture.connection->isOpen());
    }

    void ask_givesOneReplyPerCommand()
    {
        Fixture fixture;
        fixture.answer("+a\r\n:2\r\n");
        const auto replies = fixture.connection->execute(Commands {{"X"}, {"Y"}}, 30s);
        LATCHKEY_VERIFY_RESULT(replies);
        QVERIFY(*replies == (Replies {Reply::status("a"), Reply::integer(2)}));
    }

    void silence_endsTheConnection()
    {
        Fixture fixture;
        const auto reply = fixture.connection->execute(Command {"PING"}, 20ms);
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, ErrorKind::TimedOut);
        QVERIFY2(reply.error().message().endsWith(QLatin1String("no answer within 20ms")),
                 qPrintable(reply.error().message()));
        QVERIFY(!fixture.connection->isOpen());
        // The connection is closed, so the late reply cannot reach this request.
        const auto next = fixture.connection->execute(Command {"PING"}, 20ms);
        QCOMPARE(next.error().kind, ErrorKind::ConnectionLost);
    }

    void surplusReply_endsTheConnection()
    {
        Fixture fixture;
        fixture.answer("+a\r\n+forged\r\n");
        const auto reply = fixture.connection->execute(Command {"PING"}, 30s);
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, ErrorKind::Protocol);
        QVERIFY(!fixture.connection->isOpen());
    }

    void farEndClosing_isConnectionLost()
    {
        Fixture fixture;
        fixture.answer("+half");
        fixture.closeFar();
        const auto reply = fixture.connection->execute(Command {"PING"}, 30s);
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, ErrorKind::ConnectionLost);
    }

    void writingToAClosedSocket_isAnErrorAndNotASignal()
    {
        Fixture fixture;
        fixture.closeFar();
        (void)fixture.connection->execute(Command {"PING"}, 30s);
        QVERIFY(!fixture.connection->execute(Command {"PING"}, 30s));
    }

    void largePipeline_isSentWithoutAReader()
    {
        Fixture fixture;
        const Commands commands(1, Command {"SET", "k", QByteArray(8'000'000, 'x')});
        const auto sent = fixture.connection->send(commands, QDeadlineTimer(100ms));
        QVERIFY(!sent);
        QCOMPARE(sent.error().kind, ErrorKind::TimedOut);
    }

    void realServer_overBothKindsOfDevice()
    {
        test::TestServer server;
        const QByteArray value(2'000'000, 'v');
        const auto exchange = [&](std::unique_ptr<QIODevice> device) {
            BlockingConnection connection(std::move(device), server.url());
            const auto replies = connection.execute(
                Commands {{"SET", QByteArray("k\0\xff", 3), value}, {"GET", QByteArray("k\0\xff", 3)}}, 30s);
            LATCHKEY_VERIFY_RESULT(replies);
            QVERIFY((*replies)[0].isOk());
            QVERIFY((*replies)[1].isBulk(value));
        };
        auto descriptor = DescriptorDevice::connectTo(server.endpoint(), QDeadlineTimer(30s));
        LATCHKEY_VERIFY_RESULT(descriptor);
        exchange(std::move(*descriptor));

        auto local = std::make_unique<QLocalSocket>();
        local->connectToServer(server.endpoint().path);
        QVERIFY(local->waitForConnected());
        exchange(std::move(local));
    }

    void dialBlocking_namesThePlaceAndTheReason_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("message");
        QTest::addRow("no socket")
            << QStringLiteral("unix:///nonexistent/redis.sock")
            << QStringLiteral("cannot connect to unix:///nonexistent/redis.sock: No such file or directory");
        QTest::addRow("refused") << QStringLiteral("redis://127.0.0.1:1")
                                 << QStringLiteral("cannot connect to redis://127.0.0.1:1: Connection refused");
    }
    void dialBlocking_namesThePlaceAndTheReason()
    {
        QFETCH(QString, url);
        const auto dialled = dialBlocking(Endpoint::fromUrl(url).value(), 30s);
        QVERIFY(!dialled);
        QCOMPARE(dialled.error().kind, ErrorKind::Unreachable);
        QTEST(dialled.error().message(), "message");
    }

    void dialBlocking_doesNotWaitForeverForASilentServer()
    {
        QTcpServer silent;
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        const auto dialled = dialBlocking(
            Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:%1").arg(silent.serverPort())).value(), 50ms);
        QVERIFY(!dialled);
        QCOMPARE(dialled.error().kind, ErrorKind::TimedOut);
    }

    void dialBlocking_logsIn_data()
    {
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        QTest::addColumn<int>("database");
        QTest::addColumn<QString>("problem");
        QTest::addRow("no password") << QString() << QString() << 0 << QStringLiteral("the server wants a password");
        QTest::addRow("wrong password") << QString() << QStringLiteral("guess") << 0
                                        << QStringLiteral("the server refused the user name or password");
        QTest::addRow("right password") << QString() << QStringLiteral("hunter2") << 0 << QString();
        QTest::addRow("user and password, database")
            << QStringLiteral("ann") << QStringLiteral("p@ss word") << 3 << QString();
        QTest::addRow("no such database") << QString() << QStringLiteral("hunter2") << 99
                                          << QStringLiteral("the server answered \"ERR DB index is out of range\"");
    }
    void dialBlocking_logsIn()
    {
        QFETCH(QString, user);
        QFETCH(QString, password);
        QFETCH(int, database);
        QFETCH(QString, problem);
        test::TestServer server;
        QVERIFY(server({"ACL", "SETUSER", "ann", "on", ">p@ss word", "~*", "+@all"}).isOk());
        QVERIFY(server({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());

        Endpoint endpoint = server.endpoint();
        endpoint.user = user;
        endpoint.password = password;
        endpoint.database = database;
        const auto dialled = dialBlocking(endpoint, 30s);
        if (!problem.isEmpty()) {
            QVERIFY(!dialled);
            QVERIFY2(dialled.error().message().startsWith(endpoint.display() + QStringLiteral(": ") + problem),
                     qPrintable(dialled.error().message()));
            QVERIFY(!dialled.error().message().contains(QStringLiteral("guess")));
            return;
        }
        LATCHKEY_VERIFY_RESULT(dialled);
        QVERIFY(!dialled->server.version.isNull());
        const auto info = dialled->connection->execute(Command {"CLIENT", "INFO"}, 30s);
        LATCHKEY_VERIFY_RESULT(info);
        QVERIFY(info->bytes().contains(" name=latchkey "));
        QVERIFY(info->bytes().contains(" db=" + QByteArray::number(database) + " "));
    }
};

LATCHKEY_TEST(TestBlockingConnection)

} // namespace tst_blockingconnection

#include "tst_blockingconnection.moc"
