#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "ui/pages/detail/leasechart.h"

#include <QApplication>
#include <QHelpEvent>
#include <QTest>
#include <QToolTip>

namespace tst_leasecurve {

using namespace latchkey;
using namespace latchkey::ui::detail;
using base::Deadline;
using events::Ending;
using events::KeyEvent;
using history::History;
using history::OwnChange;
using ui::theme::Appearance;
using ui::timeline::EndMark;
using Type = KeyEvent::Type;
using namespace std::chrono_literals;

class TestLeaseCurve final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    std::unique_ptr<History> history;
    const History::LockId k {"k", 0};

    /// Simulates an event. `seenWithin`: uncertainty of its time.
    void happens(Type what, std::optional<std::chrono::milliseconds> left, std::chrono::milliseconds seenWithin = 2ms,
                 Ending ending = Ending::None)
    {
        KeyEvent keyEvent;
        keyEvent.key = k.key;
        keyEvent.type = what;
        keyEvent.ending = ending;
        keyEvent.notBefore = clock.now() - seenWithin;
        keyEvent.notAfter = clock.now();
        keyEvent.source = events::Source::Notification;
        if (left)
            keyEvent.deadline = Deadline(clock.now() + *left, 1ms);
        if (what != Type::Ended)
            keyEvent.after = keys::RawValue {keys::KeyType::String, 3, {"ann"}};
        history->take(keyEvent);
    }
    [[nodiscard]] LeaseCurve curve() const { return curveOf(history->holds(k)); }

private Q_SLOTS:
    void init()
    {
        history = std::make_unique<History>(
            [](const QByteArray &, const keys::RawValue &value) { return std::optional(value.bytes()); });
    }

    void renewedLock_hasATooth_forEachRenewal()
    {
        happens(Type::Appeared, 30s);
        for (int i = 0; i < 3; ++i) {
            clock.advance(10s);
            happens(Type::Renewed, 30s);
        }
        clock.advance(4s);
        const LeaseCurve found = curve();
        QCOMPARE(found.segments.size(), std::size_t(4));
        for (std::size_t i = 0; i < 4; ++i) {
            const LeaseCurve::Segment &segment = found.segments[i];
            QCOMPARE(segment.leftAt(segment.from), std::optional<std::chrono::nanoseconds>(30s));
            QCOMPARE(segment.isMoved, i > 0);
            if (!segment.continues())
                QCOMPARE(segment.leftAt(segment.to), std::optional<std::chrono::nanoseconds>(20s + 2ms));
        }
        QVERIFY(found.current() != nullptr);
        QCOMPARE(found.current()->leftAt(clock.now()), std::optional<std::chrono::nanoseconds>(26s));
        QVERIFY(found.finishes.empty());
        QVERIFY(!found.isFlat());
    }

    /// The lease lies before the frame; without this rule, the scale would end at a millisecond.
    void lockThatHasLostItsExpiry_keepsItsScale()
    {
        happens(Type::Appeared, 30s);
        clock.advance(10s);
        KeyEvent persisted;
        persisted.key = k.key;
        persisted.type = Type::Changed;
        persisted.notBefore = persisted.notAfter = clock.now();
        persisted.deadline = Deadline::never();
        history->take(persisted);
        clock.advance(10min);
        QCOMPARE(frameOf(curve(), clock.now()).longestTime, std::chrono::nanoseconds(30s));
    }

    /// A second measurement of the same expiry with a small difference is no renewal.
    void equalExpiry_measuredAgain_isNoChange()
    {
        happens(Type::Appeared, 30s);
        clock.advance(1s);
        happens(Type::FirstRead, 29s + 1ms);
        QCOMPARE(curve().segments.size(), std::size_t(1));
    }

