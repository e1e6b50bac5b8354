#include "core/redis/net/addressmap.h"
#include "core/redis/net/endpoint.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_addressmap {

using namespace latchkey;
using net::AddressMap;
using net::Endpoint;
using net::HostPort;

class TestAddressMap final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reached_replacesAnnouncedAddresses_data()
    {
        QTest::addColumn<QString>("map");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<QString>("reached");
        const auto row = [](const char *name, const char *map, const char *host, int port, const char *reached) {
            QTest::addRow("%s", name) << QString::fromLatin1(map) << QString::fromLatin1(host) << port
                                      << QString::fromLatin1(reached);
        };
        row("both ports", "10.0.0.1:7000=localhost:17000", "10.0.0.1", 7000, "localhost:17000");
        row("another port", "10.0.0.1:7000=localhost:17000", "10.0.0.1", 7001, "10.0.0.1:7001");
        row("another host", "10.0.0.1:7000=localhost:17000", "10.0.0.10", 7000, "10.0.0.10:7000");
        row("hosts alone", "10.0.0.1=localhost", "10.0.0.1", 7001, "localhost:7001");
        row("all ports to one", "10.0.0.1=localhost:17000", "10.0.0.1", 7001, "localhost:17000");
        row("port stays", "node1:6379=db.example", "node1", 6379, "db.example:6379");
        row("second entry", "a:1=b:2,c:3=d:4", "c", 3, "d:4");
        row("blanks", "a:1=b:2, c:3 = d:4", "c", 3, "d:4");
        row("entry with a port first", "a=x,a:7=y:8", "a", 7, "y:8");
        row("entry with a port last", "a:7=y:8,a=x", "a", 7, "y:8");
        row("result is not mapped again", "a:1=b:2,b:2=c:3", "a", 1, "b:2");
        row("case of names", "Node1:1=b:2", "NODE1", 1, "b:2");
        row("name of a container", "redis_node-1:6379=localhost:7001", "redis_node-1", 6379, "localhost:7001");
        row("IPv6", "[fd00::1]:7000=[::1]:17000", "fd00::1", 7000, "[::1]:17000");
        row("other text of an IPv6 address", "[fd00::1]=b", "fd00:0:0:0:0:0:0:1", 7000, "b:7000");
    }
    void reached_replacesAnnouncedAddresses()
    {
        QFETCH(QString, map);
        QFETCH(QString, host);
        QFETCH(int, port);
        const auto read = AddressMap::fromText(map);
        QVERIFY2(read, read ? "" : qPrintable(read.error().message()));
        QTEST(net::hostPortText(read->reached({host, static_cast<quint16>(port)})), "reached");
        QCOMPARE(AddressMap::fromText(read->toText()).value(), *read);

        Endpoint endpoint = Endpoint::fromUrl(QStringLiteral("rediss+sentinel://h/m?sni=s&ssh=j")).value();
        endpoint.addresses = *read;
        QCOMPARE(Endpoint::fromUrl(endpoint.toUrl()).value(), endpoint);
        QCOMPARE(Endpoint::fromUrl(endpoint.toUrlWithPassword()).value(), endpoint);
    }

    void badEntry_isNamed_data()
    {
        QTest::addColumn<QString>("map");
        QTest::addColumn<QString>("named");
        const auto row = [](const char *map, const char *named) {
            QTest::addRow("%s", map) << QString::fromLatin1(map) << QString::fromLatin1(named);
        };
        row("", "the entry \"\" of the address map is not of the form INNER=OUTER, as in "
                "10.0.0.1:7000=localhost:17000");
        row("a", "the entry \"a\" ");
        row("a=b=c", "the entry \"a=b=c\" ");
        row("a=b,,c=d", "the entry \"\" ");
        row("a=b,", "the entry \"\" ");
        row("a=b,c=", "the entry \"c=\" of the address map has the invalid address \"\"; an address is a host");
        row("=b", "the invalid address \"\"");
        row("a:0=b", "the invalid address \"a:0\"");
        row("a:70000=b", "the invalid address \"a:70000\"");
        row("a:x=b", "the invalid address \"a:x\"");
        row("a=b:", "the invalid address \"b:\"");
        row("10.0.0.*=b", "the invalid address \"10.0.0.*\"");
        row("fd00::1=b", "the invalid address \"fd00::1\"");
        row("a/1=b", "the invalid address \"a/1\"");
        row("me@a=b", "the invalid address \"me@a\"");
        row("a:1=b,A:1=c", "the address map has two entries for \"a:1\"");
    }
    void badEntry_isNamed()
    {
        QFETCH(QString, map);
        QFETCH(QString, named);
        const auto read = AddressMap::fromText(map);
        QVERIFY(!read);
        QVERIFY2(read.error().message().contains(named), qPrintable(read.error().message()));
        for (const char *scheme : {"redis://h", "unix:///s", "redis+sentinel://h/m"}) {
            const QString url = QLatin1String(scheme) + QStringLiteral("?map=") + map;
            const auto endpoint = Endpoint::fromUrl(url);
            QVERIFY(!endpoint);
            QCOMPARE(endpoint.error().kind, base::ErrorKind::Usage);
            QVERIFY2(endpoint.error().message().endsWith(read.error().message()),
                     qPrintable(endpoint.error().message()));
        }
    }

    void map_isReadFromUrls()
    {
        const QString map = QStringLiteral("10.0.0.1:7000=localhost:17000,node_2=b");
        for (const char *scheme :
             {"redis://h", "unix:///s", "redis+sentinel://h/m", "redis-sentinel://h?sentinelMasterId=m"}) {
            for (const QString &text : {map, QString::fromLatin1(QUrl::toPercentEncoding(map))}) {
                const QString url = QLatin1String(scheme) + (QLatin1String(scheme).contains(u'?') ? u'&' : u'?')
                                  + QStringLiteral("map=") + text;
                const auto endpoint = Endpoint::fromUrl(url);
                QVERIFY2(endpoint, endpoint ? "" : qPrintable(endpoint.error().message()));
                QCOMPARE(endpoint->addresses, AddressMap::fromText(map).value());
                QVERIFY(endpoint->toUrl().endsWith(QStringLiteral("?map=") + map));
                // Titles and settings name the server, which is the same with another map.
                QVERIFY(!endpoint->display().contains(QStringLiteral("map")));
            }
        }
    }

    void announcing_mapsTheAddress()
    {
        const Endpoint entry = Endpoint::fromUrl(QStringLiteral("redis://me@h:1/2?map=a:5=b:6")).value();
        const Endpoint node = entry.announcing({QStringLiteral("a"), 5});
        QCOMPARE(node.display(), QStringLiteral("redis://me@b:6/2"));
        QVERIFY(node.source.isAnnounced);
        QCOMPARE(node.announcing({QStringLiteral("a"), 5}), node);
        QCOMPARE(entry.addresses.announcedFor({node.host, node.port}), (HostPort {QStringLiteral("a"), 5}));
        QVERIFY(!entry.addresses.announcedFor({QStringLiteral("h"), 1}));
        QCOMPARE(entry.announcing({QStringLiteral("h"), 1}), entry);
        QVERIFY(!entry.announcing({QStringLiteral("h"), 2}).source.isAnnounced);
    }
};

LATCHKEY_TEST(TestAddressMap)

} // namespace tst_addressmap

#include "tst_addressmap.moc"
