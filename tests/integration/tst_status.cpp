#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_status {

using namespace latchkey;
using test::Outcome;

/// Tests of status --full: what a server lets a user see, what it costs, what is missing, and how to permit it.
class TestStatus final : public test::CommandLineTest
{
    Q_OBJECT

    /// Sets the user `eye` to exactly these rules.
    void permit(const QByteArrayList &rules)
    {
        resp::Command command {"ACL", "SETUSER", "eye", "reset", "on", "nopass"};
        for (const QByteArray &rule : rules)
            command << rule;
        const resp::Reply reply = (*server)(command);
        QVERIFY2(reply.isOk(), reply.bytes().constData());
    }
    [[nodiscard]] QJsonObject fullAs(const char *user) const
    {
        return run(("status --full --json --user " + QByteArray(user)).constData())
            .object()[QLatin1String("full")]
            .toObject();
    }
    static QStringList missingOf(const QJsonObject &full)
    {
        QStringList missing;
        for (const QJsonValue &each : full[QLatin1String("missing")].toArray())
            missing += each[QLatin1String("command")].toString();
        return missing;
    }

private Q_SLOTS:
    void userWithAllRights_missesNothing()
    {
        QVERIFY((*server)({"MSET", "a", "1", "b", "2", "c", "3"}).isOk());
        const Outcome text = run("status --full");
        QVERIFY2(text.exitCode == 0, text.errors.constData());
        QVERIFY2(text.output.count('\n') == 10, text.output.constData());
        for (const char *line : {"\nuser       default\n", "\nkey names  yes\n", "\nvalues     yes\n",
                                 "\nchanges    client tracking (notify-keyspace-events is \"\")\n",
                                 "\nclients    yes\n", "\nmissing    nothing\n"})
            QVERIFY2(text.output.contains(line), text.output.constData());
        QVERIFY2(text.output.contains("\ncost       a look at all keys: commands: 7, about "), text.output.constData());
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        const QJsonObject full = run("status --full --json").object()[QLatin1String("full")].toObject();
        QCOMPARE(full[QLatin1String("changes_by")].toString(), QStringLiteral("notifications"));
        QCOMPARE(full[QLatin1String("look_commands")].toInt(), 7);
        QVERIFY(full[QLatin1String("look_server_us")].toDouble() > 0);
        QVERIFY(full[QLatin1String("permit")].isNull());
        QCOMPARE(missingOf(full), QStringList());
    }

    /// A refusal is found by its reply, so the reader learns the rule; with the rule it is gone.
    void refusedCommand_isNamedWithTheRuleThatPermitsIt_data()
    {
        QTest::addColumn<QByteArray>("rule");
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("subject");
        QTest::addRow("names") << QByteArray("-scan") << QStringLiteral("SCAN") << QStringLiteral("keys");
        QTest::addRow("number") << QByteArray("-dbsize") << QStringLiteral("DBSIZE") << QStringLiteral("keys");
        QTest::addRow("expiry") << QByteArray("-pttl") << QStringLiteral("PTTL") << QStringLiteral("expiry");
        QTest::addRow("type") << QByteArray("-type") << QStringLiteral("TYPE") << QStringLiteral("types");
        QTest::addRow("hashes") << QByteArray("-hscan") << QStringLiteral("HSCAN") << QStringLiteral("values");
        QTest::addRow("clients") << QByteArray("-client|list") << QStringLiteral("CLIENT LIST")
                                 << QStringLiteral("clients");
        QTest::addRow("cost") << QByteArray("-info") << QStringLiteral("INFO") << QStringLiteral("cost");
        QTest::addRow("tracking") << QByteArray("-client|tracking") << QStringLiteral("CLIENT TRACKING")
                                  << QStringLiteral("changes");
    }
    void refusedCommand_isNamedWithTheRuleThatPermitsIt()
    {
        QFETCH(QByteArray, rule);
        QFETCH(QString, command);
        QFETCH(QString, subject);
        permit({"~*", "&*", "+@all", rule});
        if (QTest::currentTestFailed())
            return;
        const QJsonObject full = fullAs("eye");
        QCOMPARE(missingOf(full), QStringList {command});
        QCOMPARE(full[QLatin1String("sees")][subject].toBool(true), false);
        const QString permission = full[QLatin1String("permit")].toString();
        QCOMPARE(permission, QStringLiteral("ACL SETUSER eye +") + QString::fromLatin1(rule.mid(1)));
        QCOMPARE(run("status --full --user eye").exitCode, 1);
        resp::Command permitting;
        for (const QString &word : permission.split(u' '))
            permitting << word.toUtf8();
        QVERIFY((*server)(permitting).isOk());
        QCOMPARE(missingOf(fullAs("eye")), QStringList());
        QCOMPARE(run("status --full --user eye").exitCode, 0);
    }

