#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <array>
#include <map>
#include <tuple>

namespace tst_programcounts {

using namespace latchkey;

namespace {

/// A model of a worker of tests/explore/programs/workers: three tries, then a number of commands with the lock, the
/// last of which releases it. It counts every schedule of two clients one by one and stores only the counts.
class OnPaper final
{
public:
    OnPaper(int commandsInside, int crashes, int preemptions = 1000, int passes = 0)
        : m_commandsInside(commandsInside)
        , m_crashes(crashes)
        , m_preemptions(preemptions)
        , m_passes(passes)
    {}

    [[nodiscard]] double schedules() { return from({Client {}, Client {}}, {noClient, false, 0, noClient, 0, 0}); }

private:
    static constexpr int noClient = -1;
    struct Client
    {
        int tries = 3;
        int left = 0; ///< Remaining commands with the lock.
        bool isOver = false;
        bool hasBegun = false;
    };

    struct ServersState
    {
        int holder = noClient;
        bool ends = false; ///< Whether the lock has a lease.
        int crashed = 0;
        int turn = noClient; ///< Client that moved last.
        int preempted = 0;
        int passed = 0;
    };

    double from(const std::array<Client, 2> &clients, const ServersState &serversState)
    {
        const auto [holder, ends, crashed, turn, preempted, passed] = serversState;
        if (clients[0].isOver && clients[1].isOver)
            return 1;
        double sum = 0;
        if (passed < m_passes) // The lease ends, or a day passes if there is none.
            sum += from(clients, {ends ? noClient : holder, false, crashed, turn, preempted, passed + 1});
        for (int i = 0; i < 2; ++i) {
            const Client &now = clients[static_cast<std::size_t>(i)];
            if (now.isOver)
                continue;
            const bool preempts = turn == 1 - i && !clients[static_cast<std::size_t>(turn)].isOver;
            std::array<Client, 2> next = clients;
            Client &own = next[static_cast<std::size_t>(i)];
            own.hasBegun = true;
            int nextHolder = holder;
            bool nextEnds = ends;
            if (now.left > 0) {
                nextEnds = ends || (now.left == m_commandsInside && holder != noClient); // EXPIRE
                --own.left;
                own.isOver = own.left == 0;
                nextHolder = own.isOver ? noClient : holder; // DEL, regardless of the holder.
                nextEnds = nextEnds && nextHolder != noClient;
            } else if (holder == noClient) {
                nextHolder = i;
                own.left = m_commandsInside;
            } else {
                --own.tries;
                own.isOver = own.tries == 0;
            }
            if (!preempts || preempted < m_preemptions)
                sum += from(next, {nextHolder, nextEnds, crashed, i, preempted + (preempts ? 1 : 0), passed});
            if (crashed < m_crashes && now.hasBegun) {
                std::array<Client, 2> after = clients;
                after[static_cast<std::size_t>(i)].isOver = true;
                sum += from(after, {holder, ends, crashed + 1, turn, preempted, passed});
            }
        }
        return sum;
    }

    const int m_commandsInside;
    const int m_crashes;
    const int m_preemptions;
    const int m_passes;
};

} // namespace

/// Tests that the number of counted schedules is exact.
class TestProgramCounts final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void schedules_areAsManyAsThereAre_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("commandsInside");
        QTest::addColumn<int>("crashes");
        QTest::addColumn<double>("known"); // Verified by running all processes anew for each schedule.
        QTest::addRow("SETNX, EXPIRE") << QStringLiteral("setnxexpire") << 4 << 0 << 70.0;
        QTest::addRow("SETNX, EXPIRE, one crash") << QStringLiteral("setnxexpire") << 4 << 1 << 416.0;
        QTest::addRow("GET, DEL") << QStringLiteral("getdel") << 4 << 0 << 70.0;
        QTest::addRow("GET, DEL, one crash") << QStringLiteral("getdel") << 4 << 1 << 416.0;
        QTest::addRow("redis-py's Lock") << QStringLiteral("redispylock") << 3 << 0 << 40.0;
        QTest::addRow("redis-py's Lock, one crash") << QStringLiteral("redispylock") << 3 << 1 << 218.0;
    }
    void schedules_areAsManyAsThereAre()
    {
        QFETCH(const QString, name);
        QFETCH(const int, commandsInside);
        QFETCH(const int, crashes);
        QFETCH(const double, known);
        if (name == u"redispylock" && !test::redisPy().absence.isEmpty())
            QSKIP(qPrintable(test::redisPy().absence));
        QCOMPARE(OnPaper(commandsInside, crashes).schedules(), known);
        programs::Program program = test::worker(name.toLatin1().constData());
        program.limits.crashes = crashes;
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, races::Verdict::Holds);
        QVERIFY(explored.results.front().complete);
        QCOMPARE(explored.results.front().schedules, known);
        // A small number of processes shows that behaviour was reused.
        QVERIFY2(explored.starts < 30, qPrintable(QString::number(explored.starts)));
    }

    /// Time may pass at any moment, for the lock and for clients that do not read their clocks.
    void passingsOfTime_areCounted_data()
    {
        QTest::addColumn<int>("crashes");
        QTest::addColumn<int>("passes");
        for (const int crashes : {0, 1}) {
            for (const int passes : {1, 2})
                QTest::addRow("%d crashes, %d passes", crashes, passes) << crashes << passes;
        }
    }
    void passingsOfTime_areCounted()
    {
        QFETCH(const int, crashes);
        QFETCH(const int, passes);
        programs::Program program = test::worker("setnxexpire");
        if (program.clockLibrary.isEmpty())
            QSKIP("there is no clock for programs on this kind of processor");
        program.limits.crashes = crashes;
        program.limits.expirations = passes;
        program.data = {"lock"}; // A key that may stay forever, so that the search does not end early.
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.results.front().complete);
        QCOMPARE(explored.results.front().schedules, OnPaper(4, crashes, 1000, passes).schedules());
    }

    /// A limit of preemptions reduces the schedules to exactly those within the limit.
    void turnsThatAreTakenAway_areCounted_data()
    {
        QTest::addColumn<int>("crashes");
        QTest::addColumn<int>("preemptions");
        for (const int crashes : {0, 1}) {
            for (const int preemptions : {0, 1, 2})
                QTest::addRow("%d crashes, %d preemptions", crashes, preemptions) << crashes << preemptions;
        }
    }
    void turnsThatAreTakenAway_areCounted()
    {
        QFETCH(const int, crashes);
        QFETCH(const int, preemptions);
        programs::Program program = test::worker("setnxexpire");
        program.limits.crashes = crashes;
        program.limits.preemptions = preemptions;
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QVERIFY(explored.results.front().complete);
        QCOMPARE(explored.results.front().schedules, OnPaper(4, crashes, preemptions).schedules());
        QVERIFY(OnPaper(4, crashes, preemptions).schedules() < OnPaper(4, crashes).schedules());
    }
};

LATCHKEY_TEST(TestProgramCounts)

} // namespace tst_programcounts

#include "tst_programcounts.moc"
