#include "core/explore/races/finder.h"
#include "core/explore/races/search.h"
#include "tests/explore/races/serversonpaper.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_serverfaults {

using namespace latchkey;
using namespace latchkey::races;
using test::ServersOnPaper;

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
    [[nodiscard]] bool isBrokenBy(const Transition &, Ghost &) const override { return false; }
    [[nodiscard]] QString complaint() const override { return {}; }

private:
    const Faults m_faults;
};

Faults faultsOf(const QString &promise)
{
    for (const Rule *rule : lockRules()) {
        if (rule->promise() == promise)
            return rule->faults();
    }
    qFatal("no such promise: %s", qPrintable(promise));
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

QStringList linesOf(const PromiseResult &result)
{
    QStringList lines;
    for (const schedules::ScheduleStep &step : result.counterexample->steps)
        lines += step.toText(result.counterexample->servers);
    return lines;
}

} // namespace

/// Compares the faults of servers with a model on paper, and shows what they do to the recipes.
class TestServerFaults final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Testbed> testbed;

private Q_SLOTS:
    void initTestCase()
    {
        server = std::make_unique<test::TestServer>();
        auto opened = Testbed::open(server->endpoint());
        LATCHKEY_VERIFY_RESULT(opened);
        testbed = std::move(*opened);
    }

    void schedules_areAsManyAsOnPaper_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<int>("clients");
        QTest::addColumn<int>("failovers");
        QTest::addColumn<int>("lostWrites");
        const auto row = [](const char *recipe, const char *promise, int clients, int failovers, int lostWrites) {
            QTest::addRow("%s, %s, %d clients, %d faults, %d writes", recipe, promise, clients, failovers, lostWrites)
                << QString::fromLatin1(recipe) << QString::fromLatin1(promise) << clients << failovers << lostWrites;
        };
        for (const int clients : {1, 2}) {
            row("token", "mutual-exclusion", clients, 0, 1);
            for (const int failovers : {0, 1, 2, 3}) {
                for (const int lostWrites : {1, 2, 3})
                    row("token", "failover-safe", clients, failovers, lostWrites);
            }
        }
        row("redlock", "failover-safe", 1, 0, 1);
        row("redlock", "failover-safe", 1, 1, 1);
        row("redlock", "failover-safe", 1, 2, 2);
        row("redlock", "failover-safe", 2, 0, 1);
        row("redlock", "failover-safe", 2, 1, 1);
    }
    void schedules_areAsManyAsOnPaper()
    {
        QFETCH(const QString, recipe);
        QFETCH(const QString, promise);
        QFETCH(const int, clients);
        QFETCH(const int, failovers);
        QFETCH(const int, lostWrites);
        const Subject subject = subjectFor(recipe, clients).value();
        const Permissive rule(faultsOf(promise));
        ServerFaultLimits limits;
        limits.failovers = failovers;
        limits.lostWrites = lostWrites;
        const auto model = Model::create(subject, rule, *testbed, {}, limits).value();
        Transitions transitions(*model);
        Search search(transitions, {});
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(search.isComplete());
        ServersOnPaper paper(clients, subject.servers, {failovers, lostWrites});
        QCOMPARE(search.schedules(), paper.schedules());
    }

    void counterexamples_areAsShortAsOnPaper_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<int>("failovers");
        QTest::addColumn<int>("lostWrites");
        for (const char *recipe : {"token", "redlock"}) {
            for (const int failovers : {0, 1, 2}) {
                for (const int lostWrites : {1, 2})
                    QTest::addRow("%s, %d failovers, %d writes", recipe, failovers, lostWrites)
                        << QString::fromLatin1(recipe) << failovers << lostWrites;
            }
        }
    }
    void counterexamples_areAsShortAsOnPaper()
    {
        QFETCH(const QString, recipe);
        QFETCH(const int, failovers);
        QFETCH(const int, lostWrites);
        ServerFaultLimits limits;
        limits.failovers = failovers;
        limits.lostWrites = lostWrites;
        const PromiseResult result = resultOn(recipe, QStringLiteral("failover-safe"), 2, limits);
        const auto shortest =
            ServersOnPaper(2, recipe == u"redlock" ? 3 : 1, {failovers, lostWrites}).shortestWithTwoInside();
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
        QCOMPARE(token.complaint, QStringLiteral("two clients are inside at once after a failover"));
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

    void everyRecipe_isBrokenByAFailover_data()
    {
        QTest::addColumn<QString>("recipe");
        for (const locks::Recipe &recipe : locks::recipes())
            QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
    }
    void everyRecipe_isBrokenByAFailover()
    {
        QFETCH(const QString, recipe);
        QCOMPARE(resultOn(recipe, QStringLiteral("failover-safe"), 2).verdict, Verdict::Broken);
    }

    /// With enough clients, the fault is not needed.
    void complaint_namesNoFaultThatDidNotHappen()
    {
        ServerFaultLimits limits;
        limits.failovers = 0;
        const PromiseResult result =
            resultOn(QStringLiteral("multi-setnx-expire"), QStringLiteral("failover-safe"), 3, limits);
        QCOMPARE(result.verdict, Verdict::Broken);
        QCOMPARE(result.complaint, QStringLiteral("two clients are inside at once"));
    }

    /// Faults of servers belong to their promises only.
    void otherPromises_haveNoFaultsOfServers()
    {
        const PromiseResult with = resultOn(QStringLiteral("token"), QStringLiteral("mutual-exclusion"), 3);
        ServerFaultLimits many;
        many.failovers = ServerFaultLimits::most;
        const PromiseResult more = resultOn(QStringLiteral("token"), QStringLiteral("mutual-exclusion"), 3, many);
        QCOMPARE(with.verdict, Verdict::Holds);
        QCOMPARE(more.states, with.states);
        QCOMPARE(more.schedules, with.schedules);
    }
};

LATCHKEY_TEST(TestServerFaults)

} // namespace tst_serverfaults

#include "tst_serverfaults.moc"
