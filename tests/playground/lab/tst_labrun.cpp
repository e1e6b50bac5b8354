#include "core/playground/lab/labrun.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <ctime>

namespace tst_labrun {

using namespace latchkey;
using namespace std::chrono_literals;
using lab::ExpiryMeter;
using lab::LabRun;
using lab::Plan;
using Phase = LabRun::Phase;

namespace {

Plan planFor(const QStringList &recipes, int keys)
{
    Plan plan;
    plan.recipes = recipes;
    plan.keysOfEach = keys;
    plan.shortest = 1s;
    plan.longest = 1500ms;
    plan.prefix = Plan::freshPrefix();
    return plan;
}

/// Returns the CPU time of this thread, which does not depend on other programs.
std::chrono::nanoseconds workedFor()
{
    timespec time {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Returns the number of our writer processes of a lab.
int writers()
{
    int count = 0;
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile status(QStringLiteral("/proc/%1/stat").arg(entry));
        QFile line(QStringLiteral("/proc/%1/cmdline").arg(entry));
        if (!status.open(QIODevice::ReadOnly) || !line.open(QIODevice::ReadOnly))
            continue;
        const QByteArray after = status.readAll().split(')').last();
        const bool isOurs = after.split(' ').value(2).toLongLong() == QCoreApplication::applicationPid();
        count += isOurs && line.readAll().contains("--write") ? 1 : 0;
    }
    return count;
}

} // namespace

/// Tests of the lab with a real server and a real process that is killed.
class TestLabRun final : public QObject
{
    Q_OBJECT

    std::unique_ptr<LabRun> run;

    void start(const Plan &plan, const std::optional<net::Endpoint> &server = {})
    {
        run = std::make_unique<LabRun>(QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                                       base::SystemRandom::instance());
        run->start(plan, server);
    }
    LabRun::RecipeCounts countsOf(const char *recipe) const
    {
        for (const LabRun::RecipeCounts &counts : run->recipeCounts()) {
            if (counts.recipe == QLatin1String(recipe))
                return counts;
        }
        return {};
    }
    static int keysBelow(test::TestServer &server, const QByteArray &prefix)
    {
        return static_cast<int>(server({"KEYS", prefix + "*"}).elements().size());
    }

private Q_SLOTS:
    void cleanup()
    {
        run.reset();
        QCOMPARE(writers(), 0);
    }

    /// A killed process leaves the keys that the race finder predicts for each recipe.
    void keysLeftByAKilledWriter_areThoseOfTheFlawedRecipes()
    {
        QStringList all;
        for (const caches::Recipe &recipe : caches::recipes())
            all += recipe.id;
        Plan plan = planFor(all, 40);
        plan.crashAfter = 1;
        start(plan);
        LATCHKEY_AWAIT(run->phase() == Phase::Over);
        QVERIFY2(!run->error(), qPrintable(run->error() ? run->error()->message() : QString()));
        QVERIFY(run->isOnOwnServer());
        const std::vector<std::tuple<const char *, int, int>> flawed {
            {"set-then-expire", 20, 0}, {"hash-then-expire", 20, 0}, {"hash-placeholder", 0, 20}};
        for (const auto &[recipe, persistent, empty] : flawed) {
            QCOMPARE(countsOf(recipe).persistent, persistent);
            QCOMPARE(countsOf(recipe).empty, empty);
            QCOMPARE(countsOf(recipe).ending, 20);
        }
        for (const char *sound : {"set-ex", "setex", "hash-multi", "hash-lua", "hash-hsetex", "guarded"}) {
            const LabRun::RecipeCounts counts = countsOf(sound);
            QCOMPARE(counts.keys, 40);
            QCOMPARE(counts.persistent + counts.empty, 0);
            QCOMPARE(counts.ending + counts.absent, 40);
            for (const lab::PromiseVerdict &verdict : lab::verdictsOn(counts)) {
                QVERIFY(verdict.isClaimed);
                QCOMPARE(verdict.text.toString(), QStringLiteral("holds for all of 40 keys"));
            }
        }
        QVERIFY(run->killedWrites() >= 60);
        const auto verdicts = lab::verdictsOn(countsOf("hash-placeholder"));
        QCOMPARE(verdicts[0].broken, 0);
        QCOMPARE(verdicts[1].broken, 20);
        QVERIFY(!verdicts[1].isClaimed);
        QCOMPARE(verdicts[1].text.toString(), QStringLiteral("BROKEN: of 40 keys 20 are left without a lifetime"));
    }

    void everyKeysEnd_isMeasuredOnce()
    {
        start(planFor({QStringLiteral("setex"), QStringLiteral("hash-lua")}, 100));
        LATCHKEY_AWAIT(run->phase() == Phase::Over);
        const ExpiryMeter &meter = *run->meter();
        QCOMPARE(meter.ending(), 200);
        QCOMPARE(meter.over(), 200);
        QVERIFY(meter.receivesEvents());
        QCOMPARE(meter.readDelays().count(), std::size_t(100));
        QCOMPARE(int(meter.eventDelays().count()) + meter.silent(), 100);
        for (const ExpiryMeter::KeyOutcome &keyOutcome : meter.outcomes()) {
            QCOMPARE(keyOutcome.kind, ExpiryMeter::KeyOutcome::Kind::Ending);
            QVERIFY(keyOutcome.isOver);
            // A key cannot be seen gone before its end, except within the uncertainty of the measurement.
            QVERIFY(keyOutcome.gone + keyOutcome.due.uncertainty() >= keyOutcome.due.at());
            QVERIFY(keyOutcome.due.uncertainty() >= 1ms);
        }
    }

