#include "core/explore/schedules/schedulefile.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace tst_programforks {

using namespace latchkey;

/// Tests of processes that are forked from one that has started up, with real programs of Python and
/// Node.js.
class TestProgramForks final : public QObject
{
    Q_OBJECT

    /// Returns everything that the exploration has found, without the tokens of its processes.
    static QString everything(const test::Explored &explored)
    {
        QStringList lines {explored.errorText(), QString::number(explored.isClockControlled),
                           QString::number(explored.hasOtherClocks), explored.soloLivelockCommand};
        for (const races::FailedEnd &end : explored.failedEnds)
            lines += QStringLiteral("%1 %2").arg(end.exitCode).arg(end.words);
        for (const races::PromiseResult &result : explored.results) {
            lines += QStringLiteral("%1 %2 %3 states, %4 schedules")
                         .arg(result.promise, schedules::verdictId(result.verdict))
                         .arg(result.states)
                         .arg(result.schedules);
            if (result.counterexample)
                lines += QString::fromUtf8(QJsonDocument(schedules::toJson(result.counterexample->steps)).toJson());
        }
        return lines.join(u'\n');
    }

    /// The program of a worker. `name`: with .js, one of Node.js.
    static programs::Program program(const QString &name, const QByteArray &argument)
    {
        programs::Program program =
            test::worker(qPrintable(name), {}, argument.isEmpty() ? QList<QByteArray>() : QList {argument});
        if (name.endsWith(u".js")) {
            program.words = {QStandardPaths::findExecutable(QStringLiteral("node")).toLocal8Bit(),
                             LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/" + name.toLocal8Bit()};
            if (!argument.isEmpty())
                program.words += argument;
        }
        program.limits = {1, 0, 0, 3, {}};
        return program;
    }

private Q_SLOTS:
    void forkedAndStartedProcesses_giveTheSameResult_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("argument");
        QTest::addColumn<bool>("forks");
        QTest::addRow("SETNX, EXPIRE") << "setnxexpire" << QByteArray() << true;
        QTest::addRow("semaphore") << "semaphore" << QByteArray() << true;
        QTest::addRow("messages") << "handover" << QByteArray() << true;
        QTest::addRow("Unix socket") << "unixsocket" << QByteArray() << true;
        QTest::addRow("sends times") << "limiter" << QByteArray() << true;
        QTest::addRow("starts a program") << "building" << QByteArray() << true;
        QTest::addRow("its view of itself") << "seen" << QByteArray() << true;
        QTest::addRow("nothing before") << "atstart" << QByteArray("nothing") << true;
        QTest::addRow("a file open for reading") << "atstart" << QByteArray("file") << true;
        QTest::addRow("output before") << "atstart" << QByteArray("output") << true;
        QTest::addRow("an ended child") << "atstart" << QByteArray("ended") << true;
        QTest::addRow("a thread") << "atstart" << QByteArray("thread") << false;
        QTest::addRow("a child") << "atstart" << QByteArray("child") << false;
        QTest::addRow("a pipe") << "atstart" << QByteArray("pipe") << false;
        QTest::addRow("shared memory") << "atstart" << QByteArray("shared") << false;
        QTest::addRow("a file open for writing") << "atstart" << QByteArray("written") << false;
        QTest::addRow("a timer") << "atstart" << QByteArray("alarm") << false;
        QTest::addRow("notices its fork") << "atstart" << QByteArray("identity") << false;
        QTest::addRow("a wait before") << "atstart" << QByteArray("waited") << false;
        QTest::addRow("Node.js") << "atstart.js" << QByteArray("nothing") << true;
        QTest::addRow("Node.js, its view of itself") << "atstart.js" << QByteArray("seen") << true;
        QTest::addRow("Node.js, token of Math.random()") << "atstart.js" << QByteArray("chance") << true;
        QTest::addRow("Node.js, output before") << "atstart.js" << QByteArray("output") << true;
        QTest::addRow("Node.js, files read by threads") << "atstart.js" << QByteArray("files") << true;
        QTest::addRow("Node.js, timers") << "atstart.js" << QByteArray("timers") << true;
        QTest::addRow("Node.js, signal handler") << "atstart.js" << QByteArray("signals") << true;
        QTest::addRow("Node.js, garbage and compilation") << "atstart.js" << QByteArray("busy") << true;
        QTest::addRow("Node.js, an ended child") << "atstart.js" << QByteArray("ended") << true;
        QTest::addRow("Node.js, a child") << "atstart.js" << QByteArray("child") << false;
        QTest::addRow("Node.js, a socket") << "atstart.js" << QByteArray("socket") << false;
        QTest::addRow("Node.js, a file open for writing") << "atstart.js" << QByteArray("written") << false;
        QTest::addRow("Node.js, a wait before") << "atstart.js" << QByteArray("waited") << false;
        QTest::addRow("Node.js, renewal") << "refreshing.js" << QByteArray("correct") << true;
        QTest::addRow("Node.js, ioredis") << "ioredis.js" << QByteArray() << true;
        QTest::addRow("Node.js, redlock") << "redlock.js" << QByteArray() << true;
        QTest::addRow("Node.js, messages") << "jobs.js" << QByteArray("listening") << true;
    }
    void forkedAndStartedProcesses_giveTheSameResult()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, argument);
        QFETCH(bool, forks);
        if (name.endsWith(u".js")) {
            const auto packages = test::npmPackages();
            if (!packages.absence.isEmpty())
                QSKIP(qPrintable(packages.absence));
        }
        programs::Program started = program(name, argument);
        started.forksProcesses = false;
        QStringList promises {QStringLiteral("owner-only-release")};
        if (name != u"atstart.js") // The rows of this program differ in the process at its fork, not in the search.
            promises << QStringLiteral("mutual-exclusion") << QStringLiteral("crash-release");
        const test::Explored withForks = test::explore(program(name, argument), promises);
        const test::Explored withStarts = test::explore(started, promises);
        QCOMPARE(everything(withForks), everything(withStarts));
        QCOMPARE(withForks.hasForked, forks);
        QVERIFY(!withStarts.hasForked);
    }
};

LATCHKEY_TEST(TestProgramForks)

} // namespace tst_programforks

#include "tst_programforks.moc"
