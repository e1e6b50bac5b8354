#include "core/recipes/locks/holdstatus.h"
#include "core/recipes/locks/unixdeadline.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_holdstatus {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Grant;
using exchange::Instant;
using exchange::Pause;
using exchange::PauseDone;
using exchange::ReadClock;
using exchange::Stepper;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

const Lease lease = Lease::of(9s).value();

/// A simulated check of a hold with a manual clock. Pauses complete automatically; requests stop it until the test
/// replies.
class Watch final
{
public:
    explicit Watch(LockValue value, std::chrono::milliseconds interval = 3s)
        : m_start(m_clock.now())
        , m_interval(interval)
        , m_hold {base::Key("k"), value, ownValue(value), lease, lease.validUntil(m_start)}
        , m_last(initialStatus(m_hold))
    {
        begin();
    }

    /// Returns the request, such as `GET k | PTTL k`; empty after the end of the checks.
    [[nodiscard]] QString question() const { return m_stepper ? exchange::toText(m_stepper->step()) : QString(); }
    /// Passes the replies, which arrive one millisecond later.
    void answer(Answers answers)
    {
        m_clock.advance(1ms);
        m_stepper->grant(Grant(std::move(answers)));
        run();
    }
    /// Replies as for a lock that is as it was granted.
    void answerAsGranted()
    {
        Answers answers;
        if (question().contains(QStringLiteral("GET")))
            answers.emplace_back(Reply::bulk(m_hold.token.bytes()));
        if (question().contains(QStringLiteral("PTTL")))
            answers.emplace_back(Reply::integer((m_start + lease.duration() - m_clock.now()) / 1ms));
        answer(std::move(answers));
    }

    [[nodiscard]] QByteArray value() const { return m_hold.token.bytes(); }
    /// Return milliseconds since the grant of the lease. end() is the last known end and endAsGranted() the end by the
    /// grant, both without any time that is not guaranteed.
    [[nodiscard]] qint64 now() const { return (m_clock.now() - m_start) / 1ms; }
    [[nodiscard]] qint64 end() const { return (m_last.validUntil - m_start) / 1ms; }
    [[nodiscard]] qint64 endAsGranted() const { return (m_hold.validUntil - m_start) / 1ms; }
    [[nodiscard]] const std::optional<Loss> &loss() const { return m_last.loss; }

private:
    [[nodiscard]] OwnerToken ownValue(LockValue value) const
    {
        return value == LockValue::Deadline ? OwnerToken(UnixDeadline::after(m_clock.wallNow(), lease).toBytes())
                                            : OwnerToken("t");
    }
    void begin()
    {
        m_stepper = std::make_unique<Stepper<HoldStatus>>(pollHold(m_hold, m_last, m_interval));
        run();
    }
    void run()
    {
        while (!m_stepper->isFinished()) {
            if (std::holds_alternative<ReadClock>(m_stepper->step())) {
                m_stepper->grant(Grant(Instant {m_clock.now(), m_clock.wallNow()}));
            } else if (const auto *pause = std::get_if<Pause>(&m_stepper->step())) {
                m_clock.advance(pause->duration);
                m_stepper->grant(Grant(PauseDone {}));
            } else {
                return;
            }
        }
        m_last = m_stepper->takeResult().value();
        m_stepper.reset();
        if (!m_last.loss)
            begin();
    }

    test::ManualClock m_clock;
    const MonotonicTime m_start;
    const std::chrono::milliseconds m_interval;
    const HeldLease m_hold;
    HoldStatus m_last;
    std::unique_ptr<Stepper<HoldStatus>> m_stepper;
};

Answer denied()
{
    return base::failure(ErrorKind::PermissionDenied, QStringLiteral("no"));
}
Answer lostAnswer()
{
    return base::failure(ErrorKind::ConnectionLost, QStringLiteral("lost"));
}

} // namespace

