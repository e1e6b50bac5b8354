#include "core/inspect/expectations/expectationevaluator.h"
#include "core/inspect/expectations/expectationtexts.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_expectationevaluator {

using namespace latchkey;
using namespace std::chrono_literals;
using base::Deadline;
using base::MonotonicTime;
using events::Ending;
using events::KeyEvent;
using events::Observation;
using expectations::ExpectationEvaluator;
using expectations::Verdict;
using std::chrono::milliseconds;
using Outcome = Verdict::Outcome;
using Type = KeyEvent::Type;
using Why = Verdict::Why;

namespace {

MonotonicTime at(milliseconds time)
{
    return MonotonicTime(1h + time);
}

Observation lookAt(milliseconds time, events::ObservationContent content)
{
    return {"k", content, at(time), at(time) + 1ms};
}

Observation there(milliseconds time, milliseconds left)
{
    return lookAt(time, events::Exists {Deadline(at(time) + left, 1ms)});
}

Observation endless(milliseconds time)
{
    return lookAt(time, events::Exists {});
}

Observation gone(milliseconds time)
{
    return lookAt(time, events::Gone {});
}

KeyEvent keyEvent(Type what, milliseconds from, milliseconds to, std::optional<milliseconds> end = {})
{
    KeyEvent keyEvent;
    keyEvent.key = "k";
    keyEvent.type = what;
    keyEvent.notBefore = at(from);
    keyEvent.notAfter = at(to);
    if (end)
        keyEvent.deadline = Deadline(at(*end), 1ms);
    return keyEvent;
}

KeyEvent ended(Ending ending, milliseconds from, milliseconds to, std::optional<milliseconds> end = {})
{
    KeyEvent event = keyEvent(Type::Ended, from, to, end);
    event.ending = ending;
    return event;
}

ExpectationEvaluator evaluatorFor(const char *sentence)
{
    return ExpectationEvaluator(expectations::parseExpectation(QString::fromLatin1(sentence)).value());
}

} // namespace

