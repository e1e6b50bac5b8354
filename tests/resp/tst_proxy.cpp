#include "core/base/clock.h"
#include "core/resp/dialer.h"
#include "tests/support/await.h"

#include <QNetworkProxy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

using namespace latchkey;
using namespace std::chrono_literals;

/// What goes to Redis goes nowhere else, whatever proxy the application or the environment has.
class TestProxy final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dialer_goesThroughNoProxy()
    {
        QTcpServer proxy;
        QTcpServer redis;
        QVERIFY(proxy.listen(QHostAddress::LocalHost) && redis.listen(QHostAddress::LocalHost));
        redis.setProxy(QNetworkProxy::NoProxy);
        QNetworkProxy::setApplicationProxy(
            QNetworkProxy(QNetworkProxy::HttpProxy, QStringLiteral("127.0.0.1"), proxy.serverPort()));

        resp::Endpoint endpoint;
        endpoint.port = redis.serverPort();
        resp::Dialer dialer(base::SystemClock::instance());
        dialer.dial(endpoint, 30s, [](const auto &) {});
        LATCHKEY_AWAIT(redis.hasPendingConnections() || proxy.hasPendingConnections());
        QVERIFY(redis.hasPendingConnections() && !proxy.hasPendingConnections());
        QNetworkProxy::setApplicationProxy(QNetworkProxy::NoProxy);
    }
};

QTEST_GUILESS_MAIN(TestProxy)
#include "tst_proxy.moc"
