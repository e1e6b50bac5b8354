#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QStandardPaths>
#include <QTest>

namespace tst_programengines {

using namespace latchkey;
using races::Verdict;

/// Tests programs other than Python programs: Node.js programs with common libraries, and a static program.
class TestProgramEngines final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// After a lost reply, ioredis sends the command again after a random time. The counter is then 2 and never gets a
    /// lifetime.
    void ioredis_leavesAPersistentKey_afterALostReply()
    {
        programs::Program program = node("ioredis");
        if (program.words.isEmpty())
            QSKIP(qPrintable(test::npmPackages().absence));
        program.limits.lostReplies = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        program.limits.lostReplies = 0;
        const auto lossless = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        QVERIFY2(!lossless.error, qPrintable(lossless.errorText()));
        QCOMPARE(lossless.results.front().verdict, Verdict::Holds);
    }

    void ioredis_waitsInTheServerAndListens()
    {
        programs::Program program = node("jobs");
        if (program.words.isEmpty())
            QSKIP(qPrintable(test::npmPackages().absence));
        program.limits.timerSteps = 0;
        program.data = {"first"};
        const auto waiting = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!waiting.error, qPrintable(waiting.errorText()));
        QCOMPARE(lastOf(waiting), QStringLiteral("set got 1"));
        program.words += "listening";
        const auto listening = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!listening.error, qPrintable(listening.errorText()));
        QCOMPARE(lastOf(listening), QStringLiteral("set got 1"));
    }

    void redlock_losesAnUpdate_ifItsHolderIsLate()
    {
        programs::Program program = node("redlock");
        if (program.words.isEmpty())
            QSKIP(qPrintable(test::npmPackages().absence));
        program.resource = "order:1";
        program.limits.timerSteps = 0;
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("lost-update")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QVERIFY(explored.results.front().counterexample->steps.at(0).command.toText().contains(u"token-of-A"));
    }

    /// Node.js also wakes up at the ends of cleared timeouts, and reads the clock at each event.
    void clearedTimeouts_areNoStates_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<bool>("waits");
        QTest::addColumn<bool>("dependsOnTime");
        QTest::addRow("cleared") << QByteArray() << false << false;
        QTest::addRow("reading a clock") << QByteArray("reading") << false << true;
        QTest::addRow("timeout of a socket without a listener") << QByteArray("unheard") << false << false;
        QTest::addRow("signal without a listener any more") << QByteArray("signal") << false << false;
        QTest::addRow("signal that the program reads") << QByteArray("asking") << true << true;
        QTest::addRow("timeout of a socket") << QByteArray("heard") << true << true;
        QTest::addRow("active interval") << QByteArray("ticking") << true << true;
        QTest::addRow("interval that does not end") << QByteArray("distant") << true << false;
        QTest::addRow("interval of ioredis that forgets sent scripts") << QByteArray("forgetting") << false << false;
        QTest::addRow("interval that does more") << QByteArray("counting") << true << true;
    }
    void clearedTimeouts_areNoStates()
    {
        QFETCH(QByteArray, word);
        programs::Program program = test::worker("cleared");
        const QString node = QStandardPaths::findExecutable(QStringLiteral("node"));
        if (node.isEmpty())
            QSKIP("there is no Node.js");
        program.words = {node.toLocal8Bit(), LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/cleared.js", word};
        program.limits.expirations = 1; // At any step, the lifetime of a key may end.
        if (word == "distant")
            program.limits.timerSteps = 0;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.isClockControlled);
        QTEST(explored.hasWaited, "waits");
        // Without effects of time, the histories are those of the replies: hits is 1 or 2.
        constexpr qint64 most = 16;
        QFETCH(bool, dependsOnTime);
        QVERIFY2((explored.starts > most) == dependsOnTime, qPrintable(QString::number(explored.starts)));
    }

    /// A timer that is pending does not make each time a state of its own. Whether it does, the verdicts are the same.
    void pendingTimers_areInferredFromOneTimeToAnother_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QString>("verdicts");
        QTest::addRow("renewal by the owner")
            << QByteArray("correct") << QStringLiteral("mutual-exclusion=holds owner-only-release=holds");
        QTest::addRow("renewal that takes a lost lock")
            << QByteArray("stealing") << QStringLiteral("mutual-exclusion=holds owner-only-release=broken");
        QTest::addRow("renewal that races with the release")
            << QByteArray("racing") << QStringLiteral("mutual-exclusion=holds owner-only-release=broken");
        QTest::addRow("program that reads a clock")
            << QByteArray("reading") << QStringLiteral("mutual-exclusion=holds owner-only-release=holds");
        QTest::addRow("timeout that begins anew") << QByteArray("beginning") << QStringLiteral("no-immortal-key=holds");
    }
    void pendingTimers_areInferredFromOneTimeToAnother()
    {
        QFETCH(const QByteArray, word);
        QFETCH(const QString, verdicts);
        const QString node = QStandardPaths::findExecutable(QStringLiteral("node"));
        if (node.isEmpty())
            QSKIP("there is no Node.js");
        programs::Program program = test::worker("refreshing");
        program.words = {node.toLocal8Bit(), LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/refreshing.js", word};
        program.limits = {0, 1, 0, 1, {}};
        const int clients = word == "beginning" ? 1 : 2;
        const auto inferred = test::explore(program, test::promisesIn(verdicts), clients);
        QVERIFY2(!inferred.error, qPrintable(inferred.errorText()));
        program.observesEachTime = true;
        const auto observed = test::explore(program, test::promisesIn(verdicts), clients);
        QVERIFY2(!observed.error, qPrintable(observed.errorText()));
        QVERIFY(inferred.starts <= observed.starts);
        QCOMPARE(test::verdictsOf(observed, test::promisesIn(verdicts)), verdicts);
        QCOMPARE(test::verdictsOf(inferred, test::promisesIn(verdicts)), verdicts);
        for (std::size_t i = 0; i < observed.results.size(); ++i)
            QCOMPARE(lengthOf(inferred.results[i]), lengthOf(observed.results[i]));
    }

    void staticProgram_isExploredWithItsOwnClock()
    {
        programs::Program program = test::worker("setnxexpire");
        program.words = {STATIC_WORKER};
        program.limits.crashes = 1;
        program.limits.expirations = 1;
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.isClockControlled);
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.size(), 2U); // SETNX, and a crash.
    }

private:
    /// Number of steps of the counterexample; 0: none.
    static std::size_t lengthOf(const races::PromiseResult &result)
    {
        return result.counterexample ? result.counterexample->steps.size() : 0;
    }

    /// The last command of the counterexample.
    static QString lastOf(const test::Explored &explored)
    {
        QString last;
        if (const auto &story = explored.results.front().counterexample) {
            for (const schedules::ScheduleStep &step : story->steps)
                last = step.kind == schedules::ScheduleStep::Kind::Command ? step.command.toText() : last;
        }
        return last;
    }

    /// The program of a Node.js worker; without words if Node.js or its packages are absent.
    static programs::Program node(const char *name)
    {
        programs::Program program = test::worker(name);
        const auto packages = test::npmPackages();
        program.words.clear();
        if (packages.absence.isEmpty())
            program.words = {packages.program.toLocal8Bit(),
                             LATCHKEY_SOURCE_DIR "/tests/explore/programs/workers/" + QByteArray(name) + ".js"};
        return program;
    }
};

LATCHKEY_TEST(TestProgramEngines)

} // namespace tst_programengines

#include "tst_programengines.moc"
