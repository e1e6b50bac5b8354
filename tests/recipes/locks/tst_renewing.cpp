#include "core/recipes/locks/catalogue.h"
#include "core/recipes/locks/renewing.h"
#include "core/recipes/locks/token.h"
#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <csignal>

namespace tst_renewing {

using namespace latchkey;
using namespace latchkey::locks;
using base::ErrorKind;
using base::Lease;
using base::MonotonicTime;
using base::OwnerToken;
using base::SystemClock;
using base::SystemRandom;
using exchange::Answer;
using exchange::Grant;
using exchange::Instant;
using exchange::LoopDriver;
using exchange::Pause;
using exchange::PauseDone;
using exchange::ReadClock;
using exchange::Stepper;
using net::Session;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

const Lease lease = Lease::of(9s).value();

/// A simulated holder. Clock reads and pauses complete automatically; each command stops the holder until the test
/// replies.
class Day final
{
public:
    explicit Day(RenewingLock &lock)
        : m_start(m_clock.now())
        , m_stepper(lock.renewUntilLost(OwnerToken("t"), lease.validUntil(m_start)))
    {
        run();
    }

    /// Returns the milliseconds since the lock was acquired.
    [[nodiscard]] qint64 now() const { return (m_clock.now() - m_start) / 1ms; }
    /// Returns when the lease granted at that time ends for its holder.
    [[nodiscard]] static qint64 endOf(qint64 granted)
    {
        return (lease.validUntil(MonotonicTime() + std::chrono::milliseconds(granted)) - MonotonicTime()) / 1ms;
    }

    [[nodiscard]] bool isFinished() const { return m_stepper.isFinished(); }
    [[nodiscard]] Loss loss() { return m_stepper.takeResult().value(); }
    /// Returns the command that waits for its reply; due() returns its deadline.
    [[nodiscard]] QString command() const { return exchange::toText(m_stepper.step()).section(u' ', 2); }
    [[nodiscard]] qint64 due() const { return (m_stepper.deadline() - m_start) / 1ms; }

    void answer(Reply reply, std::chrono::milliseconds after = 1ms)
    {
        m_clock.advance(after);
        m_stepper.grant(std::move(reply));
        run();
    }
    void fail(ErrorKind kind, std::chrono::milliseconds after = 1ms)
    {
        m_clock.advance(after);
        m_stepper.grant(Grant(Answer(base::failure(kind, QStringLiteral("error %1").arg(static_cast<int>(kind))))));
        run();
    }
    /// Prolongs the next pause by this time, as if the holder was stopped or the machine slept.
    void oversleep(std::chrono::milliseconds time) { m_oversleep = time; }

private:
    void run()
    {
        while (!m_stepper.isFinished()) {
            if (std::holds_alternative<ReadClock>(m_stepper.step())) {
                m_stepper.grant(Grant(Instant {m_clock.now(), m_clock.wallNow()}));
            } else if (const auto *pause = std::get_if<Pause>(&m_stepper.step())) {
                m_clock.advance(pause->duration + std::exchange(m_oversleep, 0ms));
                m_stepper.grant(Grant(PauseDone {}));
            } else {
                return;
            }
        }
    }

    test::ManualClock m_clock;
    const MonotonicTime m_start;
    Stepper<Loss> m_stepper;
    std::chrono::milliseconds m_oversleep {};
};

/// A holder on the event loop, with its own connection to a real server.
class Holder final
{
public:
    Holder(test::TestServer &server, Lease held)
        : m_lock(std::make_unique<TokenLock>(base::Key("k"), held), held)
        , m_session(server.endpoint(), SystemClock::instance(), SystemRandom::instance())
        , m_driver({&m_session}, SystemClock::instance(), SystemRandom::instance())
    {
        // Only the end of the lease limits the waiting.
        m_driver.setTimeout(1h);
        m_session.start();
        if (!test::waitFor([&] { return m_session.state() == Session::State::Ready; }))
            qFatal("no connection");
        m_driver.run<Acquisition>(m_lock.acquire(), [this](base::Result<Acquisition> result) {
            m_acquired = result.value_or(Acquisition::busy());
        });
        if (!test::waitFor([&] { return m_acquired.isAcquired(); }))
            qFatal("no lock");
    }

    void renew()
    {
        m_run = m_driver.run<Loss>(m_lock.renewUntilLost(m_acquired.token, m_acquired.validUntil),
                                   [this](const base::Result<Loss> &result) { loss = *result; });
    }
    void stopRenewing() { m_driver.cancel(m_run); }
    [[nodiscard]] const Acquisition &acquired() const { return m_acquired; }

