#include "core/explore/races/finder.h"
#include "core/explore/races/search.h"
#include "core/explore/schedules/schedulefile.h"
#include "core/explore/schedules/scheduleplayer.h"
#include "tests/explore/races/referencemodel.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <algorithm>

namespace tst_serverfaults {

using namespace latchkey;
using namespace latchkey::races;
using test::ReferenceModel;

namespace {

/// A rule that permits the faults of a promise and forbids nothing, so that all schedules are counted.
class Permissive final : public Rule
{
public:
    explicit Permissive(const Faults &faults)
        : m_faults(faults)
    {}
    [[nodiscard]] QString promise() const override { return QStringLiteral("none"); }
    [[nodiscard]] Faults faults() const override { return m_faults; }
    [[nodiscard]] bool isBrokenBy(const Transition &, RuleState &) const override { return false; }
    [[nodiscard]] QString violation() const override { return {}; }

private:
    const Faults m_faults;
};

Faults faultsOf(const QString &promise)
{
    for (const Rule *rule : lockRules()) {
        if (rule->promise() == promise)
            return rule->faults();
    }
    return {}; // A promise of a cache.
}

PromiseResult resultOn(const QString &recipe, const QString &promise, int clients, const ServerFaultLimits &limits = {})
{
    Finder::Options options;
    options.promises = {promise};
    options.serverFaults = limits;
    auto finder = Finder::create(subjectFor(recipe, clients).value(), options).value();
    const auto done = finder->step(QDeadlineTimer(QDeadlineTimer::Forever));
    if (!done)
        qFatal("%s", qPrintable(done.error().message()));
    return finder->results().front();
}

/// The limits of one promise's faults for the reference model, which has no promises.
ReferenceModel::Faults referenceLimits(const QString &promise, const ServerFaultLimits &limits)
{
    ReferenceModel::Faults faults;
    faults.lostWrites = limits.lostWrites;
    faults.keepsNothing = limits.persistence == Persistence::None;
    if (promise == u"failover-safe")
        faults.failovers = limits.failovers;
    else if (promise == u"restart-safe" && limits.persistence != Persistence::Always)
        faults.restarts = limits.restarts;
    else if (promise == u"server-clock-safe")
        faults.jumps = limits.clockJumps;
    else if (promise == u"partition-safe")
        faults.partitions = limits.partitions;
    faults.isDelayed = limits.restartsAfterLease;
    return faults;
}

/// Largest number of faults of a row. With AddressSanitizer, more faults take ten times as long and run no other code.
#ifdef __SANITIZE_ADDRESS__
constexpr int maxFaults = 1;
#else
constexpr int maxFaults = 3;
#endif

/// Adds a row for each number of faults up to `most`, each number of lost writes, and each kind of persistence.
void addLimits(const char *recipe, const char *promise, int clients, int most, std::initializer_list<int> lostWrites)
{
    for (int faults = 0; faults <= std::min(most, maxFaults); ++faults) {
        for (const int lost : lostWrites) {
            for (const Persistence persistence : {Persistence::None, Persistence::EverySec, Persistence::Always}) {
                if (persistence != Persistence::None && QLatin1String(promise) != u"restart-safe")
                    continue;
                ServerFaultLimits limits;
                limits.failovers = faults;
                limits.restarts = faults;
                limits.clockJumps = faults;
                limits.partitions = faults;
                limits.lostWrites = lost;
                limits.persistence = persistence;
                QTest::addRow("%s, %s, %d clients, %d faults, %d lost writes, persistence %d", recipe, promise, clients,
                              faults, lost, int(persistence))
                    << QString::fromLatin1(recipe) << QString::fromLatin1(promise) << clients << limits;
                limits.restartsAfterLease = true;
                if (persistence == Persistence::None && QLatin1String(promise) == u"restart-safe")
                    QTest::addRow("%s, %s, %d clients, %d faults, delayed, %d lost writes", recipe, promise, clients,
                                  faults, lost)
                        << QString::fromLatin1(recipe) << QString::fromLatin1(promise) << clients << limits;
            }
        }
    }
}

QStringList linesOf(const PromiseResult &result)
{
    QStringList lines;
    for (const schedules::ScheduleStep &step : result.counterexample->steps)
        lines += step.toText(result.counterexample->servers).english();
    return lines;
}

} // namespace

/// Tests of server faults: against the reference model, and their effect on the recipes.
class TestServerFaults final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<EffectCache> effectCache;
    std::vector<std::unique_ptr<test::TestServer>> servers; ///< For the player.

private Q_SLOTS:
    void initTestCase()
    {
        server = std::make_unique<test::TestServer>();
        auto opened = EffectCache::open(server->endpoint());
        LATCHKEY_VERIFY_RESULT(opened);
        effectCache = std::move(*opened);
    }

