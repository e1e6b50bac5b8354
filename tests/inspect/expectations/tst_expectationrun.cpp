#include "core/inspect/expectations/report.h"
#include "core/inspect/inspection/serverregistry.h"
#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

namespace tst_expectationrun {

using namespace latchkey;
using namespace std::chrono_literals;
using expectations::ExpectationRun;
using expectations::KeyResult;
using expectations::Verdict;
using inspection::InspectedServer;
using watching::EventSource;
using watching::Watcher;
using Outcome = Verdict::Outcome;
using Why = Verdict::Why;

namespace {

std::vector<expectations::Expectation> parsed(const QStringList &sentences)
{
    std::vector<expectations::Expectation> all;
    for (const QString &sentence : sentences)
        all.push_back(expectations::parseExpectation(sentence).value());
    return all;
}

} // namespace

/// Tests of runs on a real server.
class TestExpectationRun final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<inspection::ServerRegistry> registry;
    std::shared_ptr<InspectedServer> inspected;
    std::unique_ptr<ExpectationRun> run;

    void open(const base::Clock &clock = base::SystemClock::instance())
    {
        run.reset();
        inspected.reset();
        registry = std::make_unique<inspection::ServerRegistry>(clock, random);
        inspected = registry->open(server->endpoint(), false);
    }
    /// Makes the server refuse notifications and client tracking.
    void allowPollingOnly()
    {
        if (!(*server)({"ACL", "SETUSER", "default", "-client|tracking", "-config"}).isOk())
            qFatal("the permissions of the user cannot be changed");
    }
    void set(const QByteArray &key, const QByteArray &seconds = {})
    {
        if (!(*server)(seconds.isEmpty() ? resp::Command {"SET", key, "1"}
                                         : resp::Command {"SET", key, "1", "EX", seconds})
                 .isOk())
            qFatal("the server does not take a key");
    }
    /// Sets the keys a:1, a:2 … for an hour.
    void setMany(int count)
    {
        if (!(*server)({"EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'a:' .. i, 'v', 'EX', 3600) end return 1", "0",
                        QByteArray::number(count)})
                 .isInteger(1))
            qFatal("the server does not take keys");
    }
    /// Starts a run and returns after it has begun.
    void begin(const QStringList &sentences)
    {
        run = std::make_unique<ExpectationRun>(*inspected, parsed(sentences));
        inspected->start();
        if (!test::waitFor([&] { return run->begun().has_value(); }))
            qFatal("the run did not begin");
    }
    /// Ends the run with a timeout longer than that of the test program, and returns after the end.
    void finish()
    {
        const QSignalSpy finished(run.get(), &ExpectationRun::finished);
        run->finish(1h);
        if (!test::waitFor([&] { return finished.size() == 1; }, 20s))
            qFatal("the run did not end");
    }
    [[nodiscard]] Verdict verdict(std::size_t result = 0) const { return run->results().at(result).verdict; }
    /// Returns the number of PTTL commands that the server has executed.
    [[nodiscard]] qint64 looks()
    {
        const QByteArray info = (*server)({"INFO", "commandstats"}).bytes();
        const QByteArray head("cmdstat_pttl:calls=");
        const qsizetype at = info.indexOf(head);
        return at < 0 ? 0 : info.mid(at + head.size(), info.indexOf(',', at) - at - head.size()).toLongLong();
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        open();
    }
    void cleanup()
    {
        run.reset();
        inspected.reset();
        registry.reset();
        server.reset();
    }

    void neededTime_isThatOfTheLongestExpectation()
    {
        QCOMPARE(ExpectationRun::neededTime(
                     parsed({QStringLiteral("a gone between 1s and 5s"), QStringLiteral("b exists until 7s"),
                             QStringLiteral("c renewed at least every 2s")})),
                 7s);
        // Two renewals enclose one interval.
        QCOMPARE(ExpectationRun::neededTime(
                     parsed({QStringLiteral("c renewed at least every 4s"), QStringLiteral("b exists until 7s")})),
                 8s);
    }

    void runOfNamedKeys_beginsOnceAllAreRead()
    {
        set("a", "3600");
        run = std::make_unique<ExpectationRun>(
            *inspected, parsed({QStringLiteral("a exists until 1m"), QStringLiteral("b exists until 1m"),
                                QStringLiteral("c* exists until 1m")}));
        const QSignalSpy began(run.get(), &ExpectationRun::began);
        bool isScanned = false;
        connect(run.get(), &ExpectationRun::began, this,
                [&] { isScanned = inspected->watcher().phase() == Watcher::Phase::Watching; });
        QVERIFY(!run->begun());
        inspected->start();
        LATCHKEY_AWAIT(run->begun());
        QVERIFY(isScanned);
        QCOMPARE(verdict(0).why, Why::WatchedTooShort);
        const qint64 before = looks();
        LATCHKEY_AWAIT(looks() > before + 6);
        QCOMPARE(began.size(), 1);
        QVERIFY(!run->isOver());
    }

