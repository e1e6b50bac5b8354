#include "core/inspect/history/history.h"
#include "core/inspect/history/historytexts.h"
#include "core/inspect/history/holdjson.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_history {

using namespace latchkey;
using namespace latchkey::history;
using base::Deadline;
using events::Ending;
using events::KeyEvent;
using events::Source;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

namespace {

keys::RawValue string(const QByteArray &value)
{
    return {keys::KeyType::String, value.size(), {value}};
}

/// A history of locks with their holders as values, and the key events fed to it.
struct Fixture
{
    explicit Fixture(const History::Limits &limits = {})
        : history(
              [](const QByteArray &, const keys::RawValue &value) {
                  return value.bytes().isEmpty() ? std::nullopt : std::optional(value.bytes());
              },
              limits)
    {}

    KeyEvent keyEvent(Type what, const History::LockId &at)
    {
        KeyEvent event;
        event.key = at.key;
        event.node = at.node;
        event.type = what;
        event.notBefore = clock.now() - 1ms;
        event.notAfter = clock.now();
        return event;
    }
    void starts(Type what, const QByteArray &holder, std::chrono::milliseconds lease, const History::LockId &at)
    {
        KeyEvent event = keyEvent(what, at);
        event.after = string(holder);
        event.deadline = Deadline(clock.now() + lease, 1ms);
        history.take(event);
    }
    void acquire(const QByteArray &holder, std::chrono::milliseconds lease = 10s)
    {
        starts(Type::Appeared, holder, lease, k);
    }
    void extend(std::chrono::milliseconds lease = 10s)
    {
        KeyEvent event = keyEvent(Type::Renewed, k);
        event.deadline = Deadline(clock.now() + lease, 1ms);
        history.take(event);
    }
    void end(Ending ending, std::optional<Deadline> deadline = std::nullopt, Source source = Source::Notification)
    {
        KeyEvent event = keyEvent(Type::Ended, k);
        event.ending = ending;
        event.deadline = deadline;
        event.source = source;
        history.take(event);
    }
    const Hold &last() const { return history.holds(k).back(); }

    const History::LockId k {"k", 0};
    test::ManualClock clock;
    History history;
};

} // namespace

