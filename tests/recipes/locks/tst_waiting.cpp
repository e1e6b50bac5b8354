#include "core/recipes/locks/basic.h"
#include "core/recipes/locks/waiting.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_waiting {

using namespace latchkey;
using namespace latchkey::locks;
using exchange::Grant;
using exchange::Instant;
using exchange::PauseDone;
using exchange::Stepper;
using resp::Reply;
using namespace std::chrono_literals;

class TestWaiting final : public QObject
{
    Q_OBJECT

    BasicLock lock {base::Key("k"), "locking"};
    const base::MonotonicTime start {1h};

    /// Lets every attempt fail. Returns the attempts and the pauses with their lengths in milliseconds.
    QStringList losing(std::chrono::milliseconds wait)
    {
        QStringList steps;
        auto time = start;
        Stepper stepper(acquireWithin(lock, wait));
        while (!stepper.isFinished()) {
            if (const auto *pause = std::get_if<exchange::Pause>(&stepper.step())) {
                time += pause->duration;
                steps += QStringLiteral("pause %1").arg(pause->duration.count());
                stepper.grant(Grant(PauseDone {}));
            } else if (std::holds_alternative<exchange::ReadClock>(stepper.step())) {
                stepper.grant(Grant(Instant {time, {}}));
            } else {
                steps += QStringLiteral("try");
                stepper.grant(Reply::nil());
            }
        }
        return steps;
    }

private Q_SLOTS:
    void noWait_isOneAttempt() { QCOMPARE(losing(0ms), QStringList {QStringLiteral("try")}); }

    void pauses_growAndTheWaitIsNeverExceeded()
    {
        const QStringList expected {QStringLiteral("try"),      QStringLiteral("pause 5"),  QStringLiteral("try"),
                                    QStringLiteral("pause 10"), QStringLiteral("try"),      QStringLiteral("pause 20"),
                                    QStringLiteral("try"),      QStringLiteral("pause 40"), QStringLiteral("try"),
                                    QStringLiteral("pause 50"), QStringLiteral("try"),      QStringLiteral("pause 50"),
                                    QStringLiteral("try")};
        QCOMPARE(losing(200ms), expected);
        // The last pause may end with the wait.
        QCOMPARE(losing(15ms), expected.first(5));
        QCOMPARE(losing(14ms), expected.first(3));
    }

    void givingUp_endsTheWaitAfterTheAttempt()
    {
        bool isTired = false;
        Stepper stepper(acquireWithin(lock, 1min, [&] { return isTired; }));
        stepper.grant(Grant(Instant {start, {}}));
        stepper.grant(Reply::nil());
        stepper.grant(Grant(Instant {start + 1ms, {}}));
        isTired = true;
        stepper.grant(Grant(PauseDone {}));
        QVERIFY2(!stepper.isFinished(), "the attempt under way may win");
        stepper.grant(Reply::nil());
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult()->outcome, AcquireOutcome::Busy);
    }

    void winning_endsTheWait()
    {
        Stepper stepper(acquireWithin(lock, 1min));
        stepper.grant(Grant(Instant {start, {}}));
        stepper.grant(Reply::nil());
        stepper.grant(Grant(Instant {start + 1ms, {}}));
        stepper.grant(Grant(PauseDone {}));
        stepper.grant(Reply::status("OK"));
        QVERIFY(stepper.takeResult()->isAcquired());
    }
};

LATCHKEY_TEST(TestWaiting)

} // namespace tst_waiting

#include "tst_waiting.moc"
