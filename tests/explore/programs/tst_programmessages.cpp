#include "tests/explore/programs/programfixture.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <array>

namespace tst_programmessages {

using namespace latchkey;
using races::Verdict;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

namespace {

/// A model of signalchannel.py: it counts every schedule of two clients and stores only the counts.
class OnPaper final
{
public:
    explicit OnPaper(bool isCareful)
        : m_isCareful(isCareful)
    {}

    [[nodiscard]] double schedules(int crashes) { return from({Client {}, Client {}}, false, crashes); }

private:
    enum Place : quint8 { First, Subscribing, Listening, Again, Echo, Echo2, Deleting, Calling, Counting, Over };
    struct Client
    {
        Place at = First;
        bool listens = false;
        int underWay = 0; ///< Pending messages.
        int unread = 0;   ///< Messages received while the client waited for something else.
    };
    using Clients = std::array<Client, 2>;

    double from(const Clients &clients, bool isHeld, int crashes)
    {
        double sum = 0;
        for (std::size_t i = 0; i < clients.size(); ++i) {
            const Client &now = clients[i];
            if (now.at == Over)
                continue;
            if (now.underWay > 0) {
                Clients next = clients;
                --next[i].underWay;
                now.at == Listening ? void(next[i].at = Again) : void(++next[i].unread);
                sum += from(next, isHeld, crashes);
            }
            if (now.at != Listening)
                sum += command(clients, i, isHeld, crashes);
            if (crashes > 0 && now.at != First) {
                Clients next = clients;
                next[i] = Client {Over, false, 0, 0};
                sum += from(next, isHeld, crashes - 1);
            }
        }
        return sum > 0 ? sum : 1; // All clients are over or listen forever.
    }

    double command(Clients clients, std::size_t i, bool isHeld, int crashes)
    {
        Client &own = clients[i];
        Client &other = clients[1 - i];
        switch (own.at) {
        case First:
        case Again:
            if (!isHeld)
                own = {Echo, false, 0, 0}; // The client closes its subscriber connection.
            else if (own.at == First)
                own.at = Subscribing;
            else if (own.unread > 0)
                --own.unread; // The client retries immediately.
            else
                own.at = Listening;
            isHeld = true;
            break;
        case Subscribing:
            own = {m_isCareful ? Again : Listening, true, 0, 0};
            break;
        case Deleting:
            own.at = Calling;
            isHeld = false; // Regardless of the holder.
            break;
        case Calling:
            own.at = Counting;
            other.underWay += other.listens ? 1 : 0;
            break;
        default:
            own.at = static_cast<Place>(own.at + 1);
        }
        return from(clients, isHeld, crashes);
    }

    const bool m_isCareful;
};

/// A model of unsubscribing.py: messages published during the subscription arrive before the reply to UNSUBSCRIBE.
double unsubscribingOnPaper(int listener, int talker, int underWay)
{
    if (listener == 3 && talker == 3)
        return 1;
    double sum = 0;
    if (underWay > 0)
        sum += unsubscribingOnPaper(listener, talker, underWay - 1);
    else if (listener < 3) // SUBSCRIBE, UNSUBSCRIBE, SET
        sum += unsubscribingOnPaper(listener + 1, talker, 0);
    if (talker < 3) // SETNX, PUBLISH, PUBLISH
        sum += unsubscribingOnPaper(listener, talker + 1, underWay + (listener == 1 && talker > 0 ? 1 : 0));
    return sum;
}

programs::Program channel(bool isCareful, int crashes)
{
    programs::Program program =
        test::worker("signalchannel", {}, isCareful ? QList<QByteArray> {"careful"} : QList<QByteArray>());
    program.limits.crashes = crashes;
    program.data = {"served", "lock"};
    return program;
}

} // namespace

/// Tests programs that receive messages (SUBSCRIBE), which may arrive at any time.
class TestProgramMessages final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// A subscriber that ends at once after a command: the command and the end of the connection arrive together.
    void lastCommandOfASubscriber_isThatOfItsConnection()
    {
        programs::Program program = test::worker("leaving");
        program.limits = {1, 0, 0, 0, {}};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
    }

