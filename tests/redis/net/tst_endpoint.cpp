#include "core/redis/net/endpoint.h"
#include "tests/support/testprogram.h"

#include <QTest>
#include <QUrl>

namespace tst_endpoint {

using namespace latchkey;
using net::Endpoint;

class TestEndpoint final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fromUrl_readsEveryPart_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("database");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        const QString none;
        QTest::addRow("host alone") << QStringLiteral("redis://example.org") << QStringLiteral("example.org") << 6379
                                    << none << 0 << none << none;
        QTest::addRow("all parts") << QStringLiteral("redis://ann:s3cret@10.0.0.1:6380/7") << QStringLiteral("10.0.0.1")
                                   << 6380 << none << 7 << QStringLiteral("ann") << QStringLiteral("s3cret");
        QTest::addRow("password alone") << QStringLiteral("redis://:s3cret@h") << QStringLiteral("h") << 6379 << none
                                        << 0 << none << QStringLiteral("s3cret");
        QTest::addRow("encoded password") << QStringLiteral("redis://:p%40ss%2F%23%25@h/1") << QStringLiteral("h")
                                          << 6379 << none << 1 << none << QStringLiteral("p@ss/#%");
        // U+FFFFF is a noncharacter: QUrl's own decoding would leave its encoding in the password.
        QTest::addRow("noncharacter in the password")
            << QStringLiteral("redis://:a%F3%BF%BF%BFb@h") << QStringLiteral("h") << 6379 << none << 0 << none
            << QString::fromUcs4(U"a\U000FFFFFb");
        QTest::addRow("IPv6") << QStringLiteral("redis://[::1]:7000") << QStringLiteral("::1") << 7000 << none << 0
                              << none << none;
        QTest::addRow("trailing slash") << QStringLiteral("redis://h/") << QStringLiteral("h") << 6379 << none << 0
                                        << none << none;
        QTest::addRow("socket") << QStringLiteral("unix:///run/redis.sock") << QStringLiteral("127.0.0.1") << 6379
                                << QStringLiteral("/run/redis.sock") << 0 << none << none;
        QTest::addRow("socket, database, password")
            << QStringLiteral("unix://ann:s3cret@/run/a b.sock?db=3").replace(u' ', QStringLiteral("%20"))
            << QStringLiteral("127.0.0.1") << 6379 << QStringLiteral("/run/a b.sock") << 3 << QStringLiteral("ann")
            << QStringLiteral("s3cret");
    }
    void fromUrl_readsEveryPart()
    {
        QFETCH(QString, url);
        const auto endpoint = Endpoint::fromUrl(url);
        QVERIFY2(endpoint, endpoint ? "" : qPrintable(endpoint.error().message()));
        QTEST(endpoint->host, "host");
        QTEST(int(endpoint->port), "port");
        QTEST(endpoint->path, "path");
        QTEST(endpoint->database, "database");
        QTEST(endpoint->user, "user");
        QTEST(endpoint->password, "password");

        // A child process receives this URL, which must have the same meaning.
        QCOMPARE(Endpoint::fromUrl(endpoint->toUrlWithPassword()).value(), *endpoint);
        QVERIFY(!endpoint->display().contains(QStringLiteral("s3cret")));
    }

    /// The displayed URL, which is also stored and copied, can be parsed again.
    void display_isReadBack()
    {
        QStringList names {QStringLiteral("/run/a b.sock"), QStringLiteral("/run/\u952e \u00e9.sock"),
                           QStringLiteral("/run/100%41.sock"), QStringLiteral("/a//b/./c")};
        for (char16_t character = 1; character < 0x180; ++character)
            names += QStringLiteral("/run/x%1y").arg(QChar(character));
        for (const QString &name : names) {
            Endpoint endpoint = Endpoint::unixSocket(name);
            endpoint.user = name.sliced(1);
            endpoint.database = 3;
            const auto read = Endpoint::fromUrl(endpoint.display());
            QVERIFY2(read, read ? "" : qPrintable(read.error().message()));
            QCOMPARE(*read, endpoint);
            endpoint.password = name;
            QCOMPARE(Endpoint::fromUrl(endpoint.toUrlWithPassword()).value(), endpoint);
        }
    }

    void tls_isReadAndWritten()
    {
        const QString pin(64, u'a');
        const QString url = QStringLiteral("rediss://ann@h:7001/2?cacert=/a%20b/%C3%A9%26.pem&cert=/c.pem&key=/k.pem&"
                                           "sni=db.example&pin=")
                          + pin;
        const Endpoint endpoint = Endpoint::fromUrl(url).value();
        QVERIFY(endpoint.tls);
        QCOMPARE(endpoint.tls->caFile, QStringLiteral("/a b/\u00e9&.pem"));
        QCOMPARE(endpoint.tls->certificateFile, QStringLiteral("/c.pem"));
        QCOMPARE(endpoint.tls->keyFile, QStringLiteral("/k.pem"));
        QCOMPARE(endpoint.tls->serverName, QStringLiteral("db.example"));
        QCOMPARE(endpoint.tls->pin, QByteArray(32, '\xaa'));
        QCOMPARE(endpoint.display(), QStringLiteral("rediss://ann@h:7001/2"));
        QCOMPARE(Endpoint::fromUrl(endpoint.toUrl()).value(), endpoint);
        QCOMPARE(Endpoint::fromUrl(endpoint.toUrlWithPassword()).value(), endpoint);
        for (char16_t character = 1; character < 0x180; ++character) {
            Endpoint odd = endpoint;
            odd.tls->caFile = QStringLiteral("/x%1y").arg(QChar(character));
            QCOMPARE(Endpoint::fromUrl(odd.toUrl()).value(), odd);
        }
        QCOMPARE(Endpoint::fromUrl(QStringLiteral("rediss://h")).value().toUrl(), QStringLiteral("rediss://h:6379"));
    }

    void way_isReadAndWritten_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("display");
        const auto row = [](const char *url, const char *display) {
            QTest::addRow("%s", url) << QString::fromLatin1(url) << QString::fromLatin1(display);
        };
        row("redis://db:6379/2?ssh=me@jump:2222", "redis://db:6379/2?ssh=me@jump:2222");
        row("unix:///run/far.sock?db=3&ssh=[::1]:22", "unix:///run/far.sock?db=3&ssh=[::1]:22");
        row("rediss://db:6379?cacert=/%F3%BF%BF%BF&ssh=jump", "rediss://db:6379?ssh=jump");
        row("redis://db:6379?proxy=socks5://me:%25F3%25BF%25BF%25BF@proxy:1080",
            "redis://db:6379?proxy=socks5://me@proxy:1080");
        row("rediss://db:6379?sni=db&ssh=jump", "rediss://db:6379?ssh=jump");
        row("redis://db:6379?proxy=socks5://me:p%2540%2526ss@proxy:1080",
            "redis://db:6379?proxy=socks5://me@proxy:1080");
        row("rediss://db:6379?cacert=/ca.pem&proxy=http://proxy:3128", "rediss://db:6379?proxy=http://proxy:3128");
    }
    /// A different route (ssh or proxy) is a different server, so it is displayed; a secret is not.
    void way_isReadAndWritten()
    {
        QFETCH(const QString, url);
        const auto endpoint = Endpoint::fromUrl(url);
        QVERIFY2(endpoint, endpoint ? "" : qPrintable(endpoint.error().message()));
        QCOMPARE(QUrl::fromPercentEncoding(endpoint->display().toUtf8()), QUrl::fromPercentEncoding([] {
                     QFETCH(const QString, display);
                     return display.toUtf8();
                 }()));
        QCOMPARE(Endpoint::fromUrl(endpoint->toUrlWithPassword()).value(), *endpoint);
        Endpoint silent = *endpoint;
        if (silent.proxy)
            silent.proxy->password.clear();
        QCOMPARE(Endpoint::fromUrl(endpoint->toUrl()).value(), silent);
        QVERIFY(*endpoint != Endpoint::fromUrl(url.section(u'?', 0, 0)).value());
    }

    void sentinels_areReadAndWritten_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("sentinels");
        QTest::addColumn<QString>("master");
        QTest::addColumn<int>("database");
        QTest::addColumn<QString>("written");
        const auto row = [](const char *url, const char *sentinels, const char *master, int database,
                            const char *written) {
            QTest::addRow("%s", url) << QString::fromUtf8(url) << QString::fromLatin1(sentinels)
                                     << QString::fromUtf8(master) << database << QString::fromUtf8(written);
        };
        row("redis+sentinel://a/m", "a:26379", "m", 0, "redis+sentinel://a:26379/m");
        row("redis+sentinel://a,b:1,[::1]/m/3", "a:26379 b:1 ::1:26379", "m", 3,
            "redis+sentinel://a:26379,b:1,[::1]:26379/m/3");
        row("redis+sentinel://[::1]:7,a/m/", "::1:7 a:26379", "m", 0, "redis+sentinel://[::1]:7,a:26379/m");
        row("REDISS+sentinel://ann:s3cret@a,b/m?cacert=/ca.pem&sentinel-user=eve&sentinel-password=s3%26cret",
            "a:26379 b:26379", "m", 0, "rediss+sentinel://ann@a:26379,b:26379/m?sentinel-user=eve&cacert=/ca.pem");
        row("redis+sentinel://:s3cret@a/m?sentinel_password=s3cret&ssh=jump", "a:26379", "m", 0,
            "redis+sentinel://a:26379/m?ssh=jump");
        row("redis-sentinel://:s3cret@a,b:2/4?sentinelMasterId=my%2Fmaster", "a:26379 b:2", "my/master", 4,
            "redis+sentinel://a:26379,b:2/my%2Fmaster/4");
        row("redis-sentinel://a?sentinelMasterId=m", "a:26379", "m", 0, "redis+sentinel://a:26379/m");
        row("redis+sentinel://a/caf\u00e9%20\u4e3b", "a:26379", "caf\u00e9 \u4e3b", 0,
            "redis+sentinel://a:26379/caf\u00e9%20\u4e3b");
    }
    void sentinels_areReadAndWritten()
    {
        QFETCH(const QString, url);
        const auto endpoint = Endpoint::fromUrl(url);
        QVERIFY2(endpoint, endpoint ? "" : qPrintable(endpoint.error().message()));
        QVERIFY(endpoint->sentinels);
        QStringList sentinels {QStringLiteral("%1:%2").arg(endpoint->host).arg(endpoint->port)};
        for (const net::HostPort &other : endpoint->sentinels->others)
            sentinels += QStringLiteral("%1:%2").arg(other.host).arg(other.port);
        QTEST(sentinels.join(u' '), "sentinels");
        QTEST(endpoint->sentinels->master, "master");
        QTEST(endpoint->database, "database");
        QTEST(endpoint->toUrl(), "written");
        QCOMPARE(endpoint->tls.has_value(), url.startsWith(u'R'));
        QVERIFY(!endpoint->isOnThisMachine());

        QCOMPARE(Endpoint::fromUrl(endpoint->toUrlWithPassword()).value(), *endpoint);
        for (const QString &text : {endpoint->display(), endpoint->toUrl()})
            QVERIFY2(!text.contains(QStringLiteral("cret")), qPrintable(text));
        QCOMPARE(Endpoint::fromUrl(endpoint->display()).value().sentinels->others, endpoint->sentinels->others);
    }

    /// The login of the sentinels is not that of the server.
    void sentinels_haveALoginOfTheirOwn()
    {
        const Endpoint endpoint = Endpoint::fromUrl(QStringLiteral("redis+sentinel://ann:one@a/m?sentinel-user=eve&"
                                                                   "sentinel-password=t%2540%26wo"))
                                      .value();
        QCOMPARE(endpoint.user, QStringLiteral("ann"));
        QCOMPARE(endpoint.password, QStringLiteral("one"));
        QCOMPARE(endpoint.sentinels->user, QStringLiteral("eve"));
        QCOMPARE(endpoint.sentinels->password, QStringLiteral("t%40&wo"));
        for (char16_t character = 1; character < 0x180; ++character) {
            Endpoint odd = endpoint;
            odd.sentinels->master = QStringLiteral("x%1y").arg(QChar(character));
            odd.sentinels->password = odd.sentinels->user = odd.sentinels->master;
            QCOMPARE(Endpoint::fromUrl(odd.toUrlWithPassword()).value(), odd);
            odd.sentinels->password.clear();
            odd.password.clear();
            QCOMPARE(Endpoint::fromUrl(odd.toUrl()).value(), odd);
        }
    }

    void fromUrl_refusesWithOneSentence_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("message");
        QTest::addRow("empty") << QString() << QStringLiteral("the URL is empty; write it like redis://127.0.0.1:6379");
        QTest::addRow("no scheme") << QStringLiteral("localhost:6379")
                                   << QStringLiteral(
                                          "the URL \"localhost:6379\" lacks a scheme: write redis://localhost:6379");
        QTest::addRow("address and port")
            << QStringLiteral("127.0.0.1:7001/2")
            << QStringLiteral("the URL \"127.0.0.1:7001/2\" lacks a scheme: write redis://127.0.0.1:7001/2");
        QTest::addRow("path") << QStringLiteral("/run/redis.sock")
                              << QStringLiteral(
                                     "the URL \"/run/redis.sock\" lacks a scheme: write unix:///run/redis.sock");
        QTest::addRow("no scheme, and a secret")
            << QStringLiteral("ann:secret@h")
            << QStringLiteral("the URL \"(hidden)@h\" lacks a scheme: redis://, rediss:// or unix://");
        QTest::addRow("foreign scheme")
            << QStringLiteral("http://localhost")
            << QStringLiteral(
                   "the URL \"http://localhost\" has the unknown scheme \"http\"; there are redis://, rediss://, "
                   "unix:// and redis+sentinel://");
        QTest::addRow("option of TLS")
            << QStringLiteral("rediss://h?db=1")
            << QStringLiteral("the URL \"rediss://h?db=1\" has the unknown option \"db\"; there are cacert, cert, key, "
                              "sni, pin, ssh, proxy and map");
        QTest::addRow("option without TLS")
            << QStringLiteral("redis://h?pin=1")
            << QStringLiteral(
                   "the URL \"redis://h?pin=1\" has the unknown option \"pin\"; there are ssh, proxy and map, "
                   "and the database follows "
                   "the host, as in redis://host/2");
        QTest::addRow("pin") << QStringLiteral("rediss://h?pin=12")
                             << QStringLiteral("\"12\" is no SHA-256 fingerprint: that is 64 hexadecimal digits");
        QTest::addRow("no host") << QStringLiteral(
            "redis://:6379") << QStringLiteral("the URL \"redis://:6379\" lacks a host, as in redis://127.0.0.1:6379");
        QTest::addRow("port 0") << QStringLiteral("redis://h:0")
                                << QStringLiteral("the URL \"redis://h:0\" names port 0; ports go from 1 to 65535");
        QTest::addRow("database")
            << QStringLiteral("redis://h/one")
            << QStringLiteral("the URL \"redis://h/one\" names the database \"one\", which is not a number from 0 on");
        QTest::addRow("negative database")
            << QStringLiteral("redis://h/-1")
            << QStringLiteral("the URL \"redis://h/-1\" names the database \"-1\", which is not a number from 0 on");
        QTest::addRow("query") << QStringLiteral("redis://h?db=1")
                               << QStringLiteral("the URL \"redis://h?db=1\" has the unknown option \"db\"; there are "
                                                 "ssh, proxy and map, and the database follows "
                                                 "the host, as in redis://host/2");
        QTest::addRow("socket with two slashes")
            << QStringLiteral("unix://run/redis.sock")
            << QStringLiteral("the URL \"unix://run/redis.sock\" needs three slashes before the socket's path, as in "
                              "unix:///run/redis.sock");
        QTest::addRow("no socket")
            << QStringLiteral("unix:///")
            << QStringLiteral("the URL \"unix:///\" lacks the path of the socket, as in unix:///run/redis.sock");
        QTest::addRow("unknown option")
            << QStringLiteral("unix:///s?timeout=1")
            << QStringLiteral("the URL \"unix:///s?timeout=1\" has the unknown option \"timeout\"; there are db, "
                              "ssh and map");
        QTest::addRow("no host for ssh")
            << QStringLiteral("redis://h?ssh=-oProxyCommand=x")
            << QStringLiteral(
                   "the URL \"redis://h?ssh=-oProxyCommand=x\" cannot be read: \"-oProxyCommand=x\" is no host "
                   "for ssh; write it like [user@]host[:port]");
        QTest::addRow("no proxy")
            << QStringLiteral("redis://h?proxy=ftp://me:hunter2@p:1")
            << QStringLiteral("the proxy \"ftp://(hidden)@p:1\" cannot be read; write it like socks5://host:1080 or "
                              "http://user:password@host:3128");
        QTest::addRow("both ways")
            << QStringLiteral("redis://h?ssh=j&proxy=socks5://p:1")
            << QStringLiteral("the URL \"redis://h?ssh=j&proxy=socks5://p:1\" names both ssh and a proxy; the way "
                              "of ssh through a proxy is for its own configuration (ProxyCommand)");
        QTest::addRow("hidden secret of a proxy")
            << QStringLiteral("redis://h?proxy=socks5%3A%2F%2Fme%3Ahunter2%40p%3A1&x=1")
            << QStringLiteral("the URL \"redis://(hidden)%40p%3A1&x=1\" has the unknown option \"x\"; there are ssh, "
                              "proxy and map, and the database follows the host, as in redis://host/2");
        const auto sentinels = [](const char *url, const QString &problem) {
            const QString text = QString::fromUtf8(url);
            QTest::addRow("%s", url) << text << QStringLiteral("the URL \"%1\" ").arg(text) + problem;
        };
        sentinels("redis+sentinel:///m", QStringLiteral("lacks the host of a sentinel, as in "
                                                        "redis+sentinel://host1,host2:26380/mymaster"));
        sentinels("redis+sentinel://a,,b/m", QStringLiteral("lacks the host of a sentinel, as in "
                                                            "redis+sentinel://host1,host2:26380/mymaster"));
        sentinels("redis+sentinel://a,b:0/m", QStringLiteral("names port 0; ports go from 1 to 65535"));
        sentinels("redis+sentinel://a,b:x/m",
                  QStringLiteral("cannot be read: invalid port or port number out of range"));
        sentinels("redis+sentinel://a,b:1,b:1/m", QStringLiteral("names the sentinel \"b:1\" twice"));
        sentinels("redis+sentinel://a,b", QStringLiteral("lacks the name of the primary at its sentinels, as in "
                                                         "redis+sentinel://host1,host2/mymaster"));
        sentinels("redis-sentinel://a/3", QStringLiteral("lacks the name of the primary at its sentinels, as in "
                                                         "redis-sentinel://host1?sentinelMasterId=mymaster"));
        sentinels("redis+sentinel://a/my/master",
                  QStringLiteral("names the database \"master\", which is not a number from 0 on; a slash in the name "
                                 "of the primary is written %2F"));
        sentinels("redis+sentinel://a/m?db=1",
                  QStringLiteral("has the unknown option \"db\"; there are sentinel-user, sentinel-password, ssh, "
                                 "proxy and map, and with TLS cacert, cert, key, sni and pin"));
        QTest::addRow("hash in password") << QStringLiteral("redis://:se#cret@h") << QString();
    }
    void fromUrl_refusesWithOneSentence()
    {
        QFETCH(QString, url);
        QFETCH(QString, message);
        const auto endpoint = Endpoint::fromUrl(url);
        QVERIFY(!endpoint);
        QCOMPARE(endpoint.error().kind, base::ErrorKind::Usage);
        if (!message.isEmpty())
            QCOMPARE(endpoint.error().message(), message);
    }

    void refusals_neverShowThePassword_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addRow("hash") << QStringLiteral("redis://ann:hun#ter2@h");
        QTest::addRow("bad port") << QStringLiteral("redis://ann:hunter2@h:99999");
        QTest::addRow("at sign in it") << QStringLiteral("redis://ann:hunt@er2@h:x");
        QTest::addRow("bad scheme") << QStringLiteral("http://ann:hunter2@h");
        QTest::addRow("no scheme") << QStringLiteral("ann:hunter2@h:6379");
        QTest::addRow("TLS") << QStringLiteral("rediss://:hunter2@h?secret=1");
        QTest::addRow("sentinels") << QStringLiteral("redis+sentinel://ann:hunter2@a,b:0/m");
        QTest::addRow("sentinels' password") << QStringLiteral("redis+sentinel://a/m?x=1&sentinel-password=hunt@er2");
        QTest::addRow("encoded option") << QStringLiteral("redis+sentinel://a?sentinel%5Fpassword=hunter2&sentinel-");
    }
    void refusals_neverShowThePassword()
    {
        QFETCH(QString, url);
        const auto endpoint = Endpoint::fromUrl(url);
        QVERIFY(!endpoint);
        QVERIFY2(!endpoint.error().message().contains(QStringLiteral("hun"))
                     && !endpoint.error().message().contains(QStringLiteral("er2")),
                 qPrintable(endpoint.error().message()));
    }

    void socketPath_longerThanTheSystemAllowsIsRefused()
    {
        const auto endpoint = Endpoint::fromUrl(QStringLiteral("unix:///") + QString(200, u'x'));
        QVERIFY(!endpoint);
        QVERIFY(endpoint.error().message().contains(QStringLiteral("longer than the 107 bytes")));
    }
};

LATCHKEY_TEST(TestEndpoint)

} // namespace tst_endpoint

#include "tst_endpoint.moc"
