#include "core/inspect/history/historytexts.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_figures {

using namespace latchkey;
using namespace latchkey::history;
using events::Ending;
using events::KeyEvent;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

/// Tests of the statistics of a lock's holds, and of the times of each hold, as text.
class TestFigures final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<History> history;
    const History::LockId k {"k", 0};

    void happens(Type what, const QByteArray &holder, Ending ending = Ending::None,
                 std::chrono::milliseconds seenWithin = 0ms)
    {
        KeyEvent keyEvent;
        keyEvent.key = k.key;
        keyEvent.type = what;
        keyEvent.ending = ending;
        keyEvent.notBefore = clock.now() - seenWithin;
        keyEvent.notAfter = clock.now();
        if (what != Type::Ended) {
            keyEvent.deadline = base::Deadline(clock.now() + 10s, 1ms);
            keyEvent.after = keys::RawValue {keys::KeyType::String, holder.size(), {holder}};
        }
        history->take(keyEvent);
    }
    void hold(const QByteArray &holder, std::chrono::milliseconds time, Ending ending = Ending::Deleted)
    {
        happens(Type::Appeared, holder);
        clock.advance(time);
        happens(Type::Ended, holder, ending);
    }
    [[nodiscard]] QString figure(const QString &name) const
    {
        for (const StatisticText &one : statisticTexts(history->statistics(k))) {
            if (one.name == name)
                return one.value;
        }
        return {};
    }

