#include "core/explore/racesearch/racesearch.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/testprogram.h"

#include <QCoreApplication>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace tst_findingraces {

using namespace latchkey;
using racesearch::RaceSearch;
using State = RaceSearch::State;
using schedules::Verdict;

namespace {

/// A recipe that no machine can explore within the time of a test.
const QString endless = QStringLiteral("redlock");

/// Role of this program that searches until it is killed. Prints the process id of its race finder.
int searchUntilKilled(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
    QObject::connect(&search, &RaceSearch::progressed, &search, [&] {
        std::printf("%lld\n", static_cast<long long>(search.processId()));
        std::fflush(stdout);
    });
    search.start(endless, 4);
    return QCoreApplication::exec();
}

} // namespace

class TestFindingRaces final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recipeThatKeepsItsPromises_holdsInAllSchedules()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(QStringLiteral("fenced"), 2);
        QCOMPARE(search.state(), State::Running);
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(!search.error() && !search.isCancelled());
        QVERIFY(!search.answers().empty());
        for (const RaceSearch::Answer &answer : search.answers()) {
            QVERIFY(answer.verdict != Verdict::Broken);
            if (answer.verdict == Verdict::NotApplicable)
                continue;
            QVERIFY(answer.isClaimed && answer.isComplete && answer.schedules > 0);
            QCOMPARE(answer.clients, 2);
        }
    }

    void brokenPromise_comesWithItsStory()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(QStringLiteral("token-check-then-delete"), 2);
        LATCHKEY_AWAIT(search.state() == State::Over);
        const auto &answers = search.answers();
        const auto found =
            std::ranges::find(answers, QStringLiteral("owner-only-release"), &RaceSearch::Answer::promise);
        QVERIFY(found != answers.end());
        QCOMPARE(found->verdict, Verdict::Broken);
        QVERIFY(!found->isClaimed && !found->violation.isEmpty());
        QCOMPARE(found->schedule->steps.size(), std::size_t(5));
        QCOMPARE(found->schedule->key, QByteArray("k"));
    }

    /// One fault breaks each promise, and the other fault does not.
    void faultThatIsLeftOut_breaksNothing_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<QStringList>("without");
        QTest::addColumn<Verdict>("verdict");
        const QString late = QStringLiteral("token-check-then-delete");
        const QString deadly = QStringLiteral("basic");
        const QString owner = QStringLiteral("owner-only-release");
        const QString crash = QStringLiteral("crash-release");
        const QString crashes = QStringLiteral("crashes");
        const QString lapses = QStringLiteral("lapses");
        QTest::newRow("a lapse") << late << owner << QStringList {crashes} << Verdict::Broken;
        QTest::newRow("no lapse") << late << owner << QStringList {lapses} << Verdict::Holds;
        QTest::newRow("a crash") << deadly << crash << QStringList {lapses} << Verdict::Broken;
        QTest::newRow("no crash") << deadly << crash << QStringList {crashes} << Verdict::Holds;
        QTest::newRow("neither") << deadly << crash << QStringList {crashes, lapses} << Verdict::Holds;
    }
    void faultThatIsLeftOut_breaksNothing()
    {
        QFETCH(QString, recipe);
        QFETCH(QString, promise);
        QFETCH(QStringList, without);
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(recipe, 2, without);
        QCOMPARE(search.without(), without);
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(!search.error());
        const auto found = std::ranges::find(search.answers(), promise, &RaceSearch::Answer::promise);
        QVERIFY(found != search.answers().end());
        QTEST(found->verdict, "verdict");
    }

    void cancel_endsItAndKeepsWhatWasFound()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(endless, 4);
        LATCHKEY_AWAIT(search.progress().states > 0);
        QVERIFY(search.progress().maxStates > search.progress().states);
        QCOMPARE(search.progress().clients, 4);
        const auto process = static_cast<pid_t>(search.processId());
        const QList<pid_t> servers = test::childrenOf(process);
        QCOMPARE(servers.size(), 3);
        search.cancel();
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(search.isCancelled() && !search.error());
        QVERIFY(!search.answers().empty());
        QVERIFY(!search.answers().back().isComplete); // The answer reports this.
        LATCHKEY_AWAIT(!test::isAlive(process) && std::ranges::none_of(servers, test::isAlive));
    }

    void finderThatDoesNotHeed_isKilled()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(endless, 4);
        LATCHKEY_AWAIT(search.progress().states > 0);
        ::kill(static_cast<pid_t>(search.processId()), SIGSTOP);
        search.cancel();
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(search.isCancelled());
    }

    void unexpectedEndOfTheFinder_isReported()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(endless, 4);
        LATCHKEY_AWAIT(search.progress().states > 0);
        ::kill(static_cast<pid_t>(search.processId()), SIGKILL);
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(search.error() && !search.isCancelled());
        QCOMPARE(search.error()->message(), QStringLiteral("the race finder ended unexpectedly with exit code 137"));
        search.start(QStringLiteral("basic"), 2); // The search can start again.
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(!search.error());
    }

    void impossibleInput_givesASentence()
    {
        RaceSearch search {QStringLiteral(LATCHKEY_CLI)};
        search.start(QStringLiteral("none"));
        LATCHKEY_AWAIT(search.state() == State::Over);
        QVERIFY(search.error()->message().startsWith(QStringLiteral("unknown recipe \"none\"; there are ")));
        RaceSearch nowhere {QStringLiteral("/nowhere/latchkey-cli")};
        nowhere.start(QStringLiteral("basic"));
        QCOMPARE(nowhere.state(), State::Over);
        QVERIFY(nowhere.error()->message().startsWith(QStringLiteral("cannot run /nowhere/latchkey-cli: ")));
    }

    void exit_leavesNoProcess()
    {
        QProcess program;
        program.start(QCoreApplication::applicationFilePath(), {QStringLiteral("search-findingraces")});
        QByteArray said;
        LATCHKEY_AWAIT((said += program.readAllStandardOutput()).contains('\n'));
        const auto finder = static_cast<pid_t>(said.split('\n').front().toInt());
        QList<pid_t> all = test::childrenOf(finder);
        QCOMPARE(all.size(), 3); // The servers of the finder.
        all += finder;
        program.kill();
        LATCHKEY_AWAIT(program.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(std::ranges::none_of(all, test::isAlive));
    }
};

const test::ProgramRole searcher([](int argc,
                                    char **argv) { return argc > 1 && qstrcmp(argv[1], "search-findingraces") == 0; },
                                 &searchUntilKilled);

LATCHKEY_TEST(TestFindingRaces)

} // namespace tst_findingraces

#include "tst_findingraces.moc"
