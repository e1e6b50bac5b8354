#include "core/redis/connections/pastedserver.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_pastedserver {

using namespace latchkey;
using connections::parsePastedServer;

class TestPastedServer final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pastedText_givesTheEndpoint_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("url");
        const auto row = [](const char *name, const char *text, const char *url) {
            QTest::addRow("%s", name) << QString::fromUtf8(text) << QString::fromUtf8(url);
        };
        row("URL", " rediss://ann@db:6380/2 ", "rediss://ann@db:6380/2");
        row("host", "db.example", "redis://db.example:6379");
        row("host and port", "db.example:7000", "redis://db.example:7000");
        row("redis-cli alone", "redis-cli", "redis://127.0.0.1:6379");
        row("redis-cli", "redis-cli -h db -p 7000 -n 3 GET key", "redis://db:7000/3");
        row("path of the program", "/usr/bin/valkey-cli -h db", "redis://db:6379");
        row("socket", "redis-cli -s '/run/my redis.sock'", "unix:///run/my%20redis.sock");
        row("TLS", "redis-cli --tls --cacert /etc/ca.pem --user ann -h db monitor",
            "rediss://ann@db:6379?cacert=/etc/ca.pem");
        row("its own URL", "redis-cli --no-auth-warning -u rediss://db:1/4 ping", "rediss://db:1/4");
        row("options with other values", "redis-cli -r 5 -i 1 -h db info", "redis://db:6379");
        row("options of the command", "redis-cli -h db set -h x", "redis://db:6379");
    }
    void pastedText_givesTheEndpoint()
    {
        QFETCH(QString, text);
        QFETCH(QString, url);
        const auto endpoint = parsePastedServer(text);
        QVERIFY2(endpoint.has_value(), endpoint ? "" : qPrintable(endpoint.error().message()));
        QCOMPARE(endpoint->toUrl(), net::Endpoint::fromUrl(url).value().toUrl());
    }

    void password_isUnderstood()
    {
        const auto endpoint = parsePastedServer(QStringLiteral("redis-cli -a 'p w' --user ann"));
        QVERIFY(endpoint.has_value());
        QCOMPARE(endpoint->password, QStringLiteral("p w"));
        QCOMPARE(endpoint->user, QStringLiteral("ann"));
    }

    void unreadableText_givesAnError_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::addRow("port") << QStringLiteral("redis-cli -p many") << QStringLiteral("-p: \"many\" is not a number");
        QTest::addRow("value") << QStringLiteral("redis-cli -h") << QStringLiteral("-h needs a value");
        QTest::addRow("insecure") << QStringLiteral("redis-cli --tls --insecure")
                                  << QStringLiteral("--insecure is not supported");
        QTest::addRow("relative socket") << QStringLiteral("redis-cli -s relative.sock")
                                         << QStringLiteral("-s: the path \"relative.sock\" is relative");
        QTest::addRow("socket with a long path") << QStringLiteral("redis-cli -s /") + QString(200, u'a')
                                                 << QStringLiteral("cannot be the path of a socket");
        QTest::addRow("host of dots") << QStringLiteral("redis-cli -h a..b")
                                      << QStringLiteral("-h: \"a..b\" is no host name and no IP address");
        QTest::addRow("host with a space")
            << QStringLiteral("redis-cli -h 'a b'") << QStringLiteral("-h: \"a b\" is no host name and no IP address");
        QTest::addRow("another program") << QStringLiteral("mysql -h db") << QStringLiteral("mysql -h db");
        QTest::addRow("nothing") << QString() << QString();
    }
    void unreadableText_givesAnError()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto endpoint = parsePastedServer(text);
        QVERIFY(!endpoint);
        QCOMPARE(endpoint.error().kind, base::ErrorKind::Usage);
        QVERIFY2(endpoint.error().message().contains(says), qPrintable(endpoint.error().message()));
    }
};

LATCHKEY_TEST(TestPastedServer)

} // namespace tst_pastedserver

#include "tst_pastedserver.moc"
