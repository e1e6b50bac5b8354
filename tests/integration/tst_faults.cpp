#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/fakeredis.h"
#include "tests/support/testprogram.h"

#include <QLocalSocket>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

namespace tst_faults {

using namespace latchkey;
using namespace std::chrono_literals;
using test::Outcome;

namespace {

/// A server with a fault, and the expected result of each command.
struct Fault
{
    const char *name;
    std::vector<resp::Command> preparation {}; ///< Commands to a real server.
    test::FakeRedis::Script script {};         ///< Otherwise: replies of a simulated server.
    test::StrangeServer::Conduct conduct {};   ///< Otherwise: behaviour of a program that is no Redis server.
    const char *url = nullptr;                 ///< Otherwise: address without a server.
    const char *raw = nullptr;                 ///< Command that is sent last, without waiting for its reply.
    const char *sentence = "";                 ///< Part of the error message.
    int ls = 3;
    int acquire = 0;
    int run = 0;
    int watch = 3;
    int expect = 0;
    int why = 3;
};

constexpr auto token = "f442172cd0841b68177e827d1a6528b1";

std::vector<resp::Command> denying(std::initializer_list<QByteArray> rules)
{
    resp::Command command {"ACL", "SETUSER", "default"};
    for (const QByteArray &rule : rules)
        command << rule;
    return {command};
}

/// Returns a server with one key that answers every question about it with `error`.
test::FakeRedis::Script refusing(const QByteArray &error)
{
    return [error](const QList<QByteArray> &command) -> QByteArray {
        if (command.front() == "SCAN")
            return QByteArrayLiteral("*2\r\n$1\r\n0\r\n*1\r\n$6\r\nlock:a\r\n");
        if (command.front() == "DBSIZE")
            return QByteArrayLiteral(":1\r\n");
        return '-' + error + "\r\n";
    };
}

/// Returns faults before any command is sent.
std::vector<Fault> faultsOfConnecting()
{
    std::vector<Fault> all {
        {.name = "connection refused", .url = "redis://127.0.0.1:1", .sentence = "cannot connect|refused"},
        {.name = "no such socket", .url = "unix:///nonexistent/redis.sock", .sentence = "cannot connect"},
        {.name = "no such host", .url = "redis://nowhere.invalid:6379", .sentence = "nowhere\\.invalid"},
        {.name = "reset on connect", .conduct = test::StrangeServer::hangsUpAtOnce(), .sentence = "hung up|connect"},
        {.name = "hangs up when asked", .conduct = test::StrangeServer::hangsUpWhenAsked(), .sentence = "connect"},
        {.name = "protected mode",
         .conduct = test::StrangeServer::says("-DENIED Redis is running in protected mode\r\n"),
         .sentence = "protected mode"},
        {.name = "no room for a client",
         .conduct = test::StrangeServer::says("-ERR max number of clients reached\r\n"),
         .sentence = "no room for another client"},
        {.name = "no Redis",
         .conduct = test::StrangeServer::says("HTTP/1.1 400 Bad Request\r\n\r\n"),
         .sentence = ": "},
        {.name = "password wanted",
         .preparation = {{"CONFIG", "SET", "requirepass", "secret"}},
         .sentence = "the server wants a password"},
    };
    for (Fault &fault : all)
        fault.acquire = fault.run = fault.expect = 3;
    return all;
}

std::vector<Fault> faultsOfAnswers()
{
    return {
        {.name = "NOPERM SCAN", .preparation = denying({"-scan"}), .sentence = "run the 'scan' command", .why = 0},
        {.name = "NOPERM TYPE", .preparation = denying({"-type"}), .sentence = "run the 'type' command"},
        {.name = "NOPERM PTTL", .preparation = denying({"-pttl"}), .sentence = "run the 'pttl' command", .expect = 3},
        {.name = "NOPERM GETRANGE",
         .preparation = denying({"-getrange"}),
         .sentence = "run the 'getrange' command",
         .why = 3},
        {.name = "NOPERM STRLEN", .preparation = denying({"-strlen"}), .sentence = "run the 'strlen' command"},
        {.name = "NOPERM for these keys",
         .preparation = denying({"resetkeys", "~other:*"}),
         .sentence = "access a key|access one of the keys",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "BUSY",
         .preparation = {{"CONFIG", "SET", "lua-time-limit", "50"}},
         .raw = "EVAL \"while true do end\" 0\r\n",
         .sentence = "busy with a script",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "MASTERDOWN",
         .preparation = {{"CONFIG", "SET", "replica-serve-stale-data", "no"}, {"REPLICAOF", "127.0.0.1", "1"}},
         .sentence = "a replica that has lost its master|a read-only replica",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "READONLY",
         .preparation = {{"REPLICAOF", "127.0.0.1", "1"}},
         .ls = 0,
         .acquire = 3,
         .run = 3,
         .watch = 0,
         .why = 0},
        {.name = "OOM",
         .preparation = {{"CONFIG", "SET", "maxmemory", "1"}},
         .ls = 0,
         .acquire = 3,
         .run = 3,
         .watch = 0,
         .why = 0},
        {.name = "NOREPLICAS",
         .preparation = {{"CONFIG", "SET", "min-replicas-to-write", "1"}},
         .ls = 0,
         .acquire = 3,
         .run = 3,
         .watch = 0,
         .why = 0},
        {.name = "NOPERM CONFIG, INFO and CLIENT",
         .preparation = denying({"-config", "-info", "-client"}),
         .ls = 0,
         .watch = 0,
         .why = 0},
        {.name = "NOPERM SUBSCRIBE",
         .preparation = denying({"-subscribe", "-psubscribe"}),
         .ls = 0,
         .watch = 0,
         .why = 0},
        {.name = "NOPERM DBSIZE, PING and TIME",
         .preparation = denying({"-dbsize", "-ping", "-time"}),
         .ls = 0,
         .watch = 0,
         .why = 0},
        {.name = "CLUSTERDOWN",
         .script = refusing("CLUSTERDOWN The cluster is down"),
         .sentence = "the server's cluster is down",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "MOVED",
         .script = refusing("MOVED 5061 127.0.0.1:1"),
         .sentence = "another node serves this key",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "TRYAGAIN",
         .script = refusing("TRYAGAIN Multiple keys request during rehashing of slot"),
         .sentence = "moving these keys",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "LOADING",
         .script = refusing("LOADING Redis is loading the dataset in memory"),
         .sentence = "still loading its data",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "a sentinel",
         .script =
             [](const QList<QByteArray> &command) { return "-ERR unknown command '" + command.front() + "'\r\n"; },
         .sentence = "does not know the command",
         .acquire = 3,
         .run = 3,
         .expect = 3},
        {.name = "SCAN without an end",
         .script =
             [](const QList<QByteArray> &command) {
                 if (command.front() == "SCAN")
                     return QByteArrayLiteral("*2\r\n$1\r\n7\r\n*0\r\n");
                 return command.front() == "PTTL" ? QByteArrayLiteral(":-1\r\n") : QByteArrayLiteral("-ERR no\r\n");
             },
         .sentence = "SCAN does not end|\"ERR no\"|ERR no",
         .acquire = 3,
         .run = 3},
        {.name = "silence",
         .script = [](const QList<QByteArray> &) { return QByteArray(); },
         .sentence = "does not answer|no answer",
         .acquire = 3,
         .run = 3,
         .expect = 3},
    };
}

std::vector<Fault> faults()
{
    std::vector<Fault> all = faultsOfConnecting();
    std::ranges::move(faultsOfAnswers(), std::back_inserter(all));
    return all;
}

} // namespace

/// Tests of refusing and unusable servers: each command reports the fault in a sentence and by its exit code. No
/// command takes data that it could not read as absent.
class TestFaults final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<test::FakeRedis> fake;
    std::unique_ptr<test::StrangeServer> strange;
    QLocalSocket endless;

