#include "core/recipes/locks/catalogue.h"
#include "core/recipes/locks/foreigntype.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_recipes {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Key;
using base::Lease;
using base::OwnerToken;
using exchange::BlockingDriver;
using namespace std::chrono_literals;

/// Every recipe on a real server.
class TestRecipes final : public QObject
{
    Q_OBJECT

    static constexpr int serverCount = 3; ///< Servers of a recipe that uses several; the tests look at the first.
    std::vector<std::unique_ptr<test::TestServer>> servers;
    test::TestServer *server = nullptr;
    std::unique_ptr<BlockingDriver> driver;

    std::unique_ptr<Lock> lock(const QString &id, const QByteArray &key, std::optional<Lease> lease = {},
                               std::optional<OwnerToken> token = {})
    {
        LockOptions options;
        options.key = Key(key);
        options.lease = lease;
        options.token = std::move(token);
        const Recipe &recipe = *findRecipe(id).value();
        if (recipe.hasManyServers)
            options.servers = serverCount;
        return makeLock(recipe, options).value();
    }

    void onAll(std::initializer_list<QByteArray> command)
    {
        for (const auto &each : servers)
            QVERIFY(!(*each)(command).isError());
    }

    static void addRecipes()
    {
        QTest::addColumn<QString>("id");
        for (const Recipe &recipe : recipes()) {
            if (!recipe.needsReplica) // See tst_tokenwait.
                QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
        }
    }

    static QList<QByteArray> awkwardKeys()
    {
        return {"lock",
                QByteArray("nul\0inside", 10),
                "\xff\xfe not utf-8",
                QByteArray(512, 'k'),
                "spaces and \"quotes\"",
                "line\r\nend",
                ""};
    }

private Q_SLOTS:
    void initTestCase()
    {
        std::vector<net::Endpoint> endpoints;
        for (int i = 0; i < serverCount; ++i) {
            servers.push_back(std::make_unique<test::TestServer>());
            endpoints.push_back(servers.back()->endpoint());
        }
        server = servers.front().get();
        driver = std::make_unique<BlockingDriver>(endpoints);
    }
    void cleanup() { onAll({"FLUSHALL"}); }

    void cycle_acquireBusyReleaseAcquire_data() { addRecipes(); }
    void cycle_acquireBusyReleaseAcquire()
    {
        QFETCH(QString, id);
        for (const QByteArray &key : awkwardKeys()) {
            const auto first = lock(id, key);
            const auto second = lock(id, key);
            const auto acquired = driver->run(first->acquire());
            LATCHKEY_VERIFY_RESULT(acquired);
            QVERIFY(acquired->isAcquired());
            QVERIFY((*server)({"EXISTS", key}).isInteger(1));

            QCOMPARE(driver->run(second->acquire()).value().outcome, AcquireOutcome::Busy);
            QCOMPARE(driver->run(first->release(acquired->token)).value(), ReleaseOutcome::Released);
            QVERIFY((*server)({"EXISTS", key}).isInteger(0));
            QCOMPARE(driver->run(first->release(acquired->token)).value(), ReleaseOutcome::Gone);

            const auto next = driver->run(second->acquire());
            QVERIFY(next && next->isAcquired());
            QCOMPARE(driver->run(second->release(next->token)).value(), ReleaseOutcome::Released);
        }
    }

