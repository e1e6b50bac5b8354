#include "core/inspect/history/history.h"
#include "core/inspect/history/historytexts.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_ownholds {

using namespace latchkey;
using namespace latchkey::history;
using base::Deadline;
using events::Ending;
using events::KeyEvent;
using events::Source;
using Kind = OwnChange::Kind;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

namespace {

keys::RawValue string(const QByteArray &value)
{
    return {keys::KeyType::String, value.size(), {value}};
}

/// A lock with its holder as value, the key events from the tracker, and our own changes on it.
struct Fixture
{
    explicit Fixture(const History::Limits &limits = {})
        : history([](const QByteArray &, const keys::RawValue &value) { return std::optional(value.bytes()); }, limits)
    {}

    KeyEvent keyEvent(Type what, Source source) const
    {
        KeyEvent event;
        event.key = k.key;
        event.type = what;
        event.notBefore = clock.now() - 2ms;
        event.notAfter = clock.now();
        event.source = source;
        return event;
    }
    void appears(const QByteArray &holder, Source source = Source::Notification, std::chrono::milliseconds lease = 10s)
    {
        KeyEvent event = keyEvent(Type::Appeared, source);
        event.after = string(holder);
        event.deadline = Deadline(clock.now() + lease, 1ms);
        history.take(event);
    }
    void renewed(std::chrono::milliseconds lease, Source source = Source::NotifiedRead)
    {
        KeyEvent event = keyEvent(Type::Renewed, source);
        event.deadline = Deadline(clock.now() + lease, 1ms);
        history.take(event);
    }
    void ends(Ending ending, Source source = Source::Notification)
    {
        KeyEvent event = keyEvent(Type::Ended, source);
        event.ending = ending;
        history.take(event);
    }
    void acts(Kind kind, std::optional<std::chrono::milliseconds> lease = std::nullopt)
    {
        OwnChange change {kind, {clock.now() - 2ms, clock.now()}};
        if (lease)
            change.deadline = Deadline(clock.now() + *lease, 1ms);
        history.addOwnChange(k, change);
    }
    const std::deque<Hold> &holds() const { return history.holds(k); }
    const Hold &last() const { return holds().back(); }
    std::vector<Kind> kinds() const
    {
        std::vector<Kind> all;
        for (const OwnChange &change : last().ownChanges)
            all.push_back(change.kind);
        return all;
    }

    const History::LockId k {"k", 0};
    test::ManualClock clock;
    History history;
};

} // namespace

