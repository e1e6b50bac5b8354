#include "core/foundation/base/clock.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/testprogram.h"
#include "tests/support/testproxy.h"
#include "tests/support/tlssetup.h"

#include <QNetworkProxy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

namespace tst_proxy {

using namespace latchkey;
using namespace std::chrono_literals;

/// Connections to Redis use the proxy that the user has named and no other proxy, regardless of the proxy settings of
/// the application and the environment.
class TestProxies final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    quint16 port = 0;

    static constexpr auto dialTimeout = 30s;

    /// Returns the error of dialling, which must be equal for both kinds of dialling; empty if both succeed.
    static QString problem(const net::Endpoint &endpoint)
    {
        net::Dialer dialer(base::SystemClock::instance());
        std::optional<QString> said;
        dialer.dial(endpoint, dialTimeout, [&said](const base::Result<net::DialResult<net::Connection>> &dialled) {
            said = dialled ? QString() : dialled.error().message();
        });
        if (!test::waitFor([&said] { return said.has_value(); }))
            qFatal("the dialer did not finish");
        const auto waiting = net::dialBlocking(endpoint, dialTimeout);
        const QString saidWaiting = waiting ? QString() : waiting.error().message();
        if (*said != saidWaiting)
            return QStringLiteral("differs: \"%1\", and waiting \"%2\"").arg(*said, saidWaiting);
        return saidWaiting;
    }
    [[nodiscard]] net::Endpoint through(const net::Proxy &proxy) const
    {
        net::Endpoint endpoint;
        endpoint.host = QStringLiteral("localhost"); // The proxy resolves this name.
        endpoint.port = port;
        endpoint.proxy = proxy;
        return endpoint;
    }
    static QString cannot(const net::Endpoint &endpoint, const QString &why)
    {
        return QStringLiteral("cannot connect to %1: %2").arg(endpoint.display(), why);
    }
    static void addKinds()
    {
        QTest::addColumn<net::Proxy::Kind>("kind");
        QTest::addRow("SOCKS5") << net::Proxy::Kind::Socks5;
        QTest::addRow("HTTP") << net::Proxy::Kind::Http;
    }

private Q_SLOTS:
    void initTestCase()
    {
        port = test::freePort();
        server = std::make_unique<test::TestServer>(QStringList {QStringLiteral("--port"), QString::number(port)});
    }
    void cleanupTestCase() { server.reset(); }

    void namedProxy_isGoneThrough_data() { addKinds(); }
    void namedProxy_isGoneThrough()
    {
        QFETCH(const net::Proxy::Kind, kind);
        const test::TestProxy proxy(kind);
        QCOMPARE(problem(through(proxy.proxy())), QString());
        QCOMPARE(proxy.relayed(), 2);
    }

    void largeValue_arrivesAsItWasSent_data() { addKinds(); }
    void largeValue_arrivesAsItWasSent()
    {
        QFETCH(const net::Proxy::Kind, kind);
        const test::TestProxy proxy(kind);
        auto dialled = net::dialBlocking(through(proxy.proxy()), dialTimeout);
        LATCHKEY_VERIFY_RESULT(dialled);
        QByteArray value;
        for (int i = 0; i < 1'000'000; ++i)
            value += static_cast<char>(i * 7);
        QVERIFY(dialled->connection->execute(resp::Command {"SET", "k", value}, 30s).value().isOk());
        QCOMPARE(dialled->connection->execute(resp::Command {"GET", "k"}, 30s).value().bytes(), value);
    }

    void tls_goesThroughAsWell_data() { addKinds(); }
    void tls_goesThroughAsWell()
    {
        QFETCH(const net::Proxy::Kind, kind);
        const test::TlsSetup setup;
        if (!setup.obstacle().isEmpty())
            QSKIP(qPrintable(setup.obstacle()));
        const test::TestProxy proxy(kind);
        test::TestServer encrypted;
        net::Endpoint endpoint = setup.endpoint(setup.encrypt(encrypted, QStringLiteral("server")));
        endpoint.proxy = proxy.proxy();
        QCOMPARE(problem(endpoint), QString());
        QCOMPARE(proxy.relayed(), 2);
        endpoint.tls->caFile = setup.certificate(QStringLiteral("foreign-ca"));
        QVERIFY2(problem(endpoint).contains(QLatin1String("untrusted CA")), qPrintable(problem(endpoint)));
    }