    std::optional<Loss> loss;

private:
    RenewingLock m_lock;
    Session m_session;
    LoopDriver m_driver;
    Acquisition m_acquired;
    LoopDriver::RunId m_run = 0;
};

} // namespace

/// The renewals of a lock, first step by step with a manual clock, then on a real server.
class TestRenewing final : public QObject
{
    Q_OBJECT

    RenewingLock lock {std::make_unique<TokenLock>(base::Key("k"), lease), lease};

private Q_SLOTS:
    void lossText_namesTheReason_data()
    {
        const base::Error refused {ErrorKind::TimedOut, base::Text(QStringLiteral("no reply"))};
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<Loss>("loss");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *recipe, Loss::Kind kind, std::optional<base::Error> reason, const char *text) {
            QTest::newRow(text) << QString::fromLatin1(recipe) << Loss {kind, std::move(reason)}
                                << QString::fromLatin1(text);
        };
        using Kind = Loss::Kind;
        row("renewing", Kind::NotOwner, {}, "another client holds it");
        row("renewing", Kind::Gone, {}, "it no longer exists");
        row("renewing", Kind::Unrenewed, refused, "its lease could not be renewed (no reply)");
        row("renewing", Kind::Unrenewed, {}, "its lease could not be renewed");
        row("renewing", Kind::Shortened, {}, "another client has shortened its lease");
        row("renewing", Kind::LeaseExpired, refused, "its lease has ended and could not be renewed (no reply)");
        row("renewing", Kind::LeaseExpired, {},
            "its lease ended while this process was stopped or too slow to renew it");
        row("auto-release", Kind::LeaseExpired, {},
            "its lease has ended, and the recipe auto-release cannot extend it");
    }
    void lossText_namesTheReason()
    {
        QFETCH(const QString, recipe);
        QFETCH(const Loss, loss);
        QTEST(lossText(loss, **findRecipe(recipe)).toString(), "text");
    }

    void lease_isExtendedAtAThirdOfItAgainAndAgain()
    {
        Day day(lock);
        qint64 sent = 0;
        for (int i = 0; i < 100; ++i) {
            QCOMPARE(day.now(), sent + 3000);
            QCOMPARE(day.command(), QStringLiteral("1 k t 9000"));
            // A renewal counts from its sending; the time until its reply prolongs nothing. Its deadline is the moment
            // when a third of the lease is left.
            QCOMPARE(day.due(), Day::endOf(sent) - 3000);
            sent = day.now();
            day.answer(Reply::integer(1), 200ms);
        }
        QVERIFY(!day.isFinished());
    }

    void serverReport_endsTheKeyImmediately_data()
    {
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<int>("kind");
        QTest::addRow("another's") << QByteArray("0") << static_cast<int>(Loss::Kind::NotOwner);
        QTest::addRow("gone") << QByteArray("-1") << static_cast<int>(Loss::Kind::Gone);
        QTest::addRow("another type") << QByteArray("WRONGTYPE no") << static_cast<int>(Loss::Kind::NotOwner);
    }
    void serverReport_endsTheKeyImmediately()
    {
        QFETCH(QByteArray, reply);
        QFETCH(int, kind);
        Day day(lock);
        day.answer(Reply::integer(1));
        day.answer(reply.startsWith('W') ? Reply::error(reply) : Reply::integer(reply.toInt()));
        QVERIFY(day.isFinished());
        QCOMPARE(static_cast<int>(day.loss().kind), kind);
    }

    void failedTry_isRepeatedAtHalfOfTheLeaseAndForgottenOnceOneSucceeds()
    {
        Day day(lock);
        for (const ErrorKind kind : {ErrorKind::Unreachable, ErrorKind::ConnectionLost, ErrorKind::TimedOut,
                                     ErrorKind::Loading, ErrorKind::PermissionDenied}) {
            const qint64 first = day.now();
            day.fail(kind);
            QCOMPARE(day.command(), QStringLiteral("1 k t 9000"));
            QCOMPARE(day.now(), first + 1500);
            day.answer(Reply::integer(1));
            QCOMPARE(day.now(), first + 1500 + 3000);
        }
        day.answer(Reply::integer(-1));
        QCOMPARE(day.loss(), (Loss {Loss::Kind::Gone, {}}));
    }

    void secondFailureInARow_losesTheLockWhileItLasts()
    {
        Day day(lock);
        day.answer(Reply::integer(1)); // At 3000: the next is due at 6000, and half of that lease is over at 7500.
        day.fail(ErrorKind::Unreachable, 7ms);
        QCOMPARE(day.now(), qint64(7500));
        QVERIFY(!day.isFinished());
        day.fail(ErrorKind::Unreachable, 7ms);
        QVERIFY(day.isFinished());
        QCOMPARE(day.now(), qint64(7507));
        const Loss loss = day.loss();
        QCOMPARE(loss.kind, Loss::Kind::Unrenewed);
        QCOMPARE(loss.reason->kind, ErrorKind::Unreachable);
    }

    void silentServer_losesTheLockWithAThirdOfTheLeaseLeft()
    {
        Day day(lock);
        const qint64 lastCall = Day::endOf(0) - 3000;
        QCOMPARE(day.due(), lastCall);
        day.fail(ErrorKind::TimedOut, std::chrono::milliseconds(lastCall - day.now()));
        QVERIFY(day.isFinished());
        QCOMPARE(day.now(), lastCall);
        QCOMPARE(day.loss().kind, Loss::Kind::Unrenewed);
    }

    void tryThatFailsTooLateForAnother_isTheLast()
    {
        Day inTime(lock);
        inTime.fail(ErrorKind::TimedOut, 2500ms); // At 5500; 300 ms later there is still time.
        QVERIFY(!inTime.isFinished());
        QCOMPARE(inTime.now(), qint64(5800));

        Day late(lock);
        late.fail(ErrorKind::TimedOut, 2700ms);
        QVERIFY(late.isFinished());
        QCOMPARE(late.loss().kind, Loss::Kind::Unrenewed);

        // The second one would begin just when it must have an answer.
        Day exact(lock);
        exact.fail(ErrorKind::TimedOut, std::chrono::milliseconds(Day::endOf(0) - 3000 - 300 - 3000));
        QVERIFY(exact.isFinished());
        QCOMPARE(exact.loss().kind, Loss::Kind::Unrenewed);
    }

    void holderThatWakesUpLate_hasOneTryForWhatIsLeft_data()
    {
        QTest::addColumn<int>("late");
        QTest::addRow("just in time") << -1;
        QTest::addRow("with a third of the lease left") << 0;
        QTest::addRow("later") << 1;
    }
    void holderThatWakesUpLate_hasOneTryForWhatIsLeft()
    {
        QFETCH(int, late);
        Day third(lock);
        const qint64 lastCall = Day::endOf(3000) - 3000;
        third.oversleep(std::chrono::milliseconds(lastCall + late - 6000));
        third.answer(Reply::integer(1));
        QCOMPARE(third.now(), lastCall + late);
        QCOMPARE(third.due(), late < 0 ? lastCall : Day::endOf(3000));

        Day day(lock);
        day.oversleep(4s);
        day.answer(Reply::integer(1));
        QCOMPARE(day.now(), qint64(3001 + 3000 - 1 + 4000));
        QCOMPARE(day.due(), Day::endOf(3000));
        day.fail(ErrorKind::Unreachable);
        QVERIFY(day.isFinished());
        QCOMPARE(day.loss().kind, Loss::Kind::Unrenewed);
    }

    void lateAnswer_doesNotCount()
    {
        Day onTime(lock);
        onTime.answer(Reply::integer(1), std::chrono::milliseconds(Day::endOf(0) - 3000 - 1));
        QVERIFY(!onTime.isFinished());

        Day late(lock);
        late.answer(Reply::integer(1), std::chrono::milliseconds(Day::endOf(0) - 3000));
        QVERIFY(late.isFinished());
        QCOMPARE(late.loss(), (Loss {Loss::Kind::LeaseExpired, {}}));
    }

    void lateAnswerThatTheLockIsAnothers_isStillTheServersWord()
    {
        Day day(lock);
        day.answer(Reply::integer(0), 20s);
        QCOMPARE(day.loss().kind, Loss::Kind::NotOwner);
    }

    void holderThatWakesUpTooLate_sendsNothing()
    {
        Day day(lock);
        day.oversleep(20s);
        day.answer(Reply::integer(1));
        QVERIFY(day.isFinished());
        QCOMPARE(day.loss(), (Loss {Loss::Kind::LeaseExpired, {}}));
    }

    void pauseAfterASlowFailure_fitsTheLease_data()
    {
        QTest::addColumn<std::chrono::milliseconds>("given");
        QTest::addColumn<std::chrono::milliseconds>("pause");
        QTest::addRow("short") << std::chrono::milliseconds(60ms) << std::chrono::milliseconds(5ms);
        QTest::addRow("middling") << std::chrono::milliseconds(6s) << std::chrono::milliseconds(200ms);
        QTest::addRow("long") << std::chrono::milliseconds(1h) << std::chrono::milliseconds(1s);
    }
    void pauseAfterASlowFailure_fitsTheLease()
    {
        QFETCH(std::chrono::milliseconds, given);
        QFETCH(std::chrono::milliseconds, pause);
        const Lease own = Lease::of(given).value();
        const MonotonicTime start {1h};
        Stepper stepper(renewOnce(lock, OwnerToken("t"), own, own.validUntil(start)));
        stepper.grant(Grant(Instant {start, {}}));
        QCOMPARE(std::get<Pause>(stepper.step()).duration, given / 3);
        stepper.grant(Grant(PauseDone {}));
        stepper.grant(Grant(Instant {start + given / 3, {}}));
        stepper.grant(Grant(Instant {start + given / 3, {}})); // The lock reads the clock itself.
        stepper.grant(Grant(Answer(base::failure(ErrorKind::Unreachable, QString()))));
        stepper.grant(Grant(Instant {start + given / 2, {}})); // Half of the lease is over at once.
        QCOMPARE(std::get<Pause>(stepper.step()).duration, pause);
    }

    void shortLease_isHeldForLongWork_data()
    {
        QTest::addColumn<bool>("isRenewed");
        QTest::addRow("renewed") << true;
        QTest::addRow("not renewed") << false;
    }
    void shortLease_isHeldForLongWork()
    {
        QFETCH(bool, isRenewed);
        test::TestServer server;
        const Lease brief = Lease::of(1s).value(); // A busy machine renews late, by some hundred milliseconds.
        Holder holder(server, brief);
        if (isRenewed)
            holder.renew();
        bool wasFree = false;
        const auto end = SystemClock::instance().now() + 3 * brief.duration();
        LATCHKEY_AWAIT((wasFree = wasFree || !server({"GET", "k"}).isBulk(holder.acquired().token.bytes()),
                        SystemClock::instance().now() > end));
        QCOMPARE(wasFree, !isRenewed);
        QVERIFY(!holder.loss);
        holder.stopRenewing();
        LATCHKEY_AWAIT(server({"PTTL", "k"}).isInteger(-2));
    }

    void lockTakenAway_isNoticed_data()
    {
        QTest::addColumn<QByteArray>("writer");
        QTest::addColumn<int>("kind");
        QTest::addRow("deleted") << QByteArray() << static_cast<int>(Loss::Kind::Gone);
        QTest::addRow("another's") << QByteArray("SET") << static_cast<int>(Loss::Kind::NotOwner);
        QTest::addRow("a list") << QByteArray("LPUSH") << static_cast<int>(Loss::Kind::NotOwner);
    }
    void lockTakenAway_isNoticed()
    {
        QFETCH(QByteArray, writer);
        QFETCH(int, kind);
        test::TestServer server;
        Holder holder(server, Lease::of(900ms).value());
        holder.renew();
        QVERIFY(server({"DEL", "k"}).isInteger(1));
        if (!writer.isEmpty())
            QVERIFY(!server({writer, "k", "other"}).isError());
        LATCHKEY_AWAIT(holder.loss);
        QCOMPARE(static_cast<int>(holder.loss->kind), kind);
        QVERIFY2(server({"EXISTS", "k"}).isInteger(writer.isEmpty() ? 0 : 1), "extending makes no lock anew");
        QVERIFY2(server({"PTTL", "k"}).toInteger() < 0, "and gives no lease to the lock of another client");
    }

    void stoppedServer_losesTheLockWhileItLasts()
    {
        test::TestServer server;
        Holder holder(server, Lease::of(3s).value());
        holder.renew();
        ::kill(static_cast<pid_t>(server.process().processId()), SIGSTOP);
        LATCHKEY_AWAIT(holder.loss);
        ::kill(static_cast<pid_t>(server.process().processId()), SIGCONT);
        QCOMPARE(holder.loss->kind, Loss::Kind::Unrenewed);
        QVERIFY(SystemClock::instance().now() < holder.acquired().validUntil);
    }

    void lostConnection_isReplacedInTime()
    {
        test::TestServer server;
        const Lease given = Lease::of(1500ms).value();
        Holder holder(server, given);
        holder.renew();
        QVERIFY(server({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        const auto end = SystemClock::instance().now() + given.duration() * 3 / 2;
        LATCHKEY_AWAIT(SystemClock::instance().now() > end || holder.loss);
        QVERIFY(!holder.loss);
        QVERIFY(server({"GET", "k"}).isBulk(holder.acquired().token.bytes()));
    }

    void catalogue_statesWhichRecipesRenew()
    {
        for (const Recipe &recipe : recipes()) {
            QCOMPARE(recipe.renews, recipe.id == u"renewing");
            QVERIFY2(!recipe.renews || (recipe.canExtend && recipe.hasLease), qPrintable(recipe.id));
        }
    }
};

LATCHKEY_TEST(TestRenewing)

} // namespace tst_renewing

#include "tst_renewing.moc"