    /// A pattern without a key is known to be so only after a scan.
    void runOfPatterns_beginsAfterTheFirstScan()
    {
        set("other");
        run = std::make_unique<ExpectationRun>(*inspected, parsed({QStringLiteral("c* exists until 1m")}));
        const QSignalSpy began(run.get(), &ExpectationRun::began);
        bool isScanned = false;
        connect(run.get(), &ExpectationRun::began, this,
                [&] { isScanned = inspected->watcher().phase() == Watcher::Phase::Watching; });
        inspected->start();
        LATCHKEY_AWAIT(run->begun());
        QVERIFY(isScanned);
        QCOMPARE(began.size(), 1);
        QVERIFY(!run->isSettled());
    }

    void eachPatternWithoutAKey_hasAFinding()
    {
        set("a:1", "3600");
        begin({QStringLiteral("a:* never without expiry"), QStringLiteral("b:* never without expiry"),
               QStringLiteral("c never without expiry")});
        LATCHKEY_AWAIT(run->results()[0].key == "a:1");
        finish();
        const std::vector<KeyResult> results = run->results();
        QCOMPARE(results.size(), std::size_t(3));
        QCOMPARE(results[0].verdict.outcome, Outcome::Holds);
        QCOMPARE(results[1].expectation, std::size_t(1));
        QCOMPARE(results[1].key, QByteArray("b:*"));
        QCOMPARE(results[1].verdict.why, Why::NeverSeen);
        QCOMPARE(results[2].key, QByteArray("c"));
        QCOMPARE(results[2].verdict.outcome, Outcome::Unknown);
    }

    /// Before its end, a run looks again, since a change may not have been seen yet.
    void changeJustBeforeTheEnd_isSeen_data()
    {
        QTest::addColumn<bool>("hasEvents");
        QTest::addColumn<int>("others");
        QTest::addRow("with events") << true << 0;
        QTest::addRow("polling only") << false << 0;
        QTest::addRow("as many keys as a run looks at") << false << 999;
    }
    void changeJustBeforeTheEnd_isSeen()
    {
        QFETCH(bool, hasEvents);
        QFETCH(int, others);
        if (!hasEvents)
            allowPollingOnly();
        set("a", "3600");
        setMany(others);
        begin({QStringLiteral("a* never without expiry")});
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        LATCHKEY_AWAIT((inspected->events().mechanism() != EventSource::Mechanism::None) == hasEvents);
        QVERIFY((*server)({"PERSIST", "a"}).isInteger(1));
        finish();
        QCOMPARE(verdict().outcome, Outcome::Fails);
        QCOMPARE(verdict().why, Why::WithoutExpiry);
        // The verdict stays, and the server is not asked any more.
        QVERIFY((*server)({"EXPIRE", "a", "3600"}).isInteger(1));
        QVERIFY(run->isOver());
        QCOMPARE(verdict().outcome, Outcome::Fails);
    }