class TestHistory final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The start is reported after all earlier events were received; the lock was recognised before that.
    void startReportedLate_belongsToTheObservedHold()
    {
        Fixture b;
        const auto seen = b.clock.now();
        b.history.seen(b.k, Deadline(seen + 10s, 1ms), string("a"), seen);
        QCOMPARE(b.last().start, Hold::Start::Unseen);
        KeyEvent event = b.keyEvent(Type::Appeared, b.k);
        event.notBefore = seen - 100ms;
        event.notAfter = seen + 3ms;
        b.history.take(event);
        QCOMPARE(b.history.holds(b.k).size(), 1U);
        QCOMPARE(b.last().start, Hold::Start::Acquired);
        QVERIFY(b.last().from.earliest == seen - 100ms && b.last().from.latest == seen + 3ms);
        QCOMPARE(b.last().holder, QByteArray("a"));
        QCOMPARE(b.history.statistics(b.k).holds, qsizetype(1));

        // A hold seen before the key was absent is another one.
        event.notBefore = seen + 5ms;
        event.notAfter = seen + 8ms;
        event.after = string("b");
        b.history.take(event);
        QCOMPARE(b.history.holds(b.k).size(), 2U);
        QCOMPARE(b.last().start, Hold::Start::Acquired);
    }

    /// The hold was seen at 0; the key was absent at `from` and existed at `to`.
    void startReportedLate_countsForItsOwnHoldOnly_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<int>("holds");
        QTest::addRow("absent before") << -1 << 1 << 2;
        QTest::addRow("existed just then") << -1 << 0 << 2;
        QTest::addRow("absent just then") << 0 << 1 << 3;
        QTest::addRow("absent later") << 1 << 2 << 3;
        QTest::addRow("existed before") << -2 << -1 << 2;
    }
    void startReportedLate_countsForItsOwnHoldOnly()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        Fixture b;
        b.acquire("ann");
        b.end(Ending::Deleted);
        const auto over = b.last().until->middle();
        b.clock.advance(50ms);
        const auto seen = b.clock.now();
        b.history.seen(b.k, Deadline(seen + 10s, 1ms), string("bob"), seen);
        QVERIFY(!b.last().gapBefore);
        QCOMPARE(b.history.statistics(b.k).contended, 0);
        KeyEvent event = b.keyEvent(Type::Appeared, b.k);
        event.notBefore = seen + std::chrono::milliseconds(from);
        event.notAfter = seen + std::chrono::milliseconds(to);
        event.after = string("bob");
        b.history.take(event);
        QTEST(int(b.history.holds(b.k).size()), "holds");
        QCOMPARE(b.last().start, Hold::Start::Acquired);
        if (b.history.holds(b.k).size() == 2) {
            QCOMPARE(b.last().gapBefore, std::optional<std::chrono::nanoseconds>(b.last().from.middle() - over));
            QCOMPARE(b.history.statistics(b.k).contended, 1);
        }
    }

    /// The lock was recognised by the value that the tracker reports later, or by the one before.
    void takeoverReportedLate_beginsTheObservedHold_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<QByteArray>("holder");
        QTest::addColumn<int>("to");
        QTest::addColumn<QList<QByteArray>>("holders");
        const QByteArray seen("bob");
        QTest::addRow("handed over") << int(Type::HandedOver) << seen << 1 << QList<QByteArray> {seen};
        QTest::addRow("replaced") << int(Type::Replaced) << seen << -1 << QList<QByteArray> {seen};
        QTest::addRow("replaced by another")
            << int(Type::Replaced) << QByteArray("ann") << 1 << QList<QByteArray> {seen, "ann"};
        QTest::addRow("another appeared")
            << int(Type::Appeared) << QByteArray("ann") << 1 << QList<QByteArray> {seen, "ann"};
        QTest::addRow("learnt") << int(Type::FirstRead) << seen << 1 << QList<QByteArray> {seen};
        QTest::addRow("changed") << int(Type::Changed) << seen << 1 << QList<QByteArray> {seen};
        QTest::addRow("another after a change")
            << int(Type::Changed) << QByteArray("ann") << 1 << QList<QByteArray> {seen, "ann"};
        QTest::addRow("value without a holder after a change")
            << int(Type::Changed) << QByteArray() << 1 << QList<QByteArray> {seen, QByteArray()};
        QTest::addRow("another learnt") << int(Type::FirstRead) << QByteArray("ann") << 1
                                        << QList<QByteArray> {seen, "ann"};
        QTest::addRow("earlier one learnt")
            << int(Type::FirstRead) << QByteArray("ann") << -1 << QList<QByteArray> {seen};
    }
    void takeoverReportedLate_beginsTheObservedHold()
    {
        QFETCH(int, type);
        QFETCH(QByteArray, holder);
        QFETCH(int, to);
        QFETCH(QList<QByteArray>, holders);
        Fixture b;
        const auto seen = b.clock.now();
        b.history.seen(b.k, Deadline(seen + 10s, 1ms), string("bob"), seen);
        KeyEvent event = b.keyEvent(Type(type), b.k);
        event.notBefore = seen - 100ms;
        event.notAfter = seen + std::chrono::milliseconds(to);
        event.after = string(holder);
        b.history.take(event);
        QList<QByteArray> found;
        for (const Hold &hold : b.history.holds(b.k))
            found += hold.holder.value_or(QByteArray());
        QCOMPARE(found, holders);
        QCOMPARE(b.history.statistics(b.k).holds, holders.size());
        if (event.type != Type::FirstRead && event.type != Type::Changed)
            QCOMPARE(b.last().start, event.type == Type::HandedOver ? Hold::Start::HandedOver : Hold::Start::Replaced);
        else
            QCOMPARE(b.last().start, holders.size() == 1 ? Hold::Start::Unseen : Hold::Start::Replaced);
    }

    void aHold_isKept()
    {
        Fixture b;
        const QSignalSpy changed(&b.history, &History::changed);
        const QSignalSpy ended(&b.history, &History::ended);
        b.acquire("ann");
        QCOMPARE(b.last().start, Hold::Start::Acquired);
        QCOMPARE(b.last().holder, std::optional<QByteArray>("ann"));
        QCOMPARE(b.last().lease, std::optional(10'000ms));
        QVERIFY(!b.last().isOver());
        b.clock.advance(3s);
        b.extend();
        b.clock.advance(4s);
        b.end(Ending::Deleted);
        QCOMPARE(b.history.holds(b.k).size(), std::size_t(1));
        QVERIFY(b.last().isOver());
        QCOMPARE(b.last().duration(b.clock.now()), 7s);
        QCOMPARE(b.last().extensions.size(), std::size_t(1));
        QCOMPARE(b.last().ending, Ending::Deleted);
        QCOMPARE(changed.count(), 3);
        QCOMPARE(ended.count(), 1);
    }

    void lockThatWasThere_isSeenAndNotAcquired()
    {
        Fixture b;
        b.history.seen(b.k, Deadline(b.clock.now() + 5s, 1ms), string("ann"), b.clock.now());
        QCOMPARE(b.last().start, Hold::Start::Unseen);
        b.history.seen(b.k, Deadline(b.clock.now() + 5s, 1ms), string("ann"), b.clock.now()); // Reported twice.
        QCOMPARE(b.history.holdCount(), std::size_t(1));
        b.clock.advance(1s);
        b.end(Ending::Deleted);
        QCOMPARE(b.history.statistics(b.k).ended, 1);
        QVERIFY2(!b.history.statistics(b.k).meanHeld(), "its start was not seen");
    }

    void expiry_statesItsDelay()
    {
        Fixture b;
        b.acquire("ann", 1s);
        const Deadline deadline(b.clock.now() + 1s, 1ms);
        b.clock.advance(1070ms);
        b.end(Ending::Expired, deadline);
        QCOMPARE(b.last().late, std::optional<std::chrono::nanoseconds>(70ms));
        QCOMPARE(b.history.statistics(b.k).longestLate, 70ms);
        QCOMPARE(endSentence(b.last()), QStringLiteral("expired, seen 0.070 s after its deadline"));
    }

    void holdEndedByAHandover_isCountedAsHandedOver()
    {
        Fixture b;
        b.acquire("ann", 30s);
        b.clock.advance(1s);
        b.starts(Type::HandedOver, "bob", 30s, b.k);
        QCOMPARE(QString(endWord(b.history.holds(b.k).front())), QStringLiteral("handed-over"));
        QCOMPARE(endSentence(b.history.holds(b.k).front()).section(u',', 0, 0),
                 QStringLiteral("taken over by another holder"));
        QCOMPARE(b.history.statistics(b.k).endedByHandover, 1);
        QCOMPARE(b.history.statistics(b.k).count(Ending::Unknown), 0);
        QCOMPARE(b.history.statistics(b.k).ended, 1);
    }

    /// The lease was changed just before the end, and not read.
    void endUnderAnUnknownLease_hasNoDeadline()
    {
        Fixture b;
        b.acquire("ann", 1s);
        b.clock.advance(700ms);
        KeyEvent ended = b.keyEvent(Type::Ended, b.k);
        ended.ending = Ending::Deleted;
        ended.deadline = Deadline(b.clock.now() + 300ms, 1ms);
        ended.isDeadlineStale = true;
        b.history.take(ended);
        QVERIFY(!b.last().deadline);
        QVERIFY2(!endSentence(b.last()).contains(u"deadline"), qPrintable(endSentence(b.last())));
    }

    void gapBeforeAHold_isTheTimeItWasFree()
    {
        Fixture b;
        b.acquire("ann");
        QVERIFY(!b.last().gapBefore);
        b.clock.advance(1s);
        b.end(Ending::Deleted);
        b.clock.advance(50ms);
        b.acquire("bob");
        QCOMPARE(b.last().gapBefore, std::optional<std::chrono::nanoseconds>(50ms));
        QCOMPARE(b.history.statistics(b.k).contended, 1);
        b.end(Ending::Deleted);
        b.clock.advance(5s);
        b.acquire("cat");
        QCOMPARE(b.history.statistics(b.k).contended, 1);
    }

    /// The interval of a change begins at the last read of the value, before changes that were received since.
    void timesOfSuccessiveHolds_areInTheirOrder()
    {
        Fixture b;
        const auto start = b.clock.now();
        const auto change = [&b, start](Type what, const QByteArray &holder, std::chrono::milliseconds from,
                                        std::chrono::milliseconds to) {
            KeyEvent event = b.keyEvent(what, b.k);
            event.notBefore = start + from;
            event.notAfter = start + to;
            event.ending = what == Type::Ended ? Ending::Deleted : Ending::None;
            if (what != Type::Ended)
                event.after = string(holder);
            b.history.take(event);
        };
        change(Type::Appeared, "a", 100ms, 101ms);
        change(Type::Replaced, "b", 110ms, 200ms); // Until it was read.
        change(Type::Ended, {}, 60ms, 121ms);      // Since an older read.
        change(Type::Appeared, "c", 50ms, 125ms);
        change(Type::HandedOver, "d", 40ms, 124ms);
        const std::deque<Hold> &holds = b.history.holds(b.k);
        QCOMPARE(holds.size(), 4U);
        QCOMPARE(holds[1].from, (base::TimeInterval {start + 110ms, start + 121ms}));
        QCOMPARE(*holds[1].until, (base::TimeInterval {start + 110ms, start + 121ms}));
        QCOMPARE(holds[2].from, (base::TimeInterval {start + 110ms, start + 124ms}));
        QCOMPARE(*holds[2].until, (base::TimeInterval {start + 110ms, start + 124ms}));
        QCOMPARE(holds[2].gapBefore, std::optional<std::chrono::nanoseconds>(2ms));
        for (std::size_t i = 0; i < holds.size(); ++i) {
            QVERIFY(holds[i].duration(start + 200ms) >= 0ms);
            QVERIFY(i == 0 || holds[i].from.middle() >= holds[i - 1].from.middle());
        }
    }

    /// The next hold began at the first moment at which the former one can have ended.
    void holdAtTheEarliestEndOfAnother_leavesOneMomentForThatEnd()
    {
        Fixture b;
        b.acquire("ann");
        b.clock.advance(1s);
        KeyEvent event = b.keyEvent(Type::Ended, b.k);
        event.ending = Ending::Deleted;
        event.notAfter = event.notBefore + 90ms;
        b.history.take(event);
        const auto end = event.notBefore;
        event = b.keyEvent(Type::Appeared, b.k);
        event.notBefore = end - 60ms;
        event.notAfter = end;
        b.history.take(event);
        const std::deque<Hold> &holds = b.history.holds(b.k);
        QCOMPARE(holds.size(), 2U);
        QCOMPARE(*holds[0].until, (base::TimeInterval {end, end}));
        QCOMPARE(holds[1].from, (base::TimeInterval {end, end}));
    }

    void takeOver_endsAHoldAndOverlaps_data()
    {
        QTest::addColumn<int>("what");
        QTest::addColumn<int>("start");
        QTest::addColumn<bool>("overlaps");
        QTest::addRow("handed over") << static_cast<int>(Type::HandedOver) << static_cast<int>(Hold::Start::HandedOver)
                                     << true;
        QTest::addRow("replaced") << static_cast<int>(Type::Replaced) << static_cast<int>(Hold::Start::Replaced)
                                  << false;
    }
    void takeOver_endsAHoldAndOverlaps()
    {
        QFETCH(int, what);
        QFETCH(int, start);
        QFETCH(bool, overlaps);
        Fixture b;
        b.acquire("ann");
        b.clock.advance(1s);
        b.starts(static_cast<Type>(what), "bob", 10s, b.k);
        const auto &holds = b.history.holds(b.k);
        QCOMPARE(holds.size(), std::size_t(2));
        QVERIFY(holds[0].isOver());
        QCOMPARE(holds[0].ending, Ending::Unknown);
        QCOMPARE(holds[0].overlaps, overlaps);
        QCOMPARE(static_cast<int>(holds[1].start), start);
        QCOMPARE(holds[1].overlaps, overlaps);
        QCOMPARE(b.history.statistics(b.k).handedOver, 1);
    }

    void twoHoldersOnTwoNodes_overlap()
    {
        Fixture b;
        b.acquire("ann");
        b.starts(Type::Appeared, "ann", 10s, {"k", 1});
        QVERIFY2(!b.last().overlaps, "it is one holder on both");
        b.starts(Type::Appeared, "bob", 10s, {"k", 2});
        QVERIFY(b.last().overlaps);
        QVERIFY(b.history.holds({"k", 2}).back().overlaps);
    }

    /// Events of the nodes arrive in any order.
    void twoHoldersOnTwoLaterNodes_overlap()
    {
        for (const auto &[one, other] : {std::pair(1, 2), std::pair(2, 1)}) {
            Fixture b;
            b.starts(Type::Appeared, "ann", 10s, {"k", events::NodeIndex(one)});
            b.starts(Type::Appeared, "bob", 10s, {"k", events::NodeIndex(other)});
            QVERIFY(b.history.holds({"k", events::NodeIndex(one)}).back().overlaps);
            QVERIFY(b.history.holds({"k", events::NodeIndex(other)}).back().overlaps);
        }
    }

    void statistics_countWhatWasSeen()
    {
        Fixture b;
        b.acquire("ann", 4s);
        b.clock.advance(1s);
        b.end(Ending::Deleted);
        b.clock.advance(1s);
        b.acquire("bob", 4s);
        b.clock.advance(3s);
        b.end(Ending::Evicted);
        const Statistics statistics = b.history.statistics(b.k);
        QCOMPARE(statistics.holds, 2);
        QCOMPARE(statistics.meanHeld(), std::optional<std::chrono::nanoseconds>(2s));
        QCOMPARE(statistics.longest, 3s);
        QCOMPARE(statistics.count(Ending::Deleted), 1);
        QCOMPARE(statistics.count(Ending::Evicted), 1);
        QVERIFY(qAbs(*statistics.meanLeaseUsed() - 0.5) < 1e-6);
    }

    void holderReadLater_isFilledIn()
    {
        Fixture b;
        b.history.take(b.keyEvent(Type::Appeared, b.k));
        QVERIFY(!b.last().holder);
        KeyEvent learnt = b.keyEvent(Type::FirstRead, b.k);
        learnt.after = string("ann");
        b.history.take(learnt);
        QCOMPARE(b.last().holder, std::optional<QByteArray>("ann"));
        learnt.after = string("bob");
        b.history.take(learnt);
        QCOMPARE(b.last().holder, std::optional<QByteArray>("ann"));
    }

    /// Known holds stay, and the unobserved time is a gap.
    void lostSight_leavesAGapAndLosesNothing()
    {
        Fixture b;
        const QSignalSpy changed(&b.history, &History::gapsChanged);
        b.acquire("ann");
        b.clock.advance(1s);
        const auto lost = b.clock.now();
        b.history.setObserving(false, lost);
        b.history.setObserving(false, b.clock.now());
        b.clock.advance(3s);
        QCOMPARE(gapText(b.history.gaps().back(), b.clock.now()), QStringLiteral("not seen for 3.000 s"));
        b.history.setObserving(true, b.clock.now());
        QCOMPARE(b.history.gaps(), (std::vector<History::Gap> {{lost, b.clock.now()}}));
        QCOMPARE(changed.count(), 2);
        QVERIFY(!b.last().isOver());
    }

    /// Times without observations stay so, however many they are.
    void gapsBeyondTheLimit_areJoined()
    {
        Fixture b;
        std::vector<History::Gap> all;
        for (int i = 0; i < 1001; ++i) {
            b.clock.advance(1s);
            const auto from = b.clock.now();
            b.history.setObserving(false, from);
            b.clock.advance(1s);
            b.history.setObserving(true, b.clock.now());
            all.push_back({from, b.clock.now()});
            if (i == 999)
                QCOMPARE(b.history.gaps(), all);
        }
        QCOMPARE(b.history.gaps().size(), std::size_t(1000));
        QCOMPARE(b.history.gaps().front(), (History::Gap {all[0].from, all[1].to}));
        QCOMPARE(b.history.gaps()[1], all[2]);
        QCOMPARE(b.history.gaps().back(), all.back());
    }

    void lastExtensions_areKeptAndAllAreCounted()
    {
        Fixture b;
        b.acquire("ann");
        for (std::size_t i = 1; i <= Hold::maxExtensions + 1; ++i) {
            b.clock.advance(1s);
            b.extend();
            QCOMPARE(b.last().extensions.size(), std::min(i, Hold::maxExtensions));
        }
        QCOMPARE(b.last().extensionCount, qsizetype(Hold::maxExtensions + 1));
        QCOMPARE(b.last().extensions.back(), b.clock.now());
    }

    void eachLock_keepsItsLastHolds()
    {
        Fixture b({3, 1000});
        for (int i = 0; i < 10; ++i) {
            b.clock.advance(1s);
            b.acquire(QByteArray::number(i));
            b.clock.advance(1s);
            b.end(Ending::Deleted);
        }
        QCOMPARE(b.history.holds(b.k).size(), std::size_t(3));
        QCOMPARE(b.last().holder, std::optional<QByteArray>("9"));
        QCOMPARE(b.history.statistics(b.k).holds, 10);
        QCOMPARE(b.history.holdCount(), std::size_t(3));
    }

    /// A lock that has lost holds to its own limit does not lose the next ones in place of an older one.
    void oldestHoldOfAllLocks_isForgotten()
    {
        Fixture b({2, 4});
        const auto hold = [&](const QByteArray &key) {
            const History::LockId lockId {key, 0};
            b.clock.advance(1s);
            b.starts(Type::Appeared, "ann", 1s, lockId);
            KeyEvent over = b.keyEvent(Type::Ended, lockId);
            over.ending = Ending::Deleted;
            b.history.take(over);
        };
        for (const char *key : {"k", "old", "k", "k", "new"})
            hold(key);
        QCOMPARE(b.history.holdCount(), std::size_t(4)); // The first one of k is beyond its limit.
        QCOMPARE(b.history.holds({"old", 0}).size(), std::size_t(1));
        hold("new");
        QCOMPARE(b.history.holdCount(), std::size_t(4));
        QVERIFY(b.history.holds({"old", 0}).empty());
        QCOMPARE(b.history.holds(b.k).size(), std::size_t(2));
        QCOMPARE(b.history.holds({"new", 0}).size(), std::size_t(2));
    }

    void allLocksTogether_areBounded()
    {
        Fixture b({10, 50});
        b.starts(Type::Appeared, "stays", 10h, {"held", 0});
        for (int i = 0; i < 5000; ++i) {
            const History::LockId lockId {"lock:" + QByteArray::number(i % 170), 0};
            b.starts(Type::Appeared, "ann", 1s, lockId);
            KeyEvent over = b.keyEvent(Type::Ended, lockId);
            over.ending = Ending::Deleted;
            b.history.take(over);
            QVERIFY(b.history.holdCount() <= 51);
        }
        QVERIFY2(!b.history.holds({"held", 0}).empty(), "what is held is not forgotten");
        QVERIFY(b.history.lockIds().size() <= 51);
        std::size_t holds = 0;
        for (const History::LockId &lockId : b.history.lockIds())
            holds += b.history.holds(lockId).size();
        QCOMPARE(holds, b.history.holdCount());
    }

    /// Current holds beyond the limit are kept without a search for ended ones at each new hold, which took minutes.
    /// The time limit only distinguishes the two: without the search it takes a fraction of a second.
    void manyCurrentHolds_areKeptWithoutSearch()
    {
        constexpr int locks = 100'000;
        Fixture b({10, 10});
        const QDeadlineTimer limit(60s);
        for (int i = 0; i < locks && !limit.hasExpired(); ++i)
            b.starts(Type::Appeared, "ann", 1h, {"lock:" + QByteArray::number(i), 0});
        QCOMPARE(b.history.holdCount(), std::size_t(locks));
        for (int i = 0; i < locks && !limit.hasExpired(); ++i) {
            KeyEvent over = b.keyEvent(Type::Ended, {"lock:" + QByteArray::number(i), 0});
            over.ending = Ending::Deleted;
            b.history.take(over);
        }
        b.starts(Type::Appeared, "ann", 1h, {"new", 0});
        QCOMPARE(b.history.holdCount(), std::size_t(10));
        QVERIFY(!b.history.holds({"new", 0}).empty());
    }

    void endsInWords_sayWhatIsNotCertain()
    {
        Fixture b;
        b.acquire("ann");
        b.clock.advance(1s);
        b.end(Ending::Deleted, std::nullopt, Source::OwnCommand);
        QCOMPARE(endSentence(b.last()), QStringLiteral("deleted here, 9.000 s before its deadline"));
        Hold hold = b.last();
        hold.endSource = Source::Poll;
        hold.ending = Ending::Unknown;
        hold.deadline.reset();
        hold.mayBeOwnRead = true;
        QCOMPARE(endSentence(hold), QStringLiteral("ended, cause not seen, possibly removed because of our own read"));
    }
};

LATCHKEY_TEST(TestHistory)

} // namespace tst_history

#include "tst_history.moc"
