#include "core/inspect/voting/lockvotes.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_lockvotes {

using namespace latchkey;
using base::Deadline;
using base::MonotonicTime;
using voting::LockVotes;
using Vote = LockVotes::Vote;
using namespace std::chrono_literals;

/// Tests of the votes of independent servers, as a client of redlock counts them.
class TestLockVotes final : public QObject
{
    Q_OBJECT

    static constexpr MonotonicTime now {1'000s};

    static LockVotes::Reply held(const QByteArray &holder, std::chrono::milliseconds left)
    {
        return {true, holder, true, Deadline(now + left, 1ms)};
    }
    static LockVotes::Reply held(const QByteArray &holder) { return {true, holder, true, Deadline::never()}; }
    static LockVotes::Reply unnamed(const QByteArray &value) { return {true, value, false, Deadline(now + 9s, 1ms)}; }
    static LockVotes::Reply absent() { return {true, {}, true, {}}; }
    static LockVotes::Reply silent() { return {}; }

private Q_SLOTS:
    void majority_isOfAllServers_data()
    {
        QTest::addColumn<QByteArray>("servers");
        QTest::addColumn<int>("votes");
        QTest::addColumn<QVariant>("majority");
        // A letter per server: a holder, - without the key, ? without a reply.
        QTest::newRow("all") << QByteArray("aaaaa") << 5 << QVariant(true);
        QTest::newRow("three of five") << QByteArray("aaa--") << 3 << QVariant(true);
        QTest::newRow("two of five") << QByteArray("aa---") << 2 << QVariant(false);
        QTest::newRow("one silent decides") << QByteArray("aa?--") << 2 << QVariant();
        QTest::newRow("silent ones do not decide") << QByteArray("aaa??") << 3 << QVariant(true);
        QTest::newRow("silent ones are too few") << QByteArray("a-?-?"
                                                               "--")
                                                 << 1 << QVariant(false);
        QTest::newRow("split") << QByteArray("aabb-") << 2 << QVariant(false);
        QTest::newRow("the later one has more") << QByteArray("abbb-") << 3 << QVariant(true);
        QTest::newRow("half of four") << QByteArray("aa--") << 2 << QVariant(false);
        QTest::newRow("absent everywhere") << QByteArray("---") << 0 << QVariant(false);
        QTest::newRow("all silent") << QByteArray("???") << 0 << QVariant();
    }
    void majority_isOfAllServers()
    {
        QFETCH(QByteArray, servers);
        QFETCH(int, votes);
        QFETCH(QVariant, majority);
        std::vector<LockVotes::Reply> replies;
        for (const char each : servers)
            replies.push_back(each == '?' ? silent() : each == '-' ? absent() : held(QByteArray(1, each), 10s));
        const LockVotes counted(std::move(replies));
        QCOMPARE(counted.votes(), static_cast<std::size_t>(votes));
        const std::optional<bool> found = counted.hasMajority();
        QCOMPARE(found ? QVariant(*found) : QVariant(), majority);
        QCOMPARE(counted.majorityEnd().has_value(), majority == QVariant(true));
        QCOMPARE(counted.validUntil(now).has_value(), majority == QVariant(true));
    }

    void servers_voteForTheHolderOfMost()
    {
        const LockVotes votes({held("a", 1s), held("b", 1s), absent(), silent(), held("b", 1s)});
        QCOMPARE(votes.holder(), std::optional<QByteArray>("b"));
        QCOMPARE(votes.voteOf(0), Vote::OtherHolder);
        QCOMPARE(votes.voteOf(1), Vote::Holds);
        QCOMPARE(votes.voteOf(2), Vote::NoKey);
        QCOMPARE(votes.voteOf(3), Vote::Unknown);
        QCOMPARE(votes.voteOf(4), Vote::Holds);
        QCOMPARE(votes.quorum(), std::size_t(3));
    }

    void givenHolder_isCountedAlthoughAnotherHasMore()
    {
        const std::vector<LockVotes::Reply> replies {held("a", 1s), held("b", 1s), held("b", 1s), silent(), absent()};
        const LockVotes votes(replies, "a");
        QCOMPARE(votes.holder(), std::optional<QByteArray>("a"));
        QCOMPARE(votes.votes(), std::size_t(1));
        QCOMPARE(votes.voteOf(1), Vote::OtherHolder);
        QCOMPARE(votes.hasMajority(), std::optional(false)); // With the silent server, a has two of five.
        QCOMPARE(LockVotes(replies, "b").hasMajority(), std::optional<bool>());
        QCOMPARE(LockVotes(replies, "c").votes(), std::size_t(0));
        QVERIFY(!votes.reply(3).isKnown);
    }

    /// Five votes of five: the majority of three lasts until the third expiry.
    void majority_endsWithTheVoteThatItNeeds()
    {
        const LockVotes votes({held("a", 5s), held("a", 1s), held("a", 4s), held("a", 2s), held("a", 3s)});
        QCOMPARE(votes.majorityEnd()->at(), now + 3s);
        const LockVotes three({held("a", 5s), held("a", 1s), held("a", 4s), absent(), absent()});
        QCOMPARE(three.majorityEnd()->at(), now + 1s);
    }

    /// The end of a majority depends on each of its votes.
    void majority_endsAtAnUnknownTimeIfAnExpiryIsUnknown()
    {
        LockVotes::Reply refused = held("a");
        refused.isExpiryKnown = false;
        const LockVotes votes({held("a", 5s), refused, held("b", 5s)});
        QCOMPARE(votes.hasMajority(), std::optional(true));
        QVERIFY(!votes.majorityEnd() && !votes.validUntil(now));
        LockVotes::Reply ofOther = held("b");
        ofOther.isExpiryKnown = false;
        QVERIFY(LockVotes({held("a", 5s), held("a", 5s), ofOther}).majorityEnd());
    }

    /// The client counts from before its first command, and subtracts a hundredth of the lease and two milliseconds.
    void validity_isTheFirstExpiryLessTheDrift()
    {
        const LockVotes votes({held("a", 10s), held("a", 9s), absent()});
        QCOMPARE(*votes.validUntil(now) - now, 9s - (100ms + 2ms));
    }

    /// Equal values that name no holder may be of different clients; different ones are not one holder.
    void valueWithoutHolder_isNoMajority()
    {
        const LockVotes equal({unnamed("1"), unnamed("1"), unnamed("1")});
        QCOMPARE(equal.votes(), std::size_t(3));
        QCOMPARE(equal.hasMajority(), std::optional<bool>());
        QVERIFY(!equal.majorityEnd() && !equal.validUntil(now));
        const LockVotes different({unnamed("1"), unnamed("2"), unnamed("3")});
        QCOMPARE(different.votes(), std::size_t(1));
        QCOMPARE(different.hasMajority(), std::optional(false));
    }

    void keyWithoutExpiry_hasNoEnd()
    {
        const LockVotes votes({held("a"), held("a"), held("a", 1s)});
        QVERIFY(votes.majorityEnd()->isNever());
        QVERIFY(!votes.validUntil(now));
    }
};

LATCHKEY_TEST(TestLockVotes)

} // namespace tst_lockvotes

#include "tst_lockvotes.moc"
