#include "core/inspect/inspection/commandallowlist.h"
#include "core/inspect/inspection/inspectedserver.h"
#include "core/keyspace/watching/valuepage.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_commandallowlist {

using namespace latchkey;
using namespace latchkey::inspection;
using base::SystemClock;
using net::Connection;
using resp::Reply;
using watching::EventSource;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// Returns a part of a COMMAND INFO reply: name, number of arguments and flags of a command.
Reply told(const QByteArray &name, const QByteArray &flag)
{
    return Reply::array({Reply::bulk(name), Reply::integer(1), Reply::array({Reply::status(flag)})});
}

resp::ServerInfo serverOf(const char *product, const QVersionNumber &version)
{
    resp::ServerInfo server;
    server.product = QLatin1String(product);
    server.version = version;
    return server;
}

} // namespace

/// The commands that may be sent to a server that is only watched, on a real server.
class TestWatchRules final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<InspectedServer> inspected;

    void open(const net::Endpoint &endpoint)
    {
        inspected = std::make_unique<InspectedServer>(endpoint, false, SystemClock::instance(), random);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
    }
    base::Result<Connection::Delivery> ask(const resp::Commands &commands)
    {
        std::optional<base::Result<Connection::Delivery>> answer;
        inspected->session().connection()->send(
            commands, 30s, this, [&answer](const base::Result<Connection::Delivery> &told) { answer = told; });
        if (!test::waitFor([&answer] { return answer.has_value(); }))
            qFatal("no answer");
        return *answer;
    }
    /// Returns the commands that the server has received, as `client|list` or `ping`.
    QByteArrayList sent()
    {
        QByteArrayList names;
        for (const QByteArray &line : (*server)({"INFO", "commandstats"}).bytes().split('\n')) {
            if (line.startsWith("cmdstat_"))
                names += line.sliced(8, line.indexOf(':') - 8);
        }
        return names;
    }
    /// Creates a key of each type, and locks that cause every request.
    void fill()
    {
        auto &s = *server;
        const QByteArray jvm = "57cdb4f8-2bd9-4b4a-9e11-1c2d3e4f5a6b:47";
        QVERIFY(s({"SET", "lock:string", "57cdb4f8-2bd9-4b4a-9e11-1c2d3e4f5a6b", "PX", "600000"}).isOk());
        QVERIFY(!s({"HSET", "lock:hash", jvm, "1"}).isError());
        QVERIFY(!s({"PEXPIRE", "lock:hash", "30000"}).isError());
        const QByteArray connection = QByteArray::number(s({"CLIENT", "ID"}).toInteger());
        const QByteArray owner = "{\"owner\":\"billing-3\",\"connectionId\":" + connection + '}';
        QVERIFY(s({"SET", "lock:owner", owner, "PX", "600000"}).isOk()); // CLIENT LIST identifies this holder.
        QVERIFY(!s({"RPUSH", "lock:list", "a"}).isError());
        QVERIFY(!s({"SADD", "lock:set", "a"}).isError());
        QVERIFY(!s({"ZADD", "lock:zset", "1", "a"}).isError());
        QVERIFY(!s({"XADD", "lock:stream", "*", "f", "v"}).isError());
    }
    /// Does everything that a watching user does: looks at every key, completely and page by page.
    void exercise()
    {
        LATCHKEY_AWAIT(inspected->locks().lockCount() >= 2);
        LATCHKEY_AWAIT(inspected->locks().isIdle());
        for (const char *key : {"lock:string", "lock:hash", "lock:list", "lock:set", "lock:zset", "lock:stream"}) {
            std::optional<base::Result<watching::KeySnapshot>> snapshot;
            inspected->takeSnapshot(base::Key(key),
                                    [&](base::Result<watching::KeySnapshot> taken) { snapshot = taken; });
            LATCHKEY_AWAIT(snapshot.has_value());
            LATCHKEY_VERIFY_RESULT(*snapshot);
            std::optional<base::Result<ReleasePlan>> releasable;
            inspected->readReleasePlan(base::Key(key), [&](base::Result<ReleasePlan> taken) { releasable = taken; });
            LATCHKEY_AWAIT(releasable.has_value());
            LATCHKEY_VERIFY_RESULT(*releasable);
            std::optional<base::Result<watching::ValuePage>> page;
            inspected->read<watching::ValuePage>([key] { return watching::readValuePage(base::Key(key), {}); },
                                                 [&](const base::Result<watching::ValuePage> &read) { page = read; });
            LATCHKEY_AWAIT(page.has_value());
            LATCHKEY_VERIFY_RESULT(*page);
        }
        const auto lists = [this] { return sent().contains("client|list"); };
        LATCHKEY_AWAIT(lists());
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        inspected.reset();
        server.reset();
    }

    /// Refused even if the user has the right, so that a mistake in this program has no effect.
    void write_isRefusedBeforeAByteIsSent_data()
    {
        QTest::addColumn<resp::Commands>("commands");
        QTest::addRow("SET") << resp::Commands {{"SET", "k", "v"}};
        QTest::addRow("behind a reading one") << resp::Commands {{"PTTL", "k"}, {"DEL", "k"}};
        QTest::addRow("script") << resp::Commands {{"EVAL", "return redis.call('SET', KEYS[1], 'v')", "1", "k"}};
        QTest::addRow("setting") << resp::Commands {{"CONFIG", "SET", "maxmemory", "1"}};
        QTest::addRow("subcommand missing") << resp::Commands {{"CONFIG"}};
        QTest::addRow("client") << resp::Commands {{"CLIENT", "KILL", "ID", "1"}};
        QTest::addRow("SHUTDOWN") << resp::Commands {{"SHUTDOWN", "NOSAVE"}};
        QTest::addRow("unknown") << resp::Commands {{"set", "k", "v"}};
    }
    void write_isRefusedBeforeAByteIsSent()
    {
        QFETCH(resp::Commands, commands);
        QVERIFY((*server)({"SET", "k", "before"}).isOk());
        open(server->endpoint());
        for (const bool isArmed : {false, true}) { // Arming concerns another connection.
            inspected->setArmed(isArmed);
            QVERIFY((*server)({"CONFIG", "RESETSTAT"}).isOk());
            const auto answer = ask(commands);
            QVERIFY(!answer);
            QCOMPARE(answer.error().kind, base::ErrorKind::Usage);
            QVERIFY(answer.error().message().contains(QLatin1String("is not sent: writing is not armed")));
            QVERIFY(!sent().contains(commands.back().name().toLower()));
            QVERIFY((*server)({"GET", "k"}).isBulk("before"));
        }
        LATCHKEY_VERIFY_RESULT(ask({{"PTTL", "k"}})); // The session continues.
    }

    void serversOwnFlags_takeAway()
    {
        const CommandAllowlist ours;
        QVERIFY(ours.allows({"SCAN", "0"}));
        CommandAllowlist byNames; // From Redis 7 on.
        QVERIFY(byNames.removeWriting(Reply::array({Reply::bulk("set"), Reply::bulk("scan")})));
        CommandAllowlist byFlags; // Before Redis 7.
        QVERIFY(byFlags.removeWriting(Reply::array({told("pttl", "readonly"), told("scan", "write"), Reply()})));
        for (const CommandAllowlist &allowlist : {byNames, byFlags}) {
            QVERIFY(!allowlist.allows({"SCAN", "0"}));
            QVERIFY(allowlist.allows({"PTTL", "k"}));
        }
        CommandAllowlist denied;
        QVERIFY(!denied.removeWriting(
            Reply::error("NOPERM this user has no permissions to run the 'command|info' command")));
        QVERIFY(!denied.removeWriting(Reply::array({})));
        QVERIFY(denied.allows({"SCAN", "0"}));
    }

    /// According to the real server no command of the list writes. Only commands that the server does not have are
    /// removed.
    void ourList_isReadOnlyByTheServersWord()
    {
        CommandAllowlist allowlist;
        QVERIFY(allowlist.removeWriting((*server)(CommandAllowlist::writeCommandsRequest(QVersionNumber(7)))));
        for (const QByteArray &rule : CommandAllowlist::aclRules(serverOf("Redis", {99}))) {
            resp::Command command;
            for (const QByteArray &word : rule.sliced(1).toUpper().split('|'))
                command << word;
            QVERIFY2(allowlist.allows(command), rule.constData());
        }
    }

    /// A server refuses an ACL line with a command that it does not have.
    void aclRules_areThoseOfTheVersion()
    {
        const auto has = [](const char *rule, const QVersionNumber &version, const char *product = "Redis") {
            return CommandAllowlist::aclRules(serverOf(product, version)).contains(rule);
        };
        QVERIFY(!has("+pexpiretime", QVersionNumber(6, 2)) && has("+pexpiretime", QVersionNumber(7, 0, 15)));
        QVERIFY(!has("+client|no-touch", QVersionNumber(7, 0, 15)) && has("+client|no-touch", QVersionNumber(7, 2)));
        QVERIFY(!has("+client|no-touch", {}) && has("+scan", QVersionNumber(6, 2)));
        QVERIFY(!has("+hpttl", QVersionNumber(7, 2)) && has("+hpttl", QVersionNumber(7, 4)));
        QVERIFY(!has("+hpttl", QVersionNumber(8, 1), "Valkey") && has("+hpttl", QVersionNumber(9, 0), "Valkey"));
        QVERIFY(!has("+hpttl", {}, ""));
        // Redis 8.0 has it, but its answer is false for new keys, so that it is not asked.
        QVERIFY(has("+object|idletime", QVersionNumber(7, 4)) && !has("+object|idletime", QVersionNumber(8, 0)));
        QVERIFY(has("+object|idletime", QVersionNumber(8, 1), "Valkey") && !has("+object|idletime", {}, ""));
    }

    /// A user with only this ACL line: no command for watching is denied, and every permitted command is used.
    void aclLine_isEnoughAndNotTooMuch_data()
    {
        QTest::addColumn<bool>("hasNotifications");
        QTest::addRow("tracking") << false;
        QTest::addRow("notifications") << true;
    }
    void aclLine_isEnoughAndNotTooMuch()
    {
        QFETCH(bool, hasNotifications);
        auto &s = *server;
        fill();
        if (hasNotifications)
            QVERIFY(s({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        const resp::ServerInfo told = net::dialBlocking(server->endpoint(), 30s).value().server;
        QVERIFY(!told.version.isNull());
        resp::Command user;
        for (const QString &word : CommandAllowlist::aclLine(QStringLiteral("watcher"), 0, told).split(u' '))
            user << (word == QLatin1String(">PASSWORD") ? QByteArray(">secret") : word.toUtf8());
        const Reply made = s(user);
        QVERIFY2(made.isOk(), made.bytes().constData());
        QVERIFY(s({"ACL", "LOG", "RESET"}).isOk());
        QVERIFY(s({"CONFIG", "RESETSTAT"}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("watcher");
        endpoint.password = QStringLiteral("secret");
        open(endpoint);
        const auto means = hasNotifications ? EventSource::Mechanism::Notifications : EventSource::Mechanism::Tracking;
        LATCHKEY_AWAIT(inspected->events().mechanism() == means);
        exercise();

        const Reply log = s({"ACL", "LOG"});
        QVERIFY2(log.elements().empty(),
                 log.elements().empty() ? "" : log.elements().front().elements()[7].bytes().constData());
        const QByteArrayList used = sent();
        // Except commands that this run does not need: another database, a cluster, and the other source of events.
        QByteArrayList idle {"select", "cluster|nodes", "cluster|slots", "asking", "command|info"};
        idle += hasNotifications ? QByteArrayList {"client|tracking", "client|id", "subscribe"}
                                 : QByteArrayList {"psubscribe"};
        for (const QByteArray &rule : CommandAllowlist::aclRules(told)) {
            const QByteArray name = rule.sliced(1);
            QVERIFY2(used.contains(name) || idle.contains(name), name.constData());
        }
    }
};

LATCHKEY_TEST(TestWatchRules)

} // namespace tst_commandallowlist

#include "tst_commandallowlist.moc"
