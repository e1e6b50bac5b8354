#include "core/recipes/caches/catalogue.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/await.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <algorithm>

namespace tst_cacherecipes {

using namespace latchkey;
using namespace latchkey::caches;
using base::ErrorKind;
using base::Key;
using base::Lease;
using exchange::BlockingDriver;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

bool claims(const Recipe &recipe, Promise promise)
{
    return std::find(recipe.promises.begin(), recipe.promises.end(), promise) != recipe.promises.end();
}

/// Returns the content with its fields sorted: a hash has no order.
Content sorted(const Content &content)
{
    if (!content.hasFields())
        return content;
    Fields fields = content.fields();
    std::sort(fields.begin(), fields.end(), [](const Field &a, const Field &b) { return a.name < b.name; });
    return Content::ofFields(std::move(fields));
}

const QList<QByteArray> &awkwardBytes()
{
    static const QList<QByteArray> all {"plain",
                                        QByteArray("nul\0inside", 10),
                                        "\xff\xfe not utf-8",
                                        QByteArray(512, 'k'),
                                        "spaces and \"quotes\"",
                                        "line\r\nend",
                                        ""};
    return all;
}

} // namespace

/// Every recipe on a real server.
class TestCacheRecipes final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<BlockingDriver> driver;

    /// Returns whether the recipe sets the TTL of fields on this server; otherwise it sets the TTL of the key.
    static bool isByFields(const QString &id)
    {
        return findRecipe(id).value()->setsFieldLifetimes && test::hasHsetex();
    }
    static std::unique_ptr<Cache> cache(const QString &id, const QByteArray &key,
                                        Lease lifetime = Lease::of(20s).value(), bool onlyIfAbsent = false)
    {
        CacheOptions options;
        options.key = Key(key);
        options.lifetime = lifetime;
        options.onlyIfAbsent = onlyIfAbsent;
        return makeCache(*findRecipe(id).value(), options).value();
    }

    static Content content(const Recipe &recipe, const QByteArray &value = "v")
    {
        return recipe.holdsFields ? Content::ofFields({{"field", value}, {"other", "1"}}) : Content::ofValue(value);
    }

    static void addRecipes()
    {
        QTest::addColumn<QString>("id");
        for (const Recipe &recipe : recipes())
            QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
    }

    static void addHashRecipes()
    {
        QTest::addColumn<QString>("id");
        for (const Recipe &recipe : recipes()) {
            if (recipe.holdsFields)
                QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
        }
    }

    qint64 pttl(const QByteArray &key) { return test::millisecondsLeft(*server, key); }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        driver = std::make_unique<BlockingDriver>(std::vector {server->endpoint()});
    }
    void cleanup()
    {
        driver.reset();
        server.reset();
    }

    void read_returnsTheWrittenValue_data() { addRecipes(); }
    void read_returnsTheWrittenValue()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        for (const QByteArray &key : awkwardBytes()) {
            const auto written = cache(id, key);
            QCOMPARE(driver->run(written->read()).value(), Found::miss());
            for (const QByteArray &value : awkwardBytes()) {
                if (recipe.isGuarded) // A guarded cache writes only after a miss.
                    QVERIFY(!(*server)({"DEL", key}).isError());
                const auto outcome = driver->run(written->write(content(recipe, value)));
                LATCHKEY_VERIFY_RESULT(outcome);
                QCOMPARE(*outcome, WriteOutcome::Written);
                const auto found = driver->run(written->read());
                LATCHKEY_VERIFY_RESULT(found);
                QVERIFY(found->isHit());
                QVERIFY(sorted(*found->content) == content(recipe, value));
            }
            QVERIFY2(pttl(key) > 10'000 && pttl(key) <= 20'000, qPrintable(QString::number(pttl(key))));
        }
        QVERIFY((*server)({"DBSIZE"}).isInteger(awkwardBytes().size()));
    }

    void awkwardFields_areReadAgain_data() { addHashRecipes(); }
    void awkwardFields_areReadAgain()
    {
        QFETCH(QString, id);
        Fields fields;
        for (const QByteArray &name : awkwardBytes())
            fields.push_back(
                {name, awkwardBytes().at(static_cast<qsizetype>(fields.size() + 3) % awkwardBytes().size())});
        const auto written = cache(id, "k");
        QCOMPARE(driver->run(written->write(Content::ofFields(fields))).value(), WriteOutcome::Written);
        QVERIFY(sorted(*driver->run(written->read()).value().content) == sorted(Content::ofFields(fields)));
    }

    void manyFields_areReadAgain_data() { addHashRecipes(); }
    void manyFields_areReadAgain()
    {
        QFETCH(QString, id);
        Fields fields;
        for (int i = 0; i < 20'001; ++i)
            fields.push_back({QByteArray::number(i), "value " + QByteArray::number(i)});
        const auto written = cache(id, "k");
        QCOMPARE(driver->run(written->write(Content::ofFields(fields))).value(), WriteOutcome::Written);
        QVERIFY(sorted(*driver->run(written->read()).value().content) == sorted(Content::ofFields(fields)));
        QVERIFY(pttl("k") > 0);
    }

    void expired_isAMiss_data() { addRecipes(); }
    void expired_isAMiss()
    {
        QFETCH(QString, id);
        const auto written = cache(id, "k");
        QCOMPARE(driver->run(written->write(content(*findRecipe(id).value()))).value(), WriteOutcome::Written);
        QVERIFY((*server)({"PEXPIRE", "k", "20"}).isInteger(1));
        LATCHKEY_AWAIT(pttl("k") == -2);
        QCOMPARE(driver->run(written->read()).value(), Found::miss());
    }

    void shortLifetime_isTheServers_data() { addRecipes(); }
    void shortLifetime_isTheServers()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        const Lease lifetime = Lease::of(recipe.needsWholeSeconds ? 1s : 40ms).value();
        const auto written = cache(id, "k", lifetime);
        QCOMPARE(driver->run(written->write(content(recipe))).value(), WriteOutcome::Written);
        LATCHKEY_AWAIT(driver->run(written->read()).value() == Found::miss());
    }

    void longestLifetime_isTaken_data() { addRecipes(); }
    void longestLifetime_isTaken()
    {
        QFETCH(QString, id);
        const auto written = cache(id, "k", Lease::of(std::chrono::hours(24 * 365 * 99)).value());
        QCOMPARE(driver->run(written->write(content(*findRecipe(id).value()))).value(), WriteOutcome::Written);
        QVERIFY(pttl("k") > 3'000'000'000'000);
    }

    void foreignKey_isUnchangedIfThatIsPromised_data() { addRecipes(); }
    void foreignKey_isUnchangedIfThatIsPromised()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        const auto cached = cache(id, "k");
        QVERIFY((*server)({"RPUSH", "k", "work", "to", "do"}).isInteger(3));
        QVERIFY((*server)({"PEXPIRE", "k", "500000"}).isInteger(1));
        QCOMPARE(driver->run(cached->read()).error().kind, ErrorKind::WrongType);

        const auto outcome = driver->run(cached->write(content(recipe)));
        const bool isUnchanged = (*server)({"TYPE", "k"}) == Reply::status("list")
                              && (*server)({"LLEN", "k"}).isInteger(3) && pttl("k") > 400'000;
        QCOMPARE(isUnchanged, claims(recipe, Promise::ForeignKeySafe));
        if (isUnchanged) {
            QCOMPARE(outcome.error().kind, ErrorKind::WrongType);
        } else if (!recipe.holdsFields) {
            QCOMPARE(outcome.value(), WriteOutcome::Written); // SET replaces any type of key.
        } else {
            QCOMPARE(outcome.error().kind, ErrorKind::WrongType);
            QVERIFY2(outcome.error().message().startsWith(QStringLiteral(
                         "nothing was written, but what the key holds has been given a lifetime of 20s: ")),
                     qPrintable(outcome.error().message()));
            QVERIFY(pttl("k") <= 20'000);
        }
        QVERIFY2((*server)({"DBSIZE"}).isInteger(1), "nothing else is left behind");
    }

    void hashWithALifetime_keepsItsOtherFieldsAndGetsTheNewLifetime_data() { addHashRecipes(); }
    void hashWithALifetime_keepsItsOtherFieldsAndGetsTheNewLifetime()
    {
        QFETCH(QString, id);
        QVERIFY((*server)({"HSET", "k", "field", "old", "kept", "2"}).isInteger(2));
        QVERIFY((*server)({"PEXPIRE", "k", "500000"}).isInteger(1));
        const auto cached = cache(id, "k");
        QCOMPARE(driver->run(cached->write(Content::ofFields({{"field", "new"}}))).value(), WriteOutcome::Written);
        QVERIFY(sorted(*driver->run(cached->read()).value().content)
                == Content::ofFields({{"field", "new"}, {"kept", "2"}}));
        if (isByFields(id)) {
            QVERIFY(pttl("k") > 20'000); // The key keeps its own TTL.
            const Reply ends = (*server)({"HPTTL", "k", "FIELDS", "2", "field", "kept"});
            QVERIFY(ends.elements().front().toInteger() > 0 && ends.elements().front().toInteger() <= 20'000);
            QVERIFY(ends.elements().back().isInteger(-1));
            return;
        }
        QVERIFY(pttl("k") <= 20'000);
    }

    void onlyIfAbsent_leavesWhatIsThere()
    {
        const auto first = cache(QStringLiteral("set-ex"), "k", Lease::of(20s).value(), true);
        const auto second = cache(QStringLiteral("set-ex"), "k", Lease::of(500s).value(), true);
        QCOMPARE(driver->run(first->write(Content::ofValue("first"))).value(), WriteOutcome::Written);
        QCOMPARE(driver->run(second->write(Content::ofValue("second"))).value(), WriteOutcome::Exists);
        QVERIFY((*server)({"GET", "k"}).isBulk("first"));
        QVERIFY(pttl("k") <= 20'000);

        QVERIFY((*server)({"RPUSH", "list", "a"}).isInteger(1));
        const auto foreign = cache(QStringLiteral("set-ex"), "list", Lease::of(20s).value(), true);
        QCOMPARE(driver->run(foreign->write(Content::ofValue("v"))).value(), WriteOutcome::Exists);
        QVERIFY((*server)({"LLEN", "list"}).isInteger(1));
    }

    void readLifetime_tellsTheThreeCasesApart()
    {
        QVERIFY(!driver->run(readLifetime(Key("k"))).value().exists);
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        const RemainingLifetime endless = driver->run(readLifetime(Key("k"))).value();
        QVERIFY(endless.exists && !endless.left);
        QVERIFY((*server)({"PEXPIRE", "k", "20000"}).isInteger(1));
        const RemainingLifetime ending = driver->run(readLifetime(Key("k"))).value();
        QVERIFY(ending.exists && *ending.left > 10s && *ending.left <= 20s);
        exchange::Stepper last(readLifetime(Key("k")));
        last.grant(Reply::integer(0)); // Less than a millisecond.
        const RemainingLifetime little = last.takeResult().value();
        QVERIFY(little.exists);
        QCOMPARE(little.left, std::optional(0ms));
    }

    /// The first field that expires ends the content; the key exists as long as any field does.
    void lifetimesOfFields_areReported()
    {
        if (!test::hasHsetex())
            QSKIP("this server has no lifetimes of fields (Redis 8.0, Valkey 9.0)");
        const Fields first {{"a", "1"}, {"b", "2"}};
        const auto longer = cache(QStringLiteral("hash-hsetex"), "k", Lease::of(500s).value());
        QCOMPARE(driver->run(longer->write(Content::ofFields(first))).value(), WriteOutcome::Written);
        QVERIFY((*server)({"PTTL", "k"}).isInteger(-1));
        const auto left = driver->run(readLifetime(Key("k"), first)).value();
        QVERIFY(left.left && *left.left > 400s && *left.left <= 500s);
        const auto shorter = cache(QStringLiteral("hash-hsetex"), "k", Lease::of(20s).value());
        QCOMPARE(driver->run(shorter->write(Content::ofFields({{"b", "3"}}))).value(), WriteOutcome::Written);
        QVERIFY(*driver->run(readLifetime(Key("k"), first)).value().left <= 20s);
        QVERIFY(*driver->run(readLifetime(Key("k"), {{"a", "1"}})).value().left > 400s);
        QVERIFY((*server)({"HPERSIST", "k", "FIELDS", "2", "a", "b"}).isArray());
        QVERIFY(!driver->run(readLifetime(Key("k"), first)).value().left);
    }

    /// A user may write data but not TTLs. A recipe that claims to set both or neither must leave nothing without a
    /// TTL. Any other recipe reports what it has left.
    void refusedLifetime_leavesNothingWhereThatIsPromised_data() { addRecipes(); }
    void refusedLifetime_leavesNothingWhereThatIsPromised()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-expire", "-pexpire"}).isOk());
        const auto outcome = driver->run(cache(id, "k")->write(content(recipe)));
        if (outcome) {
            QVERIFY2(isByFields(id) || (!recipe.holdsFields && pttl("k") > 0), "its one command needs no other");
            return;
        }
        QCOMPARE(outcome.error().kind, ErrorKind::PermissionDenied);
        const bool isLeft = (*server)({"EXISTS", "k"}).isInteger(1);
        QVERIFY(!isLeft || !claims(recipe, Promise::NoImmortalKey));
        QCOMPARE(outcome.error().message().startsWith(
                     QStringLiteral("the data was written and is left without a lifetime: ")),
                 isLeft);
    }

    void refusedWrite_changesNothing_data() { addRecipes(); }
    void refusedWrite_changesNothing()
    {
        QFETCH(QString, id);
        const Recipe &recipe = *findRecipe(id).value();
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "1"}).isOk());
        QCOMPARE(driver->run(cache(id, "k")->write(content(recipe))).error().kind, ErrorKind::OutOfMemory);
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "0"}).isOk());
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        QCOMPARE(driver->run(cache(id, "k")->write(content(recipe))).error().kind, ErrorKind::ReadOnly);
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void deniedTransaction_describesTheActualOutcome()
    {
        const auto cached = cache(QStringLiteral("hash-multi"), "k");
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-multi"}).isOk());
        const auto outcome = driver->run(cached->write(Content::ofFields({{"f", "v"}})));
        QCOMPARE(outcome.error().kind, ErrorKind::PermissionDenied);
        QVERIFY2(outcome.error().message().startsWith(QStringLiteral(
                     "the server refused the transaction, and the fields and their lifetime were written one after ")),
                 qPrintable(outcome.error().message()));
        QVERIFY(pttl("k") > 0);
    }

    void deniedScripts_writeNothing()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-@scripting"}).isOk());
        const auto outcome =
            driver->run(cache(QStringLiteral("hash-lua"), "k")->write(Content::ofFields({{"f", "v"}})));
        QCOMPARE(outcome.error().kind, ErrorKind::PermissionDenied);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }
};

LATCHKEY_TEST(TestCacheRecipes)

} // namespace tst_cacherecipes

#include "tst_cacherecipes.moc"
