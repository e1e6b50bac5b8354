#include "core/inspect/inspection/serverregistry.h"
#include "core/inspect/voting/grouplocks.h"
#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <map>

namespace tst_grouplocks {

using namespace latchkey;
using voting::GroupLocks;
using Vote = voting::LockVotes::Vote;
using namespace std::chrono_literals;

namespace {

/// Returns how long this thread has waited for a processor. A busy machine delays every program.
std::chrono::nanoseconds processorWait()
{
    QFile file(QStringLiteral("/proc/thread-self/schedstat"));
    const QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    return std::chrono::nanoseconds(text.split(' ').value(1).toLongLong());
}

} // namespace

/// Tests of the locks of a group with real servers, in this process.
class TestGroupLocks final : public QObject
{
    Q_OBJECT

    static constexpr quint32 groupSize = 5;

    test::ScriptedRandom random {0.0};
    std::unique_ptr<inspection::ServerRegistry> registry;
    std::vector<std::unique_ptr<test::TestServer>> servers;
    std::map<QByteArray, std::vector<QByteArray>> expected; ///< Holders of each lock, one per server; empty: no key.

    [[nodiscard]] static QByteArray token(int client) { return QByteArray(31, 'a') + QByteArray::number(client); }
    void set(std::size_t server, const QByteArray &key, const QByteArray &holder)
    {
        expected[key].resize(groupSize);
        expected[key][server] = holder;
        if (holder.isEmpty())
            QVERIFY((*servers[server])({"DEL", key}).isInteger());
        else
            QVERIFY((*servers[server])({"SET", key, holder, "PX", "600000"}).isOk());
    }
    void signal(std::size_t server, int number)
    {
        ::kill(static_cast<pid_t>(servers[server]->process().processId()), number);
    }
    std::unique_ptr<GroupLocks> watch(std::vector<net::Endpoint> endpoints = {})
    {
        const bool isWholeGroup = endpoints.empty();
        for (std::size_t i = 0; isWholeGroup && i < servers.size(); ++i)
            endpoints.push_back(servers[i]->endpoint());
        std::vector<std::shared_ptr<inspection::InspectedServer>> watched;
        for (const net::Endpoint &endpoint : endpoints)
            watched.push_back(registry->open(endpoint, false));
        auto locks = std::make_unique<GroupLocks>(watched, base::SystemClock::instance());
        for (const auto &server : watched)
            server->start();
        return locks;
    }
    [[nodiscard]] static Vote voteOf(const GroupLocks &locks, const QByteArray &key, std::size_t server)
    {
        const qsizetype row = locks.find(key);
        return row < 0 ? Vote::NoKey : locks.at(row).votes.voteOf(server);
    }
    [[nodiscard]] static std::size_t votesFor(const GroupLocks &locks, const QByteArray &key)
    {
        const qsizetype row = locks.find(key);
        return row < 0 ? 0 : locks.at(row).votes.votes();
    }
    /// Returns whether the votes are those of the test, which counts them without LockVotes. The first server decides
    /// between holders with equal votes.
    [[nodiscard]] bool isAsExpected(const GroupLocks &locks) const
    {
        qsizetype rows = 0;
        for (const auto &[key, holders] : expected) {
            QByteArray most;
            std::ptrdiff_t votes = 0;
            for (const QByteArray &holder : holders) {
                const auto same = std::ranges::count(holders, holder);
                if (!holder.isEmpty() && same > votes) {
                    votes = same;
                    most = holder;
                }
            }
            if (votes == 0)
                continue;
            ++rows;
            const qsizetype row = locks.find(key);
            if (row < 0 || locks.at(row).votes.holder() != most)
                return false;
            for (std::size_t i = 0; i < groupSize; ++i) {
                const Vote vote = holders[i].isEmpty() ? Vote::NoKey
                                : holders[i] == most   ? Vote::Holds
                                                       : Vote::OtherHolder;
                if (locks.at(row).votes.voteOf(i) != vote)
                    return false;
            }
        }
        return locks.count() == rows;
    }

private Q_SLOTS:
    void init()
    {
        registry = std::make_unique<inspection::ServerRegistry>(base::SystemClock::instance(), random);
        expected.clear();
        servers.clear();
        for (std::size_t i = 0; i < groupSize; ++i)
            servers.push_back(std::make_unique<test::TestServer>());
    }
    void cleanup()
    {
        servers.clear();
        registry.reset();
    }

    /// Clients acquire, release and overwrite votes at random; a server is frozen and resumed in between.
    void randomChanges_giveTheVotesOfTheOracle_data()
    {
        QTest::addColumn<bool>("isPolled");
        QTest::addColumn<quint32>("seed");
        QTest::addRow("reported") << false << 11U;
        QTest::addRow("reported, other seed") << false << 12U;
        QTest::addRow("polled") << true << 13U;
    }
    void randomChanges_giveTheVotesOfTheOracle()
    {
        QFETCH(const bool, isPolled);
        QFETCH(const quint32, seed);
        if (isPolled) {
            for (const auto &server : servers)
                QVERIFY(
                    (*server)({"ACL", "SETUSER", "default", "-client|tracking", "-subscribe", "-psubscribe"}).isOk());
        }
        QRandomGenerator generator(seed);
        const auto change = [&] {
            const QByteArray key = "lock:" + QByteArray::number(generator.bounded(12));
            const QByteArray holder = generator.bounded(3) == 0 ? QByteArray() : token(generator.bounded(3));
            set(generator.bounded(groupSize), key, holder);
        };
        for (int i = 0; i < 60; ++i)
            change();
        const auto locks = watch();
        LATCHKEY_AWAIT(isAsExpected(*locks));
        for (int round = 0; round < 8; ++round) {
            for (int i = 0; i < 25; ++i)
                change();
            LATCHKEY_AWAIT(isAsExpected(*locks));
        }
        signal(3, SIGSTOP);
        LATCHKEY_AWAIT(locks->missingVoteOf(3));
        for (int i = 0; i < 25; ++i) {
            const QByteArray key = "lock:" + QByteArray::number(generator.bounded(12));
            set(generator.bounded(3U), key, token(generator.bounded(3)));
        }
        signal(3, SIGCONT);
        LATCHKEY_AWAIT(isAsExpected(*locks));
    }