    void bring(const Fault &fault)
    {
        if (fault.script) {
            fake = std::make_unique<test::FakeRedis>(fault.script);
            environment.insert(QStringLiteral("LATCHKEY_URL"), fake->url());
            return;
        }
        if (fault.conduct || fault.url != nullptr) {
            if (fault.conduct)
                strange = std::make_unique<test::StrangeServer>(fault.conduct);
            environment.insert(QStringLiteral("LATCHKEY_URL"),
                               strange ? strange->url() : QString::fromLatin1(fault.url));
            return;
        }
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "3600000"}).isOk());
        QVERIFY((*server)({"SET", "lock:b", token}).isOk());
        for (const resp::Command &command : fault.preparation)
            QVERIFY(!(*server)(command).isError());
        if (fault.raw == nullptr)
            return;
        endless.connectToServer(server->endpoint().path);
        endless.write(fault.raw);
        LATCHKEY_AWAIT((*server)({"GET", "lock:a"}).isError());
    }
    void verify(const char *command, const Outcome &outcome, int exitCode, const Fault &fault)
    {
        const QByteArray context = QByteArray(command) + ": " + outcome.output + outcome.errors;
        QVERIFY2(outcome.exitCode == exitCode, context.constData());
        const QString said = QString::fromUtf8(outcome.output + outcome.errors);
        if (exitCode == 3)
            QVERIFY2(QRegularExpression(QString::fromUtf8(fault.sentence)).match(said).hasMatch(), context.constData());
    }
    /// Returns the page at the printed address.
    static QByteArray metrics(const QByteArray &said)
    {
        static const QRegularExpression place(QStringLiteral("http://127\\.0\\.0\\.1:(\\d+)/metrics"));
        QTcpSocket socket;
        QByteArray page;
        connect(&socket, &QTcpSocket::connected, &socket, [&] { socket.write("GET /metrics HTTP/1.1\r\n\r\n"); });
        connect(&socket, &QTcpSocket::readyRead, &socket, [&] { page += socket.readAll(); });
        socket.connectToHost(QStringLiteral("127.0.0.1"), place.match(QString::fromUtf8(said)).captured(1).toUShort());
        (void)test::waitFor([&] { return !page.isEmpty() && socket.state() == QAbstractSocket::UnconnectedState; });
        return page;
    }

