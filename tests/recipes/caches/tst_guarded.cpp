#include "core/recipes/caches/guarded.h"

#include "core/foundation/base/random.h"
#include "core/recipes/caches/catalogue.h"
#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/steppedclient.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>
#include <QTimer>

namespace tst_guarded {

using namespace latchkey;
using namespace latchkey::caches;
using base::ErrorKind;
using base::Key;
using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::BlockingDriver;
using exchange::Exchange;
using exchange::Grant;
using exchange::Stepper;
using namespace std::chrono_literals;
using Client = test::SteppedClient<Lookup>;

namespace {

GuardOptions guardOptions(GuardPolicy policy)
{
    GuardOptions options;
    options.policy = policy;
    return options;
}

/// Visits the cache as one client: looks the value up, and recomputes, stores and counts it if the lookup reports it.
Exchange<LookupOutcome> visit(GuardedCache &cache, int &recomputations)
{
    const Lookup found = co_await cache.lookup();
    if (found.outcome == LookupOutcome::MustRecompute) {
        ++recomputations;
        (void)co_await cache.store(Content::ofValue("new"), found.guard);
    }
    co_return found.outcome;
}

/// Visits the cache with a naive guard: the client does not look again after it has won the guard.
Exchange<LookupOutcome> visitWithoutSecondLook(GuardedCache &cache, int &recomputations)
{
    const Found found = co_await cache.read();
    if (found.isHit())
        co_return LookupOutcome::Hit;
    locks::TokenLock guard(GuardedCache::guardKey(Key("k")), Lease::of(10s).value());
    const locks::Acquisition won = co_await guard.acquire();
    if (!won.isAcquired())
        co_return LookupOutcome::GaveUp;
    ++recomputations;
    (void)co_await cache.store(Content::ofValue("new"), won.token);
    co_return LookupOutcome::MustRecompute;
}

using Visit = Exchange<LookupOutcome> (*)(GuardedCache &cache, int &recomputations);

} // namespace

/// The guard of a recomputation: which client recomputes, what the other clients get, and what happens after a crash.
class TestGuarded final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<BlockingDriver> driver;
    test::ScriptedRandom random;
    std::unique_ptr<GuardedCache> cache;

    void use(const GuardOptions &options, Lease lifetime = Lease::of(20s).value())
    {
        cache = std::make_unique<GuardedCache>(Key("k"), lifetime, options);
    }

    std::unique_ptr<Client> client() { return std::make_unique<Client>(server->endpoint(), cache->lookup(), random); }

    qint64 pttl(const QByteArray &key) { return (*server)({"PTTL", key}).toInteger(); }
    bool exists(const QByteArray &key) { return (*server)({"EXISTS", key}).isInteger(1); }

    /// Stores a value and deletes its key as if it had expired. The data beside the key, such as the stale copy,
    /// remain.
    void letTheValueExpire(const QByteArray &value)
    {
        const Lookup mine = driver->run(cache->lookup()).value();
        QCOMPARE(mine.outcome, LookupOutcome::MustRecompute);
        QCOMPARE(driver->run(cache->store(Content::ofValue(value), mine.guard)).value(), StoreOutcome::Stored);
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
    }

    struct Visits
    {
        int runs = 0;
        int mostRecomputations = 0;
        int fewestRecomputations = std::numeric_limits<int>::max();
    };