    void timeBetweenTwoReads_belongsToNoSegment()
    {
        happens(Type::Appeared, 30s);
        clock.advance(10s);
        happens(Type::Renewed, 29s, 800ms);
        const LeaseCurve found = curve();
        QCOMPARE(found.segments.size(), std::size_t(2));
        QCOMPARE(found.segments[0].to, clock.now() - 800ms);
        QCOMPARE(found.segments[1].from, clock.now());
        // An end that was noticed later leaves the time before it unobserved.
        clock.advance(5s);
        happens(Type::Ended, std::nullopt, 600ms, Ending::Removed);
        QCOMPARE(curve().segments[1].to, clock.now() - 600ms);
    }

    void ends_areMarkedWhereTheyWere()
    {
        happens(Type::Appeared, 5s);
        clock.advance(5s + 40ms);
        happens(Type::Ended, -40ms, 2ms, Ending::Expired);
        clock.advance(1s);
        happens(Type::Appeared, 5s);
        clock.advance(2s);
        happens(Type::Ended, 3s, 2ms, Ending::Deleted);
        const LeaseCurve found = curve();
        QCOMPARE(found.finishes.size(), std::size_t(2));
        QCOMPARE(found.finishes[0].mark, EndMark::Expired);
        // The lock was held until its deadline, whenever the expiry was seen.
        QCOMPARE(found.finishes[0].deadline->remaining(found.finishes[0].at),
                 std::optional<std::chrono::nanoseconds>(0ns));
        QCOMPARE(found.finishes[1].mark, EndMark::Released);
        QCOMPARE(found.finishes[1].deadline->remaining(found.finishes[1].at),
                 std::optional<std::chrono::nanoseconds>(3s + 1ms));
        QVERIFY(found.current() == nullptr);
        QVERIFY(!found.segments[1].isMoved); // It is another hold.
    }

    void ownChange_isDescribed()
    {
        happens(Type::Appeared, 30s);
        clock.advance(3s);
        history->addOwnChange(
            k, {OwnChange::Kind::ExpirySet, {clock.now() - 2ms, clock.now()}, Deadline(clock.now() + 60s, 1ms)});
        clock.advance(3s);
        history->addOwnChange(k, {OwnChange::Kind::ExpiryRemoved, {clock.now() - 2ms, clock.now()}, Deadline::never()});
        const LeaseCurve found = curve();
        QCOMPARE(found.segments.size(), std::size_t(3));
        QVERIFY(!found.segments[0].isMovedByUser);
        QVERIFY(found.segments[1].isMovedByUser && found.segments[2].isMovedByUser);
        QVERIFY(found.segments[2].deadline.isNever());
        QVERIFY(!found.segments[2].leftAt(clock.now()));
        QVERIFY(!found.isFlat());
    }

    void withoutAnyEnd_thereIsNothingToSee()
    {
        KeyEvent keyEvent;
        keyEvent.key = k.key;
        keyEvent.type = Type::Appeared;
        keyEvent.deadline = Deadline::never();
        history->take(keyEvent);
        QCOMPARE(curve().segments.size(), std::size_t(1));
        QVERIFY(curve().isFlat());
        QVERIFY(LeaseCurve().isFlat());
    }

    /// 6000 renewals and 3000 holds.
    void memory_isBounded()
    {
        happens(Type::Appeared, 30s);
        for (int i = 0; i < 6000; ++i) {
            clock.advance(10ms);
            happens(Type::Renewed, 30s);
        }
        QCOMPARE(history->holds(k).back().ends.size(), history::Hold::maxEnds);
        QCOMPARE(curve().segments.size(), history::Hold::maxEnds);
        // The last stretches are kept.
        QCOMPARE(curve().current()->leftAt(clock.now()), std::optional<std::chrono::nanoseconds>(30s));
        for (int i = 0; i < 3000; ++i) {
            happens(Type::Ended, std::nullopt, 2ms, Ending::Deleted);
            clock.advance(10ms);
            happens(Type::Appeared, 1s);
            clock.advance(10ms);
        }
        QVERIFY(curve().segments.size() <= LeaseCurve::maxSegments);
        QVERIFY(curve().current() != nullptr);
    }

