#include "core/explore/races/endcheck.h"
#include "core/explore/races/lockrun.h"
#include "core/explore/races/moves.h"
#include "core/explore/races/search.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSet>
#include <QTest>

namespace tst_racesearch {

using namespace latchkey;
using namespace latchkey::races;

namespace {

const Rule &ruleOf(const QString &promise)
{
    for (const auto &family : {lockRules(), cacheRules()}) {
        for (const Rule *rule : family) {
            if (rule->promise() == promise)
                return *rule;
        }
    }
    qFatal("no such promise: %s", qPrintable(promise));
}

/// A reference search: it walks every schedule one by one, slowly and simply.
struct Walk
{
    Transitions &transitions;
    double schedules = 0;
    std::size_t shortestBroken = 0; ///< 0: no schedule is broken.

    void from(const State &state, std::size_t length)
    {
        if (transitions.model().isQuiet(state)) {
            const auto violation = violationAtEnd(transitions, state).value();
            if (violation)
                broken(length + violation->size());
        }
        std::vector<Move> moves;
        possibleMoves(transitions.model(), state, moves);
        if (moves.empty())
            ++schedules;
        for (const Move &move : moves) {
            const Successor next = transitions.apply(state, move).value();
            if (next.isBroken)
                broken(length + 1);
            from(next.state, length + 1);
        }
    }
    void broken(std::size_t length)
    {
        if (shortestBroken == 0 || length < shortestBroken)
            shortestBroken = length;
    }
};

/// A lock that sends the same SET with GET to three servers, which returns the previous value.
class AskingLock final : public locks::Lock
{
public:
    [[nodiscard]] exchange::Exchange<locks::Acquisition> acquire() & override
    {
        exchange::Batch batch;
        for (int server = 0; server < 3; ++server)
            batch.add(resp::Command {"SET", "k", "v", "GET"}, server);
        (void)co_await std::move(batch);
        co_return locks::Acquisition::busy();
    }
    [[nodiscard]] exchange::Exchange<locks::ReleaseOutcome> release(base::OwnerToken) & override
    {
        co_return locks::ReleaseOutcome::Gone;
    }
};

} // namespace

/// Compares the search with the reference search.
class TestRaceSearch final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<EffectCache> effectCache;

private Q_SLOTS:
    void initTestCase()
    {
        server = std::make_unique<test::TestServer>();
        auto opened = EffectCache::open(server->endpoint());
        LATCHKEY_VERIFY_RESULT(opened);
        effectCache = std::move(*opened);
    }

    void search_agreesWithWalkingEverySchedule_data()
    {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("promise");
        QTest::addColumn<int>("clients");
        for (const char *promise :
             {"mutual-exclusion", "crash-release", "owner-only-release", "contender-neutral", "clock-free", "fenced"}) {
            for (const char *recipe : {"basic", "auto-release", "token"})
                QTest::addRow("%s, %s", recipe, promise)
                    << QString::fromLatin1(recipe) << QString::fromLatin1(promise) << 2;
        }
        QTest::newRow("three clients") << QStringLiteral("auto-release") << QStringLiteral("owner-only-release") << 3;
        QTest::newRow("a transaction") << QStringLiteral("hash-multi") << QStringLiteral("no-immortal-data") << 2;
        QTest::newRow("a cache") << QStringLiteral("hash-placeholder") << QStringLiteral("no-immortal-key") << 2;
        // Its servers are treated equally.
        QTest::newRow("servers that change places")
            << QStringLiteral("redlock") << QStringLiteral("crash-release") << 1;
        QTest::newRow("a guard") << QStringLiteral("guarded") << QStringLiteral("one-recompute") << 2;
    }
    void search_agreesWithWalkingEverySchedule()
    {
        QFETCH(QString, recipe);
        QFETCH(QString, promise);
        QFETCH(int, clients);
        const Subject subject = subjectFor(recipe, clients).value();
        const auto model = Model::create(subject, ruleOf(promise), *effectCache).value();
        Transitions transitions(*model);
        Walk walk {transitions};
        walk.from(model->start(), 0);

        Search search(transitions, {});
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QCOMPARE(search.counterexample().has_value(), walk.shortestBroken > 0);
        if (search.counterexample()) {
            QVERIFY(!search.isComplete());
            // The counterexample is a shortest one. The moves of the end check are added to the search's depth.
            if (ruleOf(promise).atEnd() == AtEnd::Nothing)
                QCOMPARE(search.counterexample()->size(), walk.shortestBroken);
            return;
        }
        QVERIFY(search.isComplete());
        QCOMPARE(search.schedules(), walk.schedules);
        QVERIFY(search.states() > 1);
        QVERIFY2(static_cast<double>(search.states()) <= walk.schedules * 64, "states are met once");
    }

