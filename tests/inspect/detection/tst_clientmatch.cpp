#include "core/inspect/detection/clientmatch.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_clientmatch {

using namespace latchkey;
using namespace latchkey::detection;
using recognition::Holder;
using Criterion = ClientMatch::Criterion;
using namespace std::chrono_literals;

namespace {

/// A line as Redis 7.2 writes it; older versions have no library fields.
QByteArray line(qint64 id, const QByteArray &address, const QByteArray &name, int age = 180)
{
    return "id=" + QByteArray::number(id) + " addr=" + address + " laddr=127.0.0.1:6379 fd=8 name=" + name
         + " age=" + QByteArray::number(age)
         + " idle=3 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 qbuf=0 qbuf-free=20474 argv-mem=0 multi-mem=0 rbs=1024 "
           "rbp=0 obl=0 oll=0 omem=0 tot-mem=22298 events=r cmd=set|get user=default redir=-1 resp=2 "
           "lib-name=redis-py lib-ver=5.0.1\n";
}

Holder named(const QByteArray &bytes)
{
    Holder holder;
    holder.bytes = bytes;
    return holder;
}

const QByteArray uuid = "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6";

} // namespace

class TestClientJoin final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFieldIsRead()
    {
        const ClientList list = ClientList::fromReply(line(42, "127.0.0.1:52314", "worker-7"));
        QVERIFY(list.isComplete);
        QCOMPARE(list.clients.size(), std::size_t(1));
        const ConnectedClient expected {42, "127.0.0.1:52314", "worker-7", "redis-py", "5.0.1", 180s, 3s, "set|get"};
        QCOMPARE(list.clients.front(), expected);
    }

    void olderServers_sayLess()
    {
        const ClientList list =
            ClientList::fromReply("id=3 addr=/tmp/s.sock:0 fd=7 name= age=12 idle=0 flags=N db=0 cmd=client\r\n"
                                  "id=4 addr=[::1]:4000 fd=8 name=b age=7 idle=0 flags=N db=0 cmd=NULL\n");
        QVERIFY(list.isComplete);
        QCOMPARE(list.clients.size(), std::size_t(2));
        const ConnectedClient unnamed {3, "/tmp/s.sock:0", "", "", "", 12s, 0s, "client"};
        QCOMPARE(list.clients.front(), unnamed);
        QCOMPARE(list.clients.back().address, QByteArray("[::1]:4000"));
    }

    /// Redis permits no spaces in a name; other servers may.
    void nameWithFieldSyntax_addsNoField_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addRow("other address") << QByteArray("x addr=6.6.6.6:1 id=1");
        QTest::addRow("other age") << QByteArray("x age=1 idle=99999 cmd=get");
        QTest::addRow("another name") << QByteArray("x name=victim age=5");
        QTest::addRow("not UTF-8") << QByteArray("\xff\xfe=\x01");
        QTest::addRow("HTML") << QByteArray("<img_src=\"file:///etc/hostname\">");
        QTest::addRow("empty") << QByteArray("");
        QTest::addRow("equals signs") << QByteArray("=====");
    }
    void nameWithFieldSyntax_addsNoField()
    {
        QFETCH(QByteArray, name);
        const ClientList list = ClientList::fromReply(line(42, "127.0.0.1:52314", name) + line(43, "10.0.0.1:7", "b"));
        QVERIFY(list.isComplete);
        QCOMPARE(list.clients.size(), std::size_t(2));
        const ConnectedClient expected {42, "127.0.0.1:52314", name, "redis-py", "5.0.1", 180s, 3s, "set|get"};
        QCOMPARE(list.clients.front(), expected);
        QCOMPARE(list.clients.back().name, QByteArray("b"));
    }

    void unreadableLine_isSkippedAndTheListIsIncomplete_data()
    {
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<std::size_t>("clients");
        QTest::addRow("rubbish") << QByteArray("hello\n") + line(1, "a:1", "x") << std::size_t(1);
        QTest::addRow("no number") << QByteArray("id=x addr=a:1 name=x age=1\n") << std::size_t(0);
        QTest::addRow("no address") << QByteArray("id=1 name=x age=1\n") << std::size_t(0);
        QTest::addRow("no age") << QByteArray("id=1 addr=a:1 name=x\n") << std::size_t(0);
        QTest::addRow("cut") << line(1, "a:1", "x").first(30) << std::size_t(0);
        QTest::addRow("name in two lines") << line(1, "a:1", "x\ny") << std::size_t(0);
    }
    void unreadableLine_isSkippedAndTheListIsIncomplete()
    {
        QFETCH(QByteArray, reply);
        const ClientList list = ClientList::fromReply(reply);
        QVERIFY(!list.isComplete);
        QTEST(list.clients.size(), "clients");
    }

    void emptyReply_isACompleteEmptyList()
    {
        QVERIFY(ClientList::fromReply("").isComplete);
        QVERIFY(ClientList::fromReply("\n\r\n").clients.empty());
    }

    void holder_isMatchedByItsToken_orNotAtAll_data()
    {
        QTest::addColumn<Holder>("holder");
        QTest::addColumn<int>("by"); ///< -1: no client.
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<QList<qint64>>("ids");
        const auto row = [](const char *name, const Holder &holder, std::optional<Criterion> by,
                            const QByteArray &what = {}, const QList<qint64> &ids = {}) {
            QTest::addRow("%s", name) << holder << (by ? static_cast<int>(*by) : -1) << what << ids;
        };
        row("its name", named("worker-7"), Criterion::Name, "worker-7", {12, 11}); // The older connection first.
        row("another name", named("worker-70"), std::nullopt);
        row("a part of a name", named("worker"), std::nullopt);
        row("a name in other letters", named("Worker-7"), std::nullopt);
        row("no name", named(""), std::nullopt);
        row("a token that is a name", named(uuid), Criterion::Name, uuid, {16});
        Holder holder = named(uuid + ":4");
        holder.client = "mailer"; // The name of a BullMQ worker.
        row("BullMQ", holder, Criterion::Name, "mailer", {13});
        row("an address", named("10.0.0.7:52314"), Criterion::Address, "10.0.0.7:52314", {14});
        row("an address behind a name", named("orders@10.0.0.7:52314"), Criterion::Address, "10.0.0.7:52314", {14});
        row("an address of version 6", named("[::1]:4000"), Criterion::Address, "[::1]:4000", {15});
        row("another port", named("10.0.0.7:52315"), std::nullopt);
        row("only the machine", named("10.0.0.7"), std::nullopt);
        row("a socket file, which many share", named("/tmp/s.sock:0"), std::nullopt);
        row("a number", named("12"), std::nullopt);
        holder = named("owner-1");
        holder.connection = 12;
        row("the number of a connection", holder, Criterion::Id, "12", {12});
        holder.connection = 99;
        row("the number of no connection", holder, std::nullopt);
        holder = named("4711@hostA");
        holder.host = "hostA";
        holder.pid = 4711;
        row("machine and process", holder, Criterion::HostAndPid, "hostA 4711", {17});
        holder.pid = 471;
        row("another process", holder, std::nullopt);
        holder.host = "host";
        holder.pid = 4711;
        row("another machine", holder, std::nullopt);
    }
    void holder_isMatchedByItsToken_orNotAtAll()
    {
        QFETCH(Holder, holder);
        QFETCH(int, by);
        const ConnectedClientIndex index(ClientList::fromReply(
            line(11, "127.0.0.1:1011", "worker-7", 5) + line(12, "127.0.0.1:1012", "worker-7", 500)
            + line(13, "127.0.0.1:1013", "bull:b3JkZXJz:w:mailer") + line(14, "10.0.0.7:52314", "")
            + line(15, "[::1]:4000", "") + line(16, "127.0.0.1:1016", uuid)
            + line(17, "127.0.0.1:1017", "job:hostA:4711") + line(18, "/tmp/s.sock:0", "")
            + line(19, "/tmp/s.sock:0", "")));
        const auto match = index.match(holder);
        QCOMPARE(match ? static_cast<int>(match->criterion) : -1, by);
        if (!match)
            return;
        QTEST(match->value, "what");
        QList<qint64> ids;
        for (const ConnectedClient &client : match->clients)
            ids += client.id;
        QTEST(ids, "ids");
    }

    void onlyIdentifiableHolders_areRequested_data()
    {
        QTest::addColumn<Holder>("holder");
        QTest::addColumn<bool>("says");
        for (const char *bytes : {"worker-7", "node1.example", "rq:worker:5", "job#12", "10.0.0.7:52314", "anna"})
            QTest::addRow("%s", bytes) << named(bytes) << true;
        for (const char *bytes : {"", "1", "4711", "1732300000.5x y", "9f86d081884c7d659a2feaa0c55ad015",
                                  "q83vEjRWeJASNFZ4kBI0Vg==", "locked by\nme"})
            QTest::addRow("not %s", bytes) << named(bytes) << false;
        QTest::addRow("a random token") << named(uuid) << false;
        Holder holder = named(uuid + ":47"); // Redisson: its instance ID appears nowhere else.
        holder.client = uuid;
        holder.thread = "47";
        QTest::addRow("an instance and its thread") << holder << false;
        holder = named(uuid);
        holder.host = "hostA";
        QTest::addRow("only a machine") << holder << false;
        holder.pid = 4711;
        QTest::addRow("a machine and a process") << holder << true;
        holder = named(uuid);
        holder.connection = 12;
        QTest::addRow("a connection") << holder << true;
    }
    void onlyIdentifiableHolders_areRequested()
    {
        QFETCH(Holder, holder);
        QTEST(identifiesClient(holder), "says");
    }
};

LATCHKEY_TEST(TestClientJoin)

} // namespace tst_clientmatch

#include "tst_clientmatch.moc"
