#include "tests/explore/programs/programfixture.h"
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
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results[0].verdict, isBroken ? Verdict::Broken : Verdict::Holds);
        QVERIFY(explored.results[0].complete);
        QCOMPARE(explored.results[1].verdict, Verdict::Holds);
        QVERIFY(!explored.livelock);
        QVERIFY(!explored.deadlock);
        QVERIFY(!explored.lockKeys.empty());
        QCOMPARE(explored.lockKeys.front().key, QByteArray("done"));
    }

    /// A typing error would otherwise make a promise hold, or not apply.
    void optionThatNamesNothing_isRefused_data()
    {
        QTest::addColumn<QByteArray>("worker");
        QTest::addColumn<QByteArray>("inside");
        QTest::addColumn<QByteArray>("outside");
        QTest::addColumn<QByteArray>("resource");
        QTest::addColumn<QString>("error"); // Empty: the program is explored.
        const auto row = [](const char *name, const char *worker, const char *inside, const char *outside,
                            const char *resource, const char *error) {
            QTest::addRow("%s", name) << QByteArray(worker) << QByteArray(inside) << QByteArray(outside)
                                      << QByteArray(resource) << QString::fromUtf8(error);
        };
        row("all are right", "getdel", "SET lock * NX", "DEL lock", "", "");
        row("inside", "getdel", "SET lok * NX", "DEL lock", "",
            "a single client sends no command that matches --inside 'SET lok * NX'; the nearest command is SET lock "
            "token-of-A NX PX 10000");
        row("name of inside", "getdel", "SETEX lock", "DEL lock", "",
            "a single client sends no command that matches --inside 'SETEX lock'");
        row("outside", "getdel", "SET lock * NX", "DEL lok", "",
            "a single client that has entered sends no command that matches --outside 'DEL lok'; leave --outside out "
            "if a client is inside until it ends; the nearest command is DEL lock");
        row("reply of outside", "getdel", "SET lock * NX", "DEL lock -> OK", "",
            "if a client is inside until it ends; the nearest command is DEL lock → (integer) 1");
        row("no outside", "getdel", "SET lock * NX", "", "", "");
        row("nothing after the entry", "endinginside", "SETEX done", "DEL done", "", "");
        row("resource", "readwrite", "", "", "order:2", "a single client does not use the key order:2 of --resource");
        row("resource that is used", "readwrite", "", "", "order:1", "");
        row("endless", "reentrant", "SET lokc", "", "", "the nearest command is SET lock held NX");
    }
    void optionThatNamesNothing_isRefused()
    {
        QFETCH(const QByteArray, worker);
        QFETCH(const QByteArray, inside);
        QFETCH(const QByteArray, outside);
        QFETCH(const QByteArray, resource);
        QFETCH(const QString, error);
        programs::Program program = test::worker(worker.constData(), resource, {"careless"});
        if (!inside.isEmpty())
            program.entering = patterns(inside.constData());
        if (!outside.isEmpty())
            program.leaving = patterns(outside.constData());
        const auto explored = test::explore(program, {mutualExclusion});
        QCOMPARE(explored.error.has_value(), !error.isEmpty());
        QVERIFY2(error.isEmpty() || explored.errorText().endsWith(error), qPrintable(explored.errorText()));
    }
};

LATCHKEY_TEST(TestProgramSections)

} // namespace tst_programsections

#include "tst_programsections.moc"
