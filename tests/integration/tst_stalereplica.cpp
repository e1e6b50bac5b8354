#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/freeport.h"
#include "tests/support/replicatedserver.h"
#include "tests/support/runningcommand.h"
#include "tests/support/testprogram.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

namespace tst_stalereplica {

using namespace latchkey;
using test::Outcome;

/// Tests of `get`, `put` and the lock commands at a replica whose link to its primary is down: it answers from the keys
/// that it had, so an answer that relies on them reports it, and is incomplete.
class TestStaleReplica final : public test::CommandLineTest
{
    Q_OBJECT

    void loseThePrimary() { QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk()); }
    void replicate(quint16 primary)
    {
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", QByteArray::number(primary)}).isOk());
        LATCHKEY_AWAIT((*server)({"INFO", "replication"}).bytes().contains("master_link_status:up"));
    }

    /// Adds the commands and their JSON outcome at the stale replica; empty: no JSON is printed.
    static void addCommands()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QString>("outcome");
        const auto row = [](const char *words, const char *outcome) {
            QTest::addRow("%s", words) << QByteArray(words) << QString::fromLatin1(outcome);
        };
        row("get set-ex cached", "hit");
        row("get set-ex missing", "miss");
        row("get hash-lua missing", "miss");
        row("get guarded cached", "hit");
        row("get guarded cached --ttl 5s -- echo new", "hit");
        row("put guarded cached new --ttl 5s", "unknown");
        row("release token missing --token T", "unknown");
        row("release token held --token T", "unknown");
        row("release fenced missing --token T", "unknown");
        row("release held --force --yes", "unknown");
        row("release missing --force --yes", "unknown");
        row("extend token missing --token T --lease 5s", "unknown");
        row("acquire fenced held", "");
        row("run fenced held -- echo ran", "");
    }
    /// Inserts --json, which is an option of the command and not of its program.
    static QStringList withJson(const QByteArray &words)
    {
        QStringList all = QString::fromLatin1(words).split(u' ');
        if (all.front() != u"run")
            all.insert(1, QStringLiteral("--json"));
        return all;
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        QVERIFY((*server)({"SET", "cached", "old", "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "held", token(1), "PX", "600000"}).isOk());
    }
    void cleanup() { CommandLineTest::cleanup(); }

    void lostPrimary_isNamed_data() { addCommands(); }
    void lostPrimary_isNamed()
    {
        QFETCH(QByteArray, words);
        QFETCH(QString, outcome);
        loseThePrimary();
        const Outcome answer = run(withJson(words));
        QCOMPARE(answer.exitCode, 3);
        QVERIFY2(answer.errors.count("keys may be missing or out of date: the server is a replica, and its link to the "
                                     "primary 127.0.0.1:1 is down")
                     == 1,
                 answer.errors.constData());
        const QJsonObject json = QJsonDocument::fromJson(answer.output).object();
        QCOMPARE(json[QStringLiteral("outcome")].toString(), outcome);
        QCOMPARE(json.contains(QStringLiteral("out_of_date")), words.startsWith("get"));
    }

    /// The value is printed, because it is better than none.
    void valueOfTheReplica_isPrinted()
    {
        loseThePrimary();
        const Outcome answer = run("get set-ex cached");
        QCOMPARE(answer.exitCode, 3);
        QCOMPARE(answer.output, QByteArray("old"));
        QVERIFY2(answer.errors.contains("may be missing or out of date"), answer.errors.constData());
    }

    void primary_isNotDoubted_data() { addCommands(); }
    void primary_isNotDoubted()
    {
        QFETCH(QByteArray, words);
        const Outcome answer = run(withJson(words));
        QVERIFY2(answer.exitCode < 2 && !answer.errors.contains("replica"), answer.errors.constData());
        QVERIFY2(!answer.output.contains("unknown") && !answer.output.contains("out_of_date"),
                 answer.output.constData());
    }

    /// A replica with another primary empties itself and loads the keys of that one: nothing was flushed, and the
    /// loaded locks were not acquired.
    void otherPrimary_isNamedByWatch_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addRow("tracking") << QByteArray();
        QTest::addRow("notifications") << QByteArray("KEA");
    }
    void otherPrimary_isNamedByWatch()
    {
        QFETCH(QByteArray, notifications);
        const quint16 ports[] {test::freePort(), test::freePort()};
        test::TestServer first(test::listeningAt(ports[0]));
        test::TestServer second(test::listeningAt(ports[1]));
        const auto hold = [](test::TestServer &primary, const QByteArray &key, int holder) {
            QVERIFY(primary({"SET", key, token(holder), "PX", "600000"}).isOk());
        };
        hold(first, "lock:a", 1);
        hold(first, "lock:b", 2);
        hold(second, "lock:b", 3);
        hold(second, "lock:c", 4);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        replicate(ports[0]);
        test::RunningCommand watch(environment);
        watch.start({QStringLiteral("watch"), QStringLiteral("--json")});
        LATCHKEY_AWAIT(watch.keysOf(QStringLiteral("seen")).size() == 2);
        replicate(ports[1]);
        LATCHKEY_AWAIT(watch.output().contains("\"sees\"")
                       && watch.keysOf(QStringLiteral("seen")).contains(QStringLiteral("lock:c")));
        LATCHKEY_AWAIT(watch.output().contains(token(3))); // The other holder is read.
        int next = 5; // A lock that the next scan finds may be older, so the first of these may be reported as seen.
        LATCHKEY_AWAIT((hold(second, "lock:new:" + QByteArray::number(next), next), ++next,
                        !watch.keysOf(QStringLiteral("acquired")).filter(QStringLiteral("lock:new:")).isEmpty()));
        QCOMPARE(watch.stop(), 3);
        QCOMPARE(watch.keysOf(QStringLiteral("flushed")), QStringList());
        QCOMPARE(watch.keysOf(QStringLiteral("released")), QStringList());
        QVERIFY(!watch.keysOf(QStringLiteral("acquired")).contains(QStringLiteral("lock:c")));
        QVERIFY2(watch.errors().contains("keys may have been missing or out of date for "), watch.errors().constData());
        // While the keys are loaded, the link counts as down.
        QVERIFY2(watch.output().contains("the server is a replica, and its "), watch.output().constData());
    }

    /// Without INFO the link is unknown, and the answer is as before.
    void refusedInfo_isNoError()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-info"}).isOk());
        const Outcome answer = run("get set-ex cached");
        QCOMPARE(answer.exitCode, 0);
        QCOMPARE(answer.output, QByteArray("old"));
        QCOMPARE(answer.errors, QByteArray());
    }
};

LATCHKEY_TEST(TestStaleReplica)

} // namespace tst_stalereplica

#include "tst_stalereplica.moc"
