#include "tests/support/faults.h"

#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"

#include <QTimer>
#include <QUrl>

#include <algorithm>

namespace latchkey::test {

namespace {

using Page = Fault::Page;
using Commands = QList<QByteArray>;

constexpr auto token = "f442172cd0841b68177e827d1a6528b1";

std::vector<resp::Command> denying(std::initializer_list<QByteArray> rules)
{
    resp::Command command {"ACL", "SETUSER", "default"};
    for (const QByteArray &rule : rules)
        command << rule;
    return {command};
}

/// Returns the command after which the server postpones all commands, including the one that ends the pause.
resp::Command pausingAll()
{
    return {"CLIENT", "PAUSE", "600000", "ALL"};
}

QByteArray bulk(const QByteArray &bytes)
{
    return '$' + QByteArray::number(bytes.size()) + "\r\n" + bytes + "\r\n";
}

/// Returns a server with one lock. `amended` returns the reply for some commands. Empty: the reply of a server without
/// the fault. "silence": no reply.
FakeRedis::Script oneLock(std::function<QByteArray(const Commands &command)> amended)
{
    return [amended = std::move(amended)](const Commands &command) -> QByteArray {
        if (const QByteArray reply = amended(command); !reply.isEmpty())
            return reply == "silence" ? QByteArray() : reply;
        const QByteArray name = command.front();
        if (name == "SCAN")
            return "*2\r\n" + bulk("0") + "*1\r\n" + bulk("lock:a");
        if (name == "DBSIZE")
            return QByteArrayLiteral(":1\r\n");
        if (name == "PTTL")
            return QByteArrayLiteral(":3600000\r\n");
        if (name == "TYPE")
            return QByteArrayLiteral("+string\r\n");
        if (name == "STRLEN")
            return QByteArrayLiteral(":32\r\n");
        if (name == "GETRANGE")
            return bulk(token);
        if (name == "PING")
            return QByteArrayLiteral("+PONG\r\n");
        return QByteArrayLiteral("-ERR not supported here\r\n");
    };
}

/// Returns a server with one lock that answers one command with this reply.
FakeRedis::Script replying(const QByteArray &name, const QByteArray &reply)
{
    return oneLock([name, reply](const Commands &command) { return command.front() == name ? reply : QByteArray(); });
}

/// Returns a server with one key that answers every request about the key with this error.
FakeRedis::Script refusing(const QByteArray &error)
{
    return oneLock([error](const Commands &command) {
        return command.front() == "SCAN" || command.front() == "DBSIZE" || command.front() == "PING"
                 ? QByteArray()
                 : '-' + error + "\r\n";
    });
}

/// Returns a conduct that accepts the connection and answers everything after the handshake with this reply.
FakeServer::Behaviour answering(const QByteArray &reply, bool hangsUp = false)
{
    return [reply, hangsUp](QTcpSocket &client, const QByteArray &bytes) {
        if (bytes.contains("SETNAME"))
            client.write("+OK\r\n$0\r\n\r\n");
        else if (!bytes.isEmpty())
            client.write(reply);
        if (hangsUp && !bytes.isEmpty() && !bytes.contains("SETNAME"))
            client.disconnectFromHost();
    };
}

/// Returns a conduct that sends an endless reply, one byte per pause.
FakeServer::Behaviour trickling(std::chrono::milliseconds pause)
{
    return [pause](QTcpSocket &client, const QByteArray &bytes) {
        if (bytes.isEmpty())
            return;
        auto *timer = new QTimer(&client);
        QObject::connect(timer, &QTimer::timeout, &client, [&client] { client.write("+"); });
        timer->start(pause);
    };
}

bool isRefusing(TestServer &server)
{
    return server({"GET", "lock:a"}).isError();
}

Fault denied(const char *name, std::initializer_list<QByteArray> rules, const char *sentence, int acquire, int expect,
             int why)
{
    return {.name = name,
            .preparation = denying(rules),
            .sentence = sentence,
            .acquire = acquire,
            .run = acquire,
            .expect = expect,
            .why = why,
            .isListed = true};
}

/// Returns a fault in which the ACL refuses a command that no latchkey-cli command requires.
Fault harmless(const char *name, std::initializer_list<QByteArray> rules)
{
    return {.name = name, .preparation = denying(rules), .ls = 0, .watch = 0, .why = 0, .page = Page::Seeing};
}

/// Returns a fault in which reads work and writes are refused.
Fault readable(const char *name, const char *sentence)
{
    return {.name = name,
            .sentence = sentence,
            .ls = 0,
            .acquire = 3,
            .run = 3,
            .watch = 0,
            .why = 0,
            .page = Page::Seeing};
}

Fault unusable(const char *name, FakeRedis::Script script, const char *sentence)
{
    return {.name = name, .script = std::move(script), .sentence = sentence, .acquire = 3, .run = 3, .expect = 3};
}

} // namespace

std::vector<Fault> faultsOfConnecting()
{
    std::vector<Fault> all {
        {.name = "connection refused", .url = "redis://127.0.0.1:1", .sentence = "cannot connect|refused"},
        {.name = "no such socket", .url = "unix:///nonexistent/redis.sock", .sentence = "cannot connect"},
        {.name = "no such host", .url = "redis://nowhere.invalid:6379", .sentence = "nowhere\\.invalid"},
        {.name = "reset on connect", .conduct = FakeServer::closesOnConnect(), .sentence = "hung up|connect"},
        {.name = "protected mode",
         .conduct = FakeServer::says("-DENIED Redis is running in protected mode\r\n"),
         .sentence = "protected mode"},
        {.name = "no room for a client",
         .conduct = FakeServer::says("-ERR max number of clients reached\r\n"),
         .sentence = "no room for another client"},
        {.name = "maxclients",
         .preparation = {{"CONFIG", "SET", "maxclients", "1"}},
         .sentence = "no room for another client"},
        {.name = "HTTP", .conduct = FakeServer::says("HTTP/1.1 400 Bad Request\r\n\r\n"), .sentence = ": "},
        {.name = "garbage", .conduct = FakeServer::says(QByteArray("\x1b[2J\0\xff\r\n", 8)), .sentence = ": "},
        {.name = "half a reply", .conduct = FakeServer::says("$500\r\nabc"), .sentence = ": "},
        {.name = "512 MB announced", .conduct = FakeServer::says("$536870912\r\n"), .sentence = ": "},
        {.name = "10,000 arrays in each other",
         .conduct = FakeServer::says(QByteArray("*1\r\n").repeated(10'000)),
         .sentence = ": "},
        {.name = "control bytes in an error",
         .conduct = FakeServer::says("-ERR \x1b[31mred\x07\r\n"),
         .sentence = "red"},
        {.name = "password wanted",
         .preparation = {{"CONFIG", "SET", "requirepass", "secret"}},
         .sentence = "the server wants a password"},
        {.name = "wrong password",
         .preparation = {{"CONFIG", "SET", "requirepass", "secret"}},
         .password = "wrong",
         .sentence = "refused the (user name or )?password"},
        {.name = "password where none is set", .password = "needless", .sentence = "has no password"},
        {.name = "user switched off", .preparation = denying({"off"}), .sentence = "the server wants a password"},
        {.name = "NOPERM SELECT",
         .before =
             {{"SET", "lock:a", token}, {"MOVE", "lock:a", "3"}, {"SET", "lock:b", token}, {"MOVE", "lock:b", "3"}},
         .preparation = denying({"-select"}),
         .addition = "?db=3",
         .sentence = "run the 'select' command"},
        {.name = "no such database", .addition = "?db=99", .sentence = "out of range"},
        {.name = "plain to a TLS server",
         .conduct = FakeServer::says(QByteArray("\x15\x03\x01\x00\x02\x02\x0a", 7)),
         .sentence = ": "},
    };
    for (Fault &fault : all) {
        fault.acquire = fault.run = fault.expect = 3;
        fault.page = Page::Ended;
    }
    return all;
}

std::vector<Fault> faultsOfPermission()
{
    std::vector<Fault> all {
        denied("NOPERM SCAN", {"-scan"}, "run the 'scan' command", 0, 0, 0),
        denied("NOPERM TYPE", {"-type"}, "run the 'type' command", 0, 0, 3),
        denied("NOPERM PTTL", {"-pttl"}, "run the 'pttl' command", 0, 3, 3),
        denied("NOPERM GETRANGE", {"-getrange"}, "run the 'getrange' command", 0, 0, 3),
        denied("NOPERM STRLEN", {"-strlen"}, "run the 'strlen' command", 0, 0, 3),
        denied("NOPERM to read", {"-@read"}, "run the '\\w+' command", 0, 3, 3),
        denied("NOPERM for all commands", {"-@all"}, "run the '\\w+' command", 3, 3, 3),
        denied("NOPERM for these keys", {"resetkeys", "~other:*"}, "access a key|access one of the keys", 3, 3, 3),
        harmless("NOPERM INFO", {"-info"}),
        harmless("NOPERM CONFIG", {"-config"}),
        harmless("NOPERM CLIENT", {"-client"}),
        harmless("NOPERM EVAL", {"-eval", "-evalsha"}),
        harmless("NOPERM SUBSCRIBE", {"-subscribe", "-psubscribe"}),
        harmless("NOPERM for channels", {"resetchannels"}),
        harmless("NOPERM GET", {"-get"}),
        harmless("NOPERM PING", {"-ping"}),
        harmless("NOPERM TIME", {"-time"}),
        harmless("NOPERM MEMORY", {"-memory"}),
        harmless("NOPERM OBJECT", {"-object"}),
        harmless("NOPERM COMMAND", {"-command"}),
        harmless("NOPERM DBSIZE", {"-dbsize"}),
    };
    Fault someKeys = denied("NOPERM for one of the keys", {"resetkeys", "~lock:a", "~k", "~r"},
                            "access a key|access one of the keys|values cannot be read", 0, 3, 3);
    someKeys.page = Page::Partial;
    all.push_back(std::move(someKeys));
    Fault writes = readable("NOPERM to write", "run the '\\w+' command");
    writes.preparation = denying({"-@write"});
    all.push_back(std::move(writes));
    return all;
}

std::vector<Fault> faultsOfState()
{
    std::vector<Fault> all {
        {.name = "BUSY",
         .preparation = {{"CONFIG", "SET", "lua-time-limit", "50"}},
         .raw = "EVAL \"while true do end\" 0\r\n",
         .exists = isRefusing,
         .sentence = "busy with a script"},
        {.name = "MASTERDOWN",
         .preparation = {{"CONFIG", "SET", "replica-serve-stale-data", "no"}, {"REPLICAOF", "127.0.0.1", "1"}},
         .exists = isRefusing,
         .sentence = "a replica that has lost its master|a read-only replica"},
        {.name = "CLUSTERDOWN",
         .arguments = clusterNode(),
         .before = {{"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}},
         .isReady = [](TestServer &server) { return server({"SET", "lock:a", token}).isOk(); },
         .preparation = {{"CLUSTER", "DELSLOTSRANGE", "0", "0"}},
         .exists = isRefusing,
         .sentence = "the server's cluster is down"},
        {.name = "LOADING",
         .script = refusing("LOADING Redis is loading the dataset in memory"),
         .sentence = "still loading its data"},
    };
    for (Fault &fault : all)
        fault.acquire = fault.run = fault.expect = 3;

    // Its keys can be read, but they may be out of date.
    Fault readOnly = readable("READONLY", "a read-only replica|its link to the primary 127.0.0.1:1 is down");
    readOnly.preparation = {{"REPLICAOF", "127.0.0.1", "1"}};
    readOnly.ls = readOnly.watch = readOnly.expect = readOnly.why = 3;
    readOnly.page = Fault::Page::Blind;
    readOnly.isListed = true;
    all.push_back(std::move(readOnly));
    Fault outOfMemory = readable("OOM", "has reached its memory limit");
    outOfMemory.preparation = {{"CONFIG", "SET", "maxmemory", "1"}};
    all.push_back(std::move(outOfMemory));
    Fault noReplicas = readable("NOREPLICAS", "too few replicas");
    noReplicas.preparation = {{"CONFIG", "SET", "min-replicas-to-write", "1"}};
    all.push_back(std::move(noReplicas));
    Fault misconfigured = readable("MISCONF", "cannot save its data");
    misconfigured.arguments = {QStringLiteral("--save"), QStringLiteral("3600 1"),
                               QStringLiteral("--enable-protected-configs"), QStringLiteral("yes")};
    misconfigured.preparation = {{"CONFIG", "SET", "dir", "/proc"}, {"BGSAVE"}};
    misconfigured.exists = [](TestServer &server) {
        return server({"INFO", "persistence"}).bytes().contains("rdb_last_bgsave_status:err");
    };
    all.push_back(std::move(misconfigured));
    Fault paused = readable("CLIENT PAUSE WRITE", ": ");
    paused.preparation = {{"CLIENT", "PAUSE", "600000", "WRITE"}};
    all.push_back(std::move(paused));
    return all;
}

std::vector<Fault> faultsOfReplies()
{
    const char *const another = "unexpected type|SCAN is not one|without a request";
    std::vector<Fault> all {
        unusable("MOVED", refusing("MOVED 5061 127.0.0.1:1"),
                 "another node serves this key|that address cannot be reached"),
        unusable("ASK", refusing("ASK 5061 127.0.0.1:1"), "moving to another node|that address cannot be reached"),
        unusable("TRYAGAIN", refusing("TRYAGAIN Multiple keys request during rehashing of slot"), "moving these keys"),
        unusable("CROSSSLOT", refusing("CROSSSLOT Keys in request don't hash to the same slot"), "in different slots"),
        unusable("EXECABORT", refusing("EXECABORT Transaction discarded"), "discarded the transaction"),
        unusable("an unknown error", refusing("STRANGE \x1b[31m something"), "STRANGE"),
        unusable("a line end in an error", refusing("STRANGE\r something"), "not RESP2"),
        unusable(
            "a sentinel", [](const Commands &command) { return "-ERR unknown command '" + command.front() + "'\r\n"; },
            "does not know the command"),
        unusable("SCAN without an end", replying("SCAN", "*2\r\n$1\r\n7\r\n*0\r\n"), "SCAN does not end|not supported"),
        unusable("SCAN of another type", replying("SCAN", ":1\r\n"), "unexpected type|SCAN is not one|not supported"),
        unusable("SCAN with a cursor alone", replying("SCAN", "*1\r\n$1\r\n0\r\n"), "SCAN is not one|not supported"),
        unusable("TYPE of another type", replying("TYPE", ":1\r\n"), "unexpected type|not supported"),
        unusable("a value of another type", replying("GETRANGE", ":1\r\n"), "unexpected type|not supported"),
        unusable("PTTL of another type", replying("PTTL", "+OK\r\n"), "unexpected type|not supported"),
        unusable("a reply too many", replying("PTTL", ":1000\r\n:1000\r\n"), ": |reason"),
        unusable("a value of 512 MB", replying("GETRANGE", "$536870912\r\n"), "larger|not supported"),
        unusable("garbage in place of a reply", replying("PTTL", QByteArray("\x00\xff\x1b[2J\r\n", 8)),
                 "not RESP2|not supported"),
        unusable("hangs up when asked", {}, "connection"),
        unusable("half a reply, and the end", {}, "connection"),
        unusable("seven replies for one", {}, another),
        unusable("arrays in each other", {}, "RESP2|deep|nest"),
        unusable("pushes without an end", {}, another),
    };
    // `expect` and `why` do not search for keys other than `lock:a`.
    for (std::size_t i = 8; i <= 10; ++i)
        all[i].expect = all[i].why = 0;
    all[11].expect = all[12].expect = 0;
    auto conduct = all.end() - 5;
    (conduct++)->conduct = FakeServer::closesOnCommand();
    (conduct++)->conduct = answering("$500\r\nabc", true);
    (conduct++)->conduct = answering(QByteArray(":1\r\n").repeated(7));
    (conduct++)->conduct = answering(QByteArray("*1\r\n").repeated(10'000));
    (conduct++)->conduct = answering(QByteArray("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n").repeated(20'000));
    return all;
}

std::vector<Fault> faultsOfSilence()
{
    const auto silent = [](QTcpSocket &, const QByteArray &) {};
    std::vector<Fault> all {
        {.name = "silence from the start", .conduct = silent},
        {.name = "a byte now and then", .conduct = trickling(std::chrono::milliseconds(500))},
        {.name = "TLS to a plain server", .scheme = "rediss"},
        {.name = "TLS to a silent server", .conduct = silent, .scheme = "rediss"},
        {.name = "stopped server", .isFrozen = true},
        {.name = "CLIENT PAUSE", .preparation = {pausingAll()}},
    };
    for (Fault &fault : all) {
        fault.sentence = "no answer|not connected yet|cannot connect";
        fault.acquire = fault.run = fault.expect = 3;
        fault.page = Page::Ended;
    }
    return all;
}

std::vector<Fault> faultsOfMissingReplies()
{
    std::vector<Fault> all {
        {.name = "silence", .script = [](const Commands &) { return QByteArray(); }},
        {.name = "half a reply, and silence", .conduct = answering("$500\r\nabc")},
        {.name = "a reply too few", .script = replying("PTTL", "silence")},
        {.name = "SCAN without a reply", .script = replying("SCAN", "silence"), .why = 0},
    };
    for (Fault &fault : all) {
        fault.sentence = "no answer|does not answer|not RESP2|not supported";
        fault.acquire = fault.run = fault.expect = 3;
    }
    return all;
}

FaultyServer::FaultyServer(const Fault &fault)
{
    if (fault.script)
        m_fake = std::make_unique<FakeRedis>(fault.script);
    else if (fault.conduct)
        m_strange = std::make_unique<FakeServer>(fault.conduct);
    else if (fault.url == nullptr)
        start(fault);
    m_url = m_fake ? m_fake->url() : m_strange ? m_strange->url() : m_server ? m_url : QString::fromLatin1(fault.url);
    if (fault.scheme != nullptr)
        m_url.replace(QStringLiteral("redis://"), QString::fromLatin1(fault.scheme) + QStringLiteral("://"));
    m_url += QLatin1String(fault.addition);
}

void FaultyServer::start(const Fault &fault)
{
    const quint16 port = fault.scheme != nullptr ? freePort() : 0;
    m_server = std::make_unique<TestServer>(port != 0 ? fault.arguments + listeningAt(port) : fault.arguments);
    m_url = port != 0 ? QStringLiteral("redis://127.0.0.1:%1").arg(port) : m_server->url();
    const auto ask = [this](const resp::Command &command) {
        if (const resp::Reply reply = (*m_server)(command); reply.isError())
            qFatal("%s: %s", command.name().constData(), reply.bytes().constData());
    };
    const auto await = [this](Fault::Condition condition) {
        if (condition != nullptr && !waitFor([&] { return condition(*m_server); }))
            qFatal("the fault cannot be brought about");
    };
    std::ranges::for_each(fault.before, ask);
    await(fault.isReady);
    fill();
    std::ranges::for_each(fault.preparation, ask);
    if (fault.raw != nullptr) {
        m_raw.connectToServer(m_server->endpoint().path);
        m_raw.write(fault.raw);
    }
    await(fault.exists);
    if (fault.isFrozen)
        m_server->process().suspend();
}

void FaultyServer::fill()
{
    for (const resp::Command &command :
         {resp::Command {"SET", "lock:a", token, "PX", "3600000"}, resp::Command {"SET", "lock:b", token}}) {
        if (const resp::Reply reply = (*m_server)(command); reply.isError())
            qFatal("%s: %s", command.name().constData(), reply.bytes().constData());
    }
}

bool FaultyServer::end(const Fault &fault)
{
    const bool isPaused = !fault.preparation.empty() && fault.preparation.front() == pausingAll();
    if (fault.scheme != nullptr || fault.url != nullptr || qstrcmp(fault.addition, "?db=99") == 0 || isPaused)
        return false;
    if (!m_server) {
        const auto port = static_cast<quint16>(QUrl(m_url).port());
        m_fake.reset();
        m_strange.reset();
        m_server = std::make_unique<TestServer>(listeningAt(port));
        fill();
        return true;
    }
    if (m_server->process().isFrozen())
        m_server->process().resume();
    const QByteArray password(fault.password);
    if ((*m_server)({"SCRIPT", "KILL"}).bytes().startsWith("NOPERM") && (*m_server)({"ACL", "WHOAMI"}).isError())
        return false; // The user may not restore its own permissions.
    // The server refuses the commands that do not apply to its fault.
    for (const resp::Command &command :
         {resp::Command {"CLIENT", "UNPAUSE"},
          resp::Command {"ACL", "SETUSER", "default", "on", "nopass", "allkeys", "allchannels", "+@all"},
          resp::Command {"CONFIG", "SET", "requirepass", password}, resp::Command {"REPLICAOF", "NO", "ONE"},
          resp::Command {"CLUSTER", "ADDSLOTSRANGE", "0", "0"}, resp::Command {"CONFIG", "SET", "maxmemory", "0"},
          resp::Command {"CONFIG", "SET", "min-replicas-to-write", "0"}, resp::Command {"CONFIG", "SET", "save", ""},
          resp::Command {"CONFIG", "SET", "maxclients", "1000"}})
        (void)(*m_server)(command);
    return true;
}

FaultyServer::~FaultyServer()
{
    if (m_server && m_server->process().isFrozen())
        m_server->process().resume();
}

} // namespace latchkey::test
