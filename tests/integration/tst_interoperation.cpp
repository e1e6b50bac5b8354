#include "core/recipes/locks/catalogue.h"
#include "core/recipes/locks/waiting.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/foreignlibraries.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QProcess>
#include <QTest>

namespace tst_interoperation {

using namespace latchkey;
using test::Outcome;
using namespace std::chrono_literals;

namespace {

/// The lock library of another project, called by a small program in its language; see tests/integration/peers.
struct Peer
{
    QString program;
    QStringList arguments;
    QString recipe; ///< Recipe of Latchkey that must interoperate with it.
    int servers = 1;
    QString absence; ///< Why it is not available here; empty if it is.
};

Peer redisPy()
{
    const test::ForeignLibraries python = test::redisPy();
    return {python.program,
            {QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/redispylock.py")},
            QStringLiteral("token"),
            1,
            python.absence};
}

Peer npmRedlock()
{
    const test::ForeignLibraries node = test::npmPackages();
    return {node.program,
            {QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/npm/redlock.js")},
            QStringLiteral("redlock"),
            3,
            node.absence};
}

} // namespace

/// Tests of Latchkey's recipes and other libraries' locks on the same key: they exclude each other, and neither
/// releases the lock of the other.
class TestInteroperation final : public QObject
{
    Q_OBJECT

    std::map<QString, Peer> peers;
    std::vector<std::unique_ptr<test::TestServer>> servers;
    std::vector<net::Endpoint> endpoints;
    Peer peer;

    QByteArray theirs(const char *verb, const QByteArray &argument)
    {
        QStringList arguments = peer.arguments;
        arguments += {QString::fromLatin1(verb), QStringLiteral("k"), QString::fromLatin1(argument)};
        for (const net::Endpoint &endpoint : endpoints)
            arguments += endpoint.path;
        const Outcome outcome = test::outcomeOf(peer.program, arguments);
        return outcome.exitCode == 0 ? outcome.output : "failed: " + outcome.errors;
    }

    QByteArray ours(const char *verb, const QByteArray &token = {})
    {
        QStringList arguments;
        for (const net::Endpoint &endpoint : endpoints)
            arguments += {QStringLiteral("--url"), endpoint.display()};
        arguments += {QString::fromLatin1(verb), peer.recipe, QStringLiteral("k")};
        if (!token.isEmpty())
            arguments += {QStringLiteral("--token"), QString::fromLatin1(token)};
        const Outcome outcome = test::outcomeOf(QStringLiteral(LATCHKEY_CLI), arguments);
        return outcome.exitCode == 0 ? outcome.output : outcome.errors;
    }
    QByteArray refusal(const char *verb, const char *why) const
    {
        return "latchkey-cli: " + QByteArray(verb) + ' ' + peer.recipe.toLatin1() + " \"k\": " + why;
    }

    [[nodiscard]] bool allHold(const QByteArray &token) const
    {
        return std::all_of(servers.begin(), servers.end(), [&](const auto &server) {
            return (*server)({"GET", "k"}).isBulk(token) && (*server)({"PTTL", "k"}).toInteger() > 0;
        });
    }
    [[nodiscard]] bool noneHolds() const
    {
        return std::all_of(servers.begin(), servers.end(),
                           [](const auto &server) { return (*server)({"EXISTS", "k"}).isInteger(0); });
    }

    static void addPeers()
    {
        QTest::addColumn<QString>("name");
        QTest::addRow("token and redis-py's Lock") << QStringLiteral("redis-py");
        QTest::addRow("redlock and npm's redlock") << QStringLiteral("npm");
    }
    void fetchPeer()
    {
        QFETCH(QString, name);
        peer = peers.at(name);
        if (!peer.absence.isEmpty())
            QSKIP(qPrintable(peer.absence));
        servers.clear();
        endpoints.clear();
        for (int i = 0; i < peer.servers; ++i) {
            servers.push_back(std::make_unique<test::TestServer>());
            endpoints.push_back(servers.back()->endpoint());
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        peers.emplace(QStringLiteral("redis-py"), redisPy());
        peers.emplace(QStringLiteral("npm"), npmRedlock());
    }
    void init() { fetchPeer(); }
    void cleanup() { servers.clear(); }

    void theirLock_isBusyForUsAndNotOursToRelease_data() { addPeers(); }
    void theirLock_isBusyForUsAndNotOursToRelease()
    {
        const QByteArray token = theirs("acquire", "60000");
        QVERIFY2(allHold(token), token.constData());
        QCOMPARE(ours("acquire"), refusal("acquire", "busy"));
        QCOMPARE(ours("release", "guess"),
                 refusal("release", "the lock is held with another token; nothing was changed"));
        QVERIFY(allHold(token));
        QCOMPARE(theirs("release", token), QByteArray("released"));
        const QByteArray own = ours("acquire");
        QVERIFY2(allHold(own), own.constData());
    }

    void ourLock_isBusyForThemAndNotTheirsToRelease_data() { addPeers(); }
    void ourLock_isBusyForThemAndNotTheirsToRelease()
    {
        const QByteArray token = ours("acquire");
        QVERIFY2(allHold(token), token.constData());
        QCOMPARE(theirs("acquire", "60000"), QByteArray("busy"));
        QCOMPARE(theirs("release", "guess"), QByteArray("not-owner"));
        QVERIFY(allHold(token));
        QCOMPARE(ours("release", token), QByteArray("released"));
        const QByteArray other = theirs("acquire", "60000");
        QVERIFY2(allHold(other), other.constData());
    }

    void ownerOfTheToken_mayRelease_data() { addPeers(); }
    void ownerOfTheToken_mayRelease()
    {
        QCOMPARE(ours("release", theirs("acquire", "60000")), QByteArray("released"));
        QVERIFY(noneHolds());
        QCOMPARE(theirs("release", ours("acquire")), QByteArray("released"));
        QVERIFY(noneHolds());
    }

    /// The purpose of comparing tokens: a recipe without tokens releases the other lock like its own.
    void withoutATokenTheirLockWouldBeFreed_data() { addPeers(); }
    void withoutATokenTheirLockWouldBeFreed()
    {
        QVERIFY(allHold(theirs("acquire", "60000")));
        for (const net::Endpoint &endpoint : endpoints)
            QCOMPARE(test::outcomeOf(QStringLiteral(LATCHKEY_CLI),
                                     {QStringLiteral("--url"), endpoint.display(), QStringLiteral("release"),
                                      QStringLiteral("auto-release"), QStringLiteral("k")})
                         .output,
                     QByteArray("released"));
        QVERIFY(noneHolds());
    }

    void underContention_neverTwoInside_data() { addPeers(); }
    void underContention_neverTwoInside()
    {
        constexpr int rounds = 60;
        QProcess them;
        QStringList arguments = peer.arguments;
        arguments += {QStringLiteral("compete"), QStringLiteral("k"), QString::number(rounds)};
        for (const net::Endpoint &endpoint : endpoints)
            arguments += endpoint.path;
        them.start(peer.program, arguments);
        QVERIFY(them.waitForStarted());
        LATCHKEY_AWAIT((*servers.front())({"EXISTS", "inside"}).isInteger(1)); // The other program has begun.

        locks::LockOptions options;
        options.key = base::Key("k");
        options.servers = peer.servers;
        const auto lock = locks::makeLock(*locks::findRecipe(peer.recipe).value(), options).value();
        exchange::BlockingDriver driver(endpoints);
        test::TestServer &witness = *servers.front();
        for (int round = 0; round < rounds; ++round) {
            const auto acquired = driver.run(locks::acquireWithin(*lock, 60s));
            LATCHKEY_VERIFY_RESULT(acquired);
            QVERIFY(acquired->isAcquired());
            QVERIFY2(witness({"INCR", "inside"}).isInteger(1), "somebody else is inside");
            for (int i = 0; i < 5; ++i)
                witness({"PING"});
            witness({"DECR", "inside"});
            QCOMPARE(driver.run(lock->release(acquired->token)).value(), locks::ReleaseOutcome::Released);
        }
        LATCHKEY_AWAIT(them.state() == QProcess::NotRunning);
        QCOMPARE(them.readAllStandardOutput().trimmed(), QByteArray("0"));
    }
};

LATCHKEY_TEST(TestInteroperation)

} // namespace tst_interoperation

#include "tst_interoperation.moc"
