#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/savedscenario.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/scenariofixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_savedscenario {

using namespace latchkey;
using namespace std::chrono_literals;
using playground::ClientEventLog;
using playground::ClientProcess;
using playground::SequenceRecorder;
using scenarios::savedScenarioOf;
using sequence::Mark;
using Event = playground::ClientReport::Event;

namespace {

/// A made-up sequence: a server, clients and their messages.
struct Course
{
    explicit Course(int clients)
    {
        sequence.addServer(QStringLiteral("server"));
        for (int i = 1; i <= clients; ++i)
            sequence.addClient(QStringLiteral("client %1").arg(i));
    }

    static QString name(int client) { return QStringLiteral("client %1").arg(client); }
    static base::MonotonicTime at(std::chrono::milliseconds time) { return base::MonotonicTime(1h + time); }

    void tell(int client, std::chrono::milliseconds time, const playground::ClientOrder &order)
    {
        log.ordered(name(client), order, at(time));
    }
    void acquire(int client, std::chrono::milliseconds time, std::chrono::milliseconds wait = {})
    {
        playground::AcquireOrder order {QStringLiteral("token"), {}, wait};
        order.options.key = base::Key("k");
        order.options.lease = base::Lease::of(10s).value();
        tell(client, time, order);
    }
    void answer(int client, std::chrono::milliseconds time, Event event)
    {
        playground::ClientReport report;
        report.event = event;
        report.writtenAt = at(time);
        log.received(name(client), report);
    }
    void mark(std::size_t lane, std::chrono::milliseconds time, Mark::Kind kind, const char *text = "")
    {
        sequence.add(Mark {lane, kind, {}, at(time), base::Text(QLatin1String(text))});
    }
    /// Returns one line for each step.
    [[nodiscard]] QStringList steps() const
    {
        const auto saved = savedScenarioOf(sequence, log);
        if (!saved)
            return {saved.error().message()};
        const auto story = scenarios::readScenario(QStringLiteral("saved"), saved->file);
        QStringList lines;
        for (const scenarios::ScenarioStep &step : story->alternatives.front().steps) {
            QStringList outcomes;
            for (const scenarios::StepExpectation &expected : step.expectations)
                outcomes += expected.outcomes;
            lines += step.say + (step.isInBackground ? QStringLiteral(" …") : QString())
                   + (outcomes.isEmpty() ? QString() : QStringLiteral(" → ") + outcomes.join(u','));
        }
        return lines;
    }
    [[nodiscard]] QStringList leftOut() const
    {
        QStringList texts;
        const auto saved = savedScenarioOf(sequence, log);
        for (const base::Text &text : saved->leftOut)
            texts += text.toString();
        return texts;
    }

    sequence::Sequence sequence;
    ClientEventLog log;
};

} // namespace