    /// The key exists at every read, and only the server's events show that it was deleted meanwhile.
    void deletionBetweenTwoReads_isReportedBeforeTheEnd()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        set("a", "3600");
        begin({QStringLiteral("a gone between 0ms and 1h")});
        LATCHKEY_AWAIT(inspected->events().mechanism() == EventSource::Mechanism::Notifications);
        const qint64 before = looks();
        LATCHKEY_AWAIT(looks() > before + 2);
        QVERIFY((*server)({"DEL", "a"}).isInteger(1));
        set("a", "3600");
        finish();
        QCOMPARE(verdict().outcome, Outcome::Holds);
        QCOMPARE(verdict().ending, events::Ending::Deleted);
    }

    /// The requests of the last reads are as old as the end, if the clock stands still.
    void runUnderAClockThatStands_ends()
    {
        test::ManualClock clock;
        open(clock);
        set("a", "3600");
        begin({QStringLiteral("a never without expiry")});
        const base::WallTime began = clock.wallNow();
        finish();
        QCOMPARE(verdict().outcome, Outcome::Holds);
        clock.advance(5s);
        const expectations::Report report = expectations::Report::of(*run, *inspected);
        QCOMPARE(report.watched, std::chrono::nanoseconds(5s));
        QCOMPARE(report.began, began);
        QCOMPARE(report.outcome(), Outcome::Holds);
    }

    /// A run of more keys than it looks at itself does not wait for the next read of each.
    void runOfManyKeys_endsWithoutReadingEach()
    {
        allowPollingOnly();
        setMany(1001);
        begin({QStringLiteral("a:* never without expiry")});
        LATCHKEY_AWAIT(run->results().size() == 1001);
        const QSignalSpy finished(run.get(), &ExpectationRun::finished);
        const qint64 before = looks();
        run->finish(1h);
        LATCHKEY_AWAIT(finished.size() == 1);
        QVERIFY2(looks() - before < 1000, qPrintable(QString::number(looks() - before)));
        QCOMPARE(expectations::Report::of(*run, *inspected).outcome(), Outcome::Holds);
    }

    void runOfAServerThatWasNeverReached_endsAtOnce()
    {
        set("a", "3600");
        run = std::make_unique<ExpectationRun>(*inspected, parsed({QStringLiteral("a exists until 1m")}));
        finish();
        QCOMPARE(verdict().outcome, Outcome::Unknown);
        QCOMPARE(verdict().why, Why::NeverSeen);
    }

    void runOfAServerThatStopsAnswering_ends()
    {
        set("a", "3600");
        begin({QStringLiteral("a exists until 1m")});
        const auto id = static_cast<pid_t>(server->process().processId());
        QCOMPARE(::kill(id, SIGSTOP), 0);
        finish();
        QCOMPARE(::kill(id, SIGCONT), 0);
        QCOMPARE(verdict().outcome, Outcome::Unknown);
        QVERIFY(!run->coverage().isObserving());
    }

    /// Continuous polling of one key leaves the rest of the budget unused.
    void fewKeys_areNotAskedWithoutPause()
    {
        allowPollingOnly();
        set("a", "3600");
        begin({QStringLiteral("a exists until 1h")});
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        const qint64 before = looks();
        QElapsedTimer time;
        time.start();
        LATCHKEY_AWAIT(looks() >= before + 60);
        // One read in 25 ms, and as many again by the watcher. A slow machine makes fewer.
        QVERIFY2(looks() - before <= time.elapsed() * 2 / 25 + 20, qPrintable(QString::number(time.elapsed())));
    }

    void namedKeys_doNotWaitForTheScan()
    {
        QVERIFY((*server)({"EVAL", "for i = 1, 100000 do redis.call('SET', 'k:' .. i, 'v') end return 1", "0"})
                    .isInteger(1));
        run = std::make_unique<ExpectationRun>(*inspected, parsed({QStringLiteral("a exists until 1m")}));
        bool isScanned = false;
        connect(run.get(), &ExpectationRun::began, this,
                [&] { isScanned = inspected->watcher().phase() == Watcher::Phase::Watching; });
        inspected->start();
        LATCHKEY_AWAIT(run->begun());
        QVERIFY(!isScanned);
    }

    /// Beyond the limit, only keys that fail at one read are evaluated.
    void keysBeyondTheLimit_areLeftOut()
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, 5050 do redis.call('SET', 's:' .. i, 'v', 'PX', 3600000) "
                           "redis.call('SET', 't:' .. i, 'v') end return 1",
                           "0"})
                    .isInteger(1));
        begin({QStringLiteral("s:* never without expiry"), QStringLiteral("t:* exists until 1h")});
        LATCHKEY_AWAIT(run->leftOut() == 100);
        QCOMPARE(qsizetype(run->results().size()), ExpectationRun::maxKeys);
    }

    void runIsSettled_whenNoVerdictCanChange()
    {
        set("a", "3600");
        begin({QStringLiteral("a exists until 1ms"), QStringLiteral("b gone between 1s and 2s")});
        LATCHKEY_AWAIT(verdict(0).outcome == Outcome::Holds);
        QVERIFY(!run->isSettled());
        begin({QStringLiteral("a exists until 1ms"), QStringLiteral("a gone between 1ms and 2ms")});
        LATCHKEY_AWAIT(run->isSettled());
        QCOMPARE(verdict(0).outcome, Outcome::Holds);
        QCOMPARE(verdict(1).outcome, Outcome::Fails);
    }

    void keyThatExpires_isGoneInTime()
    {
        set("a", "3600");
        begin({QStringLiteral("a gone between 1ms and 1h")});
        LATCHKEY_AWAIT(inspected->events().mechanism() == EventSource::Mechanism::Tracking);
        QVERIFY((*server)({"PEXPIRE", "a", "400"}).isInteger(1));
        LATCHKEY_AWAIT(run->isSettled());
        QCOMPARE(verdict().outcome, Outcome::Holds);
        QCOMPARE(verdict().why, Why::Ended);
    }
};

LATCHKEY_TEST(TestExpectationRun)

} // namespace tst_expectationrun

#include "tst_expectationrun.moc"