    /// Runs two clients that miss the same value: the first makes some steps, then the second makes some steps, then
    /// the first finishes, then the second. Runs every pair of step counts.
    Visits interleave(Visit visit)
    {
        Visits visits;
        bool firstEnded = false;
        for (int before = 0; !firstEnded; ++before) {
            bool secondEnded = false;
            for (int between = 0; !secondEnded; ++between) {
                (void)(*server)({"FLUSHALL"});
                int recomputations = 0;
                test::SteppedClient<LookupOutcome> first(server->endpoint(), visit(*cache, recomputations), random);
                test::SteppedClient<LookupOutcome> second(server->endpoint(), visit(*cache, recomputations), random);
                for (int i = 0; i < before && !first.isFinished(); ++i)
                    first.step();
                for (int i = 0; i < between && !second.isFinished(); ++i)
                    second.step();
                firstEnded = first.isFinished();
                secondEnded = second.isFinished();
                (void)first.finish();
                (void)second.finish();
                ++visits.runs;
                visits.mostRecomputations = std::max(visits.mostRecomputations, recomputations);
                visits.fewestRecomputations = std::min(visits.fewestRecomputations, recomputations);
            }
        }
        return visits;
    }

private Q_SLOTS:
    void initTestCase()
    {
        server = std::make_unique<test::TestServer>();
        driver = std::make_unique<BlockingDriver>(std::vector {server->endpoint()});
    }
    void cleanup()
    {
        cache.reset();
        QVERIFY((*server)({"FLUSHALL"}).isOk());
    }

    void hit_isOneCommand()
    {
        use(guardOptions(GuardPolicy::Wait));
        QVERIFY((*server)({"SET", "k", "v", "PX", "20000"}).isOk());
        const auto one = client();
        QCOMPARE(one->next(), QStringLiteral("GET k"));
        QVERIFY(!one->step());
        const Lookup found = one->finish().value();
        QCOMPARE(found.outcome, LookupOutcome::Hit);
        QCOMPARE(found.value, QByteArray("v"));
        QVERIFY(!found.guard);
    }

    void miss_isRecomputedOnceAndStoredWithItsLifetime()
    {
        use(guardOptions(GuardPolicy::Wait));
        const Lookup mine = driver->run(cache->lookup()).value();
        QCOMPARE(mine.outcome, LookupOutcome::MustRecompute);
        QVERIFY((*server)({"GET", "k:guard"}).isBulk(mine.guard.value().bytes()));
        QVERIFY(pttl("k:guard") > 5'000 && pttl("k:guard") <= 10'000);
        QVERIFY(mine.guardValidUntil <= driver->clock().now() + 10s);

        const QByteArray value("nul\0and \xff", 9);
        QCOMPARE(driver->run(cache->store(Content::ofValue(value), mine.guard)).value(), StoreOutcome::Stored);
        QVERIFY((*server)({"GET", "k"}).isBulk(value));
        QVERIFY(pttl("k") > 10'000 && pttl("k") <= 20'000);
        QVERIFY(!exists("k:guard"));
        QVERIFY2(!exists("k:stale"), "no reader will be served with it");
        QCOMPARE(driver->run(cache->lookup()).value().value, value);
    }

    void twoClients_recomputeTheSameMissOnce_data()
    {
        QTest::addColumn<int>("policy");
        QTest::addRow("wait") << static_cast<int>(GuardPolicy::Wait);
        QTest::addRow("stale, but there is none") << static_cast<int>(GuardPolicy::ServeStale);
    }
    void twoClients_recomputeTheSameMissOnce()
    {
        QFETCH(int, policy);
        GuardOptions options = guardOptions(static_cast<GuardPolicy>(policy));
        options.wait = 100ms; // The other client stands still meanwhile, so the whole wait is used.
        use(options);
        const Visits visits = interleave(visit);
        QVERIFY(visits.runs > 50);
        QCOMPARE(visits.mostRecomputations, 1);
        QCOMPARE(visits.fewestRecomputations, 1);
    }

    void withoutTheSecondRead_twoClientsRecompute()
    {
        use(guardOptions(GuardPolicy::Wait));
        QCOMPARE(interleave(visitWithoutSecondLook).mostRecomputations, 2);
    }

    void withoutAGuard_twoClientsRecompute()
    {
        use(guardOptions(GuardPolicy::None));
        QCOMPARE(interleave(visit).mostRecomputations, 2);
    }