    void schedules_areAsManyAsThereAre_data()
    {
        QTest::addColumn<bool>("isCareful");
        QTest::addColumn<int>("crashes");
        for (const bool isCareful : {false, true}) {
            for (const int crashes : {0, 1})
                QTest::addRow("%s, %d crashes", isCareful ? "careful" : "careless", crashes) << isCareful << crashes;
        }
    }
    void schedules_areAsManyAsThereAre()
    {
        QFETCH(const bool, isCareful);
        QFETCH(const int, crashes);
        const auto explored = test::explore(channel(isCareful, crashes), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QVERIFY(explored.results.front().complete);
        QCOMPARE(explored.results.front().schedules, OnPaper(isCareful).schedules(crashes));
    }

    void messages_comeBeforeTheAnswersThatFollow()
    {
        programs::Program program = test::worker("unsubscribing");
        program.data = {"first"};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.results.front().schedules, 2 * unsubscribingOnPaper(0, 0, 0)); // Either may listen.
    }

    void crashOfTheHolder_leavesTheSubscriberWaitingForever()
    {
        const auto explored =
            test::explore(channel(true, 1), {QStringLiteral("mutual-exclusion"), QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.results.back().verdict, Verdict::Broken);
        const auto &steps = explored.results.back().counterexample->steps;
        QCOMPARE(steps.back().client, QStringLiteral("C"));
        QCOMPARE(steps.back().note.english(), QStringLiteral("C listens for ever"));
    }

    /// The next step of a client at its command limit is unknown.
    void clientAtItsCommandLimit_isNotReportedAsWaitingForever()
    {
        programs::Program program = channel(false, 0);
        program.maxCommands = 2; // A failed SET, and SUBSCRIBE.
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(!explored.deadlock);
    }

    /// The client's timeout may run on a clock that is not under our control.
    void withoutAClock_nothingIsReportedAboutSubscribers()
    {
        programs::Program program = channel(true, 1);
        program.clockLibrary.clear();
        const auto explored = test::explore(program, {QStringLiteral("crash-release")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QVERIFY(!explored.deadlock);
    }

    void everyMessage_isReported()
    {
        programs::Program program = test::worker("messages");
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.back().command.toText(), QStringLiteral("SET done 1"));
    }

    /// The lock is released between the failed SET and the subscription, and no further message is published.
    void lateSubscriber_isReportedAsWaitingForever()
    {
        const auto careless = test::explore(channel(false, 0), {QStringLiteral("no-immortal-key")});
        QVERIFY(careless.deadlock);
        QCOMPARE(careless.deadlock->steps.size(), std::size_t(8));
        QCOMPARE(careless.deadlock->steps.back().note.english(), QStringLiteral("B listens for ever"));
        const auto careful = test::explore(channel(true, 0), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!careful.error, qPrintable(careful.errorText()));
        QVERIFY(!careful.deadlock);
    }
    /// After a crash, a client waits in fewer moves. The lost message needs none: its client has ended, not crashed.
    void lostMessage_isShownBeforeTheCrashOfAHolder()
    {
        const auto explored = test::explore(channel(false, 1), {QStringLiteral("mutual-exclusion")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.deadlock);
        QVERIFY(std::ranges::none_of(explored.deadlock->steps, [](const schedules::ScheduleStep &step) {
            return step.kind == schedules::ScheduleStep::Kind::Crash;
        }));
        QCOMPARE(explored.deadlock->steps.size(), std::size_t(8));
    }
    void subscriberAlone_isFoundByRandomWalksToo()
    {
        races::Finder::Options options;
        options.promises = QStringList {QStringLiteral("no-immortal-key")};
        options.walks = 100;
        auto finder = races::Finder::create(programs::subjectFor(channel(false, 0), 2), options);
        LATCHKEY_VERIFY_RESULT(finder);
        for (bool isDone = false; !isDone;) {
            const auto done = (*finder)->step(QDeadlineTimer(1000));
            LATCHKEY_VERIFY_RESULT(done);
            isDone = *done;
        }
        QVERIFY((*finder)->deadlock());
    }

    void patience_endsByTheClock()
    {
        if (QStringLiteral(CLOCK_LIBRARY).isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        programs::Program program = test::worker("hardofhearing");
        program.data = {"first"};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.at(2).passed, 5001ms);
        program.limits.timerSteps = 0;
        const auto patient = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!patient.error, qPrintable(patient.errorText()));
        QCOMPARE(patient.results.front().verdict, Verdict::Holds);
    }
};

LATCHKEY_TEST(TestProgramMessages)

} // namespace tst_programmessages

#include "tst_programmessages.moc"
