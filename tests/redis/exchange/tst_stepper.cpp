#include "core/redis/exchange/stepper.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_stepper {

using namespace latchkey;
using namespace latchkey::exchange;
using base::ErrorKind;
using resp::Command;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

/// A counter of live coroutine frames: each coroutine has one as a local variable.
struct Frame
{
    Frame() { ++alive; }
    Frame(const Frame &) { ++alive; }
    Frame &operator=(const Frame &) = default;
    ~Frame() { --alive; }
    static inline int alive = 0;
};

Command command(const char *name)
{
    return Command {QByteArray(name)};
}

Exchange<int> everyStep()
{
    const Frame frame;
    const Instant before = co_await now();
    const base::OwnerToken token = co_await freshToken();
    co_await Pause {5ms};
    const Reply reply = co_await command("ONE");
    const Answer answer = co_await tentatively(command("TWO"));
    const Answers answers = co_await Batch().add(command("THREE")).add(command("FOUR"), 1);
    const bool all = before.monotonic == base::MonotonicTime(7s) && token == base::OwnerToken("t") && reply.isInteger(1)
                  && !answer && answers.size() == 2;
    co_return all ? 42 : 0;
}

Exchange<Reply> one(const char *name)
{
    const Frame frame;
    const Reply reply = co_await command(name);
    co_return reply;
}

Exchange<int> nested(int depth)
{
    const Frame frame;
    if (depth == 0)
        co_return 0;
    const Reply reply = co_await one("STEP");
    const int below = co_await nested(depth - 1);
    co_return below + static_cast<int>(reply.toInteger());
}

Exchange<void> hurrying()
{
    const Frame frame;
    (void)co_await one("FREE");
    (void)co_await dueBy(base::MonotonicTime(9s), one("NINE"));
    (void)co_await dueBy(base::MonotonicTime(3s), one("THREE"));
    try {
        (void)co_await dueBy(base::MonotonicTime(5s), one("FIVE"));
    } catch (const base::Failure &) { // NOLINT(bugprone-empty-catch): the deadline is looked at, not the outcome.
    }
    (void)co_await one("AFTERWARDS");
}

Exchange<void> withinSeven()
{
    co_await dueBy(base::MonotonicTime(7s), hurrying());
}

Exchange<qint64> immediate()
{
    co_return 1;
}

Exchange<qint64> manyImmediate(qint64 count)
{
    qint64 sum = 0;
    for (qint64 i = 0; i < count; ++i) {
        const qint64 value = co_await immediate();
        sum += value;
    }
    co_return sum;
}

Exchange<QString> recovering()
{
    const Frame frame;
    try {
        const Reply reply = co_await one("FAILS");
        co_return reply.toText();
    } catch (const base::Failure &failure) {
        co_return QStringLiteral("recovered from: ") + failure.error().message();
    }
}

Exchange<void> nothing()
{
    const Frame frame;
    (void)co_await command("ONLY");
}

} // namespace

class TestStepper final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { QCOMPARE(Frame::alive, 0); }

    void steps_comeOneByOneAndAreGranted()
    {
        Stepper stepper(everyStep());
        QCOMPARE(toText(stepper.step()), QStringLiteral("(read the clock)"));
        stepper.grant(Grant(Instant {base::MonotonicTime(7s), {}}));
        QCOMPARE(toText(stepper.step()), QStringLiteral("(draw a token)"));
        stepper.grant(Grant(base::OwnerToken("t")));
        QCOMPARE(toText(stepper.step()), QStringLiteral("(pause 5ms)"));
        stepper.grant(Grant(PauseDone {}));
        QCOMPARE(toText(stepper.step()), QStringLiteral("ONE"));
        stepper.grant(Reply::integer(1));
        QCOMPARE(toText(stepper.step()), QStringLiteral("TWO"));
        stepper.grant(Reply::error("WRONGTYPE no"));
        QCOMPARE(toText(stepper.step()), QStringLiteral("THREE | #1 FOUR"));
        QVERIFY(!stepper.isFinished());
        stepper.grant(Grant(Answers {Reply::integer(1), Reply::integer(2)}));
        QVERIFY(stepper.isFinished());
        QCOMPARE(toText(stepper.step()), QStringLiteral("(ended)"));
        QCOMPARE(stepper.takeResult(), base::Result<int>(42));
    }

    void nestedExchanges_areOneSequenceOfSteps()
    {
        Stepper stepper(nested(50));
        int steps = 0;
        while (!stepper.isFinished()) {
            ++steps;
            stepper.grant(Reply::integer(2));
        }
        QCOMPARE(steps, 50);
        QCOMPARE(stepper.takeResult(), base::Result<int>(100));
    }

    void manyImmediateExchanges_useNoStack()
    {
        Stepper stepper(manyImmediate(1'000'000));
        QVERIFY(stepper.isFinished());
        QCOMPARE(stepper.takeResult(), base::Result<qint64>(1'000'000));
    }

    void errorReply_endsTheExchangeWithItsType()
    {
        Stepper stepper(nested(3));
        stepper.grant(Reply::integer(1));
        stepper.grant(Reply::error("READONLY You can't write against a read only replica."));
        QVERIFY(stepper.isFinished());
        const auto result = stepper.takeResult();
        QVERIFY(!result);
        QCOMPARE(result.error().kind, ErrorKind::ReadOnly);
    }

    void failureFromTheDriver_canBeCaughtByTheRecipe()
    {
        Stepper stepper(recovering());
        stepper.grant(Grant(Answer(base::failure(ErrorKind::ConnectionLost, QStringLiteral("gone")))));
        QCOMPARE(stepper.takeResult(), base::Result<QString>(QStringLiteral("recovered from: gone")));
    }

    void deadline_isThatOfTheInnermostAndNeverLaterThanAnOuterOne()
    {
        const auto deadlines = [](Exchange<void> exchange) {
            Stepper stepper(std::move(exchange));
            QStringList seen;
            while (!stepper.isFinished()) {
                const auto deadline = stepper.deadline();
                seen += toText(stepper.step()) + u' '
                      + (deadline == base::MonotonicTime::max() ? QStringLiteral("-")
                                                                : QString::number(deadline.time_since_epoch() / 1s));
                stepper.grant(seen.size() == 4 ? Reply::error("ERR no") : Reply::status("OK"));
            }
            return seen.join(QStringLiteral(", "));
        };
        QCOMPARE(deadlines(hurrying()), QStringLiteral("FREE -, NINE 9, THREE 3, FIVE 5, AFTERWARDS -"));
        QCOMPARE(deadlines(withinSeven()), QStringLiteral("FREE 7, NINE 7, THREE 3, FIVE 5, AFTERWARDS 7"));
    }

    void voidExchange_endsWithoutAValue()
    {
        Stepper stepper(nothing());
        stepper.grant(Reply::status("OK"));
        QVERIFY(stepper.takeResult());

        Stepper failing(nothing());
        failing.grant(Reply::error("ERR no"));
        QVERIFY(!failing.takeResult());
    }

    void destroying_cancelsAtEveryDepth()
    {
        for (int steps = 0; steps < 10; ++steps) {
            Stepper stepper(nested(10));
            for (int i = 0; i < steps; ++i)
                stepper.grant(Reply::integer(1));
            QVERIFY(Frame::alive > 0);
        }
    }

    void neverStarted_isDestroyedCleanly()
    {
        const auto unused = nested(3);
        QVERIFY(unused.handle());
    }
};

LATCHKEY_TEST(TestStepper)

} // namespace tst_stepper

#include "tst_stepper.moc"
