#include "core/redis/resp/clusternodes.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_clusternodes {

using namespace latchkey::resp;

class TestClusterNodes final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void part_isCountedByTheFirstSlots_data()
    {
        QTest::addColumn<QByteArray>("nodes");
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("of");
        const auto three = [](const char *first, const char *second, const char *third) {
            return QByteArray("aa 127.0.0.1:7002@17002 ") + third + " - 0 0 3 connected 10923-16383\n"
                 + "bb 127.0.0.1:7000@17000,host " + first + " - 0 0 1 connected 0-5460 [93->-aa]\n"
                 + "cc 127.0.0.1:7001@17001 " + second + " - 0 0 2 connected 5461 5463-10922\n";
        };
        QTest::addRow("first") << three("myself,master", "master", "master") << 1 << 3;
        QTest::addRow("second") << three("master", "myself,master", "master") << 2 << 3;
        QTest::addRow("last") << three("master", "master", "myself,master") << 3 << 3;
        QTest::addRow("a replica of the second")
            << three("master", "master", "master") + "dd 127.0.0.1:7003@17003 myself,slave cc 0 0 2 connected\n"
            << 2 << 3;
        QTest::addRow("a master without slots is none of them")
            << three("master", "master", "master") + "dd 127.0.0.1:7003@17003 myself,master - 0 0 0 connected\n"
            << 0 << 0;
        QTest::addRow("alone") << QByteArray("aa :0@0 myself,master - 0 0 0 connected 0-16383\n") << 1 << 1;
        QTest::addRow("alone, nothing assigned") << QByteArray("aa :0@0 myself,master - 0 0 0 connected\n") << 0 << 0;
        QTest::addRow("slots on their way only")
            << QByteArray("aa :0@0 myself,master - 0 0 0 connected [7-<-bb]\n") << 0 << 0;
        QTest::addRow("nonsense") << QByteArray("what\nis this\n\n") << 0 << 0;
    }
    void part_isCountedByTheFirstSlots()
    {
        QFETCH(QByteArray, nodes);
        QFETCH(int, number);
        QFETCH(int, of);
        const auto part = ClusterPart::fromNodes(Reply::bulk(nodes));
        QCOMPARE(part.has_value(), number > 0);
        if (part)
            QCOMPARE(*part, (ClusterPart {number, of}));
    }

    void ownSlots_areThoseOfTheSender()
    {
        const QByteArray nodes = "aa 127.0.0.1:7002@17002 master - 0 9 3 connected 10923-16383\n"
                                 "bb 127.0.0.1:7000@17000,host myself,master - 0 5 1 connected 0-5460 [93->-aa]\n";
        QCOMPARE(ownSlots(Reply::bulk(nodes)), QByteArray("1 0-5460 [93->-aa]"));
        QCOMPARE(ownSlots(Reply::bulk("aa :0@0 myself,master - 0 0 7 connected\n")), QByteArray("7"));
        QCOMPARE(ownSlots(Reply::bulk("nonsense")), QByteArray());
        QCOMPARE(ownSlots(Reply::error("ERR no")), QByteArray());
    }

    void movingSlots_areThoseInBrackets()
    {
        const auto moving = [](const QByteArray &own) {
            return latchkey::resp::migratingSlots(Reply::bulk("bb :0@0 myself,master - 0 5 1 connected " + own + '\n'));
        };
        QCOMPARE(moving("0-5460 [93->-aa] [7-<-cc]"), (std::vector {93, 7}));
        QCOMPARE(moving("0-5460"), std::vector<int> {});
        QCOMPARE(moving("[] [-] [x->-aa] [93"), std::vector<int> {});
        QCOMPARE(latchkey::resp::migratingSlots(Reply::error("ERR no")), std::vector<int> {});
    }

    void refusal_isNoPart()
    {
        QVERIFY(!ClusterPart::fromNodes(Reply::error("ERR This instance has cluster support disabled")));
    }
};

LATCHKEY_TEST(TestClusterNodes)

} // namespace tst_clusternodes

#include "tst_clusternodes.moc"
