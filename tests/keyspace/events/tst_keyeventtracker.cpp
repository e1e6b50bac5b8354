#include "core/keyspace/events/keyeventtracker.h"
#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_keyeventtracker {

using namespace latchkey;
using namespace latchkey::events;
using base::Deadline;
using keys::KeyType;
using keys::RawValue;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

namespace {

/// A tracker that follows `k`, and its reported events.
struct Fixture
{
    Fixture()
    {
        tracker.follow("k");
        QObject::connect(&tracker, &KeyEventTracker::happened, &tracker,
                         [this](const KeyEvent &keyEvent) { keyEvents += keyEvent; });
    }

    Observation look(ObservationContent content) const
    {
        return {"k", std::move(content), clock.now() - 1ms, clock.now(), Source::Poll};
    }
    ObservationContent endsIn(std::chrono::milliseconds left) const
    {
        return Exists {Deadline(clock.now() + left, 1ms)};
    }
    static ObservationContent string(const QByteArray &value)
    {
        return ValueReply {{KeyType::String, value.size(), {value}}};
    }
    static ObservationContent hash(const QList<QByteArray> &parts)
    {
        return ValueReply {{KeyType::Hash, parts.size() / 2, parts}};
    }
    void see(std::chrono::milliseconds left) { tracker.observed({look(endsIn(left))}); }
    void see(std::chrono::milliseconds left, const QByteArray &value)
    {
        tracker.observed({look(endsIn(left)), look(string(value))});
    }
    void gone() { tracker.observed({look(Gone {})}); }

    /// Reports that the server announces everything from now on.
    void listen(EventCoverage::Depth depth, bool reportsFlushes = true)
    {
        tracker.eventCoverageChanged(0, {depth, reportsFlushes, clock.now()});
        clock.advance(1ms);
    }
    /// Reports that the server announces no changes, but that its flushes are counted from now on.
    void countFlushes() { tracker.eventCoverageChanged(0, {EventCoverage::Depth::None, true, clock.now()}); }
    void receive(const QByteArray &event)
    {
        tracker.observed({{"k", ChangeNotification {event}, clock.now(), clock.now(), Source::Notification}});
        clock.advance(100us);
    }
    void flush(FlushKind kind = FlushKind::Any)
    {
        tracker.flushAnnounced(0, clock.now(), kind);
        clock.advance(100us);
    }
    /// Reports that all events up to now are received.
    void settle()
    {
        clock.advance(1ms);
        tracker.receivedUpTo(0, clock.now());
    }
    void seeSettled(std::chrono::milliseconds left, const QByteArray &value)
    {
        clock.advance(2ms);
        see(left, value);
        settle();
    }
    void goneSettled()
    {
        clock.advance(2ms);
        gone();
        settle();
    }
    QList<Type> kinds() const
    {
        QList<Type> all;
        for (const KeyEvent &keyEvent : keyEvents)
            all += keyEvent.type;
        return all;
    }

    test::ManualClock clock;
    KeyEventTracker tracker;
    QList<KeyEvent> keyEvents;
};

using Kinds = QList<Type>;

} // namespace

