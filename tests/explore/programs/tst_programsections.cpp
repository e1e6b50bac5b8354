#include "tests/explore/programs/programbench.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_programsections {

using namespace latchkey;
using races::Verdict;
using schedules::CommandPattern;

namespace {

const auto mutualExclusion = QStringLiteral("mutual-exclusion");

std::vector<CommandPattern> patterns(const char *text)
{
    return {CommandPattern::parse(text).value_or(CommandPattern())};
}

} // namespace

/// Tests when a program is in its critical section.
class TestProgramSections final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The work of a process may follow its last command, so that the process is inside until it ends.
    void entryByTheLastCommand_isAStateOfItsOwn_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<bool>("isBroken");
        QTest::addRow("careless") << QByteArray("careless") << true;
        QTest::addRow("reported") << QByteArray("reported") << true;
        QTest::addRow("careful") << QByteArray("careful") << false;
    }
    void entryByTheLastCommand_isAStateOfItsOwn()
    {
        QFETCH(const QByteArray, how);
        QFETCH(const bool, isBroken);
        programs::Program program = test::worker("endinginside", {}, {how});
        program.limits = {1, 1, 0, 0, {}};
        if (how != "reported") {
            program.entering = patterns(how == "careful" ? "SET done" : "SETEX done");
            program.leaving = patterns("DEL done");
        }
        const auto explored = test::explore(program, {mutualExclusion, QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.trouble()));
        QCOMPARE(explored.results[0].verdict, isBroken ? Verdict::Broken : Verdict::Holds);
        QVERIFY(explored.results[0].complete);
        QCOMPARE(explored.results[1].verdict, Verdict::Holds);
        QVERIFY(!explored.livelock);
        QVERIFY(!explored.deadlock);
        QVERIFY(!explored.lockKeys.empty());
        QCOMPARE(explored.lockKeys.front().key, QByteArray("done"));
    }
};

LATCHKEY_TEST(TestProgramSections)

} // namespace tst_programsections

#include "tst_programsections.moc"