class TestSavedStory final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void course_becomesSteps()
    {
        Course eventLog(2);
        eventLog.acquire(1, 0ms);
        eventLog.answer(1, 2ms, Event::Acquired);
        eventLog.acquire(2, 1000ms, 20s);
        eventLog.mark(1, 3000ms, Mark::Kind::Crashed);
        eventLog.mark(0, 10000ms, Mark::Kind::LeaseEnded, "k");
        eventLog.answer(2, 10010ms, Event::Acquired);
        eventLog.mark(2, 12010ms, Mark::Kind::Paused);
        eventLog.mark(0, 20010ms, Mark::Kind::LeaseEnded, "k");
        eventLog.mark(2, 22010ms, Mark::Kind::Resumed);
        eventLog.tell(2, 22020ms, playground::ReleaseOrder {});
        eventLog.answer(2, 22030ms, Event::Gone);
        QCOMPARE(eventLog.steps(),
                 QStringList({QStringLiteral("Client 1 acquires k by token, for 10s. → acquired"),
                              QStringLiteral("1s pass."), QStringLiteral("Client 2 acquires k by token, for 10s. …"),
                              QStringLiteral("2s pass."), QStringLiteral("Client 1 is killed (SIGKILL)."),
                              QStringLiteral("Client 2 waits for its answer. → acquired"), QStringLiteral("2s pass."),
                              QStringLiteral("Client 2 is paused (SIGSTOP)."), QStringLiteral("The key k expires."),
                              QStringLiteral("2s pass."), QStringLiteral("Client 2 is resumed (SIGCONT)."),
                              QStringLiteral("Client 2 releases its lock. → gone")}));
        QVERIFY(eventLog.leftOut().isEmpty());
    }

    void clientThatIsStartedAgain_isAnotherOne()
    {
        Course eventLog(1);
        eventLog.acquire(1, 0ms);
        eventLog.answer(1, 1ms, Event::Acquired);
        eventLog.mark(1, 100ms, Mark::Kind::Crashed);
        eventLog.mark(1, 200ms, Mark::Kind::Started);
        eventLog.acquire(1, 210ms);
        eventLog.answer(1, 220ms, Event::Busy);
        QCOMPARE(eventLog.steps().back(), QStringLiteral("Client 1 (2) acquires k by token, for 10s. → busy"));
    }

    void unsupportedEvents_areReported()
    {
        Course eventLog(1);
        QVERIFY(eventLog.steps().front().startsWith(QStringLiteral("no client has done anything")));
        eventLog.acquire(1, 0ms);
        eventLog.answer(1, 1ms, Event::Acquired);
        eventLog.sequence.addServerEvent(0, sequence::ServerEvent::Suspended, Course::at(100ms));
        eventLog.sequence.addServerEvent(0, sequence::ServerEvent::Continued, Course::at(200ms));
        eventLog.sequence.addServerEvent(0, sequence::ServerEvent::Killed, Course::at(300ms));
        eventLog.sequence.addServerEvent(0, sequence::ServerEvent::StartedEmpty, Course::at(1300ms));
        eventLog.acquire(1, 1400ms);
        eventLog.answer(1, 1500ms, Event::Acquired);
        QCOMPARE(eventLog.steps(), QStringList({QStringLiteral("Client 1 acquires k by token, for 10s. → acquired"),
                                                QStringLiteral("300ms pass."), QStringLiteral("Server 1 is killed.")}));
        QCOMPARE(eventLog.leftOut(),
                 QStringList({QStringLiteral("the freezing of server"),
                              QStringLiteral("the steps after +1.200 s, when server was restarted")}));
    }

    void longCourse_endsWhereAStoryHasTo()
    {
        Course eventLog(25);
        for (int i = 0; i < 300; ++i) {
            eventLog.acquire(1 + i % 25, i * 10ms);
            eventLog.answer(1 + i % 25, i * 10ms + 5ms, Event::Busy);
        }
        QCOMPARE(eventLog.steps().size(), 200);
        QCOMPARE(eventLog.leftOut().size(), 2);
        QVERIFY(eventLog.leftOut().front().contains(QStringLiteral("more than 20 clients")));
        QVERIFY(eventLog.leftOut().back().contains(QStringLiteral("200 steps")));
        for (int i = 0; i < 500; ++i)
            eventLog.acquire(1, 10s);
        QCOMPARE(eventLog.log.entries().size(), ClientEventLog::maxEntries);
        QVERIFY(eventLog.leftOut().front().startsWith(QStringLiteral("the first 100 orders and answers")));
    }

    void clearedCourse_keepsHowTheLocksWereWon()
    {
        Course eventLog(2);
        eventLog.acquire(1, 0ms);
        eventLog.answer(1, 1ms, Event::Busy);
        eventLog.acquire(1, 10ms);
        eventLog.answer(1, 11ms, Event::Acquired);
        eventLog.acquire(2, 20ms);
        eventLog.answer(2, 21ms, Event::Busy);
        eventLog.log.clear({Course::name(1)});
        QCOMPARE(eventLog.steps(), QStringList {QStringLiteral("Client 1 acquires k by token, for 10s. → acquired")});
    }

    /// The actions of real clients are recorded, and the recording is played.
    void savedCourse_isPlayedAsItWas()
    {
        test::ClientPoolFixture fixture;
        SequenceRecorder recorder({QStringLiteral("server")}, base::SystemClock::instance());
        ClientProcess &first = fixture.client();
        ClientProcess &second = fixture.client();
        recorder.record(first);
        recorder.record(second);
        test::ClientPoolFixture::acquire(first, "token", "k", 5min);
        test::ClientPoolFixture::acquire(second, "token", "k", 5min);
        first.release();
        LATCHKEY_AWAIT(first.state() == ClientProcess::State::Idle);
        test::ClientPoolFixture::acquire(second, "auto-release", "k", 5min);
        second.pause();
        second.resume();
        second.crash();
        LATCHKEY_AWAIT(second.state() == ClientProcess::State::Dead);
        test::ClientPoolFixture::acquire(first, "auto-release", "k", 5min);
        const auto saved = savedScenarioOf(recorder.sequence(), recorder.eventLog());
        LATCHKEY_VERIFY_RESULT(saved);
        QVERIFY(saved->leftOut.isEmpty());
        const auto story = scenarios::readScenario(QStringLiteral("saved"), saved->file);
        LATCHKEY_VERIFY_RESULT(story);
        QCOMPARE(story->clients, QStringList({first.name(), second.name()}));
        test::ScenarioFixture played(saved->file);
        QVERIFY2(played.play(), qPrintable(played.complaints()));
        QCOMPARE(played.player.verdict(), scenarios::ScenarioVerdict::Passed);
        QCOMPARE(played.player.results().back().outcome, QStringLiteral("busy"));
    }
};

LATCHKEY_TEST(TestSavedStory)

} // namespace tst_savedscenario

#include "tst_savedscenario.moc"
