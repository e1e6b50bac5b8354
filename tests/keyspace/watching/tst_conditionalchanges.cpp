#include "core/keyspace/watching/conditionalchanges.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QRandomGenerator>
#include <QTest>

namespace tst_conditionalchanges {

using namespace latchkey;
using namespace latchkey::watching;
using base::Key;
using base::Lease;
using exchange::BlockingDriver;
using Condition = NewExpiry::Condition;
using namespace std::chrono_literals;

namespace {

exchange::Exchange<resp::Reply> one(exchange::Request request)
{
    const resp::Reply reply = co_await std::move(request);
    co_return reply;
}

Lease lease(std::chrono::milliseconds duration)
{
    return Lease::of(duration).value();
}

const QByteArray binaryKey("\0lock\xff\r\n", 8);

} // namespace

/// Tests of changing the expiry of a key and of undoing changes, on a real server.
class TestGuardedActs final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<BlockingDriver> driver;

    resp::Reply redis(const resp::Command &command) { return (*server)(command); }
    resp::Reply send(const QList<QByteArray> &words)
    {
        resp::Command command;
        for (const QByteArray &word : words)
            command << word;
        return redis(command);
    }
    KeySnapshot snapshot(const QByteArray &key) { return driver->run(takeSnapshot(Key(key))).value(); }
    base::Result<ChangeResult> expire(const KeySnapshot &shown, const NewExpiry &end)
    {
        return driver->run(expireIfUnchanged(shown, end));
    }
    ChangeResult remove(const KeySnapshot &shown) { return driver->run(deleteIfUnchanged(shown)).value(); }
    ChangeOutcome undone(const KeySnapshot &before, const KeySnapshot &after)
    {
        return driver->run(undo(before, after)).value().outcome;
    }
    qint64 left(const QByteArray &key) { return redis({"PTTL", key}).toInteger(); }
    qint64 end(const QByteArray &key) { return redis({"PEXPIRETIME", key}).toInteger(); }

    void allowScripts(bool areAllowed)
    {
        QVERIFY(redis({"ACL", "SETUSER", "default", areAllowed ? "+@scripting" : "-@scripting"}).isOk());
    }

    /// Runs the exchange and sends the command of another client before each command named `name`. A command named
    /// `leftOut` is not sent; its reply is OK.
    template<typename T>
    T withBefore(exchange::Exchange<T> exchange, const QByteArray &name, const QList<QByteArray> &meddling,
                 const QByteArray &leftOut = {})
    {
        exchange::Stepper stepper(std::move(exchange));
        const auto answer = [&](const exchange::Request &request) -> exchange::Answer {
            if (request.command().name() == name)
                send(meddling);
            if (request.command().name() == leftOut)
                return exchange::Answer(resp::Reply::status("OK"));
            return driver->run(one(request));
        };
        while (!stepper.isFinished()) {
            if (const auto *ask = std::get_if<exchange::Request>(&stepper.step())) {
                stepper.grant(answer(*ask));
            } else if (const auto *batch = std::get_if<exchange::Batch>(&stepper.step())) {
                exchange::Answers answers;
                for (const exchange::Request &single : batch->requests())
                    answers.push_back(answer(single));
                stepper.grant(exchange::Grant(std::move(answers)));
            } else {
                stepper.grant(exchange::Grant(exchange::Instant {driver->clock().now(), {}}));
            }
        }
        return stepper.takeResult().value();
    }

private Q_SLOTS:
    void initTestCase()
    {
        server = std::make_unique<test::TestServer>();
        driver = std::make_unique<BlockingDriver>(std::vector {server->endpoint()});
    }
    void initTestCase_data()
    {
        QTest::addColumn<bool>("areScriptsAllowed");
        QTest::addRow("script") << true;
        QTest::addRow("watch") << false;
    }
    void init()
    {
        QFETCH_GLOBAL(bool, areScriptsAllowed);
        allowScripts(areScriptsAllowed);
    }
    void cleanup()
    {
        QVERIFY(redis({"CONFIG", "SET", "maxmemory", "0"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "default", "+@all"}).isOk());
        QVERIFY(redis({"FLUSHALL"}).isOk());
    }