private Q_SLOTS:
    void init() { CommandLineTest::init(); }
    void cleanup()
    {
        endless.abort();
        fake.reset();
        strange.reset();
        CommandLineTest::cleanup();
    }

    void everyCommand_saysWhatItCouldNotSee_data()
    {
        QTest::addColumn<int>("place");
        for (std::size_t i = 0; i < faults().size(); ++i)
            QTest::addRow("%s", faults()[i].name) << static_cast<int>(i);
    }
    void everyCommand_saysWhatItCouldNotSee()
    {
        QFETCH(int, place);
        const Fault fault = faults()[static_cast<std::size_t>(place)];
        bring(fault);
        if (QTest::currentTestFailed())
            return;
        const Outcome listed = run("ls --locks --json");
        verify("ls", listed, fault.ls, fault);
        if (fault.ls == 0)
            QVERIFY2(QJsonDocument::fromJson(listed.output).array().size() == 2, listed.output.constData());
        verify("acquire", run("acquire token k --lease 20s"), fault.acquire, fault);
        verify("run", run("run renewing r --lease 20s -- true"), fault.run, fault);
        verify("watch", run("watch --for 2s --json"), fault.watch, fault);
        verify("expect",
               run({QStringLiteral("expect"), QStringLiteral("lock:a exists until 300ms"), QStringLiteral("--for"),
                    QStringLiteral("1s"), QStringLiteral("--json")}),
               fault.expect, fault);
        verify("why", run("why lock:a --json"), fault.why, fault);
    }

    void watch_saysAtOnceThatItIsBlind_data()
    {
        QTest::addColumn<int>("place");
        const std::vector<Fault> seenLater = faults();
        for (std::size_t i = 0; i < seenLater.size(); ++i) {
            const bool isConnected = i >= faultsOfConnecting().size() && QByteArray(seenLater[i].name) != "silence";
            if (isConnected && seenLater[i].watch != 0)
                QTest::addRow("%s", seenLater[i].name) << static_cast<int>(i);
        }
    }
    void watch_saysAtOnceThatItIsBlind()
    {
        QFETCH(int, place);
        const Fault fault = faults()[static_cast<std::size_t>(place)];
        bring(fault);
        if (QTest::currentTestFailed())
            return;
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("watch"), QStringLiteral("--json"),
                                                     QStringLiteral("--metrics"), QStringLiteral("0")});
        QByteArray output;
        connect(&process, &QProcess::readyReadStandardOutput, this, [&] { output += process.readAllStandardOutput(); });
        QByteArray errors;
        connect(&process, &QProcess::readyReadStandardError, this, [&] { errors += process.readAllStandardError(); });
        LATCHKEY_AWAIT(output.contains("\"event\":\"blind\""));
        const QByteArray page = metrics(errors);
        QVERIFY2(page.contains("latchkey_up 0\n"), page.constData());
        QVERIFY2(page.contains("latchkey_coverage_complete 0\n"), page.constData());
        process.terminate();
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 3, (output + errors + outcome.errors).constData());
        QVERIFY((errors + outcome.errors).contains("\"complete\":false"));
    }
};

LATCHKEY_TEST(TestFaults)

} // namespace tst_faults

#include "tst_faults.moc"