/// Tests of the verdicts on a key from its observations. Times are milliseconds since some moment.
class TestKeyJudge final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The bounds are 1 s and 2 s; the key appears between 0 and 20 ms.
    void end_isJudgedByAllThatItMayHaveBeen_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<int>("outcome");
        QTest::addRow("for certain within") << 1020 << 2000 << int(Outcome::Holds);
        QTest::addRow("at the lower bound it may have been too early") << 1019 << 1500 << int(Outcome::Unknown);
        QTest::addRow("at the upper bound it may have been too late") << 1500 << 2001 << int(Outcome::Unknown);
        QTest::addRow("for certain too early") << 900 << 999 << int(Outcome::Fails);
        QTest::addRow("for certain too late") << 2021 << 2100 << int(Outcome::Fails);
        QTest::addRow("anything may have been") << 10 << 9000 << int(Outcome::Unknown);
    }
    void end_isJudgedByAllThatItMayHaveBeen()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        evaluator.add(gone(0ms));
        evaluator.take(keyEvent(Type::Appeared, 0ms, 20ms, 1500ms));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        evaluator.take(ended(Ending::Deleted, milliseconds(from), milliseconds(to)));
        const Verdict verdict = evaluator.verdict(false);
        QTEST(int(verdict.outcome), "outcome");
        QCOMPARE(verdict.why, Why::Ended);
        QVERIFY(verdict.isSinceWriting);
        QCOMPARE(evaluator.verdict(true).outcome, verdict.outcome);
    }

    void expiredKey_wasThereUntilItsTimeWasOver()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        evaluator.add(there(0ms, 1500ms));
        // The last read was long before, and the server's event comes 300 ms late.
        evaluator.take(ended(Ending::Expired, 200ms, 1800ms, 1500ms));
        const Verdict verdict = evaluator.verdict(true);
        QCOMPARE(verdict.outcome, Outcome::Holds);
        QCOMPARE(verdict.lowerBound, 1498ms);
        QCOMPARE(verdict.upperBound, 1800ms);
        QVERIFY(!verdict.isSinceWriting);
        ExpectationEvaluator deleted = evaluatorFor("k gone between 1s and 2s");
        deleted.add(there(0ms, 1500ms));
        deleted.take(ended(Ending::Deleted, 200ms, 1800ms, 1500ms));
        QCOMPARE(deleted.verdict(true).outcome, Outcome::Unknown);
    }

    void eventThatComesLate_isNoVerdictOfLateness()
    {
        // Due in time, but reported after the upper bound: a reader may have found it gone in time.
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        evaluator.add(there(0ms, 1900ms));
        evaluator.take(ended(Ending::Expired, 200ms, 9000ms, 1900ms));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
    }

    void keyThatStays_failsAsSoonAsItIsCertain()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        evaluator.add(there(0ms, 5s));
        evaluator.add(there(2001ms, 3s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        evaluator.add(there(2002ms, 3s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Fails);
        QCOMPARE(evaluator.verdict(false).why, Why::StillExists);
        QCOMPARE(evaluator.verdict(false).lifetimes, 1);
    }

    void keyThatIsThere_holdsWhenItsTimeHasCome()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k exists until 2s");
        evaluator.add(there(0ms, 5s));
        evaluator.add(there(2000ms, 3s));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        QCOMPARE(evaluator.verdict(true).why, Why::WatchedTooShort);
        evaluator.add(there(2001ms, 3s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Holds);
        // Later events do not change the verdict.
        evaluator.take(ended(Ending::Deleted, 2100ms, 2200ms));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Holds);
    }

    void keyThatGoesTooEarly_fails()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k exists until 2s");
        evaluator.add(there(0ms, 5s));
        evaluator.take(ended(Ending::Deleted, 400ms, 500ms));
        const Verdict verdict = evaluator.verdict(false);
        QCOMPARE(verdict.outcome, Outcome::Fails);
        QCOMPARE(verdict.ending, Ending::Deleted);
        QCOMPARE(verdict.lowerBound, 399ms);
        QCOMPARE(verdict.upperBound, 500ms);
    }

    void keyThatWasNeverSeen_isNoPass_data()
    {
        QTest::addColumn<QByteArray>("sentence");
        QTest::addColumn<int>("outcome");
        QTest::addColumn<int>("why");
        QTest::addRow("gone") << QByteArray("k gone between 1s and 2s") << int(Outcome::Unknown) << int(Why::NeverSeen);
        QTest::addRow("exists") << QByteArray("k exists until 1s") << int(Outcome::Fails) << int(Why::NeverExisted);
        QTest::addRow("exists after writing")
            << QByteArray("k exists until 1s after writing") << int(Outcome::Unknown) << int(Why::NeverSeen);
        QTest::addRow("renewed") << QByteArray("k renewed at least every 1s") << int(Outcome::Unknown)
                                 << int(Why::NeverSeen);
        QTest::addRow("never") << QByteArray("k never without expiry") << int(Outcome::Unknown) << int(Why::NeverSeen);
        QTest::addRow("pattern") << QByteArray("k* exists until 1s") << int(Outcome::Unknown) << int(Why::NeverSeen);
    }
    void keyThatWasNeverSeen_isNoPass()
    {
        QFETCH(QByteArray, sentence);
        ExpectationEvaluator evaluator = evaluatorFor(sentence.constData());
        // Not looked for: no verdict.
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        evaluator.add(gone(0ms));
        evaluator.add(gone(5s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        QTEST(int(evaluator.verdict(true).outcome), "outcome");
        QTEST(int(evaluator.verdict(true).why), "why");
    }

    void afterWriting_onlyWhatWasSeenBeingWrittenCounts()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s after writing");
        evaluator.add(there(0ms, 300ms));
        QCOMPARE(evaluator.verdict(true).why, Why::WritingNotSeen);
        evaluator.take(ended(Ending::Expired, 290ms, 310ms, 300ms));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        QCOMPARE(evaluator.verdict(true).why, Why::WritingNotSeen);
        evaluator.take(keyEvent(Type::Appeared, 500ms, 501ms, 1800ms));
        // Another value counts as a new write.
        evaluator.take(keyEvent(Type::HandedOver, 1700ms, 1701ms, 3000ms));
        evaluator.take(ended(Ending::Expired, 2990ms, 3001ms, 3000ms));
        const Verdict verdict = evaluator.verdict(false);
        QCOMPARE(verdict.outcome, Outcome::Holds);
        QCOMPARE(verdict.lowerBound, 1298ms);
        QCOMPARE(verdict.lifetimes, 1);
    }

    /// The key is written at 0 s and changed at 800 ms, and expires at 1800 ms: 1 s after the change.
    void changeOfTheExpiry_isAWriteIfNotifiedAsOne_data()
    {
        QTest::addColumn<QByteArray>("event");
        QTest::addColumn<bool>("isNamed");
        QTest::addColumn<int>("outcome");
        QTest::addColumn<int>("why");
        QTest::addRow("SET of the same value") << QByteArray("set") << true << int(Outcome::Holds) << int(Why::Ended);
        QTest::addRow("PEXPIRE") << QByteArray("expire") << true << int(Outcome::Fails) << int(Why::Ended);
        QTest::addRow("HSET") << QByteArray("hset") << true << int(Outcome::Holds) << int(Why::Ended);
        QTest::addRow("a change without a name")
            << QByteArray() << false << int(Outcome::Unknown) << int(Why::MayHaveBeenWritten);
        QTest::addRow("no notification") << QByteArray("none") << false << int(Outcome::Unknown)
                                         << int(Why::MayHaveBeenWritten);
    }
    void changeOfTheExpiry_isAWriteIfNotifiedAsOne()
    {
        QFETCH(QByteArray, event);
        QFETCH(bool, isNamed);
        events::EventCoverage reported;
        if (isNamed)
            reported.depth = events::EventCoverage::Depth::Events;
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 900ms and 1200ms after writing");
        evaluator.add(gone(0ms));
        evaluator.add(lookAt(1ms, events::ChangeNotification {isNamed ? "set" : ""}));
        evaluator.take(keyEvent(Type::Appeared, 1ms, 2ms, 1000ms), reported);
        evaluator.add(there(700ms, 300ms));
        if (event != "none")
            evaluator.add(lookAt(800ms, events::ChangeNotification {event}));
        evaluator.add(there(802ms, 998ms));
        evaluator.take(keyEvent(Type::Renewed, 800ms, 803ms, 1800ms), reported);
        evaluator.add(there(1790ms, 10ms));
        evaluator.take(ended(Ending::Expired, 1790ms, 1802ms, 1800ms), reported);
        QTEST(int(evaluator.verdict(true).outcome), "outcome");
        QTEST(int(evaluator.verdict(true).why), "why");
    }

    /// A key that is there too long fails, whatever the change before has been.
    void changeThatMayBeAWrite_leavesACertainVerdict()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 900ms and 1200ms after writing");
        evaluator.add(gone(0ms));
        evaluator.take(keyEvent(Type::Appeared, 1ms, 2ms, 1000ms));
        evaluator.take(keyEvent(Type::Renewed, 800ms, 803ms, 9s));
        evaluator.add(there(2003ms, 7s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        evaluator.add(there(2004ms, 7s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Fails);
        QCOMPARE(evaluator.verdict(false).why, Why::StillExists);
    }

    /// The notification of a write after the end belongs to the next life, even if both arrive together.
    void writeAfterTheEnd_isOfTheNextLife()
    {
        events::EventCoverage reported;
        reported.depth = events::EventCoverage::Depth::Events;
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 900ms and 1200ms after writing");
        evaluator.add(gone(0ms));
        evaluator.take(keyEvent(Type::Appeared, 1ms, 2ms, 1000ms), reported);
        evaluator.add(lookAt(1000ms, events::ChangeNotification {"expired"}));
        evaluator.add(lookAt(1000ms, events::ChangeNotification {"set"}));
        KeyEvent end = ended(Ending::Expired, 999ms, 1001ms, 1000ms);
        end.source = events::Source::Notification;
        evaluator.take(end, reported);
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Holds);
        evaluator.take(keyEvent(Type::Appeared, 1000ms, 1001ms, 1100ms), reported);
        evaluator.add(lookAt(1100ms, events::ChangeNotification {"expired"}));
        end = ended(Ending::Expired, 1099ms, 1101ms, 1100ms);
        end.source = events::Source::Notification;
        evaluator.take(end, reported);
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Fails);
        QCOMPARE(evaluator.verdict(true).upperBound, 101ms);
    }

    /// A key that was there before the first read may have been written by a change.
    void changeOfAnOldKey_isNoCertainWriting()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k exists until 1s after writing");
        evaluator.add(there(0ms, 300ms));
        QCOMPARE(evaluator.verdict(true).why, Why::WritingNotSeen);
        evaluator.take(keyEvent(Type::Renewed, 100ms, 101ms, 9s));
        evaluator.add(there(5000ms, 4s));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        QCOMPARE(evaluator.verdict(true).why, Why::MayHaveBeenWritten);
    }

    void oneBadLife_failsTheKey()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        for (int i = 0; i < 3; ++i) {
            const milliseconds begin = i * 10s;
            evaluator.take(keyEvent(Type::Appeared, begin, begin + 1ms, begin + 1500ms));
            const milliseconds end = begin + (i == 1 ? 200ms : 1500ms);
            evaluator.take(ended(Ending::Deleted, end, end + 1ms));
        }
        const Verdict verdict = evaluator.verdict(true);
        QCOMPARE(verdict.outcome, Outcome::Fails);
        QCOMPARE(verdict.upperBound, 201ms);
        QCOMPARE(verdict.lifetimes, 3);
    }

    void lifeThatWasNotSeenToItsEnd_takesNothingAway()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        evaluator.take(keyEvent(Type::Appeared, 0ms, 1ms, 1500ms));
        evaluator.take(ended(Ending::Expired, 1500ms, 1501ms, 1500ms));
        evaluator.take(keyEvent(Type::Appeared, 3s, 3001ms, 4500ms));
        evaluator.add(there(3500ms, 1s));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Holds);
    }

    void connectionThatWasLost_leavesItUnknown()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k exists until 2s");
        evaluator.add(there(0ms, 5s));
        evaluator.beginGap();
        evaluator.add(there(2500ms, 3s));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        QCOMPARE(evaluator.verdict(true).why, Why::MayHaveComeBack);
    }

    /// A key that ends after a lost connection may have ended and returned unobserved before.
    void endAfterALostConnection_isNoVerdict_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<int>("why");
        QTest::addRow("within the bounds") << 1400 << 1500 << int(Why::MayHaveComeBack);
        QTest::addRow("too late") << 2400 << 2500 << int(Why::MayHaveComeBack);
        QTest::addRow("perhaps too late") << 1400 << 2500 << int(Why::Ended);
    }
    void endAfterALostConnection_isNoVerdict()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        ExpectationEvaluator evaluator = evaluatorFor("k gone between 1s and 2s");
        evaluator.add(gone(0ms));
        evaluator.take(keyEvent(Type::Appeared, 0ms, 20ms, 9s));
        evaluator.beginGap();
        evaluator.take(ended(Ending::Deleted, milliseconds(from), milliseconds(to)));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        QTEST(int(evaluator.verdict(true).why), "why");
    }

    void renewals_areMeasuredFromOneToTheNext()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k renewed at least every 1s");
        evaluator.add(there(0ms, 3s));
        evaluator.take(keyEvent(Type::Renewed, 900ms, 950ms, 3900ms));
        evaluator.take(keyEvent(Type::Renewed, 1850ms, 1900ms, 4850ms));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        const Verdict verdict = evaluator.verdict(true);
        QCOMPARE(verdict.outcome, Outcome::Holds);
        QCOMPARE(verdict.count, 2);
        QCOMPARE(verdict.upperBound, 1000ms);
        // The observations fit one second, and also more.
        evaluator.take(keyEvent(Type::Renewed, 2800ms, 2900ms, 5800ms));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        evaluator.add(there(3901ms, 1900ms));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Fails);
        QCOMPARE(evaluator.verdict(false).why, Why::NotRenewed);
    }

    void keyRenewedInExactlyTheTime_holds()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k renewed at least every 1s");
        evaluator.add(there(0ms, 3s));
        evaluator.add(there(1001ms, 2s)); // Read once a second after the first read, at most.
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        evaluator.add(there(1002ms, 2s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Fails);
        QCOMPARE(evaluator.verdict(false).lowerBound, 1001ms);
        QCOMPARE(evaluator.verdict(false).upperBound, 1002ms);
    }

    /// The longest time is in the past; the time since the last renewal is shorter.
    void missedRenewal_isReportedWithTheLongestTime()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k renewed at least every 1s");
        evaluator.add(there(0ms, 9s));
        evaluator.add(there(2000ms, 7s));
        evaluator.take(keyEvent(Type::Renewed, 2000ms, 2100ms, 12s));
        evaluator.add(there(2500ms, 9500ms));
        const Verdict verdict = evaluator.verdict(false);
        QCOMPARE(verdict.outcome, Outcome::Fails);
        QCOMPARE(verdict.lowerBound, 1999ms);
        QCOMPARE(verdict.upperBound, 2100ms);
    }

    /// A key that was replaced was absent in between, however briefly; a new holder's value is written without that.
    void replacedKey_doesNotHold_data()
    {
        QTest::addColumn<int>("what");
        QTest::addColumn<int>("outcome");
        QTest::addRow("replaced") << int(Type::Replaced) << int(Outcome::Unknown);
        QTest::addRow("handed over") << int(Type::HandedOver) << int(Outcome::Holds);
    }
    void replacedKey_doesNotHold()
    {
        QFETCH(int, what);
        ExpectationEvaluator evaluator = evaluatorFor("k exists until 2s");
        evaluator.add(there(0ms, 5s));
        evaluator.take(keyEvent(Type(what), 900ms, 950ms, 5s));
        evaluator.add(there(2500ms, 3s));
        QTEST(int(evaluator.verdict(true).outcome), "outcome");
        // No later event restores what was missed.
        evaluator.take(keyEvent(Type::HandedOver, 2600ms, 2650ms, 5s));
        QTEST(int(evaluator.verdict(true).outcome), "outcome");
    }

    /// The tracker may not know the start, but the reads between do.
    void renewalSeenOnlyByReads_isMeasuredByThem()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k renewed at least every 1s");
        evaluator.add(there(0ms, 3s));
        evaluator.add(there(880ms, 2120ms));
        KeyEvent first = keyEvent(Type::Renewed, 900ms, 900ms, 3900ms);
        first.notBefore = MonotonicTime();
        evaluator.take(first);
        evaluator.add(there(1800ms, 2100ms));
        KeyEvent second = keyEvent(Type::Renewed, 1850ms, 1850ms, 4850ms);
        second.notBefore = MonotonicTime();
        evaluator.take(second);
        const Verdict verdict = evaluator.verdict(true);
        QCOMPARE(verdict.outcome, Outcome::Holds);
        QCOMPARE(verdict.upperBound, 970ms);
    }

    void laterEnd_isARenewalAndAnEarlierOneIsNone()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k renewed at least every 1s");
        evaluator.add(there(0ms, 3s));
        evaluator.take(keyEvent(Type::Changed, 900ms, 900ms, 2000ms));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        evaluator.take(keyEvent(Type::Changed, 950ms, 950ms, 2500ms));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Holds);
        QCOMPARE(evaluator.verdict(true).count, 1);
    }

    void lifetimeTooShortForARenewal_givesNoStatement()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k renewed at least every 1s");
        evaluator.take(keyEvent(Type::Appeared, 0ms, 1ms, 500ms));
        evaluator.take(ended(Ending::Deleted, 300ms, 301ms));
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Unknown);
        QCOMPARE(evaluator.verdict(true).why, Why::TooShortLived);
        QCOMPARE(evaluator.verdict(true).lifetimes, 0);
    }

    void keyThatLostItsExpiry_fails()
    {
        ExpectationEvaluator evaluator = evaluatorFor("k never without expiry");
        evaluator.add(there(0ms, 5s));
        evaluator.add(there(50ms, 5s));
        QCOMPARE(evaluator.verdict(false).outcome, Outcome::Open);
        QCOMPARE(evaluator.verdict(true).outcome, Outcome::Holds);
        QCOMPARE(evaluator.verdict(true).count, 2);
        QCOMPARE(evaluator.verdict(true).upperBound, 51ms);
        evaluator.add(endless(1000ms));
        evaluator.add(there(1100ms, 5s)); // Even a short time fails.
        const Verdict verdict = evaluator.verdict(false);
        QCOMPARE(verdict.outcome, Outcome::Fails);
        QCOMPARE(verdict.why, Why::WithoutExpiry);
        QCOMPARE(verdict.lowerBound, 999ms);
        QCOMPARE(verdict.upperBound, 1001ms);
        QCOMPARE(expectations::groundsText(verdict),
                 QStringLiteral("without an expiry 1.000 s after the first look, give or take 1 ms"));
    }
};

LATCHKEY_TEST(TestKeyJudge)

} // namespace tst_expectationevaluator

#include "tst_expectationevaluator.moc"