    void newEnd_isSet_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QList<QByteArray>>("write");
        QTest::addRow("lock") << QByteArray("k") << QList<QByteArray> {"SET", "k", "token", "PX", "60000"};
        QTest::addRow("without an end") << QByteArray("k") << QList<QByteArray> {"SET", "k", "token"};
        QTest::addRow("binary") << binaryKey
                                << QList<QByteArray> {"SET", binaryKey, QByteArray("\0\xff", 2), "PX", "60000"};
        QTest::addRow("hash") << QByteArray("k") << QList<QByteArray> {"HSET", "k", "owner:1", "1"};
        QTest::addRow("large") << QByteArray("k") << QList<QByteArray> {"SET", "k", QByteArray(200'000, 'x')};
    }
    void newEnd_isSet()
    {
        QFETCH(QByteArray, key);
        QFETCH(QList<QByteArray>, write);
        QVERIFY(!send(write).isError());
        const auto acted = expire(snapshot(key), NewExpiry::in(lease(300s)));
        LATCHKEY_VERIFY_RESULT(acted);
        QCOMPARE(acted->outcome, ChangeOutcome::Done);
        QVERIFY(left(key) > 200'000 && left(key) <= 300'000);
        QVERIFY(acted->after.agreesWith(snapshot(key)));
        QVERIFY(acted->after.exists());
    }

    void absoluteEnd_isExact()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const base::WallTime later(std::chrono::milliseconds(end("k") + 12'345));
        QCOMPARE(expire(snapshot("k"), NewExpiry::at(later))->outcome, ChangeOutcome::Done);
        QCOMPARE(end("k"), later.time_since_epoch().count());
    }

    /// PEXPIREAT with a time in the past deletes the key, which the user did not request.
    void absoluteEndThatHasPassed_deletesNothing()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const base::WallTime past(std::chrono::milliseconds(end("k") - 70'000));
        QCOMPARE(expire(snapshot("k"), NewExpiry::at(past))->outcome, ChangeOutcome::TooLate);
        QVERIFY(left("k") > 0);
    }

    void end_canBeTakenAway()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        QCOMPARE(expire(snapshot("k"), NewExpiry::never())->outcome, ChangeOutcome::Done);
        QCOMPARE(left("k"), -1);
        QCOMPARE(expire(snapshot("k"), NewExpiry::never())->outcome, ChangeOutcome::NotApplied);
    }

    void condition_isKept_data()
    {
        QTest::addColumn<bool>("hasEnd");
        QTest::addColumn<Condition>("only");
        QTest::addColumn<int>("seconds");
        QTest::addColumn<ChangeOutcome>("outcome");
        QTest::addRow("later, and it is") << true << Condition::IfLater << 300 << ChangeOutcome::Done;
        QTest::addRow("later, and it is not") << true << Condition::IfLater << 10 << ChangeOutcome::NotApplied;
        QTest::addRow("later, and it has none") << false << Condition::IfLater << 300 << ChangeOutcome::NotApplied;
        QTest::addRow("earlier, and it is") << true << Condition::IfEarlier << 10 << ChangeOutcome::Done;
        QTest::addRow("earlier, and it is not") << true << Condition::IfEarlier << 300 << ChangeOutcome::NotApplied;
        QTest::addRow("earlier, and it has none") << false << Condition::IfEarlier << 300 << ChangeOutcome::Done;
        QTest::addRow("if none, and it has none") << false << Condition::IfNone << 300 << ChangeOutcome::Done;
        QTest::addRow("if none, and it has one") << true << Condition::IfNone << 300 << ChangeOutcome::NotApplied;
        QTest::addRow("if any, and it has one") << true << Condition::IfAny << 10 << ChangeOutcome::Done;
        QTest::addRow("if any, and it has none") << false << Condition::IfAny << 300 << ChangeOutcome::NotApplied;
    }
    void condition_isKept()
    {
        QFETCH(bool, hasEnd);
        QFETCH(Condition, only);
        QFETCH(int, seconds);
        for (const bool isOld : {false, true}) { // Servers before Redis 7 have no PEXPIRETIME and no GT.
            if (isOld)
                allowScripts(true); // Only a script can compare the ends.
            QVERIFY(redis({"ACL", "SETUSER", "default", isOld ? "-pexpiretime" : "+pexpiretime"}).isOk());
            for (const bool isAbsolute : {false, true}) {
                QVERIFY(redis({"SET", "k", "token"}).isOk());
                if (hasEnd)
                    QVERIFY(redis({"PEXPIRE", "k", "60000"}).isInteger(1));
                const qint64 before = left("k");
                const base::WallTime at(
                    std::chrono::milliseconds(redis({"TIME"}).elements().front().bytes().toLongLong() * 1000)
                    + std::chrono::seconds(seconds));
                const KeySnapshot shown = snapshot("k");
                QCOMPARE(shown.endsAt.has_value(), hasEnd && !isOld);
                const auto acted =
                    expire(shown, isAbsolute ? NewExpiry::at(at, only)
                                             : NewExpiry::in(lease(std::chrono::seconds(seconds)), only));
                LATCHKEY_VERIFY_RESULT(acted);
                QTEST(acted->outcome, "outcome");
                const qint64 after = left("k");
                if (acted->outcome == ChangeOutcome::NotApplied)
                    QVERIFY(hasEnd ? after > 50'000 && after <= before : after == -1);
                else
                    QVERIFY(after > (seconds - 9) * 1000 && after <= seconds * 1000);
            }
        }
    }

    /// Servers before Redis 7 must not receive these arguments.
    void conditionBeforeRedis7_isNoArgument()
    {
        allowScripts(true); // Only a script can compare the ends, because such a server has no argument for it.
        QVERIFY(redis({"ACL", "SETUSER", "default", "-pexpiretime"}).isOk());
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        exchange::Stepper stepper(expireIfUnchanged(snapshot("k"), NewExpiry::in(lease(300s), Condition::IfLater)));
        bool isByScript = false;
        while (!stepper.isFinished()) {
            exchange::Answers answers;
            if (const auto *ask = std::get_if<exchange::Request>(&stepper.step())) {
                stepper.grant(exchange::Answer(driver->run(one(*ask))));
            } else if (const auto *batch = std::get_if<exchange::Batch>(&stepper.step())) {
                for (const exchange::Request &single : batch->requests()) {
                    isByScript = isByScript || single.command().name() == "EVAL";
                    for (const QByteArray &word : single.command().words())
                        QVERIFY(word != "GT" || single.command().name() == "EVAL");
                    answers.push_back(driver->run(one(single)));
                }
                stepper.grant(exchange::Grant(std::move(answers)));
            } else {
                stepper.grant(exchange::Grant(exchange::Instant {driver->clock().now(), {}}));
            }
        }
        QVERIFY(isByScript);
        QCOMPARE(stepper.takeResult().value().outcome, ChangeOutcome::Done);
    }

    /// Commands beside a deletion are executed together with the deletion or not at all.
    void additionalCommands_runInTheSameTransaction()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const resp::Commands precedingCommands {{"DEL", "signal"}, {"LPUSH", "signal", "1"}};
        QVERIFY(redis({"SET", "k", "other", "PX", "60000"}).isOk());
        QCOMPARE(driver->run(deleteIfUnchanged(shown, precedingCommands)).value().outcome, ChangeOutcome::Changed);
        QVERIFY(redis({"EXISTS", "signal"}).isInteger(0));
        const KeySnapshot again = snapshot("k");
        QVERIFY(redis({"ACL", "SETUSER", "default", "-lpush"}).isOk());
        const auto denied = driver->run(deleteIfUnchanged(again, precedingCommands));
        QVERIFY(!denied);
        QCOMPARE(denied.error().kind, base::ErrorKind::PermissionDenied);
        QVERIFY(redis({"ACL", "SETUSER", "default", "+lpush"}).isOk());
        QVERIFY(redis({"EXISTS", "k"}).isInteger(1));
        const ChangeResult result = driver->run(deleteIfUnchanged(again, precedingCommands)).value();
        QCOMPARE(result.outcome, ChangeOutcome::Done);
        QVERIFY(!result.after.exists());
        QVERIFY(redis({"EXISTS", "k"}).isInteger(0));
        QVERIFY(redis({"LLEN", "signal"}).isInteger(1));
        QCOMPARE(undone(again, result.after), ChangeOutcome::Done);
        QVERIFY(redis({"GET", "k"}).isBulk("other"));
    }

    void fullServer_releasesNothingByHalves()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(redis({"CONFIG", "SET", "maxmemory", "1"}).isOk());
        const auto full = driver->run(deleteIfUnchanged(shown, {{"PUBLISH", "channel", "0"}}));
        if (full) { // Redis 8 accepts PUBLISH too, because it needs no memory.
            QCOMPARE(full->outcome, ChangeOutcome::Done);
            QVERIFY(redis({"EXISTS", "k"}).isInteger(0));
            return;
        }
        QCOMPARE(full.error().kind, base::ErrorKind::OutOfMemory);
        QVERIFY(redis({"EXISTS", "k"}).isInteger(1));
    }

    void changedKey_isUnchanged_data()
    {
        QTest::addColumn<QList<QByteArray>>("change");
        QTest::addColumn<ChangeOutcome>("outcome");
        QTest::addRow("another holder") << QList<QByteArray> {"SET", "k", "other", "KEEPTTL"} << ChangeOutcome::Changed;
        QTest::addRow("lease renewed") << QList<QByteArray> {"PEXPIRE", "k", "90000"} << ChangeOutcome::Changed;
        QTest::addRow("end taken away") << QList<QByteArray> {"PERSIST", "k"} << ChangeOutcome::Changed;
        QTest::addRow("gone") << QList<QByteArray> {"DEL", "k"} << ChangeOutcome::Gone;
    }
    void changedKey_isUnchanged()
    {
        QFETCH(QList<QByteArray>, change);
        for (const NewExpiry &wanted : {NewExpiry::in(lease(300s)), NewExpiry::never()}) {
            QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
            const KeySnapshot shown = snapshot("k");
            QVERIFY(!send(change).isError());
            const qint64 before = end("k");
            QTEST(expire(shown, wanted)->outcome, "outcome");
            QCOMPARE(end("k"), before);
        }
    }

    /// The change is smaller than the possible drift of two clocks. The server's own time shows it too.
    void leaseRenewedByAMoment_isNoticed()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(redis({"PEXPIREAT", "k", QByteArray::number(end("k") + 3)}).isInteger(1));
        QCOMPARE(expire(shown, NewExpiry::never())->outcome, ChangeOutcome::Changed);
    }

