#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <array>
#include <map>

namespace tst_programservers {

using namespace latchkey;
using races::Verdict;
using schedules::ScheduleStep;

/// A reference model: two clients of workers/quorum.py on three servers. It counts the schedules without Redis, without
/// processes and without the race finder.
class QuorumOnPaper final
{
public:
    explicit QuorumOnPaper(int crashes)
        : m_crashes(crashes)
    {}

    [[nodiscard]] double schedules() { return countFrom({}); }

private:
    static constexpr int servers = 3;
    static constexpr int quorum = 2;
    static constexpr int afterVotes = servers;
    static constexpr int afterMarks = afterVotes + 2; // Inside and outside.
    static constexpr int end = afterMarks + servers;
    static constexpr int crashed = -1;

    struct Position
    {
        std::array<int, 2> at {};
        std::array<int, 2> votes {};
        std::array<int, servers> owner {-1, -1, -1};
        friend auto operator<=>(const Position &, const Position &) = default;
    };

    /// The position after the client's next command.
    static Position after(Position position, std::size_t client)
    {
        int &at = position.at[client];
        const auto self = static_cast<int>(client);
        if (at < afterVotes) {
            int &owner = position.owner[static_cast<std::size_t>(at)];
            if (owner == -1) {
                owner = self;
                ++position.votes[client];
            }
            ++at;
            if (at == afterVotes && position.votes[client] < quorum)
                at = afterMarks;
            return position;
        }
        if (at >= afterMarks) {
            int &owner = position.owner[static_cast<std::size_t>(at - afterMarks)];
            owner = owner == self ? -1 : owner;
        }
        ++at;
        if (at == end)
            position.votes[client] = 0; // The past of a client that has ended has no effect.
        return position;
    }

    double countFrom(const Position &position)
    {
        if (const auto known = m_counts.find(position); known != m_counts.end())
            return known->second;
        double count = 0;
        bool isOver = true;
        for (std::size_t client = 0; client < position.at.size(); ++client) {
            if (position.at[client] == end || position.at[client] == crashed)
                continue;
            isOver = false;
            count += countFrom(after(position, client));
            const bool hasCrashed = position.at[0] == crashed || position.at[1] == crashed;
            if (position.at[client] > 0 && m_crashes > (hasCrashed ? 1 : 0)) {
                Position dead = position;
                dead.at[client] = crashed;
                dead.votes[client] = 0;
                count += countFrom(dead);
            }
        }
        return m_counts[position] = isOver ? 1 : count;
    }

    const int m_crashes;
    std::map<Position, double> m_counts;
};

/// Tests programs that use several servers.
class TestProgramServers final : public QObject
{
    Q_OBJECT

    static programs::Program quorum(const QByteArray &mistake, const schedules::FaultLimits &limits)
    {
        QList<QByteArray> arguments;
        if (!mistake.isEmpty())
            arguments += mistake;
        programs::Program program = test::worker("quorum", mistake == "resource" ? "stock" : "", arguments);
        program.servers = 3;
        program.limits = limits;
        return program;
    }

    static programs::Program secondServer(const QByteArray &how)
    {
        programs::Program program = test::worker("secondserver", {}, {how});
        program.servers = 2;
        program.data = {"freed", "heard"};
        return program;
    }

    static QStringList textsOf(const schedules::RecordedSchedule &story)
    {
        QStringList texts;
        for (const ScheduleStep &step : story.steps)
            texts += step.toText(story.servers).english();
        return texts;
    }

private Q_SLOTS:
    void promises_areJudgedOverAllServers_data()
    {
        QTest::addColumn<QByteArray>("mistake");
        QTest::addColumn<QString>("verdicts");
        QTest::addColumn<int>("crashes");
        QTest::addColumn<int>("passes");
        QTest::addColumn<int>("losses");
        QTest::addColumn<int>("steps"); // Of the shortest story; 0: all hold.
        QTest::addRow("right") << QByteArray()
                               << QStringLiteral(
                                      "mutual-exclusion=holds owner-only-release=holds no-immortal-key=holds "
                                      "crash-release=holds")
                               << 1 << 1 << 0 << 0;
        QTest::addRow("right, with a lost reply")
            << QByteArray() << QStringLiteral("mutual-exclusion=holds") << 0 << 0 << 1 << 0;
        QTest::addRow("one vote is enough")
            << QByteArray("one-vote") << QStringLiteral("mutual-exclusion=broken") << 0 << 0 << 0 << 8;
        QTest::addRow("one server is not asked for the token")
            << QByteArray("blind-release") << QStringLiteral("owner-only-release=broken") << 0 << 0 << 0 << 10;
        QTest::addRow("a blind release of one server leaves the majority")
            << QByteArray("blind-release") << QStringLiteral("mutual-exclusion=holds") << 0 << 0 << 0 << 0;
        QTest::addRow("errors are votes, with a lost reply")
            << QByteArray("errors-are-votes") << QStringLiteral("mutual-exclusion=broken") << 0 << 0 << 1 << 8;
        QTest::addRow("errors are votes, without errors")
            << QByteArray("errors-are-votes") << QStringLiteral("mutual-exclusion=holds") << 0 << 0 << 0 << 0;
        QTest::addRow("one server is given no lifetime")
            << QByteArray("immortal") << QStringLiteral("no-immortal-key=broken") << 1 << 0 << 0 << 3;
        QTest::addRow("one key stays, and the majority is free")
            << QByteArray("immortal") << QStringLiteral("crash-release=holds") << 1 << 0 << 0 << 0;
        QTest::addRow("a leftover without the majority is overwritten")
            << QByteArray("takeover") << QStringLiteral("owner-only-release=holds") << 0 << 1 << 0 << 0;
        QTest::addRow("a resource of the last server")
            << QByteArray("resource") << QStringLiteral("lost-update=holds") << 1 << 0 << 0 << 0;
        QTest::addRow("a resource of the last server, with an expiration")
            << QByteArray("resource") << QStringLiteral("lost-update=broken") << 0 << 1 << 0 << 15;
    }
    void promises_areJudgedOverAllServers()
    {
        QFETCH(const QByteArray, mistake);
        QFETCH(const QString, verdicts);
        QFETCH(const int, crashes);
        QFETCH(const int, passes);
        QFETCH(const int, losses);
        QFETCH(const int, steps);
        const auto explored =
            test::explore(quorum(mistake, {crashes, passes, losses, 3, {}}), test::promisesIn(verdicts));
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(test::verdictsOf(explored, test::promisesIn(verdicts)), verdicts);
        const auto &story = explored.results.front().counterexample;
        QCOMPARE(story ? static_cast<int>(story->steps.size()) : 0, steps);
        QVERIFY(!story || story->servers == 3);
    }

