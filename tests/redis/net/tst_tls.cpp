#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/testprogram.h"
#include "tests/support/tlssetup.h"

#include <QProcess>
#include <QRegularExpression>
#include <QSslKey>
#include <QSslServer>
#include <QTcpServer>
#include <QTest>

namespace tst_tls {

using namespace latchkey;
using base::SystemClock;
using net::Connection;
using net::Dialer;
using net::Endpoint;
using namespace std::chrono_literals;

namespace {

/// A server that presents a certificate and keeps all bytes that it receives after the handshake.
class Recorder final : public QSslServer
{
public:
    explicit Recorder(const test::TlsSetup &setup, const QString &name)
    {
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        configuration.setLocalCertificateChain(QSslCertificate::fromPath(setup.certificate(name)));
        QFile key(setup.key(name));
        if (!key.open(QIODevice::ReadOnly))
            qFatal("no key");
        configuration.setPrivateKey(QSslKey(&key, QSsl::Ec));
        configuration.setPeerVerifyMode(QSslSocket::VerifyNone);
        setSslConfiguration(configuration);
        connect(this, &QTcpServer::pendingConnectionAvailable, this, [this] {
            QTcpSocket *socket = nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, this, [this, socket] { m_received += socket->readAll(); });
        });
        if (!listen(QHostAddress::LocalHost))
            qFatal("no port is free");
    }
    [[nodiscard]] const QByteArray &received() const { return m_received; }

private:
    QByteArray m_received;
};

} // namespace

/// TLS connections to real servers, with certificates with each kind of defect; on the event loop and blocking.
class TestTls final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TlsSetup> fixture;
    std::unique_ptr<test::TestServer> server;

    static constexpr auto dialTimeout = 30s;

    /// Dials on the event loop.
    static base::Result<resp::ServerInfo> dial(const Endpoint &endpoint,
                                               std::chrono::milliseconds timeout = dialTimeout)
    {
        Dialer dialer(SystemClock::instance());
        std::optional<base::Result<resp::ServerInfo>> outcome;
        dialer.dial(endpoint, timeout, [&outcome](base::Result<net::DialResult<Connection>> dialled) {
            outcome = dialled.map([](const net::DialResult<Connection> &let) { return let.server; });
        });
        if (!test::waitFor([&outcome] { return outcome.has_value(); }))
            qFatal("the dialer did not finish");
        return *outcome;
    }
    static base::Result<resp::ServerInfo> dialWaiting(const Endpoint &endpoint,
                                                      std::chrono::milliseconds timeout = dialTimeout)
    {
        return net::dialBlocking(endpoint, timeout).map([](const net::DialResult<net::BlockingConnection> &let) {
            return let.server;
        });
    }
    /// Returns the error of dialling, which must be equal on the event loop and blocking; empty if both succeed.
    static QString problem(const Endpoint &endpoint, std::chrono::milliseconds timeout = dialTimeout)
    {
        const auto here = dial(endpoint, timeout);
        const auto waiting = dialWaiting(endpoint, timeout);
        const QString said = here ? QString() : here.error().message();
        const QString saidWaiting = waiting ? QString() : waiting.error().message();
        if (said != saidWaiting)
            return QStringLiteral("differs: \"%1\", and waiting \"%2\"").arg(said, saidWaiting);
        return said;
    }
    [[nodiscard]] static QString cannot(const Endpoint &endpoint, const QString &why)
    {
        return QStringLiteral("cannot connect to %1: %2").arg(endpoint.display(), why);
    }
    [[nodiscard]] QString pinOf(const QString &name) const
    {
        return QString::fromLatin1(fixture->fingerprint(name).toHex(':').toUpper());
    }

