#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/fakeredis.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace tst_databases {

using namespace latchkey;
using test::Outcome;

/// Tests of `ls --all-databases`.
class TestDatabases final : public test::CommandLineTest
{
    Q_OBJECT

    void put(const char *database, const char *key)
    {
        QVERIFY((*server)({"SELECT", database}).isOk());
        QVERIFY((*server)({"SET", key, "v", "PX", "600000"}).isOk());
        QVERIFY((*server)({"SELECT", "0"}).isOk());
    }
    void fill()
    {
        put("0", "first");
        put("11", "last");
        put("3", "middle");
    }
    /// Creates a user without one command, and uses it from now on.
    void forbid(const QByteArray &command)
    {
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@all", "-" + command}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        environment.insert(QStringLiteral("LATCHKEY_URL"), endpoint.toUrlWithPassword());
    }

private Q_SLOTS:
    void everyFormat_namesTheDatabase()
    {
        fill();
        const Outcome table = run("ls --all-databases");
        QCOMPARE(table.exitCode, 0);
        const QByteArrayList lines = table.output.trimmed().split('\n');
        QCOMPARE(lines.size(), 3);
        QVERIFY2(lines[0].trimmed().startsWith("0 ") && lines[0].endsWith("first"), table.output.constData());
        QVERIFY2(lines[1].trimmed().startsWith("3 ") && lines[1].endsWith("middle"), table.output.constData());
        QVERIFY2(lines[2].trimmed().startsWith("11 ") && lines[2].endsWith("last"), table.output.constData());

        const Outcome csv = run("ls --all-databases -o csv");
        QVERIFY2(csv.output.startsWith("db,key,") && csv.output.contains("\n11,last,"), csv.output.constData());
        const Outcome json = run("ls --all-databases --json");
        const QJsonArray rows = QJsonDocument::fromJson(json.output).array();
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[2][QLatin1String("db")].toInt(), 11);
        QCOMPARE(rows[2][QLatin1String("key")].toString(), QStringLiteral("last"));
        QCOMPARE(json.errors, QByteArray());
    }

    /// The titles take no room from the cells, although they are coloured.
    void table_fitsTheTerminal()
    {
        LATCHKEY_NEEDS_TERMINAL();
        QVERIFY((*server)({"SELECT", "11"}).isOk());
        QVERIFY((*server)({"SET", "lock:a", "934dadff-cdff-4e00-91cc-53cd4ede1684", "PX", "3000000"}).isOk());
        QVERIFY((*server)({"SELECT", "0"}).isOk());
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        const auto shown = [this](const QString &option) {
            test::PseudoTerminal terminal;
            const QTemporaryDir folder;
            terminal.start(environment, folder.path(), QStringLiteral("/bin/sh"),
                           {QStringLiteral("-c"), QStringLiteral("stty cols 105; '%1' ls --all-databases %2")
                                                      .arg(QStringLiteral(LATCHKEY_CLI), option)});
            if (!test::waitFor([&] { return terminal.process().state() == QProcess::NotRunning; }))
                return QByteArrayList();
            return terminal.output().trimmed().split('\n');
        };
        const QByteArrayList titled = shown(QString());
        const QByteArrayList plain = shown(QStringLiteral("--no-headers"));
        QCOMPARE(titled.size(), 2);
        QCOMPARE(plain.size(), 1);
        QVERIFY2(titled[0].contains("DB"), titled[0].constData());
        QCOMPARE(titled[1].trimmed(), plain[0].trimmed());
    }

    void withoutTheOption_nothingChanges()
    {
        fill();
        const Outcome json = run("ls --json");
        const QJsonArray rows = QJsonDocument::fromJson(json.output).array();
        QCOMPARE(rows.size(), 1);
        QVERIFY(!rows[0].toObject().contains(QLatin1String("db")));
    }

    void otherOptionOfADatabase_isRefused()
    {
        const Outcome refused = run("ls --all-databases --db 3");
        QCOMPARE(refused.exitCode, 2);
        QCOMPARE(refused.output, QByteArray());
    }

    void emptyServer_isAnEmptyAnswer()
    {
        const Outcome json = run("ls --all-databases --json");
        QCOMPARE(json.exitCode, 0);
        QCOMPARE(json.output.trimmed(), QByteArray("[]"));
    }

    /// A replica that was never synchronised answers INFO without a database, and refuses every other command.
    void replicaWithoutItsPrimary_isRefusedAsByAPlainListing()
    {
        QVERIFY((*server)({"CONFIG", "SET", "replica-serve-stale-data", "no"}).isOk());
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        const Outcome plain = run("ls");
        QCOMPARE(plain.exitCode, 3);
        QVERIFY2(plain.errors.contains("MASTERDOWN"), plain.errors.constData());
        const Outcome all = run("ls --all-databases");
        QCOMPARE(all.exitCode, 3);
        QVERIFY2(all.errors.contains("MASTERDOWN"), all.errors.constData());
        const Outcome json = run("ls --all-databases --json");
        QCOMPARE(json.exitCode, 3);
        QCOMPARE(json.output.trimmed(), QByteArray("[]"));
        QVERIFY2(json.errors.contains("MASTERDOWN"), json.errors.constData());
    }

    /// An empty answer with exit code 0 from a server that refused would be untrue.
    void refusedInfo_isAnError()
    {
        fill();
        forbid("info");
        const Outcome refused = run("ls --all-databases --json");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("INFO keyspace"), refused.errors.constData());
        QCOMPARE(refused.output.trimmed(), QByteArray("[]"));
    }

    /// A proxy in front of a server may reply with an empty text.
    void answerWithoutDatabases_isAnError()
    {
        const test::FakeRedis proxy([](const QList<QByteArray> &) { return QByteArrayLiteral("-ERR unknown\r\n"); });
        environment.insert(QStringLiteral("LATCHKEY_URL"), proxy.url());
        const Outcome unknown = run("ls --all-databases");
        QCOMPARE(unknown.exitCode, 3);
        QVERIFY2(unknown.errors.contains("no section Keyspace"), unknown.errors.constData());
    }

    void refusedSelect_namesTheDatabaseAndListsTheOthers()
    {
        fill();
        forbid("select");
        const Outcome refused = run("ls --all-databases --json");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("\"db\":3,") && refused.errors.contains("\"db\":11,"),
                 refused.errors.constData());
        const QJsonArray rows = QJsonDocument::fromJson(refused.output).array();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0][QLatin1String("key")].toString(), QStringLiteral("first"));
    }

    /// The coverage of an incomplete answer names its database.
    void refusedQuestion_isReportedForEachDatabase()
    {
        fill();
        forbid("pttl");
        const Outcome refused = run("ls --all-databases --json");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("\"db\":3") || refused.errors.contains("\"db\": 3"),
                 refused.errors.constData());
        const Outcome sentences = run("ls --all-databases");
        QVERIFY2(sentences.errors.contains("ls, database 11: "), sentences.errors.constData());
    }
};

LATCHKEY_TEST(TestDatabases)

} // namespace tst_databases

#include "tst_databases.moc"