    void waiting_endsWithTheValue()
    {
        use(guardOptions(GuardPolicy::Wait));
        const auto holder = client();
        const Lookup mine = holder->finish().value();
        const auto waiter = client();
        QVERIFY(waiter->stepUntil(QLatin1String("(pause 20ms)")));
        QCOMPARE(driver->run(cache->store(Content::ofValue("new"), mine.guard)).value(), StoreOutcome::Stored);
        const Lookup found = waiter->finish().value();
        QCOMPARE(found.outcome, LookupOutcome::Hit);
        QCOMPARE(found.value, QByteArray("new"));
    }

    /// Whether the value can be stored is found out once, not after each pause.
    void waiting_asksForTheValueAndTheGuardOnly()
    {
        use(guardOptions(GuardPolicy::Wait));
        const auto holder = client();
        QCOMPARE(holder->finish().value().outcome, LookupOutcome::MustRecompute);
        const auto waiter = client();
        QVERIFY(waiter->stepUntil(QLatin1String("(pause 5ms)")));
        QStringList steps;
        for (waiter->step(); !waiter->next().startsWith(QStringLiteral("(pause")); waiter->step())
            steps += waiter->next();
        QVERIFY2(steps.filter(QStringLiteral("EVAL")).isEmpty(), qPrintable(steps.join(u' ')));
        QVERIFY(!steps.filter(QStringLiteral("GET k")).isEmpty());
    }

    void waiting_growsItsPausesAndGivesUp()
    {
        GuardOptions options = guardOptions(GuardPolicy::Wait);
        options.wait = 180ms;
        use(options);
        const auto holder = client();
        QCOMPARE(holder->finish().value().outcome, LookupOutcome::MustRecompute);
        const auto waiter = client();
        QStringList pauses;
        for (; waiter->stepUntil(QLatin1String("(pause")); waiter->step())
            pauses += waiter->next();
        QCOMPARE(pauses.join(u' '),
                 QStringLiteral("(pause 5ms) (pause 10ms) (pause 20ms) (pause 40ms) (pause 50ms) (pause 50ms)"));
        QCOMPARE(waiter->finish().value().outcome, LookupOutcome::GaveUp);
    }

    void holderThatDies_isFollowedByAnotherOnceItsLeaseIsOver()
    {
        use(guardOptions(GuardPolicy::Wait));
        client()->finish().value(); // This client never acts again.
        const auto waiter = client();
        QVERIFY(waiter->stepUntil(QLatin1String("(pause")));
        QVERIFY(pttl("k:guard") > 0);
        QVERIFY((*server)({"PEXPIRE", "k:guard", "1"}).isInteger(1));
        LATCHKEY_AWAIT(pttl("k:guard") == -2);
        const Lookup found = waiter->finish().value();
        QCOMPARE(found.outcome, LookupOutcome::MustRecompute);
        QVERIFY((*server)({"GET", "k:guard"}).isBulk(found.guard.value().bytes()));
    }

    void shortLease_expires()
    {
        GuardOptions options = guardOptions(GuardPolicy::Wait);
        options.lease = Lease::of(400ms).value();
        use(options);
        QCOMPARE(driver->run(cache->lookup()).value().outcome, LookupOutcome::MustRecompute);
        QCOMPARE(driver->run(cache->lookup()).value().outcome, LookupOutcome::MustRecompute);
    }

    void holderThatComesLate_storesNothing()
    {
        use(guardOptions(GuardPolicy::Wait));
        const Lookup late = driver->run(cache->lookup()).value();
        QVERIFY((*server)({"DEL", "k:guard"}).isInteger(1)); // Its lease has expired.
        QCOMPARE(driver->run(cache->store(Content::ofValue("late"), late.guard)).value(), StoreOutcome::GuardLost);
        QVERIFY(!exists("k"));

        const Lookup next = driver->run(cache->lookup()).value();
        QCOMPARE(driver->run(cache->store(Content::ofValue("late"), late.guard)).value(), StoreOutcome::GuardLost);
        QVERIFY(!exists("k"));
        QVERIFY2((*server)({"GET", "k:guard"}).isBulk(next.guard.value().bytes()), "the other's guard stays");
        QCOMPARE(driver->run(cache->store(Content::ofValue("next"), next.guard)).value(), StoreOutcome::Stored);
        QCOMPARE(driver->run(cache->store(Content::ofValue("late"), late.guard)).value(), StoreOutcome::GuardLost);
        QVERIFY((*server)({"GET", "k"}).isBulk("next"));
    }

