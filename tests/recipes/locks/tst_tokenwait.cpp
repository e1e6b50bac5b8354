#include "core/recipes/locks/tokenwait.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/replicatedserver.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <csignal>

namespace tst_tokenwait {

using namespace latchkey;
using namespace latchkey::locks;
using exchange::BlockingDriver;
using test::ReplicatedServer;
using test::TestServer;
using namespace std::chrono_literals;

namespace {

TokenWaitLock makeTokenWait(std::chrono::milliseconds lease = 30s)
{
    return TokenWaitLock(base::Key("k"), base::Lease::of(lease).value());
}

/// Adds a user with the commands of the recipe only, and returns an endpoint with this user.
net::Endpoint limitedTo(const QStringList &commands, TestServer &server)
{
    resp::Command rules {"ACL", "SETUSER", "app", "reset", "on", "nopass", "~*"};
    for (const QString &command : commands)
        rules << '+' + command.toLatin1();
    if (server(rules).isError())
        qFatal("the server does not know users");
    net::Endpoint endpoint = server.endpoint();
    endpoint.user = QStringLiteral("app");
    return endpoint;
}

} // namespace

/// Tests of the lock that a replica confirms, with a real replica.
class TestTokenWait final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The promoted replica has the lock, so another client does not get it.
    void confirmedLock_survivesAFailover()
    {
        ReplicatedServer servers;
        QVERIFY(servers.isReplicated());
        BlockingDriver driver({servers.primary().endpoint()});
        TokenWaitLock lock = makeTokenWait();
        const auto acquired = driver.run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY(acquired->isAcquired() && acquired->reason.isEmpty());
        QCOMPARE(driver.run(lock.acquire()).value().outcome, AcquireOutcome::Busy);
        QVERIFY(driver.run(lock.acquire()).value().reason.isEmpty()); // Another client holds the lock.

        servers.primary().kill();
        QVERIFY(servers.replica()({"REPLICAOF", "NO", "ONE"}).isOk());
        BlockingDriver promoted({servers.replica().endpoint()});
        QVERIFY(!promoted.run(lock.acquire()).value().isAcquired());
        QCOMPARE(promoted.run(lock.extend(acquired->token, base::Lease::of(40s).value())).value().outcome,
                 ExtendOutcome::Extended);
        QCOMPARE(promoted.run(lock.release(acquired->token)).value(), ReleaseOutcome::Released);
    }

    void serverWithoutReplica_givesNoLock()
    {
        TestServer server;
        BlockingDriver driver({server.endpoint()});
        TokenWaitLock lock = makeTokenWait(500ms); // The lease limits the time of WAIT.
        const auto acquired = driver.run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY(!acquired->isAcquired());
        QCOMPARE(acquired->reason.toString(),
                 QStringLiteral("no replica confirmed the lock within 250ms, so it was released"));
        QVERIFY(server({"EXISTS", "k"}).isInteger(0));
    }

    /// A paused replica receives nothing, so it does not confirm the lock.
    void replicaThatLags_givesNoLock()
    {
        ReplicatedServer servers;
        QVERIFY(servers.isReplicated());
        const auto replica = static_cast<pid_t>(servers.replica().process().processId());
        QCOMPARE(::kill(replica, SIGSTOP), 0);
        BlockingDriver driver({servers.primary().endpoint()});
        TokenWaitLock lock = makeTokenWait();
        const auto acquired = driver.run(lock.acquire());
        QCOMPARE(::kill(replica, SIGCONT), 0);
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY(!acquired->isAcquired() && !acquired->reason.isEmpty());
        QVERIFY(servers.primary()({"EXISTS", "k"}).isInteger(0));
    }

    /// The ACL that the catalogue names is sufficient and necessary.
    void commands_areThoseOfTheCatalogue()
    {
        ReplicatedServer servers;
        QVERIFY(servers.isReplicated());
        const QStringList commands = TokenWaitLock::recipe().commands;
        BlockingDriver driver({limitedTo(commands, servers.primary())});
        TokenWaitLock lock = makeTokenWait();
        const auto acquired = driver.run(lock.acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY(acquired->isAcquired());
        QCOMPARE(driver.run(lock.release(acquired->token)).value(), ReleaseOutcome::Released);

        QStringList withoutWait = commands;
        withoutWait.removeOne(QStringLiteral("WAIT"));
        BlockingDriver refused({limitedTo(withoutWait, servers.primary())});
        const auto failed = refused.run(lock.acquire());
        QVERIFY(!failed && failed.error().kind == base::ErrorKind::PermissionDenied);
        QVERIFY(servers.primary()({"EXISTS", "k"}).isInteger(0)); // The lock was released.
    }

    /// The client must not say that the lock was released if it was not.
    void lockThatCannotBeReleased_isAnError()
    {
        TestServer server;
        BlockingDriver driver({limitedTo({QStringLiteral("SET"), QStringLiteral("WAIT")}, server)});
        TokenWaitLock lock = makeTokenWait();
        const auto acquired = driver.run(lock.acquire());
        QVERIFY(!acquired);
        QVERIFY2(acquired.error().message().startsWith(QStringLiteral("no replica confirmed the lock, and it could not "
                                                                      "be released: ")),
                 qPrintable(acquired.error().message()));
        QVERIFY(server({"EXISTS", "k"}).isInteger(1));
    }
};

LATCHKEY_TEST(TestTokenWait)

} // namespace tst_tokenwait

#include "tst_tokenwait.moc"