/// Checks of a hold, step by step.
class TestHoldStatus final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void grantedHold_isReadUntilItExpires()
    {
        for (const LockValue value : {LockValue::Constant, LockValue::Deadline, LockValue::Token}) {
            Watch watch(value);
            for (const qint64 time : {3000, 6001}) {
                QCOMPARE(watch.now(), time);
                QCOMPARE(watch.question(),
                         value == LockValue::Deadline ? QStringLiteral("GET k") : QStringLiteral("GET k | PTTL k"));
                watch.answerAsGranted();
                QCOMPARE(watch.end(), watch.endAsGranted());
            }
            QCOMPARE(watch.now(), watch.endAsGranted());
            QCOMPARE(*watch.loss(), (Loss {Loss::Kind::LeaseExpired, {}}));
        }
    }

    void serverReport_endsTheKeyImmediately()
    {
        const auto lossAfter = [](LockValue value, Answers answers) {
            Watch watch(value);
            watch.answer(std::move(answers));
            return watch.loss() ? static_cast<int>(watch.loss()->kind) : -1;
        };
        const Answer there(Reply::integer(5999));
        const Answer gone(Reply::integer(-2));
        const Answer wrongType = base::failure(ErrorKind::WrongType, QStringLiteral("a list"));
        const auto notOwner = static_cast<int>(Loss::Kind::NotOwner);
        for (const LockValue value : {LockValue::Constant, LockValue::Token}) {
            QCOMPARE(lossAfter(value, {Reply::bulk("other"), there}), notOwner);
            QCOMPARE(lossAfter(value, {wrongType, there}), notOwner);
            QCOMPARE(lossAfter(value, {Reply::nil(), gone}), static_cast<int>(Loss::Kind::Gone));
            QCOMPARE(lossAfter(value, {denied(), gone}), static_cast<int>(Loss::Kind::Gone));
            QCOMPARE(lossAfter(value, {lostAnswer(), lostAnswer()}), -1);
        }
        QCOMPARE(lossAfter(LockValue::Deadline, {Reply::bulk("other")}), notOwner);
        QCOMPARE(lossAfter(LockValue::Deadline, {wrongType}), notOwner);
        QCOMPARE(lossAfter(LockValue::Deadline, {Reply::nil()}), static_cast<int>(Loss::Kind::Gone));
    }

    void earlierEnd_isGivenUpWithAThirdOfTheLeaseLeft()
    {
        Watch watch(LockValue::Constant);
        watch.answer({Reply::bulk("t"), Reply::integer(5000)}); // Six seconds were left.
        QCOMPARE(watch.end(), 8000);
        QCOMPARE(watch.now(), 8000 - 3000);
        QCOMPARE(*watch.loss(), (Loss {Loss::Kind::Shortened, {}}));

        Watch atOnce(LockValue::Constant);
        atOnce.answer({Reply::bulk("t"), Reply::integer(1000)});
        QCOMPARE(atOnce.now(), 3001);
        QCOMPARE(*atOnce.loss(), (Loss {Loss::Kind::Shortened, {}}));

        Watch nothingLeft(LockValue::Constant); // Less than a millisecond.
        nothingLeft.answer({Reply::bulk("t"), Reply::integer(0)});
        QCOMPARE(nothingLeft.end(), 3000);
        QCOMPARE(*nothingLeft.loss(), (Loss {Loss::Kind::Shortened, {}}));
    }

    void laterEnd_isNotAttributedToTheHolder()
    {
        for (const qint64 left : {qint64(7000), qint64(-1), std::numeric_limits<qint64>::max()}) {
            Watch watch(LockValue::Constant);
            watch.answer({Reply::bulk("t"), Reply::integer(left)});
            QCOMPARE(watch.end(), watch.endAsGranted());
            QVERIFY(!watch.loss());
        }
    }

    void endThatIsMovedBack_isForgotten()
    {
        Watch watch(LockValue::Constant, 1s);
        watch.answer({Reply::bulk("t"), Reply::integer(7800)});
        QCOMPARE(watch.end(), 8800);
        watch.answerAsGranted();
        QCOMPARE(watch.end(), watch.endAsGranted());
        QVERIFY(!watch.loss());
    }

    void measuringDifferently_isNoChange()
    {
        Watch watch(LockValue::Constant, 1s);
        watch.answer({Reply::bulk("t"), Reply::integer(7800)});
        QCOMPARE(watch.end(), 8800);
        QCOMPARE(watch.now(), 2001);
        watch.answer({Reply::bulk("t"), Reply::integer(8800 - 2001 + 3)}); // The round trip, and PTTL rounded twice.
        QCOMPARE(watch.end(), 8800);

        Watch other(LockValue::Constant, 1s);
        other.answer({Reply::bulk("t"), Reply::integer(7800)});
        other.answer({Reply::bulk("t"), Reply::integer(8800 - 2001 + 4)});
        QCOMPARE(other.end(), 8804);
    }

    void deadlineOfAnother_countsWhereItIsEarlier()
    {
        const auto endAfter = [](qint64 later) {
            Watch watch(LockValue::Deadline);
            watch.answer({Reply::bulk(QByteArray::number(watch.value().toLongLong() + later))});
            return watch.end() - watch.endAsGranted();
        };
        QCOMPARE(endAfter(0), 0);
        QCOMPARE(endAfter(60), 0);
        QCOMPARE(endAfter(std::numeric_limits<qint64>::max() / 2), 0);
        const qint64 earlier = endAfter(-3);
        QVERIFY2(earlier <= -1000 && earlier > -3000, qPrintable(QString::number(earlier)));
        QVERIFY(endAfter(-1'000'000'000) < -9000);
    }

    /// Another contender has overwritten the deadline, and the holder has written its own again.
    void ownDeadline_countsAgain()
    {
        Watch watch(LockValue::Deadline, 1s);
        watch.answer({Reply::bulk(QByteArray::number(watch.value().toLongLong() - 3))});
        QVERIFY(watch.end() < watch.endAsGranted());
        watch.answerAsGranted();
        QCOMPARE(watch.end(), watch.endAsGranted());
        QVERIFY(!watch.loss());
    }

    void deniedCommand_isNotRepeated()
    {
        Watch watch(LockValue::Token);
        watch.answer({denied(), Reply::integer(5999)});
        QCOMPARE(watch.question(), QStringLiteral("PTTL k"));
        watch.answer({denied()});
        QCOMPARE(watch.question(), QString());
        QCOMPARE(watch.now(), watch.endAsGranted());
        QCOMPARE(*watch.loss(), (Loss {Loss::Kind::LeaseExpired, {}}));
    }
};

LATCHKEY_TEST(TestHoldStatus)

} // namespace tst_holdstatus

#include "tst_holdstatus.moc"
