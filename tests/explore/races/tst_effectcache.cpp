#include "core/explore/races/effectcache.h"
#include "tests/support/await.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDateTime>
#include <QTest>

namespace tst_effectcache {

using namespace latchkey;
using namespace latchkey::races;
using resp::Command;
using resp::Commands;

/// Tests the race finder's questions to a real server: one command at a time, from any state.
class TestTestbed final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<EffectCache> effectCache;

    /// Runs the commands one after the other from a snapshot. Clients are numbers.
    struct Told
    {
        ClientIndex client;
        Command command;
    };
    SnapshotId after(SnapshotId from, const std::vector<Told> &commands, resp::Reply *last = nullptr)
    {
        for (const auto &[client, command] : commands) {
            const auto effect = effectCache->execute(from, client, effectCache->number(command));
            if (!effect)
                qFatal("%s", qPrintable(effect.error().message()));
            from = effect->after;
            if (last != nullptr)
                *last = effectCache->reply(effect->reply);
        }
        return from;
    }
    resp::Reply replyTo(SnapshotId from, ClientIndex client, const Command &command)
    {
        resp::Reply reply;
        after(from, {{client, command}}, &reply);
        return reply;
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        auto opened = EffectCache::open(server->endpoint());
        LATCHKEY_VERIFY_RESULT(opened);
        effectCache = std::move(*opened);
    }

