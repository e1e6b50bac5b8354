#include "core/foundation/base/lease.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_lease {

using namespace latchkey::base;
using namespace std::chrono_literals;

class TestLease final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void of_refusesWhatCannotBeALease_data()
    {
        QTest::addColumn<qint64>("milliseconds");
        QTest::addColumn<QString>("message");
        QTest::addRow("zero") << qint64(0) << QStringLiteral("a lease must be longer than zero, not 0ms");
        QTest::addRow("negative") << qint64(-5000) << QStringLiteral("a lease must be longer than zero, not -5s");
        QTest::addRow("far future") << qint64(1) << QString();
        QTest::addRow("a century and a day") << qint64(std::chrono::milliseconds(std::chrono::years(100) + 24h).count())
                                             << QStringLiteral("a lease of 876606h is longer than a hundred years");
    }
    void of_refusesWhatCannotBeALease()
    {
        QFETCH(qint64, milliseconds);
        const auto lease = Lease::of(std::chrono::milliseconds(milliseconds));
        QTEST(lease ? QString() : lease.error().message(), "message");
    }

    void validUntil_countsFromSendingAndLeavesRoomForDrift()
    {
        const MonotonicTime sent(1h);
        QCOMPARE(Lease::of(10s)->validUntil(sent), sent + 10s - 100ms - 2ms);
        // A lease that is shorter than its drift is never valid.
        QVERIFY(Lease::of(1ms)->validUntil(sent) < sent);
    }
};

LATCHKEY_TEST(TestLease)

} // namespace tst_lease

#include "tst_lease.moc"