    void password_isSentAndNotShown_data() { addKinds(); }
    void password_isSentAndNotShown()
    {
        QFETCH(const net::Proxy::Kind, kind);
        const test::TestProxy proxy(kind, QStringLiteral("hunter2"));
        const net::Endpoint endpoint = through(proxy.proxy());
        QCOMPARE(problem(endpoint), QString());
        QVERIFY(!endpoint.display().contains(QLatin1String("hunter2")));
        QVERIFY(!endpoint.toUrl().contains(QLatin1String("hunter2")));
        QCOMPARE(net::Endpoint::fromUrl(endpoint.toUrlWithPassword()).value(), endpoint);

        net::Proxy stranger = proxy.proxy();
        stranger.password = QStringLiteral("wrong");
        const net::Endpoint wrong = through(stranger);
        QCOMPARE(
            problem(wrong),
            cannot(wrong, QStringLiteral("the proxy %1 rejects this user and password").arg(wrong.proxy->display())));
        const auto isOfTheProxy = [](const net::Endpoint &there) {
            const auto dialled = net::dialBlocking(there, dialTimeout);
            return !dialled && dialled.error().kind == base::ErrorKind::ProxyAuthentication;
        };
        QVERIFY(isOfTheProxy(wrong));
        stranger.user.clear();
        stranger.password.clear();
        const net::Endpoint without = through(stranger);
        QVERIFY(isOfTheProxy(without));
        QCOMPARE(problem(without), cannot(without, QStringLiteral("the proxy %1 requires a user and a password: write "
                                                                  "them into its URL, or set LATCHKEY_PROXY_PASSWORD")
                                                       .arg(without.proxy->display())));
    }

    void eachStepThatFails_isReported_data() { addKinds(); }
    void eachStepThatFails_isReported()
    {
        QFETCH(const net::Proxy::Kind, kind);
        const test::TestProxy closed(kind, {}, true);
        net::Endpoint endpoint = through(closed.proxy());
        const QString name = endpoint.proxy->display();
        const QString byName =
            kind == net::Proxy::Kind::Http
                ? QStringLiteral("the proxy %1 does not permit connections to localhost:%2").arg(name).arg(port)
                : QStringLiteral(
                      "the proxy %1 does not find the host \"localhost\", or does not permit connections to it")
                      .arg(name);
        QCOMPARE(problem(endpoint), cannot(endpoint, byName));
        endpoint.host = QStringLiteral("127.0.0.1");
        QCOMPARE(
            problem(endpoint),
            cannot(endpoint,
                   QStringLiteral("the proxy %1 does not permit connections to 127.0.0.1:%2").arg(name).arg(port)));

        const test::TestProxy open(kind);
        endpoint = through(open.proxy());
        endpoint.port = 1;
        QVERIFY2(problem(endpoint).startsWith(cannot(
                     endpoint, QStringLiteral("the proxy %1 cannot reach localhost:1").arg(open.proxy().display()))),
                 qPrintable(problem(endpoint)));

        endpoint.proxy->port = 1;
        QVERIFY2(problem(endpoint).startsWith(
                     cannot(endpoint, QStringLiteral("cannot connect to the proxy %1").arg(endpoint.proxy->display()))),
                 qPrintable(problem(endpoint)));
    }

    void urlOfAProxy_isReadAndRefused()
    {
        const auto read = net::Proxy::fromUrl(QStringLiteral("socks5://me:p%40ss@proxy.example:1080"));
        LATCHKEY_VERIFY_RESULT(read);
        QCOMPARE(read->password, QStringLiteral("p@ss"));
        QCOMPARE(read->display(), QStringLiteral("socks5://me@proxy.example:1080"));
        for (const char *wrong : {"proxy:1080", "ftp://h:1", "socks5://h", "http://:8080", "http://h:80/path"}) {
            const auto refused = net::Proxy::fromUrl(QString::fromLatin1(wrong));
            QVERIFY2(!refused && refused.error().kind == base::ErrorKind::Usage, wrong);
        }
        const auto secret = net::Proxy::fromUrl(QStringLiteral("ftp://me:hunter2@h:1"));
        QVERIFY(!secret && !secret.error().message().contains(QLatin1String("hunter2")));
    }

    void dialer_goesThroughNoProxy()
    {
        QTcpServer proxy;
        QTcpServer redis;
        QVERIFY(proxy.listen(QHostAddress::LocalHost) && redis.listen(QHostAddress::LocalHost));
        redis.setProxy(QNetworkProxy::NoProxy);
        QNetworkProxy::setApplicationProxy(
            QNetworkProxy(QNetworkProxy::HttpProxy, QStringLiteral("127.0.0.1"), proxy.serverPort()));

        net::Endpoint endpoint;
        endpoint.port = redis.serverPort();
        net::Dialer dialer(base::SystemClock::instance());
        dialer.dial(endpoint, 30s, [](const auto &) {});
        LATCHKEY_AWAIT(redis.hasPendingConnections() || proxy.hasPendingConnections());
        QVERIFY(redis.hasPendingConnections() && !proxy.hasPendingConnections());
        QNetworkProxy::setApplicationProxy(QNetworkProxy::NoProxy);
    }
};

LATCHKEY_TEST(TestProxies)

} // namespace tst_proxy

#include "tst_proxy.moc"
