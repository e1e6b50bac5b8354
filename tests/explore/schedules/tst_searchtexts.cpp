#include "core/explore/schedules/searchtexts.h"
#include "core/explore/schedules/verdict.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_searchtexts {

using namespace latchkey;
using namespace latchkey::schedules;

/// Tests of the texts about a search of the race finder.
class TestSearchTexts final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void verdict_isFoundByItsId()
    {
        for (const Verdict verdict : {Verdict::Holds, Verdict::Broken, Verdict::NotApplicable})
            QCOMPARE(verdictFrom(verdictId(verdict)), verdict);
        QCOMPARE(verdictFrom(QStringLiteral("other")), Verdict::NotApplicable);
    }

    void count_isExactAsFarAsADoubleIs()
    {
        QCOMPARE(countText(1'234'567, QLocale::c()), QStringLiteral("1234567"));
        QCOMPARE(countText(1'234'567, QLocale(QLocale::English)), QStringLiteral("1,234,567"));
        QCOMPARE(countText(1.5e15, QLocale::c()), QStringLiteral("1.5e+15"));
    }

    void limits_nameTheFaultsThatAreAllowed()
    {
        FaultLimits limits;
        QCOMPARE(limitsText(2, 1, limits),
                 QStringLiteral("2 clients with at most 1 crash, 1 expiration, 3 timer steps"));
        limits = {0, 0, 2, 0, 0};
        QCOMPARE(limitsText(1, 3, limits),
                 QStringLiteral("1 client on 3 servers with at most 2 lost replies, 0 preemptions"));
        limits = {0, 0, 0, 0, {}};
        QCOMPARE(limitsText(2, 1, limits), QStringLiteral("2 clients without faults"));
    }
};

LATCHKEY_TEST(TestSearchTexts)

} // namespace tst_searchtexts

#include "tst_searchtexts.moc"