    /// Merging equivalent states (permuted servers, or clients with the same future) changes neither the verdict nor
    /// the count.
    void serversThatChangePlaces_changeNoAnswer_data()
    {
        QTest::addColumn<QString>("promise");
        for (const char *promise :
             {"mutual-exclusion", "crash-release", "owner-only-release", "contender-neutral", "fenced"})
            QTest::newRow(promise) << QString::fromLatin1(promise);
    }
    void serversThatChangePlaces_changeNoAnswer()
    {
        QFETCH(QString, promise);
        const Subject alike = subjectFor(QStringLiteral("redlock"), 2).value();
        Subject apart = alike;
        apart.areServersSymmetric = false;
        const auto search = [&](const Subject &subject, const auto &readSnapshot) {
            const auto model = Model::create(subject, ruleOf(promise), *effectCache).value();
            Transitions transitions(*model);
            Search searching(transitions, {});
            QVERIFY(searching.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
            readSnapshot(searching, transitions);
        };
        std::size_t states = 0;
        double schedules = 0;
        std::optional<std::size_t> length;
        search(apart, [&](const Search &searched, Transitions &) {
            states = searched.states();
            schedules = searched.schedules();
            if (searched.counterexample())
                length = searched.counterexample()->size();
        });
        search(alike, [&](const Search &searched, Transitions &transitions) {
            QVERIFY2(searched.states() < states / 2, "they are merged");
            QCOMPARE(searched.counterexample().has_value(), length.has_value());
            if (!length) {
                QCOMPARE(searched.schedules(), schedules);
                return;
            }
            QCOMPARE(searched.counterexample()->size(), *length);
            bool isBroken = false; // Replayed from the start, without permutation.
            State state = transitions.model().start();
            for (const Move &move : *searched.counterexample()) {
                const Successor next = transitions.apply(state, move).value();
                isBroken = next.isBroken;
                state = next.state;
            }
            QVERIFY(isBroken);
        });
    }

    void recipeThatPrefersAServer_isNoticed()
    {
        Subject subject = subjectFor(QStringLiteral("guarded"), 2).value(); // The recipe asks only the first server.
        subject.servers = 3;
        subject.areServersSymmetric = true;
        const auto model = Model::create(subject, ruleOf(QStringLiteral("one-recompute")), *effectCache).value();
        Transitions transitions(*model);
        Search search(transitions, {});
        const auto done = search.step(QDeadlineTimer(QDeadlineTimer::Forever));
        QVERIFY(!done);
        QVERIFY2(done.error().message().contains(QLatin1String("equally")), qPrintable(done.error().message()));
    }

    /// Without merging, this takes more than twelve million states.
    void threeClientsOfRedlock_areAnsweredCompletely()
    {
        const Subject subject = subjectFor(QStringLiteral("redlock"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("owner-only-release")), *effectCache).value();
        Transitions transitions(*model);
        Search::Bounds bounds;
        bounds.states = 500'000;
        Search search(transitions, bounds);
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(search.isComplete() && !search.counterexample());
    }

    /// An unexpected answer could have an effect that the equivalence check has not tried.
    void unexpectedAnswer_isNoticed()
    {
        Subject subject = subjectFor(QStringLiteral("redlock"), 2).value();
        subject.client = [](ClientIndex, const Faults &) -> RunFactory {
            return [] {
                return std::make_unique<LockRun>(std::make_unique<AskingLock>(), LockRun::OptionalOperations {});
            };
        };
        const auto model = Model::create(subject, ruleOf(QStringLiteral("mutual-exclusion")), *effectCache).value();
        Transitions transitions(*model);
        Search search(transitions, {});
        const auto done = search.step(QDeadlineTimer(QDeadlineTimer::Forever));
        QVERIFY(!done);
        QVERIFY2(done.error().message().contains(QLatin1String("reckoned")), qPrintable(done.error().message()));
    }

    void slices_leadToTheSameAsOneGo()
    {
        const Subject subject = subjectFor(QStringLiteral("token"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("owner-only-release")), *effectCache).value();
        Transitions transitions(*model);
        Search whole(transitions, {});
        QVERIFY(whole.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        Search sliced(transitions, {});
        int slices = 1;
        while (!sliced.step(QDeadlineTimer(0)).value())
            ++slices;
        QVERIFY(slices > 3);
        QCOMPARE(sliced.states(), whole.states());
        QCOMPARE(sliced.steps(), whole.steps());
        QCOMPARE(sliced.schedules(), whole.schedules());
    }

    void bound_isReported()
    {
        const Subject subject = subjectFor(QStringLiteral("token"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("owner-only-release")), *effectCache).value();
        Search::Bounds bounds;
        bounds.states = 100;
        Transitions transitions(*model);
        Search search(transitions, bounds);
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(!search.isComplete());
        QVERIFY(!search.counterexample());
        QCOMPARE(search.states(), std::size_t(100));
        QVERIFY(search.schedules() >= 1);
    }

    void randomSchedule_runsToTheEndAndIsRepeatable()
    {
        const Subject subject = subjectFor(QStringLiteral("token"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("mutual-exclusion")), *effectCache).value();
        Transitions transitions(*model);
        Search search(transitions, {});
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QSet<qsizetype> lengths;
        bool differs = false;
        for (quint32 seed = 0; seed < 20; ++seed) {
            const Schedule schedule = search.randomSchedule(seed).value();
            QCOMPARE(search.randomSchedule(seed).value(), schedule);
            differs = differs || schedule != search.randomSchedule(0).value();
            State state = model->start();
            for (const Move &move : schedule)
                state = transitions.apply(state, move).value().state;
            QVERIFY(model->isOver(state));
        }
        QVERIFY(differs);
    }
};

LATCHKEY_TEST(TestRaceSearch)

} // namespace tst_racesearch

#include "tst_racesearch.moc"
