#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/outcome.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

namespace tst_recipecommands {

using namespace latchkey;
using namespace std::chrono_literals;

/// Tests of the commands that the catalogue lists for each recipe: exactly those that an ACL needs.
class TestRecipeCommands final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recipes_sayWhichCommandsTheyNeed()
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("recipes"), QStringLiteral("--json")});
        const QJsonArray printed = QJsonDocument::fromJson(test::outcomeOf(process).output).array();
        QList<QStringList> expected;
        for (const auto &[id, commands, needsReplica] : entries())
            expected += commands;
        QCOMPARE(printed.size(), expected.size());
        for (qsizetype i = 0; i < printed.size(); ++i)
            QCOMPARE(printed[i][QStringLiteral("commands")].toVariant().toStringList(), expected[i]);
    }

    void manual_listsTheNeededCommands_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addRow("in English") << QStringLiteral("/resources/manual/acl.md");
        QTest::addRow("in Chinese") << QStringLiteral("/resources/manual/zh-CN/acl.md");
    }
    void manual_listsTheNeededCommands()
    {
        QFETCH(QString, path);
        QFile page(QStringLiteral(LATCHKEY_SOURCE_DIR) + path);
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        for (const auto &[id, commands, needsReplica] : entries()) {
            const QString row = QStringLiteral("| `%1` | `%2` |").arg(id, commands.join(u"` `"));
            QVERIFY2(text.contains(row), qPrintable(row));
        }
    }

    void recipe_needsTheCommandsThatItNames_data() { addEntries(); }
    void recipe_needsTheCommandsThatItNames()
    {
        QFETCH(QString, recipe);
        QFETCH(QStringList, commands);
        QVERIFY(!commands.isEmpty());
        test::TestServer server;
        QCOMPARE(useWholeAs(server, recipe, commands), QString());
        for (const QString &command : commands) {
            QStringList others = commands;
            others.removeOne(command);
            QVERIFY2(!useWholeAs(server, recipe, others).isEmpty(), qPrintable(command));
        }
    }

    /// Compares with the server's count of executed commands, called by scripts or directly.
    void recipe_sendsTheCommandsThatItNames_data() { addEntries(); }
    void recipe_sendsTheCommandsThatItNames()
    {
        QFETCH(QString, recipe);
        QFETCH(QStringList, commands);
        test::TestServer server;
        QVERIFY(!server({"CONFIG", "RESETSTAT"}).isError());
        exchange::BlockingDriver driver({server.endpoint()});
        QCOMPARE(useWhole(server, driver, recipe), QString());

        const QString counts = QString::fromUtf8(server({"INFO", "commandstats"}).bytes());
        const QRegularExpression count(QStringLiteral("^cmdstat_([a-z]+)(\\|[a-z]+)?:"),
                                       QRegularExpression::MultilineOption);
        QSet<QString> seen;
        for (auto match = count.globalMatch(counts); match.hasNext();)
            seen += match.next().captured(1).toUpper();
        // The commands of this test, and those at the start of a connection.
        seen -= {QStringLiteral("CONFIG"), QStringLiteral("FLUSHALL"), QStringLiteral("MSET"), QStringLiteral("CLIENT"),
                 QStringLiteral("INFO")};
        QCOMPARE(sorted(seen.values()), sorted(commands));
    }

    /// A user with only the commands of the recipe, without permission to read types.
    void typeThatMayNotBeAskedFor_isDoneWithout()
    {
        test::TestServer server;
        QVERIFY(!server({"ACL", "SETUSER", "default", "-type", "-info", "-client"}).isError());
        const auto run = [&server](const char *words) {
            QProcess process;
            process.start(QStringLiteral(LATCHKEY_CLI),
                          QStringList {QStringLiteral("--url"), server.url()} + QString::fromLatin1(words).split(u' '));
            return test::outcomeOf(process);
        };
        QCOMPARE(run("acquire auto-release k").exitCode, 0);
        const test::Outcome busy = run("acquire auto-release k");
        QCOMPARE(busy.errors, QByteArray("latchkey-cli: acquire auto-release \"k\": busy\n"));
        QCOMPARE(busy.exitCode, 1);
        QCOMPARE(run("run auto-release k -- true").exitCode, 1);
        QCOMPARE(run("release auto-release k").output, QByteArray("released\n"));
        QVERIFY(server({"EXISTS", "k"}).isInteger(0));
        QCOMPARE(run("acquire multi-setnx-expire k").exitCode, 0);
        QCOMPARE(run("put set-ex c v --ttl 5s").output, QByteArray("written\n"));
        QCOMPARE(run("put hash-then-expire h f=v --ttl 5s").output, QByteArray("written\n"));
    }