/// Tests of our own changes on a lock in its history.
class TestOwnHolds final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { qputenv("TZ", "UTC"); }

    void ownDeletion_isReportedAsOurs_data()
    {
        QTest::addColumn<Ending>("told");
        QTest::addColumn<Source>("source");
        QTest::addRow("by our command") << Ending::Deleted << Source::OwnCommand;
        QTest::addRow("by the server, first") << Ending::Deleted << Source::Notification;
        QTest::addRow("by a look, first") << Ending::Removed << Source::Poll;
        QTest::addRow("by a look that could not tell") << Ending::Unknown << Source::NotifiedRead;
    }
    void ownDeletion_isReportedAsOurs()
    {
        QFETCH(Ending, told);
        QFETCH(Source, source);
        Fixture b;
        b.appears("ann");
        b.clock.advance(3s);
        b.ends(told, source);
        b.acts(Kind::Deleted);
        QVERIFY(b.last().isEndedByUs());
        QCOMPARE(endSentence(b.last()), QStringLiteral("deleted here, 7.001 s before its deadline"));
        const Statistics statistics = b.history.statistics(b.k);
        QCOMPARE(statistics.ended, 1);
        QCOMPARE(statistics.count(Ending::Deleted), 1);
        QCOMPARE(statistics.timed, 1);
        b.clock.advance(1s);
        b.appears("bob");
        b.ends(Ending::Deleted);
        QVERIFY2(!b.last().isEndedByUs(), "that was its holder");
    }

    /// The server's report and our command each limit the time of the end. The lock ended between 0 and 10 ms.
    void ownDeletion_wasWhereReportAndActMeet_data()
    {
        QTest::addColumn<int>("asked");
        QTest::addColumn<int>("answered");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addRow("act within the report") << 3 << 7 << 3 << 7;
        QTest::addRow("report within the act") << -3 << 17 << 0 << 10;
        QTest::addRow("act first") << -3 << 7 << 0 << 7;
        QTest::addRow("report first") << 3 << 17 << 3 << 10;
    }
    void ownDeletion_wasWhereReportAndActMeet()
    {
        QFETCH(int, asked);
        QFETCH(int, answered);
        QFETCH(int, from);
        QFETCH(int, to);
        Fixture b;
        b.appears("ann");
        b.clock.advance(3s);
        const auto start = b.clock.now();
        const auto at = [start](int time) { return start + std::chrono::milliseconds(time); };
        KeyEvent event = b.keyEvent(Type::Ended, Source::Poll);
        event.ending = Ending::Removed;
        event.notBefore = at(0);
        event.notAfter = at(10);
        b.history.take(event);
        b.history.addOwnChange(b.k, {Kind::Deleted, {at(asked), at(answered)}});
        QVERIFY(b.last().isEndedByUs());
        QCOMPARE(*b.last().until, (base::TimeInterval {at(from), at(to)}));
    }

    void unannouncedEnd_isReported()
    {
        Fixture b;
        b.appears("ann");
        b.clock.advance(1s);
        b.acts(Kind::Released);
        QVERIFY(b.last().isOver());
        QVERIFY(endSentence(b.last()).startsWith(u"released here"));
    }

    /// Expired just before, or acquired by another client: the known facts are not overwritten.
    void endOfAnotherCause_staysWhatItWas()
    {
        Fixture b;
        b.appears("ann");
        b.clock.advance(1s);
        b.ends(Ending::Expired);
        b.acts(Kind::Deleted);
        QVERIFY(!b.last().isEndedByUs());
        QCOMPARE(b.last().ending, Ending::Expired);
    }

    void endThatWeSet_isNoRenewal_data()
    {
        QTest::addColumn<Source>("source");
        QTest::addRow("by our command") << Source::OwnCommand;
        QTest::addRow("by an event, first") << Source::NotifiedRead;
    }
    void endThatWeSet_isNoRenewal()
    {
        QFETCH(Source, source);
        Fixture b;
        b.appears("ann");
        b.clock.advance(2s);
        b.renewed(10s);
        b.clock.advance(2s);
        b.renewed(1h, source);
        b.acts(Kind::ExpirySet, 1h);
        QCOMPARE(b.last().extensionCount, 1);
        QCOMPARE(b.last().extensions.size(), std::size_t(1));
        QCOMPARE(b.last().deadline->at(), b.clock.now() + 1h);
        if (source == Source::OwnCommand)
            QCOMPARE(b.last().lease, std::optional(10'000ms)); // The granted lease.
        QCOMPARE(b.kinds(), std::vector {Kind::ExpirySet});
        b.acts(Kind::ExpiryRemoved);
        b.acts(Kind::ExpiryRestored, 5s);
        QCOMPARE(b.kinds(), (std::vector {Kind::ExpirySet, Kind::ExpiryRemoved, Kind::ExpiryRestored}));
        QCOMPARE(b.holds().size(), std::size_t(1));
    }

    /// Our change took effect after its request, and until its reply.
    void renewalsOutsideOfOurAct_areTheHolders_data()
    {
        QTest::addColumn<int>("since");
        QTest::addColumn<int>("count");
        QTest::addRow("before the request") << -1 << 1;
        QTest::addRow("at the request") << 0 << 1;
        QTest::addRow("after the request") << 1 << 0;
        QTest::addRow("at the reply") << 2 << 0;
        QTest::addRow("after the reply") << 3 << 1;
    }
    void renewalsOutsideOfOurAct_areTheHolders()
    {
        QFETCH(int, since);
        Fixture b;
        b.appears("ann");
        b.clock.advance(2s);
        const auto asked = b.clock.now();
        b.clock.advance(std::chrono::milliseconds(since + 5));
        KeyEvent event = b.keyEvent(Type::Renewed, Source::NotifiedRead);
        event.notAfter = asked + std::chrono::milliseconds(since);
        event.deadline = Deadline(event.notAfter + 1h, 1ms);
        b.history.take(event);
        OwnChange change {Kind::ExpirySet, {asked, asked + 2ms}};
        change.deadline = Deadline(asked + 1h, 1ms);
        b.history.addOwnChange(b.k, change);
        QTEST(int(b.last().extensionCount), "count");
        QTEST(int(b.last().extensions.size()), "count");
    }

    void lockThatWasPutBack_isTheSameHold_data() { endThatWeSet_isNoRenewal_data(); }
    void lockThatWasPutBack_isTheSameHold()
    {
        QFETCH(Source, source);
        Fixture b;
        b.appears("ann");
        b.clock.advance(2s);
        b.ends(Ending::Deleted, source);
        b.acts(Kind::Deleted);
        const auto from = b.last().from;
        b.clock.advance(1s);
        b.appears("ann", source, 7s);
        b.acts(Kind::Restored, 7s);
        QCOMPARE(b.holds().size(), std::size_t(1));
        QCOMPARE(b.history.holdCount(), std::size_t(1));
        QVERIFY(!b.last().isOver());
        QCOMPARE(b.last().from, from);
        QCOMPARE(b.last().ending, Ending::None);
        QCOMPARE(b.kinds(), (std::vector {Kind::Deleted, Kind::Restored}));
        QCOMPARE(b.history.statistics(b.k).holds, 1);
        QCOMPARE(b.history.statistics(b.k).ended, 0);
        QCOMPARE(b.history.statistics(b.k).count(Ending::Deleted), 0);
        b.clock.advance(2s);
        b.ends(Ending::Deleted);
        QVERIFY(!b.last().isEndedByUs());
        QCOMPARE(b.history.statistics(b.k).ended, 1);
        QCOMPARE(b.history.statistics(b.k).longest, b.last().duration(b.clock.now()));
    }

    void lockThatAnotherTookMeanwhile_isItsOwnHold()
    {
        Fixture b;
        b.appears("ann");
        b.clock.advance(2s);
        b.ends(Ending::Deleted, Source::OwnCommand);
        b.acts(Kind::Deleted);
        b.clock.advance(1s);
        b.appears("bob");
        b.clock.advance(1s);
        b.acts(Kind::Restored, 7s); // Impossible: bob holds the lock.
        QCOMPARE(b.holds().size(), std::size_t(2));
        QCOMPARE(b.last().holder, std::optional<QByteArray>("bob"));
        QVERIFY(b.holds().front().isOver());
    }

    /// The hold that was restored is beyond the limit of kept holds: the next one is no part of it.
    void lockThatWasPutBackAfterItsHoldWasForgotten_isItsOwnHold()
    {
        Fixture b({1, 1000});
        b.appears("ann");
        b.clock.advance(2s);
        b.acts(Kind::Deleted);
        b.clock.advance(1s);
        b.appears("bob");
        b.acts(Kind::Restored, 7s);
        QCOMPARE(b.holds().size(), std::size_t(1));
        QCOMPARE(b.history.holdCount(), std::size_t(1));
        QCOMPARE(b.last().holder, std::optional<QByteArray>("bob"));
        QVERIFY(b.last().ownChanges.empty());
    }

    void keysWithoutAHistory_areUnchanged()
    {
        Fixture b;
        for (const Kind kind : {Kind::Deleted, Kind::Restored, Kind::ExpirySet})
            b.acts(kind, 1s);
        QVERIFY(b.holds().empty());
    }

    void ownActs_areBounded()
    {
        Fixture b;
        b.appears("ann");
        for (std::size_t i = 0; i < 3 * Hold::maxOwnChanges; ++i)
            b.acts(Kind::ExpirySet, 1s);
        QCOMPARE(b.last().ownChanges.size(), Hold::maxOwnChanges);
    }

    void words_sayWhenAndWhat()
    {
        const base::MonotonicTime now(1000s);
        const base::WallTime wall(1'700'000'000s); // 22:13:20
        const auto text = [&](Kind kind, std::optional<Deadline> end = std::nullopt) {
            return ownChangeText({kind, {now - 6s, now - 4s}, end}, now, wall);
        };
        QCOMPARE(text(Kind::Deleted), QStringLiteral("22:13:15: deleted here"));
        QCOMPARE(text(Kind::Released), QStringLiteral("22:13:15: released here"));
        QCOMPARE(text(Kind::Restored, Deadline::never()), QStringLiteral("22:13:15: restored here"));
        QCOMPARE(text(Kind::ExpirySet, Deadline(now + 60s, 1ms)),
                 QStringLiteral("22:13:15: expiry set here to 22:14:20"));
        QCOMPARE(text(Kind::ExpirySet, Deadline(now + 24h, 1ms)),
                 QStringLiteral("22:13:15: expiry set here to 2023-11-15 22:13:20"));
        QCOMPARE(text(Kind::ExpiryRemoved, Deadline::never()), QStringLiteral("22:13:15: expiry removed here"));
        QCOMPARE(text(Kind::ExpiryRestored, Deadline(now + 60s, 1ms)),
                 QStringLiteral("22:13:15: expiry restored here to 22:14:20"));
        QCOMPARE(text(Kind::ExpiryRestored, Deadline::never()), QStringLiteral("22:13:15: expiry removed again here"));
    }
};

LATCHKEY_TEST(TestOwnHolds)

} // namespace tst_ownholds

#include "tst_ownholds.moc"
