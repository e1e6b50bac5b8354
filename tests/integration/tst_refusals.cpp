#include "core/recipes/caches/catalogue.h"
#include "core/recipes/locks/catalogue.h"
#include "core/redis/net/dialer.h"
#include "tests/support/outcome.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_refusals {

using namespace latchkey;

namespace {

/// A refusal of a server, with the commands that cause it.
struct Trouble
{
    const char *name;
    resp::Commands preparation;
    QStringList arguments;  ///< Arguments of the server.
    const char *complaint;  ///< Part of the error message.
    QStringList unaffected; ///< Recipes that do not need the refused command.
    bool loads = false;     ///< Whether the server is loading its keys again.
};

QStringList idsWithout(const QStringList &some)
{
    QStringList ids;
    for (const locks::Recipe &recipe : locks::recipes())
        ids += recipe.id;
    for (const caches::Recipe &recipe : caches::recipes())
        ids += recipe.id;
    for (const QString &id : some)
        ids.removeOne(id);
    return ids;
}

QString id(const char *text)
{
    return QString::fromLatin1(text);
}

std::vector<Trouble> troubles()
{
    QStringList scripted {id("lua-setnx-expire"), id("fenced"), id("hash-lua"), id("guarded")};
    if (!test::hasHsetex())
        scripted += id("hash-hsetex");
    const QStringList withoutSet {id("setnx"),
                                  id("setnx-then-expire"),
                                  id("multi-setnx-expire"),
                                  id("lua-setnx-expire"),
                                  id("timestamp-naive"),
                                  id("timestamp-getset"),
                                  id("setex"),
                                  id("hash-then-expire"),
                                  id("hash-lua"),
                                  id("hash-multi"),
                                  id("hash-hsetex"),
                                  id("hash-placeholder")};
    return {
        {"scripts denied",
         {{"ACL", "SETUSER", "default", "-@scripting"}},
         {},
         "the server's ACL does not permit this user to do that (\"NOPERM",
         idsWithout(scripted)},
        {"read-only", {{"REPLICAOF", "127.0.0.1", "1"}}, {}, "the server is a read-only replica (\"READONLY", {}},
        {"out of memory",
         {{"CONFIG", "SET", "maxmemory", "1"}},
         {},
         "the server has reached its memory limit (\"OOM",
         {}},
        {"no such command",
         {},
         {QStringLiteral("--rename-command"), QStringLiteral("SET"), QString()},
         "the server does not know the command (\"ERR ",
         withoutSet},
        // Loading takes a millisecond per key, and the server replies meanwhile.
        {"loading",
         {{"DEBUG", "POPULATE", "60000", "filler", "100"}},
         {id("--enable-debug-command"), id("yes"), id("--key-load-delay"), id("1000"),
          id("--loading-process-events-interval-bytes"), id("1024")},
         "the server is still loading its data (\"LOADING",
         {},
         true},
    };
}

} // namespace

/// Tests of servers that refuse a command of a recipe: every recipe reports it in one sentence, and has written
/// nothing.
class TestRefusals final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusal_isOneSentenceAndNothingIsWritten_data()
    {
        QTest::addColumn<int>("trouble");
        for (std::size_t i = 0; i < troubles().size(); ++i)
            QTest::addRow("%s", troubles()[i].name) << static_cast<int>(i);
    }
    void refusal_isOneSentenceAndNothingIsWritten()
    {
        QFETCH(int, trouble);
        const Trouble refused = troubles()[static_cast<std::size_t>(trouble)];
        test::TestServer server(refused.arguments);
        for (const resp::Command &command : refused.preparation) {
            const resp::Reply reply = server(command);
            QVERIFY2(!reply.isError(), reply.bytes().constData());
        }
        const auto reloading = refused.loads ? reload(server) : nullptr;
        QVERIFY(!refused.loads || reloading);

        const auto check = [&](const QString &recipe, const QStringList &arguments) {
            QProcess process;
            process.start(QStringLiteral(LATCHKEY_CLI),
                          QStringList {QStringLiteral("--url"), server.url()} + arguments);
            const auto [exitCode, output, errors] = test::outcomeOf(process);
            const QByteArray context = recipe.toUtf8() + ": " + errors;
            const resp::Reply keys = server({"DBSIZE"});
            if (refused.unaffected.contains(recipe)) {
                QVERIFY2(exitCode == 0, context.constData());
                QVERIFY(!server({"FLUSHDB"}).isError());
                return;
            }
            QVERIFY2(exitCode == 3, context.constData());
            QVERIFY2(errors.startsWith("latchkey-cli: " + arguments.first(2).join(u' ').toUtf8() + " \"k\": "),
                     context.constData());
            QVERIFY2(errors.contains(refused.complaint), context.constData());
            QVERIFY2(errors.count('\n') == 1, context.constData());
            QVERIFY2(output.isEmpty(), context.constData());
            QVERIFY2(keys.isInteger(0) || keys.bytes().startsWith("LOADING"), context.constData());
        };
        for (const locks::Recipe &recipe : locks::recipes()) {
            if (recipe.needsReplica) // Without a refusal, it gives no lock on this server either.
                continue;
            check(recipe.id, {QStringLiteral("acquire"), recipe.id, QStringLiteral("k")});
        }
        for (const caches::Recipe &recipe : caches::recipes())
            check(recipe.id, {QStringLiteral("put"), recipe.id, QStringLiteral("k"),
                              recipe.holdsFields ? QStringLiteral("f=v") : QStringLiteral("v"), QStringLiteral("--ttl"),
                              QStringLiteral("20s")});
    }

    /// The command is not run if its output could not be stored.
    void guardedValue_isNotRecomputedWhereItCannotBeStored()
    {
        test::TestServer server;
        QVERIFY(!server({"ACL", "SETUSER", "default", "-@scripting"}).isError());
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("--url"), server.url(), QStringLiteral("get"), QStringLiteral("guarded"),
                       QStringLiteral("k"), QStringLiteral("--ttl"), QStringLiteral("20s"), QStringLiteral("--"),
                       QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("echo ran >&2")});
        const test::Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("NOPERM") && !outcome.errors.contains("ran\n"), outcome.errors.constData());
        QVERIFY(server({"DBSIZE"}).isInteger(0));
    }

private:
    /// Makes the server load its keys again, and waits until it reports so. Returns the connection that sent the
    /// command, which receives no reply until loading ends.
    static std::unique_ptr<net::BlockingConnection> reload(test::TestServer &server)
    {
        auto dialled = net::dialBlocking(server.endpoint(), std::chrono::seconds(10));
        const QDeadlineTimer deadline(std::chrono::seconds(30));
        if (!dialled || !dialled->connection->send(resp::Commands {{"DEBUG", "RELOAD"}}, deadline))
            return nullptr;
        while (!deadline.hasExpired()) {
            if (server({"DBSIZE"}).bytes().startsWith("LOADING"))
                return std::move(dialled->connection);
        }
        return nullptr;
    }
};

LATCHKEY_TEST(TestRefusals)

} // namespace tst_refusals

#include "tst_refusals.moc"