    void lease_isTheServers_data() { addRecipes(); }
    void lease_isTheServers()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        const bool hasLease = recipe.hasLease;
        const auto held = lock(id, "k", hasLease ? std::optional(Lease::of(20s).value()) : std::nullopt);
        const auto before = driver->clock().now();
        const auto acquired = driver->run(held->acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        const qint64 pttl = (*server)({"PTTL", "k"}).toInteger();
        if (!hasLease) {
            QCOMPARE(pttl, qint64(-1));
            QVERIFY(!acquired->lease);
            QCOMPARE(acquired->validUntil, base::MonotonicTime::max());
            return;
        }
        QCOMPARE(acquired->lease->duration(), 20s);
        if (recipe.value == LockValue::Deadline) {
            // The key has no TTL in the server; its value is the deadline of the lock.
            QCOMPARE(pttl, qint64(-1));
            const auto now = std::chrono::floor<std::chrono::seconds>(driver->clock().wallNow()).time_since_epoch();
            const qint64 deadline = (*server)({"GET", "k"}).bytes().toLongLong();
            QVERIFY2(deadline >= now.count() + 20 && deadline <= now.count() + 21,
                     qPrintable(QString::number(deadline)));
            QVERIFY(acquired->validUntil <= driver->clock().now() + 21s);
            return;
        }
        QVERIFY2(pttl > 0 && pttl <= 20'000, qPrintable(QString::number(pttl)));
        // The holder's own deadline is never later than the server's.
        QVERIFY(acquired->validUntil <= driver->clock().now() + std::chrono::milliseconds(pttl));
        QVERIFY(acquired->validUntil >= before);
    }

    void foreignTokens_releaseAndExtendNothing_data() { addRecipes(); }
    void foreignTokens_releaseAndExtendNothing()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        const auto held = lock(id, "k");
        const auto acquired = driver->run(held->acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        const qint64 before = (*server)({"PTTL", "k"}).toInteger();
        const auto released = driver->run(held->release(OwnerToken("another client's")));
        if (!recipe.hasToken) {
            // This is the flaw of such a recipe: a DEL of any client frees the lock.
            QCOMPARE(released.value(), ReleaseOutcome::Released);
            return;
        }
        if (recipe.value == LockValue::Deadline) {
            QCOMPARE(released.error().kind, ErrorKind::Usage);
            QCOMPARE(driver->run(held->release(OwnerToken("1"))).value(), ReleaseOutcome::NotOwner);
        } else {
            QCOMPARE(released.value(), ReleaseOutcome::NotOwner);
        }
        if (recipe.canExtend)
            QCOMPARE(driver->run(held->extend(OwnerToken("another client's"), Lease::of(90s).value())).value().outcome,
                     ExtendOutcome::NotOwner);
        QVERIFY((*server)({"GET", "k"}).isBulk(acquired->token.bytes()));
        QVERIFY((*server)({"PTTL", "k"}).toInteger() <= before);
    }

    void extend_givesANewLeaseAndNeverMakesALock_data() { addRecipes(); }
    void extend_givesANewLeaseAndNeverMakesALock()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        const auto held = lock(id, "k");
        const auto acquired = driver->run(held->acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        const auto extended = driver->run(held->extend(acquired->token, Lease::of(90s).value()));
        if (!recipe.canExtend) {
            QCOMPARE(extended.error().kind, ErrorKind::Usage);
            return;
        }
        LATCHKEY_VERIFY_RESULT(extended);
        QCOMPARE(extended->outcome, ExtendOutcome::Extended);
        QVERIFY((*server)({"PTTL", "k"}).toInteger() > 80'000);
        QVERIFY(extended->validUntil > acquired->validUntil);

        onAll({"DEL", "k"});
        QCOMPARE(driver->run(held->extend(acquired->token, Lease::of(90s).value())).value().outcome,
                 ExtendOutcome::Gone);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void foreignType_isUnchanged_data() { addRecipes(); }
    void foreignType_isUnchanged()
    {
        QFETCH(QString, id);
        onAll({"RPUSH", "k", "work", "to", "do"});
        QCOMPARE(driver->run(lock(id, "k")->acquire()).value_or(Acquisition()).outcome, AcquireOutcome::Busy);

        const auto refused = driver->run(refuseForeignType(Key("k")));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongType);
        QCOMPARE(refused.error().message(), QStringLiteral("the key holds a list, which is not a lock"));
        QVERIFY((*server)({"LLEN", "k"}).isInteger(3));
        // A recipe that writes on a busy lock does so for any type of key: callers check the type first.
        const Recipe &recipe = *findRecipe(id).value();
        QCOMPARE((*server)({"PTTL", "k"}).toInteger() > 0, recipe.failedAcquireChangesKey);
        onAll({"PERSIST", "k"});
        const auto held = lock(id, "k");
        QVERIFY(!driver->run(acquireUnlessForeign(recipe, *held, Key("k"), 0ms)).value_or(Acquisition()).isAcquired());
        QVERIFY((*server)({"PTTL", "k"}).isInteger(-1));

        QVERIFY(driver->run(refuseForeignType(Key("absent"))));
        QVERIFY((*server)({"SET", "string", "v"}).isOk());
        QVERIFY(driver->run(refuseForeignType(Key("string"))));
    }

    void tokens_areFreshForEveryAttempt()
    {
        QSet<QByteArray> seen;
        const auto held = lock(QStringLiteral("token"), "k");
        for (int i = 0; i < 50; ++i) {
            const auto acquired = driver->run(held->acquire());
            LATCHKEY_VERIFY_RESULT(acquired);
            QCOMPARE(acquired->token.bytes().size(), 32);
            QVERIFY(!seen.contains(acquired->token.bytes()));
            seen.insert(acquired->token.bytes());
            QCOMPARE(driver->run(held->release(acquired->token)).value(), ReleaseOutcome::Released);
        }
    }

    void passwords_areBytes()
    {
        const OwnerToken password(QByteArray("p\0\xff\r\n", 5));
        const auto held = lock(QStringLiteral("token"), "k", {}, password);
        const auto acquired = driver->run(held->acquire());
        LATCHKEY_VERIFY_RESULT(acquired);
        QVERIFY((*server)({"GET", "k"}).isBulk(password.bytes()));
        QCOMPARE(driver->run(held->release(password)).value(), ReleaseOutcome::Released);
    }

    void expiredLock_isWonByTheNextAttempt()
    {
        const auto first = lock(QStringLiteral("auto-release"), "k", Lease::of(30ms).value());
        const auto second = lock(QStringLiteral("auto-release"), "k", Lease::of(20s).value());
        QVERIFY(driver->run(first->acquire()).value().isAcquired());
        LATCHKEY_AWAIT((*server)({"PTTL", "k"}).isInteger(-2));
        QVERIFY(driver->run(second->acquire()).value().isAcquired());
    }
};

LATCHKEY_TEST(TestRecipes)

} // namespace tst_recipes

#include "tst_recipes.moc"
