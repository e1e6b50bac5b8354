#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_polledlocks {

using namespace latchkey;
using test::Outcome;

/// Tests of `run` with recipes that cannot extend: the lock is checked meanwhile.
class TestPolledLocks final : public test::CommandLineTest
{
    Q_OBJECT

    /// Starts `run` with these arguments and a program that runs until a signal, and then lists the lock.
    void start(QProcess &process, const char *words) const
    {
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("run")} + QString::fromLatin1(words).split(u' ')
                          + QStringList {QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                                         QStringLiteral("exec 2>/dev/null; trap '\"" LATCHKEY_CLI
                                                        "\" ls k; exit' TERM; echo ready; "
                                                        "while :; do sleep 0.01; done")});
        LATCHKEY_AWAIT(process.bytesAvailable() > 0);
        QCOMPARE(process.readAllStandardOutput(), QByteArray("ready\n"));
    }

private Q_SLOTS:
    void lockThatIsGivenAnEarlierEnd_isGivenUpWhileItLasts()
    {
        QProcess process;
        start(process, "multi-setnx-expire k --lease 60s");
        // Two failed attempts: one with a longer lease, which ends nothing, and one with a shorter lease.
        QCOMPARE(run("acquire multi-setnx-expire k --lease 90s").exitCode, 1);
        QCOMPARE(run("acquire multi-setnx-expire k --lease 15s").exitCode, 1);
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 4);
        QCOMPARE(outcome.errors, QByteArray("latchkey-cli: run multi-setnx-expire \"k\": the lock is about to be lost: "
                                            "another client has shortened its lease; ending the program\n"));
        QVERIFY2(outcome.output.contains(" k\n"), "the lock was still there when the program was told to end");
    }

    void deadlineThatIsWrittenOver_counts()
    {
        QProcess process;
        start(process, "timestamp-getset k --lease 60s");
        const qint64 deadline = (*server)({"GET", "k"}).bytes().toLongLong();
        QVERIFY((*server)({"SET", "k", QByteArray::number(deadline + 50)}).isOk()); // The deadline of a failed attempt,
                                                                                    // which is later.
        QVERIFY((*server)({"SET", "k", QByteArray::number(deadline - 50)}).isOk());
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY2(outcome.errors.contains("another client has shortened its lease"), outcome.errors.constData());
    }

    void lockThatIsTakenAway_isNoticed_data()
    {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<QByteArray>("writer"); ///< Command that writes another value; empty if the key stays absent.
        QTest::addColumn<QByteArray>("what");
        const QByteArray gone("the lock was lost: it no longer exists; ending the program\n");
        const QByteArray anothers("the lock was lost: another client holds it; ending the program\n");
        for (const char *recipe : {"auto-release", "setnx-then-expire", "multi-setnx-expire", "lua-setnx-expire",
                                   "timestamp-naive", "timestamp-getset", "token-check-then-delete"})
            QTest::addRow("%s, deleted", recipe) << QByteArray(recipe) << QByteArray() << gone;
        for (const char *recipe : {"auto-release", "timestamp-getset", "token-check-then-delete"}) {
            QTest::addRow("%s, replaced", recipe) << QByteArray(recipe) << QByteArray("SET") << anothers;
            QTest::addRow("%s, a list", recipe) << QByteArray(recipe) << QByteArray("LPUSH") << anothers;
        }
    }
    void lockThatIsTakenAway_isNoticed()
    {
        QFETCH(QByteArray, recipe);
        QFETCH(QByteArray, writer);
        QFETCH(QByteArray, what);
        QProcess process;
        start(process, (recipe + " k --lease 10m").constData());
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        if (!writer.isEmpty())
            QVERIFY(!(*server)({writer, "k", "other"}).isError());
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 4);
        QCOMPARE(outcome.errors, "latchkey-cli: run " + recipe + " \"k\": " + what);
    }

    void deniedRead_isSentOnceAndTheLeaseDecides()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-get", "-pttl"}).isOk());
        QProcess process;
        start(process, "auto-release k --lease 900ms");
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY2(outcome.errors.contains("its lease has ended"), outcome.errors.constData());
        const QByteArray counts = (*server)({"INFO", "commandstats"}).bytes();
        for (const char *command : {"get", "pttl"}) {
            const QByteArray line =
                counts.sliced(counts.indexOf("cmdstat_" + QByteArray(command) + ':')).split('\r')[0];
            QVERIFY2(line.contains("rejected_calls=1,"), line.constData());
        }
    }

    void programThatIsSoonDone_costsNoConnection()
    {
        const auto connections = [this] {
            const QByteArray stats = (*server)({"INFO", "stats"}).bytes();
            return stats.sliced(stats.indexOf("total_connections_received:")).split('\r')[0];
        };
        const QByteArray before = connections();
        QCOMPARE(run("run auto-release k --lease 60s -- true").exitCode, 0);
        QCOMPARE(connections().split(':')[1].toInt(), before.split(':')[1].toInt() + 1);
    }
};

LATCHKEY_TEST(TestPolledLocks)

} // namespace tst_polledlocks

#include "tst_polledlocks.moc"
