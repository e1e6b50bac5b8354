#include "core/races/search.h"
#include "tests/support/await.h"
#include "tests/support/testserver.h"

#include <QSet>
#include <QTest>

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

/// Every schedule walked to its end, one by one: slow, and too simple to be wrong.
struct Walk
{
    Model &model;
    double schedules = 0;
    std::size_t shortestBroken = 0; ///< 0: none is.

    void from(const State &state, std::size_t length)
    {
        if (model.isQuiet(state)) {
            const auto complaint = model.complaintAtEnd(state).value();
            if (complaint)
                broken(length + complaint->size());
        }
        std::vector<Move> moves;
        model.moves(state, moves);
        if (moves.empty())
            ++schedules;
        for (const Move &move : moves) {
            const Successor next = model.apply(state, move).value();
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

} // namespace

/// The search against schedules walked one by one.
class TestRaceSearch final : public QObject
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
        QTest::newRow("a guard") << QStringLiteral("guarded") << QStringLiteral("one-recompute") << 2;
    }
    void search_agreesWithWalkingEverySchedule()
    {
        QFETCH(QString, recipe);
        QFETCH(QString, promise);
        QFETCH(int, clients);
        const Subject subject = subjectFor(recipe, clients).value();
        const auto model = Model::create(subject, ruleOf(promise), *testbed).value();
        Walk walk {*model};
        walk.from(model->start(), 0);

        Search search(*model, {});
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QCOMPARE(search.counterexample().has_value(), walk.shortestBroken > 0);
        if (search.counterexample()) {
            QVERIFY(!search.isComplete());
            // A shortest one; the moves that show it at the end come on top of the search's own depth.
            if (ruleOf(promise).atEnd() == AtEnd::Nothing)
                QCOMPARE(search.counterexample()->size(), walk.shortestBroken);
            return;
        }
        QVERIFY(search.isComplete());
        QCOMPARE(search.schedules(), walk.schedules);
        QVERIFY(search.states() > 1);
        QVERIFY2(static_cast<double>(search.states()) <= walk.schedules * 64, "states are met once");
    }

    void slices_leadToTheSameAsOneGo()
    {
        const Subject subject = subjectFor(QStringLiteral("token"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("owner-only-release")), *testbed).value();
        Search whole(*model, {});
        QVERIFY(whole.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        Search sliced(*model, {});
        int slices = 1;
        while (!sliced.step(QDeadlineTimer(0)).value())
            ++slices;
        QVERIFY(slices > 3);
        QCOMPARE(sliced.states(), whole.states());
        QCOMPARE(sliced.steps(), whole.steps());
        QCOMPARE(sliced.schedules(), whole.schedules());
    }

    void bound_isSaid()
    {
        const Subject subject = subjectFor(QStringLiteral("token"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("owner-only-release")), *testbed).value();
        Search::Bounds bounds;
        bounds.states = 100;
        Search search(*model, bounds);
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QVERIFY(!search.isComplete());
        QVERIFY(!search.counterexample());
        QVERIFY(search.states() >= 100 && search.states() < 150);
        QVERIFY(search.schedules() >= 1);
    }

    void randomSchedule_runsToTheEndAndIsRepeatable()
    {
        const Subject subject = subjectFor(QStringLiteral("token"), 3).value();
        const auto model = Model::create(subject, ruleOf(QStringLiteral("mutual-exclusion")), *testbed).value();
        Search search(*model, {});
        QVERIFY(search.step(QDeadlineTimer(QDeadlineTimer::Forever)).value());
        QSet<qsizetype> lengths;
        bool differs = false;
        for (quint32 seed = 0; seed < 20; ++seed) {
            const Schedule schedule = search.randomSchedule(seed).value();
            QCOMPARE(search.randomSchedule(seed).value(), schedule);
            differs = differs || schedule != search.randomSchedule(0).value();
            State state = model->start();
            for (const Move &move : schedule)
                state = model->apply(state, move).value().state;
            QVERIFY(model->isOver(state));
        }
        QVERIFY(differs);
    }
};

QTEST_GUILESS_MAIN(TestRaceSearch)
#include "tst_racesearch.moc"
