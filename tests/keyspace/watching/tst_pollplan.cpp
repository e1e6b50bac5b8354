#include "core/keyspace/watching/pollplan.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QHash>
#include <QTest>

namespace tst_pollplan {

using namespace latchkey;
using namespace latchkey::watching;
using base::Deadline;
using keys::KeyId;
using keys::KeyState;
using keys::KeyTable;
using namespace std::chrono_literals;

namespace {

/// A server that answers every request of the plan at once and counts the requests.
struct Fixture
{
    KeyId add(const QByteArray &key, std::optional<std::chrono::milliseconds> left)
    {
        const KeyId id = table.insert(key);
        table.setDeadline(id, left ? Deadline(clock.now() + *left, 1ms) : Deadline::never());
        table.setSampled(id, clock.now());
        plan.recordExpiry(id, table.deadline(id), clock.now());
        return id;
    }

    /// Ticks like the watcher, with at most `most` commands per tick.
    void run(std::chrono::milliseconds time, std::size_t most = 1000)
    {
        for (const auto end = clock.now() + time; clock.now() < end;) {
            clock.advance(33ms);
            for (const KeyId id : plan.due(clock.now(), most)) {
                ++asked[table.key(id).toByteArray()];
                times[table.key(id).toByteArray()] += clock.now();
                table.setSampled(id, clock.now());
            }
        }
    }

    [[nodiscard]] int total() const
    {
        int sum = 0;
        for (const int count : asked)
            sum += count;
        return sum;
    }

    test::ManualClock clock;
    keys::KnownKeys known {clock.now()};
    KeyTable &table = known.table;
    PollPlan plan {known};
    QHash<QByteArray, int> asked;
    QHash<QByteArray, QList<base::MonotonicTime>> times;
};

} // namespace

class TestPollPlan final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nearEnds_areFollowedCloserThanFarOnes()
    {
        Fixture b;
        for (int i = 0; i < 20'000; ++i)
            b.add("filler:" + QByteArray::number(i), std::chrono::hours(1));
        b.add("near", 10s);
        b.add("middle", 60s);
        b.add("far", std::chrono::hours(1));
        b.add("never", std::nullopt);
        b.run(8s);
        QVERIFY2(b.asked["near"] >= 8, qPrintable(QString::number(b.asked["near"])));
        QVERIFY2(b.asked["near"] > b.asked["middle"], qPrintable(QString::number(b.asked["middle"])));
        QVERIFY(b.asked["far"] <= 1);
        QVERIFY(b.asked["never"] <= 1);
    }

    void keyPastItsDeadline_isPolledUntilItIsAbsent()
    {
        Fixture b;
        for (int i = 0; i < 20'000; ++i)
            b.add("filler:" + QByteArray::number(i), std::chrono::hours(1));
        const auto end = b.clock.now() + 1s;
        const KeyId id = b.add("k", 1s);
        b.run(1s + 100ms);
        const auto times = b.times["k"];
        const auto first = std::find_if(times.begin(), times.end(), [end](auto time) { return time > end; });
        QVERIFY2(first != times.end() && *first <= end + 70ms, "within two ticks of its end");
        const int before = b.asked["k"];
        b.run(1s);
        QVERIFY2(b.asked["k"] >= before + 7, "a key that should be gone and is not is asked about ten times a second");
        b.table.setState(id, KeyState::Expired);
        const int gone = b.asked["k"];
        b.run(1s);
        QCOMPARE(b.asked["k"], gone);
    }

    void keysOnScreen_areAskedAboutOften()
    {
        Fixture b;
        for (int i = 0; i < 20'000; ++i)
            b.add("filler:" + QByteArray::number(i), std::chrono::hours(1));
        const KeyId id = b.add("k", std::chrono::hours(1));
        b.plan.setVisibleKeys({id});
        b.run(3s);
        QVERIFY2(b.asked["k"] >= 9 && b.asked["k"] <= 13, qPrintable(QString::number(b.asked["k"])));
    }

    void fewKeys_areAllAskedWithinASecond()
    {
        Fixture b;
        for (int i = 0; i < 100; ++i)
            b.add("k" + QByteArray::number(i), std::chrono::hours(1));
        b.run(5s);
        QCOMPARE(b.asked.size(), 100);
        for (auto count = b.asked.cbegin(); count != b.asked.cend(); ++count)
            QVERIFY2(*count >= 3, count.key().constData());
    }

    void manyKeys_areAskedInTurn()
    {
        Fixture b;
        b.plan.setCommandsPerSecond(1000);
        for (int i = 0; i < 10'000; ++i)
            b.add("k" + QByteArray::number(i), std::chrono::hours(1));
        b.run(60s, 33);
        QCOMPARE(b.asked.size(), 10'000);
        const double perSecond = b.total() / 60.0;
        QVERIFY2(perSecond < 1000, qPrintable(QString::number(perSecond)));
    }

    void shortBudget_goesToTheMostUrgent()
    {
        Fixture b;
        for (int i = 0; i < 5000; ++i)
            b.add("filler:" + QByteArray::number(i), std::chrono::minutes(10));
        b.add("near", 4s);
        b.run(4s, 2);
        QVERIFY2(b.asked["near"] >= 5, qPrintable(QString::number(b.asked["near"])));
    }

    void doubtedKeys_areAskedOnceTheBudgetAllows()
    {
        Fixture b;
        for (int i = 0; i < 20'000; ++i)
            b.add("filler:" + QByteArray::number(i), std::chrono::hours(1));
        const KeyId id = b.add("k", std::chrono::hours(1));
        b.plan.addMissed(id);
        b.run(100ms);
        QCOMPARE(b.asked["k"], 1);
    }

    /// Even if more keys are due than the budget allows, other keys get their turn.
    void manyDueKeys_keepNeitherTheScreenNorDoubtsWaiting()
    {
        Fixture b;
        for (int i = 0; i < 20'000; ++i)
            b.add("due:" + QByteArray::number(i), 1ms);
        const KeyId shown = b.add("shown", std::chrono::hours(1));
        const KeyId doubted = b.add("doubted", std::chrono::hours(1));
        b.clock.advance(1s);
        b.plan.setVisibleKeys({shown});
        b.plan.addMissed(doubted);
        b.run(100ms, 10);
        QVERIFY2(b.asked["shown"] >= 1, "it is on screen");
        QCOMPARE(b.asked["doubted"], 1);
        QVERIFY(b.total() >= 20);
    }

    void keysThatAreBeingAskedAbout_areNotAskedAgain()
    {
        Fixture b;
        const KeyId id = b.add("k", 2s);
        b.plan.began({id});
        b.run(3s);
        QCOMPARE(b.total(), 0);
        b.plan.ended({id});
        b.run(1s);
        QVERIFY(b.asked["k"] > 0);
    }

    void erasedKeys_areNotAskedAbout()
    {
        Fixture b;
        const KeyId id = b.add("k", 2s);
        b.plan.setVisibleKeys({id});
        b.plan.addMissed(id);
        b.table.erase(id);
        b.run(3s);
        QCOMPARE(b.total(), 0);
    }
};

LATCHKEY_TEST(TestPollPlan)

} // namespace tst_pollplan

#include "tst_pollplan.moc"