    void changedType_isNoticed()
    {
        QVERIFY(redis({"SET", "k", "token"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(redis({"DEL", "k"}).isInteger(1));
        QVERIFY(redis({"RPUSH", "k", "token"}).isInteger(1));
        QCOMPARE(expire(shown, NewExpiry::in(lease(300s)))->outcome, ChangeOutcome::Changed);
        QCOMPARE(left("k"), -1);
    }

    /// Changes at the last moment: before the script, or between the comparison and PEXPIRE, where only WATCH can
    /// detect it.
    void changeAtTheLastMoment_isNoticed()
    {
        QFETCH_GLOBAL(bool, areScriptsAllowed);
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const ChangeResult result =
            withBefore(expireIfUnchanged(shown, NewExpiry::in(lease(300s))), areScriptsAllowed ? "EVALSHA" : "MULTI",
                       {"SET", "k", "another client's", "PX", "60000"});
        QCOMPARE(result.outcome, ChangeOutcome::Changed);
        QVERIFY(left("k") <= 60'000);
        const ChangeResult deleted =
            withBefore(deleteIfUnchanged(snapshot("k")), areScriptsAllowed ? "EVALSHA" : "MULTI",
                       {"SET", "k", "a third's", "PX", "60000"});
        QCOMPARE(deleted.outcome, ChangeOutcome::Changed);
        QVERIFY(redis({"GET", "k"}).isBulk("a third's"));
    }

    /// The same case without WATCH shows the damage that WATCH prevents.
    void withoutWatch_anothersEndWouldBeChanged()
    {
        allowScripts(false);
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const ChangeResult result = withBefore(expireIfUnchanged(snapshot("k"), NewExpiry::in(lease(300s))), "MULTI",
                                               {"SET", "k", "another client's", "PX", "60000"}, "WATCH");
        QCOMPARE(result.outcome, ChangeOutcome::Done);
        QVERIFY(left("k") > 60'000);
    }

    /// On a connection with high latency, every round trip counts.
    void scriptedAct_takesOneRoundTrip()
    {
        allowScripts(true);
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        (void)expire(snapshot("k"), NewExpiry::in(lease(300s))); // Loads the script into the server.
        for (const bool isDeleted : {false, true}) {
            const KeySnapshot shown = snapshot("k");
            exchange::Stepper stepper(isDeleted ? deleteIfUnchanged(shown)
                                                : expireIfUnchanged(shown, NewExpiry::in(lease(200s))));
            int roundTrips = 0;
            while (!stepper.isFinished()) {
                if (const auto *ask = std::get_if<exchange::Request>(&stepper.step())) {
                    ++roundTrips;
                    stepper.grant(exchange::Answer(driver->run(one(*ask))));
                } else {
                    stepper.grant(exchange::Grant(exchange::Instant {driver->clock().now(), {}}));
                }
            }
            QCOMPARE(stepper.takeResult().value().outcome, ChangeOutcome::Done);
            QCOMPARE(roundTrips, 1);
        }
    }

    /// The order of a large set can change without a change of the set. The detailed comparison does not allow for this
    /// and refuses to act.
    void valueInAnotherForm_isNeverActedUponByMistake()
    {
        allowScripts(true);
        for (int i = 0; i < 600; ++i)
            QVERIFY(redis({"SADD", "k", "member " + QByteArray::number(i)}).isInteger(1));
        const KeySnapshot shown = snapshot("k");
        QVERIFY(shown.isRestorable());
        QVERIFY(redis({"SREM", "k", "member 599"}).isInteger(1));
        QCOMPARE(remove(shown).outcome, ChangeOutcome::Changed);
        QVERIFY(redis({"SADD", "k", "member 599"}).isInteger(1));
        const ChangeOutcome outcome = remove(shown).outcome;
        QCOMPARE(outcome == ChangeOutcome::Done, redis({"EXISTS", "k"}).isInteger(0));
        QVERIFY(outcome == ChangeOutcome::Done || outcome == ChangeOutcome::Changed);
    }

    void deniedCommand_isATypedErrorAndLeavesNoWatch()
    {
        QVERIFY(redis({"SET", "k", "v"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(redis({"ACL", "SETUSER", "default", "-pexpire"}).isOk());
        const auto denied = expire(shown, NewExpiry::in(lease(300s)));
        QVERIFY(redis({"ACL", "SETUSER", "default", "+pexpire"}).isOk());
        QVERIFY(!denied);
        QCOMPARE(denied.error().kind, base::ErrorKind::PermissionDenied);
        QCOMPARE(left("k"), -1);
        QVERIFY(redis({"SET", "other", "v"}).isOk());
        const KeySnapshot other = snapshot("other");
        QVERIFY(redis({"SET", "k", "w"}).isOk()); // Aborts the next transaction if the key is still watched.
        QCOMPARE(expire(other, NewExpiry::in(lease(300s)))->outcome, ChangeOutcome::Done);
    }

    /// After a denied MULTI, the server would execute the following commands at once, without the guard.
    void userWithoutMulti_changesNothing()
    {
        allowScripts(false);
        QVERIFY(redis({"SET", "k", "v", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(redis({"ACL", "SETUSER", "default", "-multi"}).isOk());
        const auto deleted = driver->run(deleteIfUnchanged(shown));
        QVERIFY(!deleted);
        QCOMPARE(deleted.error().kind, base::ErrorKind::PermissionDenied);
        QVERIFY(!expire(shown, NewExpiry::never()));
        QVERIFY(left("k") > 0);
        QVERIFY(redis({"GET", "k"}).isBulk("v"));
    }

    /// If the server does not report its own time (before Redis 7), the remaining TTL is compared.
    void withoutPexpiretime_endsAreStillCompared()
    {
        QVERIFY(redis({"ACL", "SETUSER", "default", "-pexpiretime"}).isOk());
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(!shown.endsAt);
        QVERIFY(redis({"PEXPIRE", "k", "61000"}).isInteger(1));
        QCOMPARE(expire(shown, NewExpiry::never())->outcome, ChangeOutcome::Changed);
        const KeySnapshot renewed = snapshot("k");
        const auto acted = expire(renewed, NewExpiry::never());
        QCOMPARE(acted->outcome, ChangeOutcome::Done);
        QCOMPARE(undone(renewed, acted->after), ChangeOutcome::Done);
        QVERIFY(left("k") > 50'000 && left("k") <= 61'000);
        const ChangeResult removed = remove(snapshot("k"));
        QCOMPARE(undone(renewed, removed.after), ChangeOutcome::Done);
        QVERIFY(left("k") > 50'000 && left("k") <= 61'000);
    }

    void fullServer_letsEndsBeChanged()
    {
        allowScripts(true); // Only a script can do this on a full server.
        for (const char *key : {"a", "b", "c"})
            QVERIFY(redis({"SET", key, "v", "PX", "60000"}).isOk());
        const KeySnapshot a = snapshot("a");
        const KeySnapshot b = snapshot("b");
        const KeySnapshot c = snapshot("c");
        QVERIFY(redis({"SET", "c", "w", "KEEPTTL"}).isOk());
        QVERIFY(redis({"CONFIG", "SET", "maxmemory", "1"}).isOk());
        QVERIFY(redis({"SET", "x", "y"}).isError());
        const auto longer = expire(a, NewExpiry::in(lease(300s), Condition::IfLater));
        LATCHKEY_VERIFY_RESULT(longer);
        QCOMPARE(longer->outcome, ChangeOutcome::Done);
        QVERIFY(left("a") > 200'000);
        QVERIFY(longer->after.agreesWith(snapshot("a")));
        QCOMPARE(expire(b, NewExpiry::never())->outcome, ChangeOutcome::Done);
        QCOMPARE(left("b"), -1);
        QCOMPARE(expire(c, NewExpiry::never())->outcome, ChangeOutcome::Changed);
        QVERIFY(left("c") > 0);
        QCOMPARE(undone(a, longer->after), ChangeOutcome::Done);
        QVERIFY(left("a") <= 60'000);
    }

    void deletedKey_canBePutBack_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QList<QByteArray>>("write");
        QTest::addRow("stuck lock") << QByteArray("k") << QList<QByteArray> {"SET", "k", "locking"};
        QTest::addRow("lease") << QByteArray("k") << QList<QByteArray> {"SET", "k", "token", "PX", "60000"};
        QTest::addRow("binary") << binaryKey
                                << QList<QByteArray> {"SET", binaryKey, QByteArray("\0\xff\r\n", 4), "PX", "60000"};
        QTest::addRow("empty key") << QByteArray("") << QList<QByteArray> {"SET", "", "v"};
        QTest::addRow("hash") << QByteArray("k") << QList<QByteArray> {"HSET", "k", "owner:1", "1", "f", "w"};
        QTest::addRow("stream") << QByteArray("k") << QList<QByteArray> {"XADD", "k", "1-1", "f", "v"};
        QTest::addRow("large") << QByteArray("k") << QList<QByteArray> {"SET", "k", QByteArray(900'000, 'x')};
    }
    void deletedKey_canBePutBack()
    {
        QFETCH(QByteArray, key);
        QFETCH(QList<QByteArray>, write);
        QVERIFY(!send(write).isError());
        const qint64 before = end(key);
        const QByteArray dump = redis({"DUMP", key}).bytes();
        const KeySnapshot shown = snapshot(key);
        QVERIFY(shown.isRestorable());
        const ChangeResult removed = remove(shown);
        QCOMPARE(removed.outcome, ChangeOutcome::Done);
        QVERIFY(!removed.after.exists());
        QVERIFY(redis({"EXISTS", key}).isInteger(0));
        QCOMPARE(undone(shown, removed.after), ChangeOutcome::Done);
        QCOMPARE(redis({"DUMP", key}).bytes(), dump);
        QCOMPARE(end(key), before);
        QVERIFY(snapshot(key).agreesWith(shown));
    }

    void valueOverAMebibyte_isNotKept()
    {
        QByteArray incompressible(KeySnapshot::maxDumpBytes + 1, '\0');
        QRandomGenerator generator(1);
        for (char &byte : incompressible)
            byte = static_cast<char>(generator.bounded(256));
        QVERIFY(redis({"SET", "k", incompressible}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(shown.isWhole());
        QVERIFY(!shown.isRestorable());
    }

    void keyOfAnotherClient_isNotPutBack()
    {
        QVERIFY(redis({"SET", "k", "ann", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const ChangeResult removed = remove(shown);
        QVERIFY(redis({"SET", "k", "bob", "PX", "60000"}).isOk());
        QCOMPARE(undone(shown, removed.after), ChangeOutcome::Taken);
        QVERIFY(redis({"GET", "k"}).isBulk("bob"));
    }

    void expiredKey_isNotPutBack()
    {
        QVERIFY(redis({"SET", "k", "ann", "PX", "200"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const ChangeResult removed = remove(shown);
        QCOMPARE(removed.outcome, ChangeOutcome::Done);
        LATCHKEY_AWAIT(shown.deadline.hasPassed(driver->clock().now()));
        QCOMPARE(undone(shown, removed.after), ChangeOutcome::TooLate);
        QVERIFY(redis({"EXISTS", "k"}).isInteger(0));
    }

    void deniedRestore_isATypedError()
    {
        QVERIFY(redis({"SET", "k", "v"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const ChangeResult removed = remove(shown);
        QVERIFY(redis({"ACL", "SETUSER", "default", "-restore"}).isOk());
        const auto denied = driver->run(undo(shown, removed.after));
        QVERIFY(!denied);
        QCOMPARE(denied.error().kind, base::ErrorKind::PermissionDenied);
    }

    void changedEnd_isSetBack()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        for (const NewExpiry &wanted : {NewExpiry::in(lease(300s)), NewExpiry::never()}) {
            const qint64 before = end("k");
            const KeySnapshot shown = snapshot("k");
            const auto acted = expire(shown, wanted);
            QVERIFY(end("k") != before);
            QCOMPARE(undone(shown, acted->after), ChangeOutcome::Done);
            QCOMPARE(end("k"), before);
        }
        QVERIFY(redis({"PERSIST", "k"}).isInteger(1));
        const KeySnapshot forever = snapshot("k");
        const auto acted = expire(forever, NewExpiry::in(lease(300s)));
        QCOMPARE(undone(forever, acted->after), ChangeOutcome::Done);
        QCOMPARE(left("k"), -1);
    }

    void endThatWasChangedSince_isNotSetBack_data() { changedKey_isUnchanged_data(); }
    void endThatWasChangedSince_isNotSetBack()
    {
        QFETCH(QList<QByteArray>, change);
        QVERIFY(redis({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const auto acted = expire(shown, NewExpiry::in(lease(300s)));
        QVERIFY(!send(change).isError());
        const qint64 before = end("k");
        QTEST(undone(shown, acted->after), "outcome");
        QCOMPARE(end("k"), before);
    }

    void oldEndThatHasPassed_isNotSetBack()
    {
        QVERIFY(redis({"SET", "k", "token", "PX", "300"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const auto acted = expire(shown, NewExpiry::never());
        QCOMPARE(acted->outcome, ChangeOutcome::Done);
        LATCHKEY_AWAIT(shown.deadline.hasPassed(driver->clock().now()));
        QCOMPARE(undone(shown, acted->after), ChangeOutcome::TooLate);
        QCOMPARE(left("k"), -1);
    }
};

LATCHKEY_TEST(TestGuardedActs)

} // namespace tst_conditionalchanges

#include "tst_conditionalchanges.moc"