    void command_actsOnTheGivenSnapshotAndNoOther()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        const SnapshotId held = after(empty, {{0, {"SET", "k", "a", "NX", "PX", "36000000"}}});
        QVERIFY(replyTo(held, 1, {"SET", "k", "b", "NX"}).isNil());
        QVERIFY(replyTo(empty, 1, {"SET", "k", "b", "NX"}).isOk());
        const SnapshotKey *key = effectCache->snapshot(held).find("k");
        QVERIFY(key != nullptr);
        QCOMPARE(key->text, QByteArray("a"));
        QCOMPARE(key->lifetime, SnapshotKey::Lifetime(std::chrono::hours(10)));
    }

    void equalSnapshots_areOne()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        const SnapshotId held = after(empty, {{0, {"SET", "k", "a", "PX", "36000000"}}});
        QCOMPARE(after(held, {{0, {"DEL", "k"}}}), empty);
        QCOMPARE(after(empty, {{1, {"SET", "k", "b"}}, {0, {"SET", "k", "a", "PX", "36000000"}}}), held);
    }

    /// DUMP contains field expiries as absolute times, and time passes.
    void endsOfFields_areReportedFromNowOn()
    {
        if (!test::hasHsetex())
            QSKIP("this server has no lifetimes of fields (Redis 8.0, Valkey 9.0)");
        const Command command {"HSETEX", "h", "PX", "36000000", "FIELDS", "2", "a", "1", "b", "2"};
        const SnapshotId empty = effectCache->prepare({}).value();
        const SnapshotId held = after(empty, {{0, command}});
        const SnapshotKey *hash = effectCache->snapshot(held).find("h");
        QVERIFY(hash->endsWithFields && hash->fieldEnds.size() == 2);
        QCOMPARE(hash->lifetime, SnapshotKey::Lifetime(std::chrono::hours(10)));
        const qint64 before = QDateTime::currentMSecsSinceEpoch();
        LATCHKEY_AWAIT(QDateTime::currentMSecsSinceEpoch() > before + 1);
        QCOMPARE(after(empty, {{0, {"SET", "k", "v"}}, {0, command}, {0, {"DEL", "k"}}}), held);
        QVERIFY(replyTo(held, 1, {"HPTTL", "h", "FIELDS", "1", "a"}).elements().front().toInteger() > 0);
        // A field without expiry keeps the key forever.
        const SnapshotId kept = after(held, {{0, {"HSET", "h", "c", "3"}}});
        QVERIFY(!effectCache->snapshot(kept).find("h")->lifetime);
        QCOMPARE(effectCache->snapshot(kept).find("h")->fieldEnds.size(), std::size_t(2));
    }

    void messages_areOnTheirWayToWhoListens()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        const SnapshotId listening =
            after(empty, {{0, {"SUBSCRIBE", "c", "d"}}, {1, {"PSUBSCRIBE", "c*"}}, {2, {"SUBSCRIBE", "other"}}});
        QVERIFY(replyTo(listening, 3, {"PUBLISH", "c", "said"}).isInteger(2));
        QVERIFY(replyTo(empty, 3, {"PUBLISH", "c", "said"}).isInteger(0)); // Despite subscriptions in between.
        const SnapshotId said = after(listening, {{3, {"EVAL", "return redis.call('publish', 'c', 'said')", "0"}}});
        const Snapshot &told = effectCache->snapshot(said);
        QCOMPARE(told.connectionOf(0).inbox.size(), std::size_t(1));
        QCOMPARE(told.connectionOf(0).inbox.front().toText(), QStringLiteral("[\"message\", \"c\", \"said\"]"));
        QCOMPARE(told.connectionOf(1).inbox.front().elements().size(), std::size_t(4)); // Includes the pattern.
        QVERIFY(told.connectionOf(2).inbox.empty());
        // Messages that are repeated while other clients' watches are tested do not count.
        const SnapshotId watching = after(listening, {{3, {"WATCH", "k"}}, {4, {"WATCH", "k"}}});
        for (const QByteArray word : {"one", "two"}) {
            const auto inbox =
                effectCache->snapshot(after(watching, {{3, {"PUBLISH", "c", word}}})).connectionOf(0).inbox;
            QCOMPARE(inbox.size(), std::size_t(1));
            QVERIFY(inbox.front().elements().back().isBulk(word));
        }
        const SnapshotId less = after(listening, {{0, {"UNSUBSCRIBE"}}, {1, {"PUNSUBSCRIBE", "c*"}}});
        QVERIFY(replyTo(less, 3, {"PUBLISH", "c", "said"}).isInteger(0));
        // Any other command is refused there and changes nothing.
        const SnapshotId refused = after(listening, {{0, {"GET", "k"}}});
        QCOMPARE(refused, listening);
        QVERIFY(replyTo(refused, 3, {"PUBLISH", "k", "said"}).isInteger(0));
        QVERIFY(replyTo(less, 0, {"SUBSCRIBE", "d"}).elements().front().elements().back().isInteger(1));
    }

    void blockingCommand_isAnsweredImmediately()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        QVERIFY(replyTo(empty, 0, {"BLPOP", "l", "0"}).isNil());
        // Watched keys of other clients and of the client itself are modified as by any other command.
        const SnapshotId watched = after(
            empty, {{0, {"RPUSH", "l", "v"}}, {0, {"WATCH", "l"}}, {1, {"WATCH", "l"}}, {0, {"BLPOP", "l", "0"}}});
        for (const int client : {0, 1})
            QVERIFY(replyTo(after(watched, {{client, {"MULTI"}}}), client, {"EXEC"}).isNil());
    }

    void equalQuestions_areAskedOnce()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        after(empty, {{0, {"SET", "k", "a"}}});
        const qint64 asked = effectCache->executedCommands();
        after(empty, {{0, {"SET", "k", "a"}}});
        after(empty, {{1, {"SET", "k", "a"}}}); // A plain command does not depend on its sender.
        QCOMPARE(effectCache->executedCommands(), asked);
        after(empty, {{1, {"SET", "k", "b"}}});
        QCOMPARE(effectCache->executedCommands(), asked + 1);
    }

    void everyType_isPutBack()
    {
        const Commands content {{"SET", "string", QByteArray("\0\xff", 2)},
                                {"HSET", "hash", "field", "value"},
                                {"RPUSH", "list", "a", "b"},
                                {"SADD", "set", "m"},
                                {"ZADD", "zset", "1.5", "m"},
                                {"PEXPIRE", "list", "72000000"}};
        const SnapshotId start = effectCache->prepare(content).value();
        QVERIFY(replyTo(start, 0, {"GET", "string"}).isBulk(QByteArray("\0\xff", 2)));
        QVERIFY(replyTo(start, 0, {"HGET", "hash", "field"}).isBulk("value"));
        QVERIFY(replyTo(start, 0, {"RPOP", "list"}).isBulk("b"));
        QVERIFY(replyTo(start, 0, {"SISMEMBER", "set", "m"}).isInteger(1));
        QVERIFY(replyTo(start, 0, {"ZSCORE", "zset", "m"}).isBulk("1.5"));
        QVERIFY(replyTo(start, 0, {"PTTL", "list"}).toInteger() > 71'000'000);
        QCOMPARE(replyTo(start, 0, {"PTTL", "hash"}).toInteger(), qint64(-1));
    }

    void errorReply_isAReply()
    {
        const SnapshotId start = effectCache->prepare({{"RPUSH", "k", "a"}}).value();
        const resp::Reply reply = replyTo(start, 0, {"GET", "k"});
        QVERIFY(reply.isError());
        QVERIFY(reply.bytes().startsWith("WRONGTYPE"));
    }

    void transaction_isAClientsOwn()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        const SnapshotId queued = after(empty, {{0, {"MULTI"}}, {0, {"SET", "k", "a"}}});
        QVERIFY(effectCache->snapshot(queued).keys.empty());
        QVERIFY(replyTo(queued, 1, {"GET", "k"}).isNil());
        resp::Reply done;
        const SnapshotId after0 = after(queued, {{0, {"EXEC"}}}, &done);
        QCOMPARE(done.elements().size(), std::size_t(1));
        QVERIFY(effectCache->snapshot(after0).find("k") != nullptr);
        QVERIFY(effectCache->snapshot(after0).connections.empty());
        QCOMPARE(after(queued, {{0, {"DISCARD"}}}), empty);
        QVERIFY(replyTo(empty, 0, {"EXEC"}).isError());
    }

    void watch_noticesWhatOthersTouchAndNothingElse()
    {
        const SnapshotId start = effectCache->prepare({{"SET", "k", "a"}, {"SET", "other", "x"}}).value();
        const SnapshotId watching = after(start, {{0, {"WATCH", "k"}}});
        const std::vector<Told> transaction {{0, {"MULTI"}}, {0, {"DEL", "k"}}, {0, {"EXEC"}}};

        resp::Reply reply;
        after(watching, transaction, &reply);
        QVERIFY2(reply.isArray(), "nobody has touched it");
        after(after(watching, {{1, {"SET", "other", "y"}}}), transaction, &reply);
        QVERIFY2(reply.isArray(), "another key has been touched");
        after(after(watching, {{1, {"SET", "k", "b"}}}), transaction, &reply);
        QVERIFY2(reply.isNil(), "the key has been changed");
        after(after(watching, {{1, {"SET", "k", "a"}}}), transaction, &reply);
        QVERIFY2(reply.isNil(), "it has been written anew, if with the same value");
        after(after(watching, {{noClient, {"DEL", "k"}}}), transaction, &reply);
        QVERIFY2(reply.isNil(), "it has lapsed");
        after(after(watching, {{1, {"DEL", "k"}}, {0, {"UNWATCH"}}}), transaction, &reply);
        QVERIFY2(reply.isArray(), "it is not watched any more");
    }

    void twoWatchers_areDistinguished()
    {
        // Both clients are in a transaction that would change the key watched by the other. A trial EXEC of one must
        // not count as a modification seen by the other.
        const SnapshotId start = effectCache->prepare({{"SET", "k", "a"}}).value();
        const SnapshotId both = after(start, {{0, {"WATCH", "k"}},
                                              {1, {"WATCH", "k"}},
                                              {0, {"MULTI"}},
                                              {1, {"MULTI"}},
                                              {0, {"DEL", "k"}},
                                              {1, {"SET", "k", "b"}}});
        QCOMPARE(effectCache->snapshot(both).connections.size(), std::size_t(2));
        QVERIFY(!effectCache->snapshot(both).connectionOf(0).isDirty);
        QVERIFY(!effectCache->snapshot(both).connectionOf(1).isDirty);
        const SnapshotId first = after(both, {{0, {"EXEC"}}});
        QVERIFY(effectCache->snapshot(first).connectionOf(1).isDirty);
        QVERIFY(replyTo(first, 1, {"EXEC"}).isNil());
        const SnapshotId second = after(both, {{1, {"EXEC"}}});
        QVERIFY(effectCache->snapshot(second).connectionOf(0).isDirty);
        QVERIFY(effectCache->snapshot(second).find("k")->text == "b");
    }

    void lostServer_isAnError()
    {
        const SnapshotId empty = effectCache->prepare({}).value();
        server->kill();
        const auto effect = effectCache->execute(empty, 0, effectCache->number(resp::Command {"PING"}));
        QVERIFY(!effect);
        QCOMPARE(effect.error().kind, base::ErrorKind::ConnectionLost);
    }
};

LATCHKEY_TEST(TestTestbed)

} // namespace tst_effectcache

#include "tst_effectcache.moc"