    void frame_showsSomeLeases_andTheDeadline_data()
    {
        QTest::addColumn<qint64>("lease"); // Milliseconds, like the next columns.
        QTest::addColumn<qint64>("watched");
        QTest::addColumn<qint64>("past");
        QTest::addColumn<qint64>("ahead");
        QTest::addRow("just acquired") << qint64(8000) << qint64(0) << qint64(5000) << qint64(8400);
        QTest::addRow("renewed for long") << qint64(30'000) << qint64(1'000'000) << qint64(90'000) << qint64(31'500);
        QTest::addRow("short lease") << qint64(500) << qint64(1'000'000) << qint64(30'000) << qint64(3000);
        // A longer future would make the past invisible.
        QTest::addRow("of days") << qint64(200'000'000) << qint64(20'000) << qint64(20'000) << qint64(60'000);
    }
    void frame_showsSomeLeases_andTheDeadline()
    {
        QFETCH(qint64, lease);
        QFETCH(qint64, watched);
        const std::chrono::milliseconds full(lease);
        happens(Type::Appeared, full, 0ms);
        clock.advance(std::chrono::milliseconds(watched));
        happens(Type::Renewed, full, 0ms);
        const LeaseFrame frame = frameOf(curve(), clock.now());
        QCOMPARE(frame.now, clock.now());
        QTEST(qint64(std::chrono::floor<std::chrono::milliseconds>(frame.now - frame.from).count()), "past");
        QTEST(qint64(std::chrono::floor<std::chrono::milliseconds>(frame.to - frame.now).count()), "ahead");
        QVERIFY(frame.longestTime >= full);
    }

    /// The frame does not move away from a gone key, so that its past stays visible.
    void keyThatHasGone_staysInTheFrame()
    {
        happens(Type::Appeared, 2s);
        clock.advance(1s);
        happens(Type::Ended, 1s, 2ms, Ending::Deleted);
        clock.advance(5min);
        QVERIFY(frameOf(curve(), clock.now()).from <= curve().segments.back().from);
    }

    void picture_hasTheLineWhereItBelongs_data()
    {
        QTest::addColumn<Appearance::Mode>("mode");
        QTest::addRow("light") << Appearance::Mode::Light;
        QTest::addRow("dark") << Appearance::Mode::Dark;
    }
    void picture_hasTheLineWhereItBelongs()
    {
        QFETCH(Appearance::Mode, mode);
        Appearance appearance(*qApp);
        appearance.setMode(mode);
        happens(Type::Appeared, 30s);
        const auto acquired = clock.now();
        clock.advance(10s);
        happens(Type::Renewed, 30s);
        clock.advance(5s);
        LeaseChart chart(appearance, clock);
        chart.resize(400, 180);
        chart.show(curve(), {});
        const QImage picture = chart.grab().toImage();
        const QColor line = ui::timeline::holderColour(QByteArray("ann"), appearance.theme());
        const auto isLine = [&](base::MonotonicTime time, std::chrono::nanoseconds left) {
            const QPoint middle = chart.pointAt(time, left).toPoint();
            for (int y = middle.y() - 2; y <= middle.y() + 2; ++y) {
                const QColor found = picture.pixelColor(middle.x(), y);
                if (qAbs(found.red() - line.red()) + qAbs(found.green() - line.green())
                        + qAbs(found.blue() - line.blue())
                    < 90)
                    return true;
            }
            return false;
        };
        for (const auto after : {2s, 5s, 8s}) {
            QVERIFY(isLine(acquired + after, 30s - after));
            QVERIFY(!isLine(acquired + after, 30s - after + 4s));
            QVERIFY(!isLine(acquired + after, 30s - after - 6s));
        }
        QVERIFY(isLine(acquired + 12s, 28s)); // The second renewal.
        QVERIFY(!isLine(acquired + 12s, 18s));
        // The future is dotted: only a part of the pixels is painted.
        int there = 0;
        for (int i = 0; i < 100; ++i)
            there += isLine(clock.now() + 5s + i * 150ms, 20s - i * 150ms) ? 1 : 0;
        QVERIFY2(there > 20 && there < 95, qPrintable(QString::number(there)));
    }

    void timeInWhichNothingWasSeen_isNoLine()
    {
        Appearance appearance(*qApp);
        happens(Type::Appeared, 30s);
        const auto acquired = clock.now();
        clock.advance(20s);
        const std::vector<History::Gap> gaps {{acquired + 5s, acquired + 15s}};
        const auto picture = [&](const std::vector<History::Gap> &unseen) {
            LeaseChart chart(appearance, clock);
            chart.resize(400, 180);
            chart.show(curve(), unseen);
            const QPoint place = chart.pointAt(acquired + 10s, 10s).toPoint();
            return chart.grab().toImage().copy(QRect(place - QPoint(10, 10), QSize(20, 20)));
        };
        QVERIFY(picture(gaps) != picture({}));
    }

    void accessibleDescription_describesTheCurve()
    {
        Appearance appearance(*qApp);
        happens(Type::Appeared, 30s);
        for (int i = 0; i < 2; ++i) {
            clock.advance(10s);
            happens(Type::Renewed, 30s);
        }
        LeaseChart chart(appearance, clock);
        chart.show(curve(), {});
        QVERIFY2(chart.accessibleDescription().contains(QLatin1String("expiry changed 2 times")),
                 qPrintable(chart.accessibleDescription()));
        QVERIFY(chart.accessibleDescription().contains(QLatin1String("expires at ")));
        clock.advance(1s);
        happens(Type::Ended, 29s, 2ms, Ending::Deleted);
        chart.show(curve(), {});
        QVERIFY(chart.accessibleDescription().contains(QLatin1String("released or deleted")));
        QVERIFY(!chart.accessibleDescription().contains(QLatin1String("expires at ")));
    }

    /// A holder can have any name.
    void tip_tellsWhatIsThere_asPlainText()
    {
        Appearance appearance(*qApp);
        KeyEvent keyEvent;
        keyEvent.key = k.key;
        keyEvent.type = Type::Appeared;
        keyEvent.notBefore = keyEvent.notAfter = clock.now();
        keyEvent.deadline = Deadline(clock.now() + 30s, 1ms);
        keyEvent.after = keys::RawValue {keys::KeyType::String, 8, {"<b>x</b>"}};
        history->take(keyEvent);
        clock.advance(10s);
        LeaseChart chart(appearance, clock);
        chart.resize(400, 180);
        chart.show(curve(), {});
        static_cast<QWidget &>(chart).show();
        const QPoint place = chart.pointAt(clock.now() - 5s, 25s).toPoint();
        QHelpEvent event(QEvent::ToolTip, place, chart.mapToGlobal(place));
        QApplication::sendEvent(&chart, &event);
        QVERIFY2(QToolTip::text().contains(QLatin1String("&lt;b&gt;x&lt;/b&gt;")), qPrintable(QToolTip::text()));
        QVERIFY(QToolTip::text().contains(QLatin1String("left")));
        QToolTip::hideText();
    }

    /// A chart without width or time must not divide by zero.
    void smallestChart_isPainted()
    {
        Appearance appearance(*qApp);
        LeaseChart chart(appearance, clock);
        for (const QSize size : {QSize(1, 1), QSize(80, 20), QSize(160, 60)}) {
            chart.resize(size);
            QVERIFY(!chart.grab().isNull());
        }
        happens(Type::Appeared, 0ms, 0ms);
        chart.show(curve(), {});
        QVERIFY(!chart.grab().isNull());
        clock.advance(1h);
        happens(Type::Changed, std::chrono::milliseconds(qint64(1) << 43), 0ms);
        chart.show(curve(), {});
        chart.resize(300, 160);
        QVERIFY(!chart.grab().isNull());
    }
};

LATCHKEY_WINDOW_TEST(TestLeaseCurve)

} // namespace tst_leasecurve

#include "tst_leasecurve.moc"