private Q_SLOTS:
    void init()
    {
        history = std::make_unique<History>(
            [](const QByteArray &, const keys::RawValue &value) { return std::optional(value.bytes()); });
    }

    void holds_areSummedUp()
    {
        hold("ann", 1s);
        clock.advance(50ms); // Another client has waited for the lock.
        hold("ben", 3s);
        clock.advance(5s);
        hold("ann", 2s, Ending::Expired);
        clock.advance(5s);
        happens(Type::Appeared, "cem");
        happens(Type::Renewed, "cem");
        QCOMPARE(figure(QStringLiteral("Holds")), QStringLiteral("4, of which 3 are over"));
        QCOMPARE(figure(QStringLiteral("Held for")), QStringLiteral("2.000 s on average, 3.000 s at the longest"));
        QCOMPARE(figure(QStringLiteral("Lease used")), QStringLiteral("20 % on average"));
        QCOMPARE(figure(QStringLiteral("Contended")),
                 QStringLiteral("1 of 3 (33 %): taken by another within 0.100 s of an end"));
        QCOMPARE(figure(QStringLiteral("Ended")), QStringLiteral("expired: 1, released or deleted: 2"));
        happens(Type::Ended, "cem", Ending::Removed);
        QCOMPARE(figure(QStringLiteral("Holds")), QStringLiteral("4"));
        QCOMPARE(figure(QStringLiteral("Extended")), QStringLiteral("1"));
        QVERIFY(figure(QStringLiteral("Taken over")).isEmpty());
    }

    /// Ends that were seen only seconds later give neither an exact duration nor a contention.
    void uncertainTimes_areNotTakenForExact()
    {
        hold("ann", 1s);
        happens(Type::Appeared, "ben");
        clock.advance(15s);
        happens(Type::Ended, {}, Ending::Unknown, 10s); // Held for 5 s to 15 s.
        clock.advance(50ms);
        happens(Type::Appeared, "cem");
        const Hold &last = history->holds(k).back();
        QVERIFY(!last.gapBefore && last.isGapUncertain);
        QCOMPARE(history->holds(k)[1].shortestDuration(clock.now()), std::chrono::nanoseconds(5s));
        QCOMPARE(history->holds(k)[1].longestDuration(clock.now()), std::chrono::nanoseconds(15s));
        QCOMPARE(figure(QStringLiteral("Held for")),
                 QStringLiteral("5.500 s \u00b1 2.500 s on average, 10 s \u00b1 5.000 s at the longest"));
        QCOMPARE(int(history->statistics(k).contended), 1);
        QCOMPARE(figure(QStringLiteral("Contended")),
                 QStringLiteral("1 of 1 (100 %): taken by another within 0.100 s of an end; unknown for 1: their times "
                                "are too inexact"));
    }

    /// A gap that is certainly long is known, although it is inexact.
    void longGap_isKnownDespiteItsUncertainty()
    {
        happens(Type::Appeared, "ann");
        clock.advance(10s);
        happens(Type::Ended, {}, Ending::Unknown, 4s);
        clock.advance(60s);
        happens(Type::Appeared, "ben");
        QCOMPARE(history->holds(k).back().gapBefore, std::optional<std::chrono::nanoseconds>(62s));
        QCOMPARE(figure(QStringLiteral("Contended")),
                 QStringLiteral("0 of 1 (0 %): taken by another within 0.100 s of an end"));
    }

    /// A hold with an unobserved start is not used for the mean duration.
    void unknownFigure_isOmitted()
    {
        history->seen(k, base::Deadline(clock.now() + 5s, 1ms), std::nullopt, clock.now());
        clock.advance(2s);
        happens(Type::Ended, {}, Ending::Removed);
        QCOMPARE(history->statistics(k).longest, 0ms);
        QVERIFY(figure(QStringLiteral("Held for")).isEmpty());
        QVERIFY(figure(QStringLiteral("Lease used")).isEmpty());
        QVERIFY(figure(QStringLiteral("Contended")).isEmpty());
        QCOMPARE(figure(QStringLiteral("Holds")), QStringLiteral("1"));
    }

    void absentEvent_hasNoFigure()
    {
        hold("ann", 1s);
        QCOMPARE(figure(QStringLiteral("Holds")), QStringLiteral("1"));
        for (const char *name : {"Extended", "Taken over", "Seen late", "Contended"})
            QVERIFY2(figure(QLatin1String(name)).isEmpty(), name);
    }

    void lockTakenJustInTime_wasContended_data()
    {
        QTest::addColumn<int>("pause");
        QTest::addColumn<QByteArray>("holder");
        QTest::addColumn<int>("contended");
        QTest::addRow("in time") << 100 << QByteArray("ben") << 1;
        QTest::addRow("later") << 101 << QByteArray("ben") << 0;
        QTest::addRow("by its former holder") << 10 << QByteArray("ann") << 0;
    }
    void lockTakenJustInTime_wasContended()
    {
        QFETCH(int, pause);
        QFETCH(QByteArray, holder);
        hold("ann", 1s);
        clock.advance(std::chrono::milliseconds(pause));
        hold(holder, 1s);
        QTEST(int(history->statistics(k).contended), "contended");
    }

    /// The share of a lease that was over when it was first seen is unknown.
    void leaseWithoutTime_isLeftOut()
    {
        KeyEvent keyEvent;
        keyEvent.key = k.key;
        keyEvent.type = Type::Appeared;
        keyEvent.notBefore = keyEvent.notAfter = clock.now();
        keyEvent.deadline = base::Deadline(clock.now(), 1ms);
        history->take(keyEvent);
        clock.advance(1s);
        happens(Type::Ended, {}, Ending::Expired);
        QVERIFY(!figure(QStringLiteral("Held for")).isEmpty());
        QVERIFY(figure(QStringLiteral("Lease used")).isEmpty());
    }

    void endAtTheDeadline_isNotBeforeIt()
    {
        Hold hold;
        hold.until = base::TimeInterval {clock.now() - 1ms, clock.now()};
        hold.ending = Ending::Deleted;
        hold.deadline = base::Deadline(clock.now(), 1ms);
        QCOMPARE(endSentence(hold), endingText(Ending::Deleted));
        hold.deadline = base::Deadline(clock.now() + 1s, 1ms);
        QVERIFY(endSentence(hold).contains(QStringLiteral("before its deadline")));
    }

    void times_sayHowFarOffTheyMayBe()
    {
        happens(Type::Appeared, "ann", Ending::None, 20ms);
        const auto acquired = clock.now();
        clock.advance(2s);
        happens(Type::Ended, "ann", Ending::Removed, 200ms);
        const Hold &hold = history->holds(k).back();
        QCOMPARE(heldText(hold, clock.now()), QStringLiteral("1.910 s \u00b1 0.110 s"));
        const base::WallTime wall = clock.wallNow();
        QVERIFY(beginText(hold, clock.now(), wall).endsWith(QStringLiteral(" \u00b1 0.010 s")));
        QVERIFY(momentText(*hold.until, clock.now(), wall).endsWith(QStringLiteral(" \u00b1 0.100 s")));
        QVERIFY(momentText({acquired, acquired}, clock.now(), wall).size() == 12); // Nothing to add.
        QCOMPARE(uncertaintyText(499us), QString());
        QCOMPARE(uncertaintyText(500us), QString()); // Not "± 0.000 s".
        QCOMPARE(uncertaintyText(501us), QStringLiteral("\u00b1 0.001 s"));
    }

    void unobservedBeginning_isNoMoment()
    {
        history->seen(k, std::nullopt, std::nullopt, clock.now());
        clock.advance(2s);
        const Hold &hold = history->holds(k).back();
        QCOMPARE(heldText(hold, clock.now()), QStringLiteral("at least 2.000 s"));
        QVERIFY(beginText(hold, clock.now(), clock.wallNow()).startsWith(QStringLiteral("before ")));
    }
};

LATCHKEY_TEST(TestFigures)

} // namespace tst_figures

#include "tst_figures.moc"