private:
    struct Entry
    {
        QString id;
        QStringList commands;
        bool needsReplica = false; ///< Such a recipe is used in tst_tokenwait.
    };

    static std::vector<Entry> entries()
    {
        std::vector<Entry> all;
        for (const locks::Recipe &recipe : locks::recipes())
            all.push_back({recipe.id, recipe.commands, recipe.needsReplica});
        for (const caches::Recipe &recipe : caches::recipes())
            all.push_back({recipe.id, recipe.commands});
        return all;
    }

    static void addEntries()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QStringList>("commands");
        for (const auto &[id, commands, needsReplica] : entries()) {
            if (needsReplica)
                continue;
            // On other servers, the two recipes are the same, as the summary says.
            const bool isByScript = id == u"hash-hsetex" && !test::hasHsetex();
            const QString meant = isByScript ? QStringLiteral("hash-lua") : id;
            const auto known = entries();
            const auto entry = std::ranges::find(known, meant, &Entry::id);
            QTest::addRow("%s", qPrintable(id)) << id << entry->commands;
        }
    }

    static QStringList sorted(QStringList list)
    {
        list.sort();
        return list;
    }

    /// Calls useWhole() as a user with these commands only, on a server without cached scripts.
    static QString useWholeAs(test::TestServer &server, const QString &recipe, const QStringList &commands)
    {
        resp::Command rules {"ACL", "SETUSER", "app", "reset", "on", "nopass", "~*"};
        for (const QString &command : commands)
            rules << '+' + command.toLatin1();
        net::Endpoint endpoint = server.endpoint();
        endpoint.user = QStringLiteral("app");
        if (server(rules).isError() || server({"SCRIPT", "FLUSH"}).isError())
            qFatal("there is no such user to be had");
        exchange::BlockingDriver driver({endpoint});
        return useWhole(server, driver, recipe);
    }

    /// Uses all functions of a recipe. Returns the text of the first error.
    static QString useWhole(test::TestServer &server, exchange::BlockingDriver &driver, const QString &recipe)
    {
        // With whole seconds and without, because some recipes use different commands.
        for (const auto lifetime : {20'000ms, 20'500ms}) {
            (void)server({"FLUSHALL"});
            const auto lease = base::Lease::of(lifetime).value();
            const bool isLock = locks::findRecipe(recipe).has_value();
            const QString error = isLock ? useLock(server, driver, recipe, lease) : useCache(driver, recipe, lease);
            if (!error.isEmpty())
                return error;
        }
        return {};
    }

    static QString useLock(test::TestServer &server, exchange::BlockingDriver &driver, const QString &id,
                           base::Lease lease)
    {
        const locks::Recipe &recipe = **locks::findRecipe(id);
        locks::LockOptions options;
        options.key = base::Key("k");
        if (recipe.needsWholeSeconds) {
            options.lease = base::Lease::of(20s).value();
            (void)server({"MSET", "k", "1"}); // A deadline that has passed.
        } else if (recipe.hasLease) {
            options.lease = lease;
        }
        const auto lock = locks::makeLock(recipe, options).value();
        const auto acquired = driver.run(lock->acquire());
        if (!acquired)
            return acquired.error().message();
        const auto busy = driver.run(lock->acquire());
        if (!busy || busy->isAcquired())
            return busy ? QStringLiteral("acquired twice") : busy.error().message();
        if (recipe.canExtend) {
            if (const auto extended = driver.run(lock->extend(acquired->token, lease)); !extended)
                return extended.error().message();
        }
        const auto released = driver.run(lock->release(acquired->token));
        return released ? QString() : released.error().message();
    }

    static QString useCache(exchange::BlockingDriver &driver, const QString &id, base::Lease lifetime)
    {
        const caches::Recipe &recipe = **caches::findRecipe(id);
        std::vector<std::optional<caches::LifetimeUnit>> units {std::nullopt};
        if (recipe.hasUnit && lifetime.duration() % 1s == 0ms)
            units.push_back(caches::LifetimeUnit::Seconds);
        for (const auto unit : units) {
            caches::CacheOptions options;
            options.key = base::Key("k");
            options.lifetime = recipe.needsWholeSeconds ? base::Lease::of(20s).value() : lifetime;
            options.unit = unit;
            const auto cache = caches::makeCache(recipe, options).value();
            const auto written = driver.run(cache->write(recipe.holdsFields ? caches::Content::ofFields({{"f", "v"}})
                                                                            : caches::Content::ofValue("v")));
            if (!written)
                return written.error().message();
            const auto found = driver.run(cache->read());
            if (!found)
                return found.error().message();
            const bool hasFields = found->content && found->content->hasFields();
            const auto left = driver.run(
                caches::readLifetime(base::Key("k"), hasFields ? found->content->fields() : caches::Fields()));
            if (!left)
                return left.error().message();
            if (!left->left)
                return QStringLiteral("its end cannot be told");
        }
        if (recipe.isGuarded) {
            caches::CacheOptions options;
            options.key = base::Key("other");
            const auto guarded = caches::makeGuarded(options).value();
            const auto mine = driver.run(guarded->lookup());
            if (!mine)
                return mine.error().message();
            if (const auto renewed = driver.run(guarded->renew(*mine->guard)); !renewed)
                return renewed.error().message();
            if (const auto stored = driver.run(guarded->store(caches::Content::ofValue("v"), mine->guard)); !stored)
                return stored.error().message();
        }
        return {};
    }
};

LATCHKEY_TEST(TestRecipeCommands)

} // namespace tst_recipecommands

#include "tst_recipecommands.moc"
