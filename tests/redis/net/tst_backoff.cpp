#include "core/redis/net/backoff.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_backoff {

using namespace latchkey;
using namespace std::chrono_literals;

class TestBackoff final : public QObject
{
    Q_OBJECT

    static QList<qint64> waits(double chance, int count)
    {
        test::ScriptedRandom random(chance);
        net::Backoff backoff(250ms, 2s);
        QList<qint64> result;
        for (int i = 0; i < count; ++i)
            result += backoff.next(random).count();
        return result;
    }

private Q_SLOTS:
    void next_doublesUpToTheLongest() { QCOMPARE(waits(1.0, 6), (QList<qint64> {250, 500, 1000, 2000, 2000, 2000})); }
    void next_isSpreadOverTheUpperHalf() { QCOMPARE(waits(0.0, 5), (QList<qint64> {125, 250, 500, 1000, 1000})); }

    void reset_startsAgain()
    {
        test::ScriptedRandom random(1.0);
        net::Backoff backoff(250ms, 2s);
        for (int i = 0; i < 5; ++i)
            (void)backoff.next(random);
        backoff.reset();
        QCOMPARE(backoff.next(random), 250ms);
    }
};

LATCHKEY_TEST(TestBackoff)

} // namespace tst_backoff

#include "tst_backoff.moc"