    void frozenServer_delaysNothing()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", token(1));
        const auto locks = watch();
        LATCHKEY_AWAIT(isAsExpected(*locks));
        signal(0, SIGSTOP);
        for (std::size_t i = 1; i < groupSize; ++i)
            set(i, "lock:a", token(2));
        std::chrono::nanoseconds longest {};
        std::chrono::nanoseconds waited = processorWait();
        QElapsedTimer sinceTick;
        QTimer ticks;
        sinceTick.start();
        ticks.callOnTimeout(&ticks, [&] {
            const auto before = std::exchange(waited, processorWait());
            longest = std::max(longest, std::chrono::nanoseconds(sinceTick.nsecsElapsed()) - (waited - before));
            sinceTick.restart();
        });
        ticks.setTimerType(Qt::PreciseTimer);
        ticks.start(1ms);
        LATCHKEY_AWAIT(votesFor(*locks, "lock:a") == 4);
        LATCHKEY_AWAIT(locks->missingVoteOf(0).has_value());
        LATCHKEY_AWAIT(voteOf(*locks, "lock:a", 0) == Vote::Unknown);
        QVERIFY(locks->at(0).missingVotes[0].since.has_value() && !locks->at(0).missingVotes[0].why.isEmpty());
        QVERIFY(!locks->isFullyScanned(0) && locks->isFullyScanned(1));
        ticks.stop();
        QVERIFY2(longest < 100ms, qPrintable(QString::number(longest.count() / 1'000'000)));
        // The release on the others does not make the lock look gone.
        for (std::size_t i = 1; i < groupSize; ++i)
            set(i, "lock:a", {});
        LATCHKEY_AWAIT(locks->at(0).votes.count(Vote::NoKey) == 4);
        QCOMPARE(locks->at(0).votes.voteOf(0), Vote::Unknown);
        signal(0, SIGCONT);
        LATCHKEY_AWAIT(voteOf(*locks, "lock:a", 0) == Vote::Holds && votesFor(*locks, "lock:a") == 1);
        QVERIFY(locks->at(0).votes.hasMajority() == false);
    }

    void killedServer_keepsItsLocks()
    {
        set(2, "lock:only", token(1));
        const auto locks = watch();
        LATCHKEY_AWAIT(isAsExpected(*locks));
        servers[2]->kill();
        LATCHKEY_AWAIT(voteOf(*locks, "lock:only", 2) == Vote::Unknown);
        QCOMPARE(locks->count(), qsizetype(1));
        QVERIFY(!locks->at(0).votes.hasMajority().has_value() || locks->at(0).votes.hasMajority() == false);
        set(1, "lock:new", token(2));
        LATCHKEY_AWAIT(voteOf(*locks, "lock:new", 1) == Vote::Holds);
        QCOMPARE(voteOf(*locks, "lock:new", 2), Vote::Unknown);
    }

    /// A lock without expiry that has another holder after a gap: its expiry is the same as before.
    void changeInAGap_isReadBeforeItsVoteCounts()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            QVERIFY((*servers[i])({"SET", "lock:a", token(1)}).isOk());
        const auto locks = watch();
        LATCHKEY_AWAIT(votesFor(*locks, "lock:a") == groupSize);
        bool wasSilent = false;
        bool isWrong = false;
        const auto check = [&] {
            const auto &reply = locks->at(0).votes.reply(0);
            wasSilent = wasSilent || !reply.isKnown;
            isWrong = isWrong || (wasSilent && reply.isKnown && reply.holder == token(1));
        };
        connect(locks.get(), &GroupLocks::changed, this, check);
        connect(locks.get(), &GroupLocks::serversChanged, this, check);
        (void)(*servers[0])({"CLIENT", "KILL", "SKIPME", "yes"});
        QVERIFY((*servers[0])({"SET", "lock:a", token(2)}).isOk());
        LATCHKEY_AWAIT(voteOf(*locks, "lock:a", 0) == Vote::OtherHolder);
        QVERIFY(wasSilent);
        QVERIFY(!isWrong);
        QCOMPARE(votesFor(*locks, "lock:a"), groupSize - 1);
    }

    void dependentServers_areNamed()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(servers[0]->endpoint().path, link));
        const auto twice = watch({servers[0]->endpoint(), net::Endpoint::unixSocket(link)});
        LATCHKEY_AWAIT(twice->dependence());
        QVERIFY(twice->dependence()->message().contains(QStringLiteral("are the same server")));
        const test::TestServer node(test::clusterNode());
        const auto cluster = watch({servers[1]->endpoint(), node.endpoint()});
        LATCHKEY_AWAIT(cluster->dependence());
        QVERIFY(cluster->dependence()->message().contains(QStringLiteral("is a node of a cluster")));
    }
};

LATCHKEY_TEST(TestGroupLocks)

} // namespace tst_grouplocks

#include "tst_grouplocks.moc"