    void abandon_letsTheNextOneTry()
    {
        use(guardOptions(GuardPolicy::Wait));
        const Lookup mine = driver->run(cache->lookup()).value();
        QCOMPARE(driver->run(cache->abandon(mine.guard.value())).value(), locks::ReleaseOutcome::Released);
        QVERIFY(!exists("k:guard") && !exists("k"));
        const Lookup next = driver->run(cache->lookup()).value();
        QCOMPARE(next.outcome, LookupOutcome::MustRecompute);
        QCOMPARE(driver->run(cache->abandon(mine.guard.value())).value(), locks::ReleaseOutcome::NotOwner);
        QVERIFY(exists("k:guard"));
    }

    void renew_givesTheGuardANewLease()
    {
        use(guardOptions(GuardPolicy::Wait));
        const Lookup mine = driver->run(cache->lookup()).value();
        QVERIFY((*server)({"PEXPIRE", "k:guard", "3000"}).isInteger(1));
        QCOMPARE(driver->run(cache->renew(mine.guard.value())).value().outcome, locks::ExtendOutcome::Extended);
        QVERIFY(pttl("k:guard") > 5'000);
        QVERIFY((*server)({"DEL", "k:guard"}).isInteger(1));
        QCOMPARE(driver->run(cache->renew(mine.guard.value())).value().outcome, locks::ExtendOutcome::Gone);
        QVERIFY(!exists("k:guard"));
    }

    void staleValue_isServedWhileAnotherRecomputes()
    {
        GuardOptions options = guardOptions(GuardPolicy::ServeStale);
        options.staleFor = Lease::of(60s).value();
        use(options);
        letTheValueExpire("old");
        QVERIFY(pttl("k:stale") > 70'000 && pttl("k:stale") <= 80'000); // The value's 20 s and 60 s more.

        const auto holder = client();
        const Lookup mine = holder->finish().value();
        QCOMPARE(mine.outcome, LookupOutcome::MustRecompute);
        const auto other = client();
        QVERIFY2(!other->stepUntil(QLatin1String("(pause")), "no client waits");
        const Lookup stale = other->finish().value();
        QCOMPARE(stale.outcome, LookupOutcome::Stale);
        QCOMPARE(stale.value, QByteArray("old"));

        QCOMPARE(driver->run(cache->store(Content::ofValue("new"), mine.guard)).value(), StoreOutcome::Stored);
        QVERIFY((*server)({"GET", "k:stale"}).isBulk("new"));
        QCOMPARE(driver->run(cache->lookup()).value().outcome, LookupOutcome::Hit);
    }

    void staleCopy_outlivesTheValueByItsLifetimeByDefault()
    {
        use(guardOptions(GuardPolicy::ServeStale));
        letTheValueExpire("old");
        QVERIFY(pttl("k:stale") > 30'000 && pttl("k:stale") <= 40'000);
    }

    void noGuard_leavesNoTraceAndAllClientsRecompute()
    {
        use(guardOptions(GuardPolicy::None));
        const Lookup first = driver->run(cache->lookup()).value();
        const Lookup second = driver->run(cache->lookup()).value();
        QCOMPARE(first.outcome, LookupOutcome::MustRecompute);
        QCOMPARE(second.outcome, LookupOutcome::MustRecompute);
        QVERIFY(!first.guard && !exists("k:guard"));
        QCOMPARE(driver->run(cache->store(Content::ofValue("1"), first.guard)).value(), StoreOutcome::Stored);
        QCOMPARE(driver->run(cache->store(Content::ofValue("2"), second.guard)).value(), StoreOutcome::Stored);
        QVERIFY((*server)({"GET", "k"}).isBulk("2"));
        QVERIFY(pttl("k") > 10'000);
    }

    void write_isALookupAndAStore()
    {
        use(guardOptions(GuardPolicy::Wait));
        QCOMPARE(driver->run(cache->write(Content::ofValue("first"))).value(), WriteOutcome::Written);
        QVERIFY(!exists("k:guard"));
        QCOMPARE(driver->run(cache->write(Content::ofValue("second"))).value(), WriteOutcome::Exists);
        QVERIFY((*server)({"GET", "k"}).isBulk("first"));

        GuardOptions options = guardOptions(GuardPolicy::ServeStale);
        options.wait = 0ms;
        use(options);
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        const Lookup mine = driver->run(cache->lookup()).value();
        QCOMPARE(driver->run(cache->write(Content::ofValue("second"))).value(), WriteOutcome::Busy);
        QVERIFY((*server)({"SET", "k:stale", "old"}).isOk());
        QCOMPARE(driver->run(cache->write(Content::ofValue("second"))).value(), WriteOutcome::Busy);
        QVERIFY(!exists("k"));
        QCOMPARE(driver->run(cache->abandon(mine.guard.value())).value(), locks::ReleaseOutcome::Released);
    }

    void foreignKey_isNeverReplaced()
    {
        use(guardOptions(GuardPolicy::ServeStale));
        const Lookup mine = driver->run(cache->lookup()).value();
        QVERIFY((*server)({"RPUSH", "k", "a"}).isInteger(1));
        QCOMPARE(driver->run(cache->lookup()).error().kind, ErrorKind::WrongType);
        QCOMPARE(driver->run(cache->store(Content::ofValue("new"), mine.guard)).error().kind, ErrorKind::WrongType);
        QVERIFY((*server)({"LLEN", "k"}).isInteger(1));
        QVERIFY2(!exists("k:guard"), "what cannot be stored is not recomputed under this guard any more");
        QVERIFY(!exists("k:stale"));

        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QVERIFY((*server)({"RPUSH", "k:stale", "a"}).isInteger(1));
        const Lookup next = driver->run(cache->lookup()).value();
        QCOMPARE(driver->run(cache->store(Content::ofValue("new"), next.guard)).error().kind, ErrorKind::WrongType);
        QVERIFY(!exists("k") && (*server)({"LLEN", "k:stale"}).isInteger(1));
    }

    void failedSecondRead_releasesTheGuard()
    {
        use(guardOptions(GuardPolicy::Wait));
        const auto one = client();
        QVERIFY(one->stepUntil(QLatin1String("SET k:guard")));
        one->step();
        QVERIFY(exists("k:guard"));
        QVERIFY((*server)({"RPUSH", "k", "a"}).isInteger(1));
        QCOMPARE(one->finish().error().kind, ErrorKind::WrongType);
        QVERIFY(!exists("k:guard"));
    }

    void valueThatCameBeforeTheGuard_isAHitAndLetsGoOfIt()
    {
        use(guardOptions(GuardPolicy::Wait));
        const auto one = client();
        QVERIFY(one->stepUntil(QLatin1String("SET k:guard")));
        QVERIFY((*server)({"SET", "k", "v", "PX", "20000"}).isOk());
        const Lookup found = one->finish().value();
        QCOMPARE(found.outcome, LookupOutcome::Hit);
        QCOMPARE(found.value, QByteArray("v"));
        QVERIFY(!exists("k:guard"));
    }

    void lostAnswerOfAStore_isUnknownAndTheGuardIsLetGo()
    {
        use(guardOptions(GuardPolicy::Wait));
        Stepper stepper(cache->store(Content::ofValue("new"), OwnerToken("t")));
        QVERIFY(exchange::toText(stepper.step()).startsWith(QStringLiteral("EVALSHA ")));
        stepper.grant(Grant(Answer(base::failure(ErrorKind::ConnectionLost, QStringLiteral("lost")))));
        QVERIFY(exchange::toText(stepper.step()).endsWith(QStringLiteral(" 1 k:guard t")));
        stepper.grant(Grant(Answer(base::failure(ErrorKind::Unreachable, QStringLiteral("refused")))));
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult().error().kind, ErrorKind::ConnectionLost);
    }

    /// Many clients on the event loop, each with its own connection: the purpose of the guard.
    void crowd_recomputesOnce_data()
    {
        QTest::addColumn<int>("policy");
        QTest::addColumn<int>("recomputations");
        QTest::addColumn<int>("stale");
        QTest::addRow("wait") << static_cast<int>(GuardPolicy::Wait) << 1 << 0;
        QTest::addRow("serve stale") << static_cast<int>(GuardPolicy::ServeStale) << 1 << 15;
        QTest::addRow("no guard: the stampede") << static_cast<int>(GuardPolicy::None) << 16 << 0;
    }
    void crowd_recomputesOnce()
    {
        QFETCH(int, policy);
        QFETCH(int, recomputations);
        QFETCH(int, stale);
        constexpr int crowd = 16;
        use(guardOptions(static_cast<GuardPolicy>(policy)));
        letTheValueExpire("old");

        std::vector<std::unique_ptr<net::Session>> sessions;
        std::vector<std::unique_ptr<exchange::LoopDriver>> drivers;
        std::map<LookupOutcome, int> outcomes;
        QSet<QByteArray> values;
        std::vector<std::pair<int, Lookup>> recomputing; // Clients that must recompute.
        QSet<int> askedForTheGuard;
        int stored = 0;
        int ended = 0;
        for (int i = 0; i < crowd; ++i) {
            sessions.push_back(std::make_unique<net::Session>(server->endpoint(), base::SystemClock::instance(),
                                                              base::SystemRandom::instance()));
            drivers.push_back(std::make_unique<exchange::LoopDriver>(
                std::vector {sessions.back().get()}, base::SystemClock::instance(), base::SystemRandom::instance()));
            drivers.back()->setListener([&askedForTheGuard, i](const exchange::TranscriptEntry &entry) {
                if (entry.request.command().name() == "SET")
                    askedForTheGuard.insert(i);
            });
            sessions.back()->start();
        }
        LATCHKEY_AWAIT(std::all_of(sessions.begin(), sessions.end(),
                                   [](const auto &session) { return session->state() == net::Session::State::Ready; }));
        for (int i = 0; i < crowd; ++i) {
            drivers[static_cast<std::size_t>(i)]->run<Lookup>(cache->lookup(), [&, i](base::Result<Lookup> found) {
                const Lookup lookup = found.value();
                ++outcomes[lookup.outcome];
                ++ended;
                if (lookup.outcome == LookupOutcome::MustRecompute)
                    recomputing.emplace_back(i, lookup);
                else
                    values.insert(lookup.value);
            });
        }
        // No client stores before every client has missed, and has asked for the guard if there is one.
        LATCHKEY_AWAIT(recomputing.size() == static_cast<std::size_t>(recomputations)
                       && (ended == crowd || askedForTheGuard.size() == crowd));
        for (const auto &[who, lookup] : recomputing) {
            drivers[static_cast<std::size_t>(who)]->run<StoreOutcome>(
                cache->store(Content::ofValue("new"), lookup.guard),
                [&](const base::Result<StoreOutcome> &outcome) { stored += outcome.value() == StoreOutcome::Stored; });
        }
        LATCHKEY_AWAIT(ended == crowd && stored == recomputations);
        QCOMPARE(outcomes[LookupOutcome::MustRecompute], recomputations);
        QCOMPARE(outcomes[LookupOutcome::Stale], stale);
        QCOMPARE(outcomes[LookupOutcome::Hit], crowd - recomputations - stale);
        QVERIFY(values.isEmpty() || values == QSet<QByteArray> {stale > 0 ? "old" : "new"});
        QVERIFY(!exists("k:guard"));
    }
};

LATCHKEY_TEST(TestGuarded)

} // namespace tst_guarded

#include "tst_guarded.moc"
