#include "core/explore/schedules/schedulefile.h"
#include "core/explore/schedules/scheduleplayer.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_programserverfaults {

using namespace latchkey;
using races::Persistence;
using races::ServerFaultLimits;
using races::Verdict;

namespace {

/// A finder that has answered the promise.
std::unique_ptr<races::Finder> explored(const programs::Program &program, const QString &promise,
                                        const ServerFaultLimits &limits, int clients = 2)
{
    races::Finder::Options options;
    options.promises = {promise};
    options.samples = 2;
    options.serverFaults = limits;
    auto finder = races::Finder::create(programs::subjectFor(program, clients), options).value();
    for (;;) {
        const auto done = finder->step(QDeadlineTimer(1000));
        if (!done)
            qFatal("%s", qPrintable(done.error().message()));
        if (*done)
            return finder;
    }
}

races::PromiseResult resultOf(const programs::Program &program, const QString &promise, const ServerFaultLimits &limits)
{
    return explored(program, promise, limits)->results().front();
}

ServerFaultLimits failovers(int failovers, int lostWrites = 1)
{
    ServerFaultLimits limits;
    limits.failovers = failovers;
    limits.lostWrites = lostWrites;
    return limits;
}

ServerFaultLimits restarts(Persistence persistence)
{
    ServerFaultLimits limits;
    limits.persistence = persistence;
    return limits;
}

} // namespace

/// Tests of the verdicts on programs whose servers fail.
class TestProgramServerFaults final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
    }

    void program_getsItsVerdict_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<ServerFaultLimits>("limits");
        QTest::addColumn<bool>("holds");
        const auto row = [](const char *program, const char *promise, const ServerFaultLimits &limits, bool holds) {
            QTest::addRow("%s, %s, %d failovers, persistence %d", program, promise, limits.failovers,
                          int(limits.persistence))
                << QByteArray(program) << QString::fromLatin1(promise) << limits << holds;
        };
        row("tries_once", "failover-safe", failovers(1), false);
        row("tries_once", "failover-safe", failovers(0), true);
        row("acquires_in_transaction", "failover-safe", failovers(1), false);
        row("waits_for_replica", "failover-safe", failovers(1, 3), true);
        row("waits_for_replica", "failover-safe", failovers(2), false); // The other replica takes over.
        row("waits_for_two_replicas", "failover-safe", failovers(2), true);
        row("ignores_count_of_replicas", "failover-safe", failovers(1), false);
        row("tries_once", "restart-safe", restarts(Persistence::None), false);
        row("tries_once", "restart-safe", restarts(Persistence::EverySec), false);
        row("tries_once", "restart-safe", restarts(Persistence::Always), true);
        row("waits_for_replica", "restart-safe", restarts(Persistence::None), false);
        row("tries_once", "server-clock-safe", {}, false);
        row("tries_once_without_expiry", "server-clock-safe", {}, true);
        row("tries_once", "partition-safe", {}, true);
        row("reads_after_lost_reply", "partition-safe", {}, true);
        row("enters_after_lost_reply", "partition-safe", {}, false);
    }
    void program_getsItsVerdict()
    {
        QFETCH(const QByteArray, program);
        QFETCH(const QString, promise);
        QFETCH(const ServerFaultLimits, limits);
        QFETCH(const bool, holds);
        programs::Program everyday = test::worker("everyday", {}, {program});
        everyday.limits.expirations = 1;
        const races::PromiseResult result = resultOf(everyday, promise, limits);
        QCOMPARE(result.verdict, holds ? Verdict::Holds : Verdict::Broken);
        QVERIFY(result.complete);
    }

    /// Two of three servers are a majority, and the vote of one of them is lost.
    void quorum_breaksWithOneFailover()
    {
        programs::Program program = test::worker("quorum");
        program.servers = 3;
        const races::PromiseResult result = resultOf(program, QStringLiteral("failover-safe"), failovers(1));
        QCOMPARE(result.verdict, Verdict::Broken);
        const auto &steps = result.counterexample->steps;
        QCOMPARE(std::ranges::count(steps, schedules::ScheduleStep::Kind::Failover, &schedules::ScheduleStep::kind), 1);
    }

    /// The replica that takes over has all writes for which WAIT has returned 1.
    void confirmedWrite_isNotLost()
    {
        const programs::Program program = test::worker("everyday", {}, {"ignores_count_of_replicas"});
        const races::PromiseResult result = resultOf(program, QStringLiteral("failover-safe"), failovers(1));
        QCOMPARE(result.verdict, Verdict::Broken);
        for (const schedules::ScheduleStep &step : result.counterexample->steps)
            QVERIFY(step.command.name() != "WAIT" || step.reply == resp::Reply::integer(0));
    }

    /// A lifetime that ends before the failover is over in the state that the replica has, too.
    void timePasses_inFormerStates()
    {
        programs::Program program = test::worker("everyday", {}, {"acquires_again_after_the_lease"});
        program.limits.expirations = 1;
        const auto finder = explored(program, QStringLiteral("failover-safe"), failovers(1), 1);
        QCOMPARE(finder->results().front().verdict, Verdict::Holds);
        QVERIFY(finder->results().front().states > 10);
        QVERIFY(finder->subject().program->failedEnds().empty());
    }

    /// The story of a fault with times is written, read again, and played on a new server.
    void counterexample_isPlayed_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("promise");
        QTest::addRow("failover") << QByteArray("tries_once") << QStringLiteral("failover-safe");
        QTest::addRow("timeout of WAIT") << QByteArray("ignores_count_of_replicas") << QStringLiteral("failover-safe");
        QTest::addRow("clock jump") << QByteArray("tries_once") << QStringLiteral("server-clock-safe");
        QTest::addRow("partition") << QByteArray("enters_after_lost_reply") << QStringLiteral("partition-safe");
    }
    void counterexample_isPlayed()
    {
        QFETCH(const QByteArray, program);
        QFETCH(const QString, promise);
        programs::Program everyday = test::worker("everyday", {}, {program});
        everyday.limits.expirations = 1;
        const races::PromiseResult result = resultOf(everyday, promise, {});
        QCOMPARE(result.verdict, Verdict::Broken);
        const auto story = schedules::fromFile(schedules::toFile(*result.counterexample));
        LATCHKEY_VERIFY_RESULT(story);
        test::TestServer server;
        schedules::SchedulePlayer player(*story, {server.endpoint()});
        LATCHKEY_VERIFY_RESULT(player.begin());
        while (!player.isOver()) {
            const auto played = player.playNext();
            LATCHKEY_VERIFY_RESULT(played);
            QVERIFY2(played->hasPassed, qPrintable(played->reply.toText()));
        }
    }
};

LATCHKEY_TEST(TestProgramServerFaults)

} // namespace tst_programserverfaults

#include "tst_programserverfaults.moc"