    void scheduleCount_equalsTheReferenceModel_data()
    {
        QTest::addColumn<int>("crashes");
        QTest::addRow("no crash") << 0;
        QTest::addRow("one crash") << 1;
    }
    void scheduleCount_equalsTheReferenceModel()
    {
        QFETCH(const int, crashes);
        const auto explored = test::explore(quorum({}, {crashes, 0, 0, 0, {}}), {QStringLiteral("mutual-exclusion")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.results.front().schedules, QuorumOnPaper(crashes).schedules());
    }

    /// Every step names its server, and the lifetimes end on each.
    void story_namesTheServers()
    {
        const auto explored = test::explore(quorum("resource", {0, 1, 0, 3, {}}), {QStringLiteral("lost-update")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        const QStringList texts = textsOf(explored.results.front().counterexample.value());
        QVERIFY2(texts.contains(QStringLiteral("A  #3 GET stock → (nil)")), qPrintable(texts.join(u'\n')));
        for (int server = 1; server <= 3; ++server) {
            const auto lapse = QStringLiteral("-  (lapse on #%1)    — the lifetime of lock ends").arg(server);
            QVERIFY2(texts.contains(lapse), qPrintable(texts.join(u'\n')));
        }
        const auto left = test::explore(quorum("immortal", {1, 0, 0, 3, {}}), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!left.error, qPrintable(left.errorText()));
        QCOMPARE(left.results.front().counterexample.value().steps.back().note.english(),
                 QStringLiteral("lock on #2 left without an expiry"));
    }

    void deadlock_considersAllServers_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<QStringList>("lastSteps");
        QTest::addRow("an element of the second server") << QByteArray("list") << QStringList();
        QTest::addRow("an element of the wrong server")
            << QByteArray("elsewhere")
            << QStringList {QStringLiteral("B  #2 BLPOP freed 0 → (nil)    — B waits for ever")};
        QTest::addRow("a message of the second server")
            << QByteArray("messages")
            << QStringList {QStringLiteral("B  #2 SUBSCRIBE freed → [[\"subscribe\", \"freed\", (integer) 1]]    — "
                                           "B listens for ever")};
    }
    void deadlock_considersAllServers()
    {
        QFETCH(const QByteArray, how);
        QFETCH(const QStringList, lastSteps);
        const auto explored = test::explore(secondServer(how), {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.deadlock.has_value(), !lastSteps.isEmpty());
        if (explored.deadlock)
            QCOMPARE(textsOf(*explored.deadlock).last(1), lastSteps);
    }

    /// The client that fails learns this from the second server, but has already written to the first.
    void messages_comeFromTheirServer()
    {
        programs::Program program = secondServer("messages");
        program.data = {"freed"};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        const QStringList texts = textsOf(explored.results.front().counterexample.value());
        QVERIFY2(texts.contains(QStringLiteral("B  (is told by #2 [\"message\", \"freed\", \"lock\"])")),
                 qPrintable(texts.join(u'\n')));
        QCOMPARE(texts.last(), QStringLiteral("B  (hangs up on #2)    — heard on #1 left without an expiry"));
    }

    /// A verdict on one server would look like one on a majority.
    void programOfOneServer_isRefused()
    {
        programs::Program program = test::worker("getdel");
        program.servers = 3;
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
        QCOMPARE(explored.errorText(),
                 QStringLiteral("getdel.py: it connects to only one of 3 servers: let it read all addresses from "
                                "REDIS_URLS or REDIS_HOSTS, or leave --servers out"));
    }

    void addresses_areInTheEnvironment()
    {
        programs::Program program;
        program.servers = 2;
        program.words = {"sh", "-c",
                         "case \"$REDIS_URLS $REDIS_HOSTS\" in \"$REDIS_URL\",redis://127.0.0.1:*/0\\ "
                         "127.0.0.1:$REDIS_PORT,127.0.0.1:*) echo right;; *) echo \"$REDIS_URLS $REDIS_HOSTS\";; esac"};
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        QVERIFY2(explored.errorText().contains(QStringLiteral("last output: right")), qPrintable(explored.errorText()));
    }
};

LATCHKEY_TEST(TestProgramServers)

} // namespace tst_programservers

#include "tst_programservers.moc"
