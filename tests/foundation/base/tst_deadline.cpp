#include "core/foundation/base/deadline.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_deadline {

using namespace latchkey::base;
using namespace std::chrono_literals;

class TestDeadline final : public QObject
{
    Q_OBJECT

    const MonotonicTime sent {1h};

private Q_SLOTS:
    void measured_assumesTheMiddleOfTheRoundTrip()
    {
        const Deadline deadline = Deadline::measured(5000ms, sent, sent + 10ms);
        QCOMPARE(deadline.at(), sent + 5005ms);
        QCOMPARE(deadline.uncertainty(), 6ms);
        QCOMPARE(deadline.remaining(sent + 10ms), std::optional<std::chrono::nanoseconds>(4995ms));
    }

    void measured_containsTheTrueEnd_data()
    {
        QTest::addColumn<int>("outwardMilliseconds");
        for (int outward = 0; outward <= 10; ++outward)
            QTest::addRow("%d of 10 ms outward", outward) << outward;
    }
    void measured_containsTheTrueEnd()
    {
        QFETCH(int, outwardMilliseconds);
        const auto asked = sent + std::chrono::milliseconds(outwardMilliseconds);
        const auto trueEnd = asked + 5000ms;
        const Deadline deadline = Deadline::measured(5000ms, sent, sent + 10ms);
        QVERIFY(trueEnd >= deadline.at() - deadline.uncertainty());
        QVERIFY(trueEnd <= deadline.at() + deadline.uncertainty());
    }

    /// "31 December 9999", often written for "never", is beyond the range of the clock.
    void measured_endsAtTheClocksEndAtTheLatest()
    {
        for (const std::chrono::milliseconds left : {252'000'000'000'000ms, std::chrono::milliseconds::max()}) {
            const Deadline deadline = Deadline::measured(left, sent, sent + 10ms);
            QVERIFY(!deadline.isNever());
            QVERIFY(!deadline.hasPassed(sent + 10ms));
            QVERIFY(*deadline.remaining(sent) > 24h * 365 * 200);
            QVERIFY(deadline.agreesWith(Deadline::measured(left - 1s, sent + 1s, sent + 1010ms)));
        }
    }

    void pttl_isInWholeMilliseconds()
    {
        const Deadline deadline(sent, 1ms);
        QCOMPARE(deadline.pttl(sent - 1499us), qint64(1));
        QCOMPARE(deadline.pttl(sent - 1501us), qint64(2));
        QCOMPARE(deadline.pttl(sent), qint64(0));
        QCOMPARE(deadline.pttl(sent + 10ms), qint64(0)); // -1 would mean that there is no expiry.
    }

    void hasPassed_onlyOnceTheLatestPossibleEndHas()
    {
        const Deadline deadline(sent, 5ms);
        QVERIFY(!deadline.hasPassed(sent + 5ms));
        QVERIFY(deadline.hasPassed(sent + 5ms + 1ns));
    }

    void never_hasNoEnd()
    {
        const Deadline never = Deadline::never();
        QVERIFY(never.isNever());
        QVERIFY(!never.remaining(sent));
        QCOMPARE(never.pttl(sent), qint64(-1));
        QVERIFY(!never.hasPassed(MonotonicTime::max()));
    }

    void agreesWith_overlappingMeasurementsOnly()
    {
        const Deadline one(sent, 2ms);
        QVERIFY(one.agreesWith(Deadline(sent + 5ms, 3ms)));
        QVERIFY(Deadline(sent + 5ms, 3ms).agreesWith(one));
        QVERIFY(!one.agreesWith(Deadline(sent + 5ms, 2ms)));
        QVERIFY(!one.agreesWith(Deadline::never()));
        QVERIFY(!Deadline::never().agreesWith(one));
        QVERIFY(Deadline::never().agreesWith(Deadline::never()));
    }
};

LATCHKEY_TEST(TestDeadline)

} // namespace tst_deadline

#include "tst_deadline.moc"