class TestKeyEventTracker final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void firstRead_isTheBeginning()
    {
        Fixture b;
        b.see(10s, "a");
        QCOMPARE(b.kinds(), Kinds {});
        b.clock.advance(1s);
        b.see(9s, "a");
        QCOMPARE(b.kinds(), Kinds {});
    }

    void goneAtAFailover_isLost()
    {
        Fixture b;
        b.see(60s, "a");
        b.clock.advance(1s);
        b.tracker.failedOver(0);
        b.gone();
        QCOMPARE(b.keyEvents.size(), 1);
        QCOMPARE(b.keyEvents.back().ending, Ending::Lost);
        QVERIFY(b.keyEvents.back().isAtFailover);
        QCOMPARE(b.keyEvents.back().before->parts.front(), QByteArray("a"));
    }

    /// A lock that may have ended in the usual way is not called lost.
    void goneAtAFailover_isNotLostWithoutKnowledge_data()
    {
        QTest::addColumn<int>("which");
        QTest::addRow("lease over") << 0;
        QTest::addRow("change not read") << 1;
        QTest::addRow("seen at the new primary") << 2;
        QTest::addRow("released there") << 3;
    }
    void goneAtAFailover_isNotLostWithoutKnowledge()
    {
        QFETCH(const int, which);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(2s, "a");
        if (which == 1)
            b.receive("set");
        b.tracker.eventCoverageChanged(0, {});
        b.tracker.failedOver(0);
        if (which == 0)
            b.clock.advance(3s);
        if (which >= 2)
            b.see(2s, "a");
        if (which == 3) {
            b.listen(EventCoverage::Depth::Events);
            b.seeSettled(1900ms, "a");
            b.receive("del");
            b.settle();
        } else {
            b.clock.advance(2ms);
            b.gone();
        }
        QVERIFY(!b.keyEvents.isEmpty());
        QCOMPARE(b.keyEvents.back().type, Type::Ended);
        QVERIFY(b.keyEvents.back().ending != Ending::Lost);
    }

    void otherValueAfterAFailover_isMarked()
    {
        Fixture b;
        b.see(60s, "a");
        b.clock.advance(1s);
        b.tracker.failedOver(0);
        b.see(30s, "b");
        QCOMPARE(b.keyEvents.size(), 1);
        QVERIFY(b.keyEvents.back().isAtFailover);
        b.clock.advance(1s);
        b.see(20s, "c");
        QVERIFY(!b.keyEvents.back().isAtFailover);
    }

    void goneAfterARestart_isNotKnownHow()
    {
        Fixture b;
        b.see(60s, "a");
        b.clock.advance(1s);
        b.tracker.restarted(0);
        b.gone();
        QCOMPARE(b.keyEvents.size(), 1);
        QCOMPARE(b.keyEvents.back().ending, Ending::Unknown);
        // A key that the restarted server still has keeps its hold.
        Fixture kept;
        kept.countFlushes();
        kept.clock.advance(2ms);
        kept.see(60s, "a");
        kept.tracker.restarted(0);
        kept.see(60s, "a");
        kept.clock.advance(1s);
        kept.goneSettled();
        QCOMPARE(kept.keyEvents.back().ending, Ending::Removed);
    }

    /// A reading that waits for the number of flushes is applied before an own command, and without that number.
    void goneBeforeAnOwnCommand_mayBeOfAFlush()
    {
        Fixture b;
        b.countFlushes();
        b.clock.advance(2ms);
        b.see(60s, "a");
        b.clock.advance(1s);
        b.gone();
        QCOMPARE(b.kinds(), Kinds {});
        b.clock.advance(1ms);
        b.tracker.observed({{"k", b.endsIn(60s), b.clock.now(), b.clock.now() + 1ms, Source::OwnCommand}});
        QCOMPARE(b.keyEvents.front().type, Type::Ended);
        QCOMPARE(b.keyEvents.front().ending, Ending::Unknown);
    }

    /// Client tracking names an evicted key like a deleted one, and polling finds it gone. The evictions are noticed
    /// after the read.
    void goneWhileKeysAreEvicted_isNotKnownHow_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addColumn<bool>("mayEvict");
        for (const auto depth : {EventCoverage::Depth::None, EventCoverage::Depth::Keys}) {
            QTest::addRow("depth %d", int(depth)) << int(depth) << false;
            QTest::addRow("depth %d, evictions", int(depth)) << int(depth) << true;
        }
    }
    void goneWhileKeysAreEvicted_isNotKnownHow()
    {
        QFETCH(int, depth);
        QFETCH(bool, mayEvict);
        Fixture b;
        b.listen(EventCoverage::Depth(depth));
        b.seeSettled(60s, "a");
        b.clock.advance(1s);
        if (depth == int(EventCoverage::Depth::Keys))
            b.receive({});
        b.clock.advance(2ms);
        b.gone();
        if (mayEvict)
            b.tracker.eventCoverageChanged(0, {EventCoverage::Depth(depth), true, b.clock.now(), true});
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.back().ending, mayEvict ? Ending::Unknown : Ending::Removed);
    }

    void lifetimeOfALock_isReported()
    {
        Fixture b;
        b.countFlushes();
        b.gone(); // The key is known to be absent.
        b.clock.advance(1s);
        b.see(10s, "a");
        b.clock.advance(3s);
        b.see(10s, "a");
        b.clock.advance(1s);
        b.see(10s, "b");
        b.clock.advance(1s);
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Renewed, Type::Replaced, Type::Ended}));
        QCOMPARE(b.keyEvents.back().ending, Ending::Removed);
        for (const KeyEvent &keyEvent : std::as_const(b.keyEvents)) {
            QVERIFY(keyEvent.notBefore < keyEvent.notAfter);
            QVERIFY(!keyEvent.isInferred);
        }
        // The renewal was in the three seconds between two reads.
        QVERIFY(b.keyEvents[1].notAfter - b.keyEvents[1].notBefore >= 3s);
        QVERIFY(b.keyEvents[1].notAfter - b.keyEvents[1].notBefore < 3100ms);
    }

    /// The writer may be another holder, unless only the expiry was changed.
    void laterExpiryOfAnOverwrittenUnreadValue_isNoRenewal_data()
    {
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<int>("what");
        QTest::addRow("overwritten") << QByteArray("set") << static_cast<int>(Type::Changed);
        QTest::addRow("expiry changed") << QByteArray("expire") << static_cast<int>(Type::Renewed);
    }
    void laterExpiryOfAnOverwrittenUnreadValue_isNoRenewal()
    {
        QFETCH(QByteArray, event);
        QFETCH(int, what);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.clock.advance(2ms);
        b.see(10s);
        b.settle();
        b.receive(event);
        b.clock.advance(2ms);
        b.see(60s);
        b.settle();
        QCOMPARE(b.kinds(), Kinds {static_cast<Type>(what)});
    }

    void ends_areDistinguished_data()
    {
        QTest::addColumn<qint64>("lastLookBeforeEnd");
        QTest::addColumn<qint64>("goneAfterEnd");
        QTest::addColumn<int>("ending");
        QTest::addRow("released") << qint64(5000) << qint64(-4000) << static_cast<int>(Ending::Removed);
        QTest::addRow("watched to its end") << qint64(0) << qint64(100) << static_cast<int>(Ending::Expired);
        QTest::addRow("long after") << qint64(0) << qint64(60'000) << static_cast<int>(Ending::Expired);
        // The lock may have been released within half a second.
        QTest::addRow("not to its very end") << qint64(500) << qint64(100) << static_cast<int>(Ending::Unknown);
        QTest::addRow("no read") << qint64(9000) << qint64(100) << static_cast<int>(Ending::Unknown);
    }
    void ends_areDistinguished()
    {
        QFETCH(qint64, lastLookBeforeEnd);
        QFETCH(qint64, goneAfterEnd);
        QFETCH(int, ending);
        Fixture b;
        b.countFlushes();
        b.see(10s);
        b.clock.advance(10s - std::chrono::milliseconds(lastLookBeforeEnd));
        b.see(std::chrono::milliseconds(lastLookBeforeEnd));
        b.clock.advance(std::chrono::milliseconds(lastLookBeforeEnd + goneAfterEnd));
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(static_cast<int>(b.keyEvents.front().ending), ending);
    }

    void sameTokenAgainUnderALaterEnd_isARenewal()
    {
        Fixture b;
        b.see(30s, "a");
        b.clock.advance(20s);
        b.see(15s, "a"); // Extended, but by less than the first lease.
        QCOMPARE(b.kinds(), Kinds {Type::Renewed});
        QVERIFY(!b.keyEvents.front().isInferred);
    }

    void anotherTokenUnderTheSameEnd_isAnotherHold()
    {
        Fixture b;
        b.see(30s, "a");
        b.clock.advance(1s);
        b.see(29s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
    }

    /// The value cannot be read. The later expiry may be that of another holder, until the value is read.
    void laterExpiryWithoutARead_isNoRenewal_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<Kinds>("kinds");
        QTest::addRow("same holder") << QByteArray("a") << Kinds {Type::Changed};
        QTest::addRow("another holder") << QByteArray("b") << Kinds {Type::Changed, Type::Replaced};
    }
    void laterExpiryWithoutARead_isNoRenewal()
    {
        QFETCH(QByteArray, value);
        QFETCH(Kinds, kinds);
        Fixture b;
        b.see(30s, "a");
        const auto certain = b.clock.now() - 1ms;
        b.clock.advance(10s);
        b.see(30s);
        QVERIFY(b.keyEvents.front().isInferred);
        b.clock.advance(1s);
        b.see(29s, value);
        QCOMPARE(b.kinds(), kinds);
        QCOMPARE(b.keyEvents.back().notBefore, certain);
    }

    /// All changes are reported, and none was a write.
    void laterExpiryWithoutARead_isARenewalIfNotifiedAsOne()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(30s, "a");
        b.clock.advance(10s);
        b.receive("expire");
        b.clock.advance(2ms);
        b.see(30s);
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Renewed});
        QVERIFY(!b.keyEvents.front().isInferred);
    }

    /// The full time left is that of the whole hold, not of its last renewal.
    void laterEndThatIsShort_isAChange()
    {
        Fixture b;
        b.see(30s);
        b.clock.advance(10s);
        b.see(25s);
        b.clock.advance(5s);
        b.see(21s); // Less than three quarters of the first lease.
        QCOMPARE(b.kinds(), (Kinds {Type::Renewed, Type::Changed}));
    }

    void otherElements_areAChange()
    {
        Fixture b;
        b.tracker.observed({b.look(b.endsIn(30s)), b.look(Fixture::hash({"uuid:1", "1"}))});
        b.clock.advance(1s);
        b.tracker.observed({b.look(b.endsIn(29s)), b.look(Fixture::hash({"uuid:1", "2"}))});
        QCOMPARE(b.kinds(), Kinds {Type::Changed});
    }

    void keyWithoutAnEndByNow_hasChanged()
    {
        Fixture b;
        b.see(30s, "a");
        b.tracker.observed({b.look(Exists {}), b.look(Fixture::string("a"))});
        QCOMPARE(b.kinds(), Kinds {Type::Changed});
        QVERIFY(b.keyEvents.front().deadline->isNever());
    }

    void flush_endsAllThatAreFollowed()
    {
        Fixture b;
        b.tracker.follow("other");
        b.see(30s);
        b.tracker.emptied(0, b.clock.now(), b.clock.now() + 1ms);
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().key, QByteArray("k"));
        QCOMPARE(b.keyEvents.front().ending, Ending::Unknown);
    }

    // Without change events, an early end is a removal only if no flush was counted meanwhile.

    void earlyEndWithoutEvents_isJudgedByTheNumberOfFlushes_data()
    {
        QTest::addColumn<bool>("isCounted");
        QTest::addColumn<qint64>("flushedAt"); // Milliseconds after the last read of the key; -1: never.
        QTest::addColumn<int>("ending");
        QTest::addRow("no flush") << true << qint64(-1) << static_cast<int>(Ending::Removed);
        QTest::addRow("flush counted before the key is missed")
            << true << qint64(500) << static_cast<int>(Ending::Unknown);
        QTest::addRow("flush counted after the key is missed")
            << true << qint64(1000) << static_cast<int>(Ending::Unknown);
        QTest::addRow("number not reported") << false << qint64(-1) << static_cast<int>(Ending::Unknown);
    }
    void earlyEndWithoutEvents_isJudgedByTheNumberOfFlushes()
    {
        QFETCH(bool, isCounted);
        QFETCH(qint64, flushedAt);
        QFETCH(int, ending);
        Fixture b;
        if (isCounted)
            b.countFlushes();
        b.clock.advance(2ms);
        b.see(60s, "a");
        b.clock.advance(500ms);
        if (flushedAt == 500)
            b.flush();
        b.settle();
        b.clock.advance(500ms);
        b.gone();
        QCOMPARE(b.keyEvents.size(), isCounted && flushedAt != 500 ? 0 : 1);
        if (flushedAt == 1000)
            b.flush();
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(static_cast<int>(b.keyEvents.back().ending), ending);
    }

    /// The key may have been seen before it was flushed, or have returned after that.
    void flushBetweenTwoCounts_concernsTheKeyThatReturned()
    {
        Fixture b;
        b.countFlushes();
        b.clock.advance(2ms);
        b.see(60s, "a");
        b.clock.advance(100ms);
        b.gone();
        b.clock.advance(100ms);
        b.see(60s, "b");
        b.flush();
        b.settle();
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QCOMPARE(b.keyEvents.front().ending, Ending::Unknown);
        b.clock.advance(100ms);
        b.goneSettled();
        QCOMPARE(b.keyEvents.back().ending, Ending::Unknown);
    }

    /// The last read of the key is older than the first number.
    void flushBeforeTheFirstNumber_isNotExcluded()
    {
        Fixture b;
        b.see(60s, "a");
        b.clock.advance(100ms);
        b.countFlushes();
        b.clock.advance(2ms);
        b.goneSettled();
        QCOMPARE(b.keyEvents.back().ending, Ending::Unknown);
    }

    /// The flushes are not counted any more when the key is missed.
    void numberOfFlushesThatDoesNotCome_isNotAwaited()
    {
        Fixture b;
        b.countFlushes();
        b.clock.advance(2ms);
        b.see(60s, "a");
        b.clock.advance(100ms);
        b.gone();
        b.tracker.eventCoverageChanged(0, {EventCoverage::Depth::None, false, b.clock.now()});
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.back().ending, Ending::Unknown);
    }

    /// Without change events: FLUSHALL ends every hold, a FLUSHDB perhaps that of another database.
    void sameValueAfterACountedFlush_isNoRenewal_data()
    {
        QTest::addColumn<int>("flush"); // -1: none.
        QTest::addColumn<std::chrono::milliseconds>("left");
        QTest::addColumn<bool>("isReadFirst"); // Before the flush is counted.
        QTest::addColumn<Kinds>("kinds");
        const int all = static_cast<int>(FlushKind::All);
        const int any = static_cast<int>(FlushKind::Any);
        QTest::addRow("no flush") << -1 << 60'000ms << true << Kinds {Type::Renewed};
        QTest::addRow("FLUSHALL") << all << 60'000ms << false << Kinds {Type::Ended, Type::Appeared};
        QTest::addRow("FLUSHALL, same expiry") << all << 9896ms << false << Kinds {Type::Ended, Type::Appeared};
        QTest::addRow("FLUSHALL, counted later") << all << 60'000ms << true << Kinds {Type::Replaced};
        QTest::addRow("FLUSHDB") << any << 60'000ms << false << Kinds {Type::Changed};
        QTest::addRow("FLUSHDB, counted later") << any << 60'000ms << true << Kinds {Type::Changed};
        QTest::addRow("FLUSHDB, same expiry") << any << 9896ms << false << Kinds {};
    }
    void sameValueAfterACountedFlush_isNoRenewal()
    {
        QFETCH(int, flush);
        QFETCH(std::chrono::milliseconds, left);
        QFETCH(bool, isReadFirst);
        QFETCH(Kinds, kinds);
        Fixture b;
        b.countFlushes();
        b.seeSettled(10s, "a");
        const auto counted = b.clock.now();
        b.clock.advance(100ms);
        if (isReadFirst)
            b.see(left, "a");
        QCOMPARE(b.kinds(), Kinds {}); // The number of flushes decides.
        if (flush >= 0)
            b.flush(FlushKind(flush));
        b.settle();
        if (!isReadFirst)
            b.seeSettled(left, "a");
        QCOMPARE(b.kinds(), kinds);
        b.seeSettled(left - 3ms, "a"); // The flush is evaluated once.
        QCOMPARE(b.kinds(), kinds);
        if (kinds.size() == 2) {
            QCOMPARE(b.keyEvents[0].ending, Ending::Flushed);
            QVERIFY(b.keyEvents[0].notBefore <= counted);
            QVERIFY(!b.keyEvents[1].isInferred);
        } else if (flush >= 0 && !kinds.isEmpty()) {
            QVERIFY(b.keyEvents[0].isInferred);
        }
    }

    /// The elements of a lock for readers change while it is held, but not during a FLUSHALL.
    void otherElementsAfterAFlush_areAnotherHold()
    {
        Fixture b;
        b.countFlushes();
        b.clock.advance(2ms);
        b.tracker.observed({b.look(b.endsIn(10s)), b.look(Fixture::hash({"holder:1", "1"}))});
        b.settle();
        b.clock.advance(100ms);
        b.tracker.observed({b.look(b.endsIn(10s)), b.look(Fixture::hash({"holder:2", "1"}))});
        b.flush(FlushKind::All);
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
    }

    /// The flush may have come before the hold: both are of the time between two counts.
    void flushAroundANewHold_doesNotEndIt()
    {
        Fixture b;
        b.countFlushes();
        b.goneSettled();
        b.clock.advance(100ms);
        b.see(10s, "a");
        b.flush(FlushKind::All);
        b.settle();
        b.seeSettled(9997ms, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
    }

    /// SWAPDB makes the keys of another database appear.
    void keyThatAppearsAfterASwap_isInferred_data()
    {
        QTest::addColumn<int>("flush"); // -1: none.
        QTest::addColumn<bool>("isReadFirst");
        QTest::addColumn<bool>("isFollowed"); // Before the swap.
        QTest::addColumn<bool>("isInferred");
        const int swap = static_cast<int>(FlushKind::Swap);
        QTest::addRow("no swap") << -1 << true << true << false;
        QTest::addRow("swap counted first") << swap << false << true << true;
        QTest::addRow("swap counted later") << swap << true << true << true;
        QTest::addRow("key found after the swap") << swap << false << false << true;
        QTest::addRow("FLUSHDB") << static_cast<int>(FlushKind::Any) << true << true << false;
    }
    void keyThatAppearsAfterASwap_isInferred()
    {
        QFETCH(int, flush);
        QFETCH(bool, isReadFirst);
        QFETCH(bool, isFollowed);
        Fixture b;
        b.countFlushes();
        b.goneSettled();
        const auto absentAt = b.clock.now();
        if (!isFollowed)
            b.tracker.unfollow("k");
        b.clock.advance(100ms);
        if (isReadFirst)
            b.see(10s, "a");
        QCOMPARE(b.kinds(), Kinds {});
        if (flush >= 0)
            b.flush(FlushKind(flush));
        if (!isFollowed)
            b.tracker.follow("k", 0, absentAt);
        b.settle();
        if (!isReadFirst)
            b.seeSettled(10s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        QTEST(b.keyEvents.front().isInferred, "isInferred");
        b.goneSettled();
        b.seeSettled(10s, "a"); // The next hold has not come with the swap.
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Ended, Type::Appeared}));
        QVERIFY(!b.keyEvents.back().isInferred);
    }

    /// The program ends before the next number of flushes.
    void waitingReads_areAppliedAtTheEnd()
    {
        Fixture b;
        b.countFlushes();
        b.seeSettled(10s, "a");
        b.clock.advance(100ms);
        b.see(60s, "a");
        QCOMPARE(b.kinds(), Kinds {});
        b.tracker.applyWaiting();
        QCOMPARE(b.kinds(), Kinds {Type::Renewed});
    }

    /// The flush may have ended a hold with the same value, or may have been that of another database.
    void sameValueWrittenAfterAFlush_isNoRenewal_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<bool>("isFlushFirst");
        QTest::addColumn<int>("what");
        const int events = static_cast<int>(EventCoverage::Depth::Events);
        const int names = static_cast<int>(EventCoverage::Depth::Keys);
        QTest::addRow("written") << events << QByteArray("set") << true << static_cast<int>(Type::Replaced);
        QTest::addRow("changed, unnamed") << names << QByteArray() << true << static_cast<int>(Type::Changed);
        QTest::addRow("written before") << events << QByteArray("set") << false << static_cast<int>(Type::Renewed);
        QTest::addRow("expiry changed") << events << QByteArray("expire") << true << static_cast<int>(Type::Renewed);
        QTest::addRow("hash rebuilt") << events << QByteArray("hset") << true << static_cast<int>(Type::Replaced);
        QTest::addRow("field deleted") << events << QByteArray("hdel") << true << static_cast<int>(Type::Renewed);
    }
    void sameValueWrittenAfterAFlush_isNoRenewal()
    {
        QFETCH(int, depth);
        QFETCH(QByteArray, event);
        QFETCH(bool, isFlushFirst);
        QFETCH(int, what);
        Fixture b;
        b.listen(static_cast<EventCoverage::Depth>(depth));
        b.seeSettled(10s, "a");
        b.clock.advance(10ms);
        if (isFlushFirst)
            b.flush();
        b.receive(event);
        if (!isFlushFirst)
            b.flush();
        b.seeSettled(60s, "a");
        QCOMPARE(b.kinds(), Kinds {static_cast<Type>(what)});
    }

    /// The subscription begins before it is certain that all changes are reported.
    void notificationBeforeTheReportsAreComplete_hasNoTime()
    {
        Fixture b;
        b.tracker.unfollow("k");
        b.tracker.follow("k", 0, b.clock.now());
        const auto absentAt = b.clock.now();
        b.clock.advance(100ms);
        b.receive("set");
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        QCOMPARE(b.keyEvents.front().notBefore, absentAt);
        QVERIFY(b.keyEvents.front().after);
    }

    /// The server reports every removal, but the receiver may not receive flushes.
    void unreportedEndWithoutFlushEvents_isUnknown()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events, false);
        b.seeSettled(60s, "a");
        b.clock.advance(100ms);
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.back().ending, Ending::Unknown);
    }

    void inferredEnd_isReportedAsInferred()
    {
        Fixture b;
        b.see(30s);
        Observation missed = b.look(Gone {});
        missed.isInferred = true;
        b.tracker.observed({missed});
        QVERIFY(b.keyEvents.front().isInferred);
    }

    /// While the access is denied, changes are not seen. How and when is unknown; that something changed is not.
    void keyThatChangesWhileDenied_isReported()
    {
        Fixture other;
        other.see(30s, "a");
        const auto seen = other.clock.now();
        other.tracker.observed({other.look(AccessDenied {})});
        QCOMPARE(other.kinds(), Kinds {});
        other.clock.advance(1s);
        other.see(29s, "b");
        QCOMPARE(other.kinds(), Kinds {Type::Replaced});
        QVERIFY(other.keyEvents.front().notBefore <= seen);
        Fixture ended;
        ended.see(30s, "a");
        ended.tracker.observed({ended.look(AccessDenied {})});
        ended.clock.advance(1s);
        ended.gone();
        QCOMPARE(ended.kinds(), Kinds {Type::Ended});
        QCOMPARE(ended.keyEvents.front().ending, events::Ending::Unknown);
        Fixture same;
        same.see(30s, "a");
        same.tracker.observed({same.look(AccessDenied {})});
        same.clock.advance(1s);
        same.see(29s, "a");
        QCOMPARE(same.kinds(), Kinds {});
    }
    void newKeyThatIsDeniedAtFirst_appears()
    {
        Fixture b;
        b.gone();
        b.tracker.observed({b.look(AccessDenied {})});
        b.clock.advance(1s);
        b.see(29s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
    }

    /// PTTL is refused after the first read: the renewal is received, and its expiry is not known.
    void endAfterAnUnreadRenewal_isNoExpiry_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addRow("notifications") << int(EventCoverage::Depth::Events);
        QTest::addRow("tracking") << int(EventCoverage::Depth::Keys);
        QTest::addRow("polling alone") << int(EventCoverage::Depth::None);
    }
    void endAfterAnUnreadRenewal_isNoExpiry()
    {
        QFETCH(int, depth);
        Fixture b;
        b.listen(EventCoverage::Depth(depth));
        b.seeSettled(10s, "a");
        const auto received = b.clock.now();
        if (depth != int(EventCoverage::Depth::None))
            b.receive(depth == int(EventCoverage::Depth::Events) ? "expire" : "");
        b.clock.advance(1s);
        b.tracker.observed({b.look(Fixture::string("a"))}); // Without its expiry.
        b.settle();
        b.clock.advance(20s); // The former expiry has passed.
        b.tracker.observed({b.look(Fixture::string("a"))});
        b.settle();
        if (depth == int(EventCoverage::Depth::Events))
            b.receive("del");
        b.goneSettled();
        QCOMPARE(b.keyEvents.size(), 1);
        QCOMPARE(b.keyEvents.back().type, Type::Ended);
        QVERIFY(b.keyEvents.back().ending != Ending::Expired);
        QVERIFY(b.keyEvents.back().notBefore >= received);
    }

    /// The expiry is read later: the renewal was at the notification, before the read that did not read the expiry.
    void renewalReadLater_hasTheTimeOfItsNotice()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(1s);
        b.receive("expire");
        const auto received = b.clock.now();
        b.clock.advance(1s);
        b.tracker.observed({b.look(Fixture::string("a"))});
        b.settle();
        b.clock.advance(1s);
        b.seeSettled(20s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Renewed});
        QVERIFY(b.keyEvents.back().notBefore <= received);
        QVERIFY(b.keyEvents.back().notAfter <= received);
    }

    /// A write, a change of the expiry, and only then a read: the event is the write, known from the first
    /// notification.
    void eventOfSeveralNotices_hasTheTimeOfTheFirst()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(1s);
        const auto received = b.clock.now();
        b.receive("set");
        b.receive("expire");
        b.clock.advance(700ms);
        b.receive("expire");
        b.seeSettled(20s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::HandedOver});
        QCOMPARE(b.keyEvents.back().firstNotification, std::optional(received));
        QVERIFY(b.keyEvents.back().notBefore <= received);
    }

    /// The key was absent before the reports began. Its first notification is that of an extension.
    void keyThatAppearedBeforeTheReports_hasNoTimeOfANotice()
    {
        Fixture b;
        b.gone();
        const auto absent = b.clock.now() - 1ms;
        b.clock.advance(1s);
        b.listen(EventCoverage::Depth::Events);
        b.settle();
        b.clock.advance(1s);
        b.receive("expire");
        b.seeSettled(10s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        QCOMPARE(b.keyEvents.back().notBefore, absent);
        QVERIFY(!b.keyEvents.back().firstNotification);
    }

    /// The first hold was reported, and not read before the reports ended. The value may be that of a later hold.
    void valueReadAfterAGapInTheReports_isNotThatOfTheFirstHold_data()
    {
        QTest::addColumn<bool>("areReportsBack");
        QTest::addColumn<bool>("isExpiryReadFirst");
        QTest::addRow("reported again") << true << false;
        QTest::addRow("polling") << false << false;
        QTest::addRow("expiry first") << true << true;
        QTest::addRow("expiry first, polling") << false << true;
    }
    void valueReadAfterAGapInTheReports_isNotThatOfTheFirstHold()
    {
        QFETCH(bool, areReportsBack);
        QFETCH(bool, isExpiryReadFirst);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.goneSettled();
        const auto received = b.clock.now();
        b.receive("set");
        b.receive("expire");
        b.tracker.eventCoverageChanged(0, {});
        b.clock.advance(3s);
        if (areReportsBack)
            b.listen(EventCoverage::Depth::Events);
        b.clock.advance(1s);
        if (isExpiryReadFirst) {
            b.see(60s);
            b.settle();
            b.clock.advance(2ms);
            b.tracker.observed({b.look(Fixture::string("c"))});
            b.settle();
        } else {
            b.seeSettled(60s, "c");
        }
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::FirstRead}));
        QVERIFY(!b.keyEvents[0].after && !b.keyEvents[0].deadline);
        QVERIFY(b.keyEvents[0].firstNotification == received && b.keyEvents[0].notAfter == received);
        QVERIFY(b.keyEvents[1].isInferred);
        QCOMPARE(b.keyEvents[1].after->bytes(), QByteArray("c"));
        QVERIFY(b.keyEvents[1].notBefore <= b.keyEvents[0].notAfter);
    }

    /// The expiry was read while changes were reported, and the value after a gap in the reports.
    void valueWithoutExpiryReadAfterAGap_mayBeOfALaterHold()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.clock.advance(2ms);
        b.see(10s);
        b.settle();
        b.tracker.eventCoverageChanged(0, {});
        b.clock.advance(1s);
        b.tracker.observed({b.look(Fixture::string("c"))});
        QCOMPARE(b.kinds(), Kinds {Type::FirstRead});
        QVERIFY(b.keyEvents.back().isInferred);
    }

    /// The known hold may have ended before the reports began, and the notification may be that of a later hold.
    void endAfterAGapInTheReports_mayHaveComeInTheGap()
    {
        Fixture b;
        b.see(10s, "a");
        const auto seen = b.clock.now() - 1ms;
        b.clock.advance(1s);
        b.listen(EventCoverage::Depth::Events);
        b.settle();
        b.clock.advance(1s);
        b.receive("del");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.back().notBefore, seen);
        QVERIFY(!b.keyEvents.back().firstNotification);
    }

    /// The value is read after the expiry, and may belong to a later hold.
    void expiryReadBeforeTheValue_showsNoRenewal()
    {
        Fixture b;
        b.see(10s);
        b.clock.advance(1s);
        b.tracker.observed({b.look(Fixture::string("b"))}); // PTTL is refused.
        b.clock.advance(1s);
        b.see(20s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::FirstRead});
        // With notifications, the value belongs to the hold of that expiry.
        Fixture received;
        received.listen(EventCoverage::Depth::Events);
        received.see(10s);
        received.settle();
        received.clock.advance(1s);
        received.tracker.observed({received.look(Fixture::string("b"))});
        received.settle();
        received.receive("expire");
        received.clock.advance(1s);
        received.seeSettled(20s, "b");
        QCOMPARE(received.kinds(), (Kinds {Type::FirstRead, Type::Renewed}));
    }

    /// A key that was denied while an older read waited.
    void absenceBeforeADenial_isAnEnd()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.seeSettled(10s, "a");
        b.clock.advance(1s);
        b.receive("");
        b.gone(); // Waits for the confirmation.
        b.tracker.observed({b.look(AccessDenied {})});
        b.clock.advance(2ms);
        b.see(9s, "b");
        b.settle();
        b.clock.advance(1s);
        b.seeSettled(8s - 3ms, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
    }

    void endAndReturnBetweenTwoReads_areBothReported()
    {
        Fixture b;
        b.see(30s, "a");
        b.clock.advance(1s);
        b.tracker.observed({b.look(Gone {}), b.look(b.endsIn(30s)), b.look(Fixture::string("b"))});
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
    }

    // With notifications: the server names each event.

    void lifetimeByItsEvents_isReported()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.goneSettled();
        b.receive("set");
        b.receive("expire");
        b.seeSettled(10s, "a");
        b.clock.advance(3s);
        b.receive("expire");
        b.seeSettled(10s, "a");
        b.receive("del");
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Renewed, Type::Ended}));
        QCOMPARE(b.keyEvents[0].after->bytes(), QByteArray("a"));
        QCOMPARE(b.keyEvents[2].ending, Ending::Deleted);
        QCOMPARE(b.keyEvents[2].before->bytes(), QByteArray("a"));
        QCOMPARE(b.keyEvents[2].source, Source::Notification);
        for (const KeyEvent &keyEvent : std::as_const(b.keyEvents))
            QVERIFY(!keyEvent.isInferred);
    }

    void endsBySomeEvent_haveItsName_data()
    {
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<int>("ending");
        QTest::addRow("expired") << QByteArray("expired") << static_cast<int>(Ending::Expired);
        QTest::addRow("del") << QByteArray("del") << static_cast<int>(Ending::Deleted);
        QTest::addRow("evicted") << QByteArray("evicted") << static_cast<int>(Ending::Evicted);
        QTest::addRow("rename_from") << QByteArray("rename_from") << static_cast<int>(Ending::Deleted);
    }
    void endsBySomeEvent_haveItsName()
    {
        QFETCH(QByteArray, event);
        QFETCH(int, ending);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.receive(event);
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(static_cast<int>(b.keyEvents.front().ending), ending);
    }

    void valueWrittenOver_isAHandOver()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.receive("set");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::HandedOver});
        QCOMPARE(b.keyEvents.front().before->bytes(), QByteArray("a"));
        QCOMPARE(b.keyEvents.front().after->bytes(), QByteArray("b"));
    }

    /// A flush between the two values is possible, and the server does not announce flushes here.
    void overwrittenValue_isNoHandOverWithoutFlushEvents()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events, false);
        b.seeSettled(10s, "a");
        b.receive("set");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
    }

    void releaseAndAcquireBetweenTwoReads_areBothReported()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.receive("del");
        b.receive("set");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QCOMPARE(b.keyEvents[1].after->bytes(), QByteArray("b"));
    }

    void unobservedHold_isReported()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.goneSettled();
        b.receive("set");
        b.receive("del");
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Ended}));
        QVERIFY(!b.keyEvents[0].after);
    }

    /// An expiry in the past has the same events as a short one. No client can have held such a lock.
    void holdThatNoReadHasFound_isInferredUnlessDeleted_data()
    {
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<bool>("isInferred");
        QTest::addRow("expired") << QByteArray("expired") << true;
        QTest::addRow("evicted") << QByteArray("evicted") << true;
        QTest::addRow("deleted") << QByteArray("del") << false;
    }
    void holdThatNoReadHasFound_isInferredUnlessDeleted()
    {
        QFETCH(QByteArray, event);
        QFETCH(bool, isInferred);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.goneSettled();
        b.receive("set");
        b.receive("expire");
        b.receive(event);
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Ended}));
        QCOMPARE(b.keyEvents[0].isInferred, isInferred);
    }

    /// The first holder was not seen, and the value that was read is that of a later one.
    void holderBeforeTheFirstRead_isReported_data()
    {
        QTest::addColumn<bool>("isFlush");
        QTest::addRow("written over") << false;
        QTest::addRow("flushed, and renewed after that") << true;
    }
    void holderBeforeTheFirstRead_isReported()
    {
        QFETCH(bool, isFlush);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.goneSettled();
        b.receive("set");
        if (isFlush)
            b.flush();
        b.receive(isFlush ? "expire" : "set");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Replaced}));
        QVERIFY(!b.keyEvents[0].after);
        QCOMPARE(b.keyEvents[1].after->bytes(), QByteArray("b"));
        QVERIFY(b.keyEvents[1].isInferred);
    }

    /// The reply arrived before the event. Across two connections, any order is possible.
    void readAheadOfItsEvent_isNoHandOver()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(2ms);
        b.see(10s, "b");
        b.receive("del");
        b.receive("set");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
    }

    /// The lock was acquired and evicted, and a read after that was answered before both events were received.
    void holdThatAnAnswerHasOvertaken_isNotPutBehindIt()
    {
        Fixture fixture;
        fixture.listen(EventCoverage::Depth::Events);
        fixture.seeSettled(10s, "a");
        fixture.receive("del");
        fixture.goneSettled();
        fixture.keyEvents.clear();
        fixture.clock.advance(5ms);
        const auto asked = fixture.clock.now() - 1ms;
        fixture.gone();
        fixture.receive("set");
        fixture.receive("evicted");
        fixture.settle();
        QCOMPARE(fixture.kinds(), QList<Type>({Type::Appeared, Type::Ended}));
        QVERIFY(fixture.keyEvents.at(0).notBefore < asked);
        QVERIFY(fixture.keyEvents.at(1).notBefore < asked);
    }

    /// An expired key that is still in memory can be evicted. If the end of the hold is unknown, both endings are
    /// possible.
    void evictionOfAHoldWithAnUnknownEnd_isNoVerdict()
    {
        Fixture fixture;
        fixture.listen(EventCoverage::Depth::Events);
        fixture.goneSettled();
        fixture.receive("set");
        fixture.receive("evicted");
        fixture.goneSettled();
        QCOMPARE(fixture.kinds(), (Kinds {Type::Appeared, Type::Ended}));
        QCOMPARE(fixture.keyEvents[1].ending, Ending::Unknown);
    }

    void readDuringChanges_isIgnored_data()
    {
        QTest::addColumn<bool>("isSettledBefore");
        QTest::addRow("settled after the reply") << false;
        QTest::addRow("settled before the reply too") << true;
    }
    /// The lock may have expired just before it was evicted.
    void evictionAroundTheEnd_isNoVerdict_data()
    {
        QTest::addColumn<int>("after");
        QTest::addColumn<int>("ending");
        QTest::addRow("before the earliest end") << 9990 << static_cast<int>(Ending::Evicted);
        QTest::addRow("after the earliest end") << 10'000 << static_cast<int>(Ending::Unknown);
    }
    void evictionAroundTheEnd_isNoVerdict()
    {
        QFETCH(int, after);
        QFETCH(int, ending);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(std::chrono::milliseconds(after));
        b.receive("evicted");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(static_cast<int>(b.keyEvents.front().ending), ending);
    }

    /// The lock changed its holder between request and reply: the reply can be of either holder.
    void readDuringChanges_isIgnored()
    {
        QFETCH(bool, isSettledBefore);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(2ms);
        const Observation early = b.look(b.endsIn(10s));
        b.clock.advance(1ms);
        b.receive("set");
        b.tracker.observed({{"k", early.content, early.asked, b.clock.now(), Source::Poll},
                            {"k", Fixture::string("b"), early.asked, b.clock.now(), Source::Poll}});
        if (isSettledBefore)
            b.tracker.receivedUpTo(0, early.answered);
        b.settle();
        QCOMPARE(b.kinds(), Kinds {});
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::HandedOver});
    }

    void expiryOurReadMayHaveCaused_isMarked_data()
    {
        QTest::addColumn<bool>("isAsked");
        QTest::addRow("asked first") << true;
        QTest::addRow("told first") << false;
    }
    void expiryOurReadMayHaveCaused_isMarked()
    {
        QFETCH(bool, isAsked);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(10'050ms);
        if (isAsked)
            b.gone();
        b.receive("expired");
        b.clock.advance(2ms);
        if (!isAsked)
            b.gone();
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Expired);
        QCOMPARE(b.keyEvents.front().mayBeOwnRead, isAsked);
        const auto late = b.keyEvents.front().late();
        QVERIFY(late && *late >= 50ms && *late < 60ms);
    }

    /// The notification was received late: the key can have ended at any time from its deadline on, and not before.
    void expiryOfALateNotice_mayHaveComeAtTheDeadline()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        const base::MonotonicTime deadline = b.clock.now() - 1ms + 10s;
        b.clock.advance(12'200ms);
        b.receive("expired");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Expired);
        QCOMPARE(b.keyEvents.front().notBefore, deadline - 1ms);
        QCOMPARE(b.keyEvents.front().notAfter - *b.keyEvents.front().late(), deadline);
    }

    /// The lease changed, and the new one was not read: the end is not late by the old one.
    void expiryAfterAnUnreadChangeOfTheLease_hasNoLateness_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<std::chrono::milliseconds>("end");
        QTest::addRow("prolonged") << QByteArray("expire") << 12'100ms;
        QTest::addRow("shortened") << QByteArray("expire") << 700ms;
        QTest::addRow("written") << QByteArray("set") << 12'100ms;
        QTest::addRow("value read without the lease") << QByteArray() << 12'100ms;
        QTest::addRow("change not reported, and before the deadline") << QByteArray("new") << 700ms;
    }
    void expiryAfterAnUnreadChangeOfTheLease_hasNoLateness()
    {
        QFETCH(QByteArray, change);
        QFETCH(std::chrono::milliseconds, end);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(10ms);
        b.receive(change.isEmpty() ? "expire" : change);
        if (change.isEmpty()) {
            b.clock.advance(2ms);
            b.tracker.observed({b.look(Fixture::string("a"))});
            b.settle();
        }
        b.clock.advance(end);
        b.receive("expired");
        b.settle();
        QCOMPARE(b.keyEvents.back().ending, Ending::Expired);
        QVERIFY(!b.keyEvents.back().late());
    }

    /// A request makes the server remove only expired keys.
    void endBeforeTheDeadline_isNotByOurRead_data()
    {
        QTest::addColumn<int>("after");
        QTest::addColumn<bool>("mayBeOurRead");
        QTest::addRow("deadline ahead") << 5000 << false;
        QTest::addRow("deadline passed") << 10'050 << true;
    }
    void endBeforeTheDeadline_isNotByOurRead()
    {
        QFETCH(int, after);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.tracker.restarted(0);
        b.clock.advance(std::chrono::milliseconds(after));
        b.gone();
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QTEST(b.keyEvents.front().mayBeOwnRead, "mayBeOurRead");
    }

    /// Two requests of one moment: the key existed at the first, and was gone at the second.
    void expiryBetweenTwoReadsOfOneMoment_isMarked()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.clock.advance(2ms);
        const ObservationContent end = b.endsIn(10s);
        b.tracker.observed({b.look(end), b.look(Fixture::string("a"))});
        b.settle();
        b.clock.advance(9999ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.tracker.observed({{"k", end, asked, b.clock.now(), Source::Poll},
                            {"k", Fixture::string("a"), asked, b.clock.now(), Source::Poll}});
        b.receive("expired");
        b.tracker.observed({{"k", Gone {}, asked, b.clock.now(), Source::Read}});
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QVERIFY(b.keyEvents.front().mayBeOwnRead);
    }

    /// A replica deletes an expired key on its master's command and announces a deletion.
    void deletionOfWhatHadExpired_isAnExpiry()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(10'050ms);
        b.settle(); // No event was announced until here.
        b.clock.advance(1ms);
        b.receive("del");
        b.settle();
        QCOMPARE(b.keyEvents.front().ending, Ending::Expired);
    }

    void flushIsReported_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addRow("notifications") << static_cast<int>(EventCoverage::Depth::Events);
        QTest::addRow("tracking") << static_cast<int>(EventCoverage::Depth::Keys);
    }
    void flushIsReported()
    {
        QFETCH(int, depth);
        Fixture b;
        b.listen(static_cast<EventCoverage::Depth>(depth));
        b.seeSettled(10s, "a");
        b.flush();
        b.settle();
        QCOMPARE(b.kinds(), Kinds {}); // The flush may concern another database.
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Flushed);
    }

    void flushOfAnotherDatabase_endsNothing()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.flush();
        b.seeSettled(9997ms, "a"); // The same expiry.
        QCOMPARE(b.kinds(), Kinds {});
        b.receive("del");
        b.settle();
        QCOMPARE(b.keyEvents.front().ending, Ending::Deleted);
    }

    void anotherValueAfterAFlush_isNoHandOver()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.flush();
        b.receive("set");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
    }

    // With tracking: the server announces a change without its kind.

    void endsByTouches_areDistinguished_data()
    {
        QTest::addColumn<qint64>("confirmed"); // Milliseconds of the lease without a change.
        QTest::addColumn<qint64>("touched");
        QTest::addColumn<int>("touches");
        QTest::addColumn<int>("ending");
        QTest::addRow("before its time") << qint64(500) << qint64(700) << 1 << static_cast<int>(Ending::Removed);
        QTest::addRow("at its end") << qint64(1010) << qint64(1020) << 1 << static_cast<int>(Ending::Expired);
        QTest::addRow("around its end") << qint64(500) << qint64(1020) << 1 << static_cast<int>(Ending::Unknown);
        QTest::addRow("twice") << qint64(500) << qint64(700) << 2 << static_cast<int>(Ending::Unknown);
    }
    void endsByTouches_areDistinguished()
    {
        QFETCH(qint64, confirmed);
        QFETCH(qint64, touched);
        QFETCH(int, touches);
        QFETCH(int, ending);
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.clock.advance(2ms);
        const auto start = b.clock.now();
        b.see(1s, "a");
        b.settle();
        b.clock.advance(start + std::chrono::milliseconds(confirmed) - b.clock.now());
        b.tracker.receivedUpTo(0, b.clock.now());
        b.clock.advance(start + std::chrono::milliseconds(touched) - b.clock.now());
        for (int i = 0; i < touches; ++i)
            b.receive("");
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(static_cast<int>(b.keyEvents.front().ending), ending);
    }

    /// The server may have evicted the key before its expiry, and a read cannot remove it then.
    void unnamedEvictionBeforeTheDeadline_isNotByOurRead_data()
    {
        QTest::addColumn<int>("touches");
        QTest::addColumn<std::chrono::milliseconds>("after");
        QTest::addColumn<bool>("mayBeOurRead");
        QTest::addRow("deadline ahead") << 1 << 5000ms << false;
        QTest::addRow("deadline passed") << 1 << 10'050ms << true;
        QTest::addRow("perhaps after another expiry") << 2 << 5000ms << true;
    }
    void unnamedEvictionBeforeTheDeadline_isNotByOurRead()
    {
        QFETCH(int, touches);
        QFETCH(std::chrono::milliseconds, after);
        Fixture b;
        b.tracker.eventCoverageChanged(0, {EventCoverage::Depth::Keys, true, b.clock.now(), true});
        b.seeSettled(10s, "a");
        b.clock.advance(after);
        for (int i = 0; i < touches; ++i)
            b.receive("");
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Unknown);
        QTEST(b.keyEvents.front().mayBeOwnRead, "mayBeOurRead");
    }

    /// The first of several changes before the first read is the appearance.
    void appearanceByTouches_isInferredFromSeveral_data()
    {
        QTest::addColumn<int>("touches");
        QTest::addColumn<bool>("isInferred");
        QTest::addRow("one") << 1 << false;
        QTest::addRow("two") << 2 << true;
    }
    void appearanceByTouches_isInferredFromSeveral()
    {
        QFETCH(int, touches);
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.goneSettled();
        for (int i = 0; i < touches; ++i)
            b.receive("");
        b.seeSettled(10s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        QTEST(b.keyEvents.front().isInferred, "isInferred");
    }

    /// The request for the key and its notification overlap, so their order is unknown. But the key existed, and is
    /// gone.
    void keyFoundAmongTouches_hasAppearedAndEnded_data()
    {
        QTest::addColumn<int>("notifications");
        QTest::addColumn<int>("ending");
        QTest::addRow("one for both changes") << 1 << static_cast<int>(Ending::Removed);
        QTest::addRow("one each") << 2 << static_cast<int>(Ending::Removed);
        QTest::addRow("more changes") << 3 << static_cast<int>(Ending::Unknown);
    }
    void keyFoundAmongTouches_hasAppearedAndEnded()
    {
        QFETCH(int, notifications);
        QFETCH(int, ending);
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.goneSettled();
        b.clock.advance(2ms);
        const base::MonotonicTime asked = b.clock.now();
        b.clock.advance(1ms);
        for (int i = 0; i < notifications; ++i)
            b.receive({});
        const base::MonotonicTime heard = b.clock.now();
        const auto found = [&](ObservationContent content) {
            return Observation {"k", std::move(content), asked, b.clock.now(), Source::Read};
        };
        b.tracker.observed({found(b.endsIn(10s)), found(Fixture::string("a"))});
        b.settle();
        QCOMPARE(b.kinds(), Kinds {});
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Ended}));
        QCOMPARE(b.keyEvents[0].after->parts.front(), QByteArray("a"));
        QVERIFY(b.keyEvents[0].notBefore < asked && b.keyEvents[0].notAfter <= heard);
        QCOMPARE(static_cast<int>(b.keyEvents[1].ending), ending);
        QVERIFY(b.keyEvents[1].notBefore >= asked);
        b.goneSettled();
        QCOMPARE(b.keyEvents.size(), 2);
    }

    /// A later reading that finds the key is certain.
    void keyFoundAmongTouches_appearsOnce()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.goneSettled();
        b.clock.advance(2ms);
        const Observation early = b.look(b.endsIn(10s));
        b.clock.advance(1ms);
        b.receive({});
        b.tracker.observed({{"k", early.content, early.asked, b.clock.now(), Source::Read}});
        b.settle();
        b.seeSettled(10s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        b.clock.advance(1s);
        b.receive({});
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Appeared, Type::Ended}));
    }

    /// The store has found the key, and its lock was shown.
    void keyThatWasFoundBefore_isFollowedFromThatRead_data()
    {
        QTest::addColumn<bool>("isFollowedByAnother");
        QTest::addRow("followed now") << false;
        QTest::addRow("followed before") << true;
    }
    void keyThatWasFoundBefore_isFollowedFromThatRead()
    {
        QFETCH(bool, isFollowedByAnother);
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        if (!isFollowedByAnother)
            b.tracker.unfollow("k");
        b.clock.advance(1s);
        b.tracker.followFound("k", std::nullopt, Deadline(b.clock.now() + 10s, 1ms),
                              {b.clock.now() - 5ms, b.clock.now()}, Source::Poll);
        b.goneSettled();
        QCOMPARE(b.kinds(), isFollowedByAnother ? Kinds {} : Kinds {Type::Ended});
    }

    /// The server reports the end of a key only if the key existed.
    void endOfAKeyThatWasNeverRead_isReported()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.clock.advance(2ms);
        b.tracker.receivedUpTo(0, b.clock.now());
        const base::MonotonicTime certain = b.clock.now();
        b.clock.advance(2ms);
        b.receive("del");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Deleted);
        QVERIFY(!b.keyEvents.front().deadline && b.keyEvents.front().isDeadlineStale);
        QCOMPARE(b.keyEvents.front().notBefore, certain);
    }

    void anotherValueByTouches_isReplaced()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.seeSettled(10s, "a");
        b.receive("");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
    }

    /// The confirmation that a lock lasted until its end is requested at its end. A later request may itself expire the
    /// key.
    void endOfATrackedKey_isConfirmedInTime()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.clock.advance(2ms);
        b.see(30ms, "a");
        b.settle();
        int wanted = 0;
        connect(&b.tracker, &KeyEventTracker::confirmationRequested, this, [&] { ++wanted; });
        LATCHKEY_AWAIT(wanted == 1);
    }

    /// The end may be in this moment: the confirmation is requested at once.
    void endAtTheMomentOfARead_isConfirmed()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.clock.advance(2ms);
        int wanted = 0;
        connect(&b.tracker, &KeyEventTracker::confirmationRequested, this, [&] { ++wanted; });
        b.see(-1ms, "a");
        LATCHKEY_AWAIT(wanted == 1);
    }

    /// A key that was found gone, between a notification before and a flush after it, has come back later.
    void keyThatCameBackAfterAFlush_isNotOfTheTimeOfAnOlderNotice()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.seeSettled(10s, "a");
        b.receive("");
        b.clock.advance(1ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.flush();
        const auto flushed = b.clock.now();
        b.tracker.observed({{"k", Gone {}, asked, b.clock.now(), Source::Poll}});
        b.settle();
        b.clock.advance(1s);
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QCOMPARE(b.keyEvents[1].notBefore, asked);
        QVERIFY(b.keyEvents[1].notAfter > flushed);
    }

    /// A flush of another node advances the tracker's clock, so the expiry is scheduled soon after it.
    void endThatIsLearntLate_isConfirmedInTime()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.tracker.observed({b.look(Exists {})});
        b.settle();
        b.receive("");
        b.clock.advance(2ms);
        b.see(1h, "a");
        b.clock.advance(1h - 30ms);
        b.tracker.flushAnnounced(1, b.clock.now(), FlushKind::Any);
        b.settle();
        int wanted = 0;
        connect(&b.tracker, &KeyEventTracker::confirmationRequested, this, [&] { ++wanted; });
        LATCHKEY_AWAIT(wanted == 1);
    }

    void lostEvents_keepCertainState()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.listen(EventCoverage::Depth::None);
        b.listen(EventCoverage::Depth::Events);
        b.receive("set"); // Earlier events may have been missed.
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
    }

    void valueReadLater_isLearnt()
    {
        Fixture b;
        b.see(10s);
        b.clock.advance(1s);
        b.see(9s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::FirstRead});
        QCOMPARE(b.keyEvents.front().after->bytes(), QByteArray("a"));
    }

    void keyKnownToBeAbsent_appears()
    {
        Fixture b;
        b.tracker.follow("other", 0, b.clock.now());
        b.clock.advance(1s);
        b.tracker.observed({{"other", b.endsIn(10s), b.clock.now() - 1ms, b.clock.now(), Source::Scan}});
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        QVERIFY(b.keyEvents.front().notAfter - b.keyEvents.front().notBefore >= 1s);
    }

    /// The read that found the database empty was sent before the flush was received, and no other read follows.
    void absenceThatHasOvertakenItsFlush_isTheFlush_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addRow("tracking") << int(EventCoverage::Depth::Keys);
        QTest::addRow("notifications") << int(EventCoverage::Depth::Events);
    }
    void absenceThatHasOvertakenItsFlush_isTheFlush()
    {
        QFETCH(int, depth);
        Fixture b;
        b.listen(EventCoverage::Depth(depth));
        b.seeSettled(10s, "a");
        b.clock.advance(2ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.flush();
        b.tracker.emptied(0, asked, b.clock.now());
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Flushed);
    }

    void ownDelete_isNotInDoubt()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.seeSettled(10s, "a");
        b.tracker.observed({{"k", Gone {}, b.clock.now(), b.clock.now() + 1ms, Source::OwnCommand}});
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().ending, Ending::Deleted);
        QCOMPARE(b.keyEvents.front().source, Source::OwnCommand);
        b.clock.advance(2ms);
        b.receive("");
        b.goneSettled();
        QCOMPARE(b.kinds().size(), 1);
    }

    /// Another client has taken the lock, and the notification arrives while our own deletion is in progress. The
    /// deletion has compared with the new holder's value.
    void ownDelete_isOfWhatItHasComparedWith()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.receive("");
        b.clock.advance(1ms);
        b.tracker.observed({{"k", b.endsIn(20s), asked, asked, Source::Read},
                            {"k", Fixture::string("b"), asked, asked, Source::Read}});
        b.tracker.observed({{"k", Gone {}, asked, b.clock.now(), Source::OwnCommand}});
        QCOMPARE(b.kinds(), (Kinds {Type::Replaced, Type::Ended}));
        QCOMPARE(b.keyEvents.back().ending, Ending::Deleted);
        QCOMPARE(b.keyEvents.back().before->bytes(), QByteArray("b"));
        b.goneSettled();
        QCOMPARE(b.kinds().size(), 2);
    }

    /// The state that our own deletion has compared arrives with the deletion's reply, perhaps after a read that has
    /// found the key gone, or a notification of the deletion.
    void endOfOwnDelete_isReportedOnce_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addColumn<int>(
            "goneAfter"); ///< From the request of the change to the read's reply, or to the notification.
        QTest::addColumn<bool>("isReceived");
        QTest::addColumn<bool>("isFound");
        QTest::addColumn<bool>("isSettled");
        QTest::addColumn<Kinds>("expected");
        const int none = int(EventCoverage::Depth::None);
        const int keys = int(EventCoverage::Depth::Keys);
        const int events = int(EventCoverage::Depth::Events);
        const Kinds once {Type::Ended};
        const Kinds ofTheOther {Type::Replaced, Type::Ended};
        const Kinds twice {Type::Ended, Type::Appeared, Type::Ended};
        QTest::addRow("polling alone, found") << none << 3 << false << true << true << once;
        QTest::addRow("polling alone, of another hold") << none << -1 << false << true << true << twice;
        QTest::addRow("polling alone, of another hold, just before") << none << 0 << false << true << true << twice;
        QTest::addRow("tracking, found") << keys << 3 << false << true << true << once;
        QTest::addRow("tracking, found, unsettled") << keys << 3 << false << true << false << ofTheOther;
        QTest::addRow("notifications, heard") << events << 3 << true << false << true << once;
        QTest::addRow("notifications, heard, unsettled") << events << 3 << true << false << false << ofTheOther;
        QTest::addRow("notifications, found, unsettled") << events << 3 << false << true << false << ofTheOther;
        QTest::addRow("notifications, both, unsettled") << events << 3 << true << true << false << ofTheOther;
    }
    void endOfOwnDelete_isReportedOnce()
    {
        QFETCH(int, depth);
        QFETCH(int, goneAfter);
        QFETCH(bool, isReceived);
        QFETCH(bool, isFound);
        QFETCH(bool, isSettled);
        QFETCH(Kinds, expected);
        Fixture b;
        if (depth != int(EventCoverage::Depth::None))
            b.listen(EventCoverage::Depth(depth));
        b.seeSettled(10s, "a");
        b.clock.advance(20ms);
        const auto asked = b.clock.now();
        const auto gone = asked + std::chrono::milliseconds(goneAfter);
        b.clock.advance(5ms);
        if (isReceived)
            b.tracker.observed({{"k", ChangeNotification {"del"}, gone, gone, Source::Notification}});
        if (isFound)
            b.tracker.observed({{"k", Gone {}, gone - 2ms, gone, Source::Poll}});
        if (isSettled)
            b.tracker.receivedUpTo(0, asked + 4ms);
        QCOMPARE(b.kinds(), isSettled ? Kinds {Type::Ended} : Kinds {});
        b.tracker.observed({{"k", b.endsIn(20s), asked, asked, Source::Read},
                            {"k", Fixture::string("b"), asked, asked, Source::Read}});
        b.tracker.observed({{"k", Gone {}, asked, b.clock.now(), Source::OwnCommand}});
        if (depth == int(EventCoverage::Depth::Events) && !isReceived)
            b.receive("del");
        b.goneSettled();
        QCOMPARE(b.kinds(), expected);
        if (!isSettled)
            QCOMPARE(b.keyEvents.back().ending, Ending::Deleted);
    }

    /// The lock was handed over while our deletion was in progress, and the notification of that was applied before the
    /// deletion's reply. The deletion has compared the key after it.
    void ownDeleteAfterAnAppliedNotice_isOfWhatItHasComparedWith()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.receive("set");
        b.settle();
        b.tracker.observed({{"k", b.endsIn(10s), asked, asked, Source::Read},
                            {"k", Fixture::string("b"), asked, asked, Source::Read}});
        b.tracker.observed({{"k", Gone {}, asked, b.clock.now(), Source::OwnCommand}});
        QCOMPARE(b.kinds(), (Kinds {Type::HandedOver, Type::Ended}));
        QCOMPARE(b.keyEvents.back().before->bytes(), QByteArray("b"));
    }

    /// A poll was requested before the lock was released and taken again. Its reply arrives after both were received.
    void readOlderThanAppliedNotifications_isIgnored_data()
    {
        QTest::addColumn<bool>("isGone");
        QTest::addRow("gone") << true;
        QTest::addRow("former holder") << false;
    }
    void readOlderThanAppliedNotifications_isIgnored()
    {
        QFETCH(bool, isGone);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.receive("del");
        b.receive("set");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        const auto now = b.clock.now();
        if (isGone)
            b.tracker.observed({{"k", Gone {}, asked, now, Source::Poll}});
        else
            b.tracker.observed({{"k", b.endsIn(10s), asked, now, Source::Poll},
                                {"k", Fixture::string("a"), asked, now, Source::Poll}});
        b.settle();
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QCOMPARE(b.keyEvents.back().after->bytes(), QByteArray("b"));
        QVERIFY(b.keyEvents.back().notAfter < now);
    }

    /// The read before the notification arrives after the read that follows it, over another connection.
    void readsThatArriveOutOfOrder_areSorted()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        const ObservationContent end = b.endsIn(9999ms);
        b.clock.advance(5ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.receive("del");
        b.clock.advance(2ms);
        b.gone();
        b.tracker.observed({{"k", end, asked, b.clock.now(), Source::Read},
                            {"k", Fixture::string("a"), asked, b.clock.now(), Source::Read}});
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
    }

    /// The read and the change use two connections. The read was executed before the change and answered after it.
    void readOvertakenByAnOwnCommand_isIgnored_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addRow("polling alone") << int(EventCoverage::Depth::None);
        QTest::addRow("tracking") << int(EventCoverage::Depth::Keys);
        QTest::addRow("notifications") << int(EventCoverage::Depth::Events);
    }
    void readOvertakenByAnOwnCommand_isIgnored()
    {
        QFETCH(int, depth);
        Fixture b;
        if (depth != int(EventCoverage::Depth::None))
            b.listen(EventCoverage::Depth(depth));
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        b.tracker.observed({{"k", Gone {}, b.clock.now() - 3ms, b.clock.now(), Source::OwnCommand}});
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        b.clock.advance(1ms);
        const auto asked = b.clock.now() - 3ms;
        b.tracker.observed({{"k", b.endsIn(10s), asked, b.clock.now(), Source::Read},
                            {"k", Fixture::string("a"), asked, b.clock.now(), Source::Read}});
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        b.clock.advance(5ms);
        if (depth == int(EventCoverage::Depth::Events))
            b.receive("set");
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
    }

    /// The notification of our own command arrives after its reply, and does not show the time of the next acquisition.
    void echoOfOwnAct_isNotTakenForAnAppearance()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.seeSettled(10s, "a");
        b.tracker.observed({{"k", Gone {}, b.clock.now() - 1ms, b.clock.now(), Source::OwnCommand}});
        b.clock.advance(1ms);
        b.receive("");
        const auto echoed = b.clock.now();
        b.clock.advance(3s);
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QVERIFY(b.keyEvents.back().notAfter > echoed);
    }

    /// The notification of our own command arrives after its reply, and is not reported as a change of another client.
    void lateNoticeOfOwnActs_isNotAnothers()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        b.tracker.observed({{"k", Gone {}, b.clock.now() - 1ms, b.clock.now(), Source::OwnCommand}});
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        b.clock.advance(5ms);
        const ObservationContent end = b.endsIn(10s);
        b.tracker.observed({{"k", end, b.clock.now() - 1ms, b.clock.now(), Source::OwnCommand},
                            {"k", Fixture::string("a"), b.clock.now() - 1ms, b.clock.now(), Source::OwnCommand}});
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        b.clock.advance(1ms);
        b.receive("del");
        b.receive("restore");
        b.clock.advance(2ms);
        b.tracker.observed({b.look(end), b.look(Fixture::string("a"))});
        b.settle();
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        b.clock.advance(1s);
        b.receive("del"); // The next deletion is by another client.
        b.goneSettled();
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared, Type::Ended}));
        QCOMPARE(b.keyEvents.back().source, Source::Notification);
        QCOMPARE(b.keyEvents.back().before->bytes(), QByteArray("a"));
    }

    /// The notification of our command arrived before its reply. The next one is of the holder.
    void renewalAfterAnOwnCommand_isAttributedToTheHolder()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        b.receive("expire");
        b.tracker.observed({{"k", b.endsIn(1h), asked, b.clock.now(), Source::OwnCommand},
                            {"k", Fixture::string("a"), asked, b.clock.now(), Source::OwnCommand}});
        b.receive("expire");
        b.seeSettled(2h, "a");
        QCOMPARE(b.kinds(), (Kinds {Type::Renewed, Type::Renewed}));
        QCOMPARE(b.keyEvents[0].source, Source::OwnCommand);
        QCOMPARE(b.keyEvents[1].source, Source::Poll);
    }

    /// The holder renewed the lock before our deletion; the notifications of both arrive later.
    void noticesBeforeThatOfOwnAct_areOfTheTimeBefore()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        b.tracker.observed({{"k", Gone {}, b.clock.now() - 1ms, b.clock.now(), Source::OwnCommand}});
        b.clock.advance(1ms);
        b.receive("expire");
        b.receive("del");
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
    }

    /// The notifications of our change and of the next acquisition by another client arrived before the reply to our
    /// command.
    void lockThatWasTakenBehindOwnDelete_isAnothers_data()
    {
        QTest::addColumn<bool>("isSettled");
        QTest::addColumn<bool>("isRenewed");
        QTest::addRow("heard") << false << false;
        QTest::addRow("settled") << true << false;
        QTest::addRow("heard, renewed before") << false << true;
        QTest::addRow("settled, renewed before") << true << true;
    }
    void lockThatWasTakenBehindOwnDelete_isAnothers()
    {
        QFETCH(bool, isSettled);
        QFETCH(bool, isRenewed);
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(5ms);
        const auto asked = b.clock.now();
        b.clock.advance(1ms);
        if (isRenewed)
            b.receive("expire");
        b.receive("del");
        b.receive("set");
        if (isSettled)
            b.settle();
        b.tracker.observed({{"k", Gone {}, asked, b.clock.now(), Source::OwnCommand}});
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QCOMPARE(b.keyEvents.back().after->bytes(), QByteArray("b"));
    }

    /// With every command announced, only SWAPDB removes a key without a notification.
    void goneWithoutANotice_isNotKnownHow_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addRow("tracking") << int(EventCoverage::Depth::Keys);
        QTest::addRow("notifications") << int(EventCoverage::Depth::Events);
    }
    void goneWithoutANotice_isNotKnownHow()
    {
        QFETCH(int, depth);
        Fixture b;
        b.listen(EventCoverage::Depth(depth));
        b.seeSettled(10s, "a");
        b.clock.advance(1s);
        b.goneSettled();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.back().ending, Ending::Unknown);
    }

    /// Databases were swapped. No client acquired the lock at that time.
    void keyThatAppearsWithoutANotice_isInferred_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addColumn<bool>("isNotified");
        QTest::addColumn<bool>("isInferred");
        QTest::addRow("tracking") << int(EventCoverage::Depth::Keys) << false << true;
        QTest::addRow("notifications") << int(EventCoverage::Depth::Events) << false << true;
        QTest::addRow("tracking, notified") << int(EventCoverage::Depth::Keys) << true << false;
        QTest::addRow("notifications, notified") << int(EventCoverage::Depth::Events) << true << false;
        QTest::addRow("polling") << int(EventCoverage::Depth::None) << false << false;
    }
    void keyThatAppearsWithoutANotice_isInferred()
    {
        QFETCH(int, depth);
        QFETCH(bool, isNotified);
        Fixture b;
        b.listen(EventCoverage::Depth(depth));
        b.goneSettled();
        b.clock.advance(1s);
        if (isNotified)
            b.receive(depth == int(EventCoverage::Depth::Events) ? "set" : "");
        b.seeSettled(10s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Appeared});
        QTEST(b.keyEvents.front().isInferred, "isInferred");
    }

    /// The server's clock jumped, or databases were swapped. No client renewed the lock.
    void otherEndWithoutANotice_isNoRenewal()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(1s);
        b.seeSettled(3600s, "a");
        QCOMPARE(b.kinds(), Kinds {Type::Changed});
    }

    /// The lock expires and is acquired again with `SET … PX`, between a request and its reply.
    void newValueAmongNotices_isOfTheFirstThatFits()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(10'050ms);
        const auto asked = b.clock.now();
        b.receive("expired");
        b.receive("set");
        b.receive("expire");
        const ObservationContent end = b.endsIn(10s);
        b.tracker.observed({{"k", end, asked, b.clock.now(), Source::Poll},
                            {"k", Fixture::string("b"), asked, b.clock.now(), Source::Poll}});
        b.settle();
        QCOMPARE(b.kinds(), (Kinds {Type::Ended, Type::Appeared}));
        QCOMPARE(b.keyEvents[0].ending, Ending::Expired);
        QCOMPARE(b.keyEvents[1].after->bytes(), QByteArray("b"));
        b.clock.advance(2ms);
        b.tracker.observed({b.look(end), b.look(Fixture::string("b"))});
        b.settle();
        QCOMPARE(b.keyEvents.size(), 2);
    }

    void changeIsOfTheTimeOfItsNotice_data()
    {
        QTest::addColumn<int>("depth");
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<QByteArray>("value");
        QTest::addRow("renewed, tracking") << int(EventCoverage::Depth::Keys) << QByteArray() << QByteArray("a");
        QTest::addRow("renewed, notifications")
            << int(EventCoverage::Depth::Events) << QByteArray("expire") << QByteArray("a");
        QTest::addRow("taken over, tracking") << int(EventCoverage::Depth::Keys) << QByteArray() << QByteArray("b");
        QTest::addRow("taken over, notifications")
            << int(EventCoverage::Depth::Events) << QByteArray("set") << QByteArray("b");
    }
    /// The time of a change is that of its notification, however late the value was read.
    void changeIsOfTheTimeOfItsNotice()
    {
        QFETCH(int, depth);
        QFETCH(QByteArray, event);
        QFETCH(QByteArray, value);
        Fixture b;
        b.listen(EventCoverage::Depth(depth));
        b.seeSettled(10s, "a");
        b.clock.advance(1s);
        b.tracker.receivedUpTo(0, b.clock.now());
        const auto before = b.clock.now();
        b.clock.advance(1ms);
        b.receive(event);
        const auto after = b.clock.now();
        b.clock.advance(5s);
        b.seeSettled(10s, value);
        QCOMPARE(b.keyEvents.size(), 1);
        QVERIFY(b.keyEvents.front().notBefore >= before || depth == int(EventCoverage::Depth::Keys));
        QVERIFY(b.keyEvents.front().notAfter <= after);
    }

    /// The value was read just when the events began, and not at the renewal after that.
    void changeOfAValueReadWhenTheEventsBegan_isOfTheTimeOfItsNotice()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Keys);
        b.see(10s, "a");
        b.settle();
        b.clock.advance(1s);
        b.receive("");
        b.clock.advance(2ms);
        b.see(10s);
        b.settle();
        b.clock.advance(1s);
        b.receive("");
        const auto received = b.clock.now();
        b.clock.advance(5s);
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), (Kinds {Type::Changed, Type::Replaced}));
        QVERIFY(b.keyEvents.back().notAfter <= received);
    }

    void endIsOfTheTimeOfItsNotice()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        b.clock.advance(3s);
        b.settle();
        const auto before = b.clock.now();
        b.clock.advance(1ms);
        const auto received = b.clock.now();
        b.receive("del");
        b.settle();
        QCOMPARE(b.kinds(), Kinds {Type::Ended});
        QCOMPARE(b.keyEvents.front().notBefore, before);
        QCOMPARE(b.keyEvents.front().notAfter, received);
    }

    /// The notification reports a renewal, and not the write of the other value: SWAPDB is possible.
    void otherValueWithoutANotice_isNotOfTheTimeOfAnother()
    {
        Fixture b;
        b.listen(EventCoverage::Depth::Events);
        b.seeSettled(10s, "a");
        const auto known = b.clock.now();
        b.clock.advance(1s);
        b.settle();
        b.receive("expire");
        const auto received = b.clock.now();
        b.clock.advance(1s);
        b.seeSettled(10s, "b");
        QCOMPARE(b.kinds(), Kinds {Type::Replaced});
        QVERIFY(b.keyEvents.front().notBefore < known);
        QVERIFY(b.keyEvents.front().notAfter > received);
    }

    void happeningsOfOneMoment_areInTheOrderOfTheirKeys()
    {
        Fixture b;
        QByteArrayList keys;
        for (int i = 10; i < 30; ++i)
            keys += "k" + QByteArray::number(i);
        for (const QByteArray &key : std::as_const(keys))
            b.tracker.follow(key);
        b.listen(EventCoverage::Depth::Events);
        b.clock.advance(2ms);
        Observations seen;
        for (const QByteArray &key : std::as_const(keys))
            seen.push_back({key, b.endsIn(10s), b.clock.now() - 1ms, b.clock.now(), Source::Poll});
        b.tracker.observed(seen);
        b.settle();
        Observations received;
        for (auto key = keys.crbegin(); key != keys.crend(); ++key)
            received.push_back({*key, ChangeNotification {"del"}, b.clock.now(), b.clock.now(), Source::Notification});
        b.tracker.observed(received);
        b.settle();
        QByteArrayList keyEvents;
        for (const KeyEvent &keyEvent : std::as_const(b.keyEvents))
            keyEvents += keyEvent.key;
        QCOMPARE(keyEvents, keys);
    }

    void unfollowedKeys_areNotReported()
    {
        Fixture b;
        b.tracker.follow("k");
        b.tracker.unfollow("k");
        b.see(30s);
        b.gone();
        QCOMPARE(b.kinds(), Kinds {Type::Ended}); // One event, although the key is followed twice.
        b.tracker.unfollow("k");
        QCOMPARE(b.tracker.followedCount(), qsizetype(0));
        b.see(30s);
        b.gone();
        QCOMPARE(b.keyEvents.size(), 1);
    }
};

LATCHKEY_TEST(TestKeyEventTracker)

} // namespace tst_keyeventtracker

#include "tst_keyeventtracker.moc"
