#include "core/keyspace/budget/commandbudget.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_commandbudget {

using namespace latchkey;
using budget::CommandBudget;
using budget::CommandLimit;
using namespace std::chrono_literals;

class TestCommandBudget final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void available_fillsAtItsRate()
    {
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        QCOMPARE(budget.available(clock.now()), 0);
        clock.advance(100ms);
        QCOMPARE(budget.available(clock.now()), 10);
        budget.spend({10, 0});
        QCOMPARE(budget.available(clock.now()), 0);
    }

    void available_neverExceedsItsRateOverTime()
    {
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        int sent = 0;
        for (int tick = 0; tick < 300; ++tick) { // Ten seconds of ticks.
            clock.advance(33'333us);
            const int now = budget.available(clock.now());
            budget.spend({double(now), 0});
            sent += now;
        }
        QVERIFY2(sent >= 980 && sent <= 1000, qPrintable(QString::number(sent)));
    }

    void pause_isNotSavedUpForABurst()
    {
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        clock.advance(1h);
        QCOMPARE(budget.available(clock.now()), 25);
    }

    void overspending_isPaidBack()
    {
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        clock.advance(100ms);
        (void)budget.available(clock.now());
        budget.spend({30, 0}); // A scan found more keys than expected.
        clock.advance(200ms);
        QCOMPARE(budget.available(clock.now()), 0);
        clock.advance(50ms);
        QCOMPARE(budget.available(clock.now()), 5);
    }

    void changes_areReadAheadOfTimeAndPaidLater()
    {
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        constexpr int most = 100 * static_cast<int>(CommandBudget::maxAdvance.count());
        QCOMPARE(budget.availableForChanges(clock.now()), most);
        budget.spendForChanges({most, 0});
        QCOMPARE(budget.availableForChanges(clock.now()), 0);
        clock.advance(100ms);
        QCOMPARE(budget.available(clock.now()), 5); // Half of the budget is for regular reads.
        QCOMPARE(budget.availableForChanges(clock.now()), 10);
        budget.spend({5, 0});
        int sent = most + 5;
        for (int tick = 0; tick < 3000; ++tick) { // 100 seconds of ticks.
            clock.advance(33'333us);
            const int now = budget.availableForChanges(clock.now());
            budget.spendForChanges({double(now), 0});
            sent += now;
        }
        QVERIFY2(sent <= 100 * 100 + most + 10, qPrintable(QString::number(sent)));
    }

    /// The saved commands stay as many, within a quarter of a second at the new rate.
    void otherLimit_keepsTheSavedCommands_data()
    {
        QTest::addColumn<int>("perSecond");
        QTest::addColumn<int>("available");
        QTest::addRow("the same") << 100 << 10;
        QTest::addRow("higher") << 1000 << 10;
        QTest::addRow("lower") << 50 << 10;
        QTest::addRow("so low that they exceed a quarter of a second") << 20 << 5;
    }
    void otherLimit_keepsTheSavedCommands()
    {
        QFETCH(int, perSecond);
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        clock.advance(100ms);
        QCOMPARE(budget.available(clock.now()), 10);
        budget.setLimit(CommandLimit::ofRate(perSecond));
        QTEST(budget.available(clock.now()), "available");
    }

    /// The commands that were sent ahead of time stay as many, up to the most that may be sent at the new rate.
    void otherLimit_keepsTheCommandsAheadOfTime()
    {
        test::ManualClock clock;
        constexpr int most = static_cast<int>(CommandBudget::maxAdvance.count());
        CommandBudget budget(CommandLimit::ofRate(100), clock.now());
        budget.spendForChanges({100 * most, 0});
        budget.setLimit(CommandLimit::ofRate(1000));
        QCOMPARE(budget.availableForChanges(clock.now()), 900 * most);
        budget.setLimit(CommandLimit::ofRate(10));
        QCOMPARE(budget.availableForChanges(clock.now()), 0);
        clock.advance(2s); // Half of it repays one second.
        QCOMPARE(budget.availableForChanges(clock.now()), 2 + 10);
    }

    void smallBudget_stillAllowsACommand()
    {
        test::ManualClock clock;
        CommandBudget budget(CommandLimit::ofRate(1), clock.now());
        clock.advance(1s);
        QCOMPARE(budget.available(clock.now()), 1);
    }
};

LATCHKEY_TEST(TestCommandBudget)

} // namespace tst_commandbudget

#include "tst_commandbudget.moc"