private Q_SLOTS:
    void initTestCase()
    {
        fixture = std::make_unique<test::TlsSetup>();
        if (!fixture->obstacle().isEmpty())
            QSKIP(qPrintable(fixture->obstacle()));
    }
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup() { server.reset(); }

    void trustedServer_isReached()
    {
        const Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server")));
        QCOMPARE(problem(endpoint), QString());
        Endpoint byAddress = endpoint;
        byAddress.host = QStringLiteral("127.0.0.1");
        QCOMPARE(problem(byAddress), QString());
        Endpoint byName = byAddress;
        byName.tls->serverName = QStringLiteral("localhost");
        QCOMPARE(problem(byName), QString());
        byName.tls->serverName = QStringLiteral("elsewhere.example");
        QVERIFY(problem(byName).contains(QLatin1String("it is not for elsewhere.example")));
    }

    /// Sends a large pipeline and a large value in both directions.
    void bytes_arriveAsTheyWereSent()
    {
        const Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server")));
        auto dialled = net::dialBlocking(endpoint, dialTimeout);
        LATCHKEY_VERIFY_RESULT(dialled);
        QByteArray value;
        for (int i = 0; i < 1'000'000; ++i)
            value += static_cast<char>(i * 7);
        auto &waiting = *dialled->connection;
        QVERIFY(waiting.execute(resp::Command {"SET", "k", value}, 30s).value().isOk());
        QCOMPARE(waiting.execute(resp::Command {"GET", "k"}, 30s).value().bytes(), value);
        const resp::Commands many(10'000, resp::Command {"GETRANGE", "k", "0", "99"});
        QCOMPARE(waiting.execute(many, 30s).value().size(), many.size());

        std::unique_ptr<Connection> connection;
        Dialer dialer(SystemClock::instance());
        dialer.dial(endpoint, dialTimeout, [&](base::Result<net::DialResult<Connection>> let) {
            LATCHKEY_VERIFY_RESULT(let);
            connection = std::move(let->connection);
        });
        LATCHKEY_AWAIT(connection);
        std::size_t answers = 0;
        QByteArray read;
        connection->send(many, 30s, connection.get(), [&](const base::Result<Connection::Delivery> &delivery) {
            answers = delivery ? delivery->replies.size() : 1;
        });
        connection->send(resp::Commands {{"GET", "k"}}, 30s, connection.get(),
                         [&](const base::Result<Connection::Delivery> &delivery) {
                             read = delivery ? delivery->replies.front().bytes() : QByteArray("lost");
                         });
        LATCHKEY_AWAIT(!read.isEmpty());
        QCOMPARE(answers, many.size());
        QCOMPARE(read, value);
    }

    void badCertificate_isRefusedInASentence_data()
    {
        QTest::addColumn<QString>("certificate");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const QString &sentence) {
            QTest::addRow("%s", name) << QString::fromLatin1(name) << sentence;
        };
        row("expired", QStringLiteral("its certificate ended on 2020-02-01T00:00:00Z"));
        row("future", QStringLiteral("its certificate is not valid before 2090-01-01T00:00:00Z"));
        row("other-host", QStringLiteral("its certificate is another server's: it is not for localhost"));
        row("self-signed", QStringLiteral("its certificate is self-signed; if you know its SHA-256, pin it: %1"));
        row("foreign", QStringLiteral("its certificate is not signed by a trusted CA; specify its CA, or pin the "
                                      "certificate if you know its SHA-256: %1"));
    }
    /// The client sends nothing but the handshake to a server with a bad certificate, above all no password.
    void badCertificate_isRefusedInASentence()
    {
        QFETCH(QString, certificate);
        QFETCH(QString, sentence);
        if (sentence.contains(QLatin1String("%1")))
            sentence = sentence.arg(pinOf(certificate));
        Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, certificate));
        endpoint.password = QStringLiteral("secret");
        QCOMPARE(problem(endpoint), cannot(endpoint, sentence));
        QVERIFY(!(*server)({"INFO", "commandstats"}).bytes().contains("auth"));

        const Recorder recorder(*fixture, certificate);
        endpoint.port = recorder.serverPort();
        const auto refused = dial(endpoint);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, base::ErrorKind::Unreachable);
        QCOMPARE(refused.error().message(), cannot(endpoint, sentence));
        QCOMPARE(recorder.received(), QByteArray());
    }

    /// The recorder receives the password from a client that trusts it. Otherwise the test above could never fail.
    void trustedRecorder_receivesThePassword()
    {
        const Recorder recorder(*fixture, QStringLiteral("server"));
        Endpoint endpoint = fixture->endpoint(recorder.serverPort());
        endpoint.password = QStringLiteral("secret");
        Dialer dialer(SystemClock::instance());
        dialer.dial(endpoint, dialTimeout, [](const auto &) {});
        LATCHKEY_AWAIT(recorder.received().contains("secret"));
    }

    void pinnedCertificate_isAccepted_data()
    {
        QTest::addColumn<QString>("certificate");
        for (const char *name : {"server", "self-signed", "expired", "other-host", "foreign"})
            QTest::addRow("%s", name) << QString::fromLatin1(name);
    }
    void pinnedCertificate_isAccepted()
    {
        QFETCH(QString, certificate);
        Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, certificate));
        endpoint.tls->pin = fixture->fingerprint(certificate);
        QCOMPARE(problem(endpoint), QString());
    }

    /// The pin also applies if a trusted CA has signed the other certificate, which causes no TLS error.
    void anotherCertificate_thanThePinnedOne_isRefused_data()
    {
        QTest::addColumn<QString>("certificate");
        for (const char *name : {"server", "self-signed"})
            QTest::addRow("%s", name) << QString::fromLatin1(name);
    }
    void anotherCertificate_thanThePinnedOne_isRefused()
    {
        QFETCH(QString, certificate);
        const Recorder recorder(*fixture, certificate);
        Endpoint endpoint = fixture->endpoint(recorder.serverPort());
        endpoint.password = QStringLiteral("secret");
        endpoint.tls->pin = fixture->fingerprint(QStringLiteral("expired"));
        const auto refused = dial(endpoint);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message(),
                 cannot(endpoint, QStringLiteral("its certificate is NOT the pinned one: the connection may be "
                                                 "intercepted, or the certificate was renewed; it is now ")
                                      + pinOf(certificate)));
        QCOMPARE(recorder.received(), QByteArray());
        endpoint.port = fixture->encrypt(*server, certificate);
        QVERIFY(problem(endpoint).contains(QLatin1String("NOT the pinned one")));
    }

    void ownCertificate_isShown()
    {
        const Endpoint withoutCertificate =
            fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server"), true));
        QCOMPARE(problem(withoutCertificate),
                 cannot(withoutCertificate, QStringLiteral("it requires a client certificate, and none was given")));
        Endpoint client = withoutCertificate;
        client.tls->certificateFile = fixture->certificate(QStringLiteral("client"));
        client.tls->keyFile = fixture->key(QStringLiteral("client"));
        QCOMPARE(problem(client), QString());
        client.tls->certificateFile = fixture->certificate(QStringLiteral("foreign"));
        client.tls->keyFile = fixture->key(QStringLiteral("foreign"));
        QCOMPARE(problem(client), cannot(client, QStringLiteral("it does not accept the client certificate")));
    }

    void badFile_isOneSentence()
    {
        Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server")));
        const Endpoint good = endpoint;
        endpoint.tls->caFile = QStringLiteral("/absent/ca.pem");
        QCOMPARE(problem(endpoint), QStringLiteral("cannot read /absent/ca.pem: No such file or directory"));
        const QString key = fixture->key(QStringLiteral("client"));
        endpoint.tls->caFile = key;
        QCOMPARE(problem(endpoint), QStringLiteral("\"%1\" holds no certificate in PEM").arg(key));
        endpoint = good;
        endpoint.tls->certificateFile = fixture->certificate(QStringLiteral("client"));
        QCOMPARE(problem(endpoint), QStringLiteral("a certificate and its key are given together, or not at all"));
        endpoint.tls->keyFile = fixture->certificate(QStringLiteral("client"));
        QVERIFY(problem(endpoint).endsWith(QLatin1String("holds no private key in PEM")));
        endpoint.tls->keyFile = fixture->key(QStringLiteral("locked"));
        QVERIFY2(problem(endpoint).contains(QLatin1String("needs a passphrase")), qPrintable(problem(endpoint)));
        endpoint.tls->keyFile = fixture->key(QStringLiteral("server"));
        QCOMPARE(problem(endpoint), QStringLiteral("\"%1\" is not the key of \"%2\"")
                                        .arg(endpoint.tls->keyFile, endpoint.tls->certificateFile));
    }

    void caThatIsNotTrusted_isReported()
    {
        Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server")));
        endpoint.tls->caFile = fixture->certificate(QStringLiteral("foreign-ca"));
        QCOMPARE(problem(endpoint),
                 cannot(endpoint,
                        QStringLiteral("its certificate comes from an untrusted CA; if you know its SHA-256, pin it: ")
                            + pinOf(QStringLiteral("server"))));
    }

    /// TLS 1.2 reports this during the handshake, with a different alert.
    void missingCertificateOfOurs_isReportedInTheOldWayToo()
    {
        const Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server"), true));
        QVERIFY((*server)({"CONFIG", "SET", "tls-protocols", "TLSv1.2"}).isOk());
        QCOMPARE(
            problem(endpoint),
            cannot(
                endpoint,
                QStringLiteral(
                    "it aborted the TLS handshake: it may require a client certificate or support no common cipher")));
    }

    void oldTls_isRefused()
    {
        QProcess old;
        old.setProcessChannelMode(QProcess::MergedChannels);
        old.start(QStringLiteral("openssl"),
                  {QStringLiteral("s_server"), QStringLiteral("-accept"), QStringLiteral("127.0.0.1:0"),
                   QStringLiteral("-tls1_1"), QStringLiteral("-cipher"), QStringLiteral("ALL:@SECLEVEL=0"),
                   QStringLiteral("-cert"), fixture->certificate(QStringLiteral("server")), QStringLiteral("-key"),
                   fixture->key(QStringLiteral("server"))});
        QByteArray said;
        const QRegularExpression place(QStringLiteral("ACCEPT [^\\n]*:(\\d+)\\n"));
        LATCHKEY_AWAIT((said += old.readAll()).contains("ACCEPT") && said.endsWith('\n'));
        const Endpoint endpoint = fixture->endpoint(place.match(QString::fromLatin1(said)).captured(1).toUShort());
        QCOMPARE(problem(endpoint), cannot(endpoint, QStringLiteral("it speaks no version of TLS from 1.2 on")));
        old.kill();
        old.waitForFinished();
    }

    /// The server behind the port speaks another protocol, or closes the connection without a reply.
    void serverWithoutTls_givesAnError()
    {
        for (const bool speaks : {true, false}) {
            QTcpServer other;
            QVERIFY(other.listen(QHostAddress::LocalHost));
            connect(&other, &QTcpServer::newConnection, this, [&other, speaks] {
                QTcpSocket *client = other.nextPendingConnection();
                if (speaks)
                    client->write("HTTP/1.1 400 Bad Request\r\n\r\n");
                client->disconnectFromHost();
            });
            const Endpoint endpoint = fixture->endpoint(other.serverPort());
            const auto refused = dial(endpoint);
            QVERIFY(!refused);
            QCOMPARE(refused.error().message(),
                     cannot(endpoint, speaks ? QStringLiteral("what answers there does not speak TLS")
                                             : QStringLiteral("it closed the connection during the TLS handshake")));
        }
    }

    void plainPort_isNamedAfterTheTimeout()
    {
        const quint16 port = test::freePort();
        QVERIFY((*server)({"CONFIG", "SET", "port", QByteArray::number(port)}).isOk());
        const Endpoint endpoint = fixture->endpoint(port);
        QCOMPARE(
            problem(endpoint, 300ms),
            cannot(endpoint, QStringLiteral("no answer to the TLS handshake within 300ms, as from a port that does "
                                            "not speak TLS: such a URL begins with redis://")));
    }

    void plainClient_getsAHintAboutTls()
    {
        Endpoint endpoint = fixture->endpoint(fixture->encrypt(*server, QStringLiteral("server")));
        endpoint.tls.reset();
        QVERIFY2(problem(endpoint).contains(QLatin1String("its URL begins with rediss://")),
                 qPrintable(problem(endpoint)));
    }

    void pin_isReadAsPeopleWriteIt()
    {
        const QByteArray pin = fixture->fingerprint(QStringLiteral("server"));
        QCOMPARE(net::pinFrom(pinOf(QStringLiteral("server"))).value(), pin);
        QCOMPARE(net::pinFrom(net::pinText(pin)).value(), pin);
        for (const char *text : {"", "abcd", "zz", "not hexadecimal"})
            QVERIFY(!net::pinFrom(QLatin1String(text)));
        const auto wrong = net::pinFrom(net::pinText(pin).chopped(1));
        QVERIFY(!wrong);
        QVERIFY(wrong.error().message().contains(QLatin1String("64 hexadecimal digits")));
    }
};

LATCHKEY_TEST(TestTls)

} // namespace tst_tls

#include "tst_tls.moc"