    void keysAndChannels_areRulesToo()
    {
        permit({"~lock:*", "resetchannels", "+@all"});
        if (QTest::currentTestFailed())
            return;
        const Outcome text = run("status --full --user eye");
        QCOMPARE(text.exitCode, 1);
        QVERIFY2(text.output.contains("\npermit     ACL SETUSER eye ~* &__redis__:invalidate "
                                      "&__keyevent@0__:*\n"),
                 text.output.constData());
        QVERIFY2(text.output.contains("\nchanges    polling only"), text.output.constData());
        QVERIFY2(text.output.contains("\nexpiry     not all\n"), text.output.constData());
    }

    /// The printed line is enough for a user who may do nothing at first.
    void printedLine_permitsEverything()
    {
        permit({"-@all", "+auth", "+hello", "+ping", "+select", "+client|setname", "+acl|whoami"});
        if (QTest::currentTestFailed())
            return;
        // Rights for keys show only once the command is permitted.
        for (int round = 0; round < 2; ++round) {
            const QString permission = fullAs("eye")[QLatin1String("permit")].toString();
            QVERIFY(permission.startsWith(QStringLiteral("ACL SETUSER eye ")));
            resp::Command permitting;
            for (const QString &word : permission.split(u' '))
                permitting << word.toUtf8();
            QVERIFY((*server)(permitting).isOk());
        }
        const Outcome text = run("status --full --user eye");
        QVERIFY2(text.exitCode == 0, (text.output + text.errors).constData());
    }

    /// A replica whose primary is gone answers from what it had.
    void replica_namesItsPrimaryAndTheLink()
    {
        QVERIFY(run("status --json").object()[QLatin1String("replica_of")].isNull());
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        const Outcome text = run("status");
        QVERIFY2(text.output.contains("\nreplica of 127.0.0.1:1, and the link to it is down: "),
                 text.output.constData());
        const QJsonObject link = run("status --json").object()[QLatin1String("replica_of")].toObject();
        QCOMPARE(link[QLatin1String("address")].toString(), QStringLiteral("127.0.0.1:1"));
        QCOMPARE(link[QLatin1String("link")].toString(), QStringLiteral("down"));
    }

    /// The number of keys is that of one node, and another node may be down.
    void nodeOfACluster_isNamedAsSuch()
    {
        QVERIFY(run("status --json").object()[QLatin1String("cluster")].isNull());
        test::TestServer node(test::clusterNode());
        environment.insert(QStringLiteral("LATCHKEY_URL"), node.url());
        const Outcome text = run("status");
        QVERIFY2(text.output.contains(", keys of this node: 0, "), text.output.constData());
        QVERIFY2(text.output.contains("\none node of a cluster, primaries: ")
                     && text.output.contains("cluster state: fail\n"),
                 text.output.constData());
        const QJsonObject cluster = run("status --json").object()[QLatin1String("cluster")].toObject();
        QCOMPARE(cluster[QLatin1String("state")].toString(), QStringLiteral("fail"));
    }

    void nothingIsWritten()
    {
        const auto changes = [this] {
            const QByteArray info = (*server)({"INFO", "persistence"}).bytes();
            const qsizetype at = info.indexOf("rdb_changes_since_last_save:");
            return info.mid(at, info.indexOf('\r', at) - at);
        };
        const QByteArray before = changes();
        QVERIFY(!before.isEmpty());
        QCOMPARE(run("status --full").exitCode, 0);
        QCOMPARE(changes(), before);
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }
};

LATCHKEY_TEST(TestStatus)

} // namespace tst_status

#include "tst_status.moc"