    void serverThatTellsNothing_isMeasuredByReading()
    {
        test::TestServer server;
        start(planFor({QStringLiteral("setex")}, 50), server.endpoint());
        LATCHKEY_AWAIT(run->phase() == Phase::Over);
        QVERIFY(!run->error());
        QVERIFY(!run->meter()->receivesEvents());
        QCOMPARE(run->meter()->readDelays().count(), std::size_t(50));
    }

    void otherServer_isLeftAsItWas_data()
    {
        QTest::addColumn<bool>("isCancelled");
        QTest::addRow("when it is over") << false;
        QTest::addRow("when it is cancelled") << true;
    }
    void otherServer_isLeftAsItWas()
    {
        QFETCH(bool, isCancelled);
        test::TestServer server;
        QVERIFY(server({"SET", "mine", "1"}).isOk());
        Plan plan = planFor({QStringLiteral("set-then-expire"), QStringLiteral("guarded")}, 300);
        plan.crashAfter = 1;
        plan.crashedPercent = 100;
        if (isCancelled)
            plan.shortest = plan.longest = 1h;
        start(plan, server.endpoint());
        LATCHKEY_AWAIT(run->written() > 0);
        QVERIFY(keysBelow(server, plan.prefix) > 0);
        if (isCancelled) {
            run->cancel();
            QCOMPARE(run->phase(), Phase::Cleaning);
        }
        LATCHKEY_AWAIT(run->phase() == Phase::Over);
        QCOMPARE(run->isCancelled(), isCancelled);
        QVERIFY(!run->error());
        QCOMPARE(keysBelow(server, plan.prefix), 0);
        QCOMPARE(server({"GET", "mine"}).bytes(), QByteArrayLiteral("1"));
        QCOMPARE(writers(), 0);
    }

    /// No process survives the window, whenever the window is closed.
    void destroyedRun_leavesNothingBehind_data()
    {
        QTest::addColumn<bool>("isWriting");
        QTest::addRow("while it writes") << true;
        QTest::addRow("while it waits") << false;
    }
    void destroyedRun_leavesNothingBehind()
    {
        QFETCH(bool, isWriting);
        test::TestServer server;
        QVERIFY(server({"SET", "mine", "1"}).isOk());
        Plan plan = planFor({QStringLiteral("set-then-expire")}, isWriting ? 100'000 : 1000);
        plan.crashAfter = 1;
        plan.shortest = plan.longest = 1h;
        start(plan, server.endpoint());
        LATCHKEY_AWAIT(isWriting ? run->written() > 500 : run->phase() == Phase::Waiting);
        QCOMPARE(run->phase(), isWriting ? Phase::Writing : Phase::Waiting);
        run.reset();
        QCOMPARE(writers(), 0);
        QCOMPARE(keysBelow(server, plan.prefix), 0);
        QVERIFY(server({"DBSIZE"}).isInteger(1));
    }

    void serverThatGoesAway_endsItWithASentence()
    {
        test::TestServer server;
        Plan plan = planFor({QStringLiteral("setex")}, 100);
        plan.shortest = plan.longest = 1h;
        start(plan, server.endpoint());
        LATCHKEY_AWAIT(run->phase() == Phase::Waiting);
        server.kill();
        LATCHKEY_AWAIT(run->phase() == Phase::Over);
        QVERIFY(run->error());
        QVERIFY(!run->error()->message().isEmpty());
    }

    void programThatCannotBeRun_isReported()
    {
        run = std::make_unique<LabRun>(QStringLiteral("/none/there"), base::SystemClock::instance(),
                                       base::SystemRandom::instance());
        run->start(planFor({QStringLiteral("setex")}, 1), std::nullopt);
        LATCHKEY_AWAIT(run->phase() == Phase::Over);
        QVERIFY(run->error());
        QVERIFY2(run->error()->message().startsWith(QStringLiteral("cannot run /none/there")),
                 qPrintable(run->error()->message()));
    }

    /// With 100,000 keys, the event loop never works for more than 50 ms without a pause.
    void manyKeys_holdNothingUp()
    {
        Plan plan = planFor({QStringLiteral("set-then-expire"), QStringLiteral("setex"),
                             QStringLiteral("hash-then-expire"), QStringLiteral("hash-lua")},
                            25'000);
        plan.crashAfter = 1;
        plan.shortest = plan.longest = 2s;
        QTimer tick;
        std::chrono::nanoseconds before = workedFor();
        std::chrono::nanoseconds longest {};
        connect(&tick, &QTimer::timeout, &tick, [&] {
            const auto now = workedFor();
            longest = std::max(longest, now - std::exchange(before, now));
        });
        tick.start(1ms);
        start(plan);
        QVERIFY(test::waitFor([&] { return run->phase() == Phase::Over; }, 3min));
        QVERIFY(!run->error());
        int keys = 0;
        for (const LabRun::RecipeCounts &counts : run->recipeCounts())
            keys += counts.keys;
        QCOMPARE(keys, 100'000);
        QCOMPARE(countsOf("set-then-expire").persistent, 12'500);
        QCOMPARE(countsOf("hash-then-expire").persistent, 12'500);
#ifdef __SANITIZE_ADDRESS__
        constexpr auto bound = 250ms; // All work takes several times as long with the sanitizer.
#else
        constexpr auto bound = 50ms;
#endif
        QVERIFY2(longest < bound, qPrintable(QStringLiteral("it worked for %1 ms").arg(longest / 1ms)));
        qInfo("the longest stretch of work was %d us", int(longest / 1us));
    }
};

LATCHKEY_TEST(TestLabRun)

} // namespace tst_labrun

#include "tst_labrun.moc"