    void numberOfSchedules_equalsTheReferenceModel_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<int>("clients");
        QTest::addColumn<ServerFaultLimits>("limits");
        for (const int clients : {1, 2}) {
            addLimits("token", "mutual-exclusion", clients, 3, {1});
            addLimits("token", "failover-safe", clients, 3, {1, 2, 3});
            addLimits("token", "restart-safe", clients, 3, {1, 2});
            addLimits("token", "server-clock-safe", clients, 3, {1});
            addLimits("token", "partition-safe", clients, 3, {1});
        }
        // With a third client, a lease that has ended could come back.
        addLimits("token", "failover-safe", 3, 1, {3});
        for (const char *promise : {"failover-safe", "restart-safe", "server-clock-safe", "partition-safe"}) {
            addLimits("redlock", promise, 1, 2, {2});
            addLimits("redlock", promise, 2, 1, {1});
        }
    }
    void numberOfSchedules_equalsTheReferenceModel()
    {
        QFETCH(const QString, recipe);
        QFETCH(const QString, promise);
        QFETCH(const int, clients);
        QFETCH(const ServerFaultLimits, limits);
        const Subject subject = subjectFor(recipe, clients).value();
        const Permissive rule(faultsOf(promise));
        const auto model = Model::create(subject, rule, *effectCache, {}, limits).value();
        Transitions transitions(*model);
        Search search(transitions, {});
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(search.isComplete());
        ReferenceModel reference(clients, subject.servers, referenceLimits(promise, limits));
        QCOMPARE(search.schedules(), reference.schedules());
    }

    void counterexamples_areAsShortAsInTheReferenceModel_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<int>("clients");
        QTest::addColumn<ServerFaultLimits>("limits");
        for (const char *recipe : {"token", "redlock"}) {
            for (const char *promise : {"failover-safe", "restart-safe", "server-clock-safe", "partition-safe"})
                addLimits(recipe, promise, 2, 2, {1});
        }
    }
    void counterexamples_areAsShortAsInTheReferenceModel()
    {
        QFETCH(const QString, recipe);
        QFETCH(const QString, promise);
        QFETCH(const int, clients);
        QFETCH(const ServerFaultLimits, limits);
        const PromiseResult result = resultOn(recipe, promise, clients, limits);
        const auto shortest = ReferenceModel(clients, recipe == u"redlock" ? 3 : 1, referenceLimits(promise, limits))
                                  .shortestWithTwoInside();
        QCOMPARE(result.verdict, shortest ? Verdict::Broken : Verdict::Holds);
        QVERIFY(result.complete);
        if (shortest)
            QCOMPARE(result.counterexample->steps.size(), *shortest);
    }

    void failover_losesTheLock()
    {
        const PromiseResult token = resultOn(QStringLiteral("token"), QStringLiteral("failover-safe"), 2);
        QCOMPARE(linesOf(token),
                 (QStringList {
                     QStringLiteral("A  SET k token-of-A NX PX 36000000 → OK    — A is inside"),
                     QStringLiteral("-  (failover)    — a replica takes over; it lacks the write of step 1"),
                     QStringLiteral("B  SET k token-of-B NX PX 72420000 → OK    — B is inside"),
                 }));
        QCOMPARE(token.violation, QStringLiteral("two clients are inside at once after a failover"));
        QVERIFY(!token.claimed);
    }

    /// The lost write also has the number, so that the next holder gets the same one.
    void failover_takesTheFencingNumberBack()
    {
        const PromiseResult fenced = resultOn(QStringLiteral("fenced"), QStringLiteral("failover-safe"), 2);
        const auto &steps = fenced.counterexample->steps;
        QCOMPARE(steps.size(), std::size_t(3));
        QCOMPARE(steps[0].reply, resp::Reply::integer(1));
        QCOMPARE(steps[2].reply, resp::Reply::integer(1));
    }

    void catalogue_listsThesePromises()
    {
        QStringList expected;
        for (const Rule *rule : lockRules()) {
            if (rule->faults().includeServers())
                expected += rule->promise();
        }
        QStringList listed;
        for (const catalogue::Promise promise : locks::serverFaultPromises())
            listed += catalogue::promiseId(promise);
        QCOMPARE(listed, expected);
    }

    /// Every counterexample can be written to a file, read again, and played on new servers.
    void counterexamples_arePlayed_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<bool>("isBroken");
        for (const locks::Recipe &recipe : locks::recipes()) {
            const bool hasLifetime = recipe.value != locks::LockValue::Deadline && recipe.hasLease;
            for (const char *promise : {"failover-safe", "restart-safe", "server-clock-safe", "partition-safe"}) {
                const bool isHeld = QLatin1String(promise) == u"partition-safe"
                                 || (QLatin1String(promise) == u"failover-safe" && recipe.needsReplica)
                                 || (QLatin1String(promise) == u"server-clock-safe" && !hasLifetime);
                QTest::addRow("%s, %s", qPrintable(recipe.id), promise)
                    << recipe.id << QString::fromLatin1(promise) << !isHeld;
            }
        }
    }
    void counterexamples_arePlayed()
    {
        QFETCH(const QString, recipe);
        QFETCH(const QString, promise);
        QFETCH(const bool, isBroken);
        const PromiseResult result = resultOn(recipe, promise, 2);
        QCOMPARE(result.verdict, isBroken ? Verdict::Broken : Verdict::Holds);
        QVERIFY(!result.isRefuted());
        if (!isBroken)
            return;
        const auto story = schedules::fromFile(schedules::toFile(*result.counterexample));
        LATCHKEY_VERIFY_RESULT(story);
        QCOMPARE(schedules::toFile(*story),
                 schedules::toFile(*result.counterexample)); // The notes of a file are English.
        std::vector<net::Endpoint> endpoints;
        for (int i = 0; i < story->servers; ++i) {
            if (i == int(servers.size()))
                servers.push_back(std::make_unique<test::TestServer>());
            endpoints.push_back(servers[std::size_t(i)]->endpoint());
        }
        schedules::SchedulePlayer player(*story, endpoints);
        LATCHKEY_VERIFY_RESULT(player.begin());
        while (!player.isOver()) {
            const auto played = player.playNext();
            LATCHKEY_VERIFY_RESULT(played);
            QVERIFY2(played->hasPassed, qPrintable(played->reply.toText()));
        }
    }

    /// A confirmed write is not lost if the only replica takes over. Of two replicas, the other one may take over. Each
    /// bound on the lost writes has the same verdict.
    void lockThatAReplicaConfirmed_survivesAFailover()
    {
        const QString recipe = QStringLiteral("token-wait");
        const QString promise = QStringLiteral("failover-safe");
        for (const int lostWrites : {1, 2, 3}) {
            ServerFaultLimits limits;
            limits.lostWrites = lostWrites;
            const PromiseResult one = resultOn(recipe, promise, 2, limits);
            QCOMPARE(one.verdict, Verdict::Holds);
            QVERIFY(one.claimed && one.complete && one.schedules > 1);
            limits.failovers = 2;
            const PromiseResult two = resultOn(recipe, promise, 2, limits);
            QCOMPARE(two.verdict, Verdict::Broken);
            const QStringList lines = linesOf(two);
            QVERIFY2(lines.contains(QStringLiteral("A  WAIT 1 1000 → (integer) 1    — A is inside")),
                     qPrintable(lines.join(u'\n')));
        }
        QCOMPARE(resultOn(recipe, promise, 3).verdict, Verdict::Holds);
    }

    void restart_losesTheLock()
    {
        const PromiseResult token = resultOn(QStringLiteral("token"), QStringLiteral("restart-safe"), 2);
        QCOMPARE(linesOf(token).at(1), QStringLiteral("-  (restart)    — the server restarts empty"));
        QCOMPARE(token.violation, QStringLiteral("two clients are inside at once after a server's restart"));
        ServerFaultLimits saved;
        saved.persistence = Persistence::EverySec;
        const PromiseResult lacking = resultOn(QStringLiteral("token"), QStringLiteral("restart-safe"), 2, saved);
        QCOMPARE(linesOf(lacking).at(1),
                 QStringLiteral("-  (restart)    — the server restarts; it lacks the write of step 1"));
        saved.persistence = Persistence::Always;
        QCOMPARE(resultOn(QStringLiteral("token"), QStringLiteral("restart-safe"), 2, saved).verdict, Verdict::Holds);
    }

    /// A connection that breaks between WATCH and EXEC ends the transaction.
    void restart_thatLosesNothing_endsConnections()
    {
        ServerFaultLimits saved;
        saved.persistence = Persistence::Always;
        const PromiseResult result = resultOn(QStringLiteral("token-watch"), QStringLiteral("restart-safe"), 2, saved);
        QCOMPARE(result.verdict, Verdict::Holds);
        saved.restarts = 0;
        QVERIFY(result.states
                > resultOn(QStringLiteral("token-watch"), QStringLiteral("restart-safe"), 2, saved).states);
    }

    void redlock_breaksWithOneServerOfItsMajority_data()
    {
        QTest::addColumn<QString>("promise");
        QTest::addColumn<QString>("fault");
        QTest::newRow("restart") << QStringLiteral("restart-safe")
                                 << QStringLiteral("-  (restart on #2)    — the server restarts empty");
        QTest::newRow("clock jump")
            << QStringLiteral("server-clock-safe")
            << QStringLiteral("-  (clock jump on #2)    — the server's clock jumps forward; the lease of k ends");
    }
    void redlock_breaksWithOneServerOfItsMajority()
    {
        QFETCH(const QString, promise);
        QFETCH(const QString, fault);
        const QStringList lines = linesOf(resultOn(QStringLiteral("redlock"), promise, 2));
        QCOMPARE(lines.size(), 7);
        QVERIFY2(lines.contains(fault), qPrintable(lines.join(u'\n')));
        QCOMPARE(lines.filter(QStringLiteral("is inside")).size(), 2);
    }

    /// A server that stays away until the leases are over gives no second vote.
    void redlock_holdsWithADelayedRestart()
    {
        ServerFaultLimits limits;
        limits.restartsAfterLease = true;
        for (const int restarts : {1, 2, 3}) {
            limits.restarts = restarts;
            const PromiseResult result = resultOn(QStringLiteral("redlock"), QStringLiteral("restart-safe"), 2, limits);
            QCOMPARE(result.verdict, Verdict::Holds);
            QVERIFY(result.complete);
        }
    }

    /// A release whose reply is lost frees the lock, and a withdrawn attempt does not come back.
    void partition_letsNoOtherClientIn()
    {
        ServerFaultLimits limits;
        limits.partitions = 3;
        for (const char *recipe : {"token", "fenced", "redlock"}) {
            const PromiseResult result = resultOn(QLatin1String(recipe), QStringLiteral("partition-safe"), 2, limits);
            QVERIFY2(result.verdict == Verdict::Holds && result.complete, recipe);
            QVERIFY2(result.claimed, recipe);
        }
    }

    /// The clock of a server has no effect on a lock without a lifetime.
    void lockWithoutLifetime_ignoresTheServersClock()
    {
        for (const char *recipe : {"basic", "setnx", "timestamp-naive"}) {
            const PromiseResult result = resultOn(QLatin1String(recipe), QStringLiteral("server-clock-safe"), 2);
            QVERIFY2(result.verdict == Verdict::Holds, recipe);
        }
    }

    void fencing_protectsTheResourceWhereTheLockDoesNot()
    {
        const QString recipe = QStringLiteral("fenced");
        QCOMPARE(resultOn(recipe, QStringLiteral("server-clock-safe"), 2).verdict, Verdict::Broken);
        QCOMPARE(resultOn(recipe, QStringLiteral("fenced"), 2).verdict, Verdict::Holds);
    }

    /// With enough clients, the fault is not needed.
    void complaint_namesNoFaultThatDidNotHappen()
    {
        ServerFaultLimits limits;
        limits.failovers = 0;
        const PromiseResult result =
            resultOn(QStringLiteral("multi-setnx-expire"), QStringLiteral("failover-safe"), 3, limits);
        QCOMPARE(result.verdict, Verdict::Broken);
        QCOMPARE(result.violation, QStringLiteral("two clients are inside at once"));
    }

    /// Faults of servers belong to their promises only, and these promises are checked on request.
    void otherPromises_haveNoFaultsOfServers()
    {
        auto finder = Finder::create(subjectFor(QStringLiteral("basic"), 1).value(), {}).value();
        QVERIFY(finder->step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        for (const PromiseResult &result : finder->results())
            QVERIFY2(!faultsOf(result.promise).includeServers(), qPrintable(result.promise));

        const PromiseResult with = resultOn(QStringLiteral("token"), QStringLiteral("mutual-exclusion"), 3);
        ServerFaultLimits many;
        many.failovers = ServerFaultLimits::maxCount;
        many.restarts = ServerFaultLimits::maxCount;
        many.clockJumps = ServerFaultLimits::maxCount;
        many.partitions = ServerFaultLimits::maxCount;
        const PromiseResult more = resultOn(QStringLiteral("token"), QStringLiteral("mutual-exclusion"), 3, many);
        QCOMPARE(with.verdict, Verdict::Holds);
        QCOMPARE(more.states, with.states);
        QCOMPARE(more.schedules, with.schedules);
    }
};

LATCHKEY_TEST(TestServerFaults)

} // namespace tst_serverfaults

#include "tst_serverfaults.moc"
