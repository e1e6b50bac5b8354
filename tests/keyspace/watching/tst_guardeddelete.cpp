#include "core/keyspace/watching/conditionalchanges.h"
#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_guardeddelete {

using namespace latchkey;
using namespace latchkey::watching;
using base::Key;
using exchange::BlockingDriver;
using namespace std::chrono_literals;

namespace {

exchange::Exchange<resp::Reply> one(exchange::Request request)
{
    const resp::Reply reply = co_await std::move(request);
    co_return reply;
}

} // namespace

class TestGuardedDelete final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<BlockingDriver> driver;

    KeySnapshot snapshot(const QByteArray &key) { return driver->run(takeSnapshot(Key(key))).value(); }
    ChangeOutcome remove(const KeySnapshot &shown) { return driver->run(deleteIfUnchanged(shown)).value().outcome; }

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
        QVERIFY((*server)({"ACL", "SETUSER", "default", areScriptsAllowed ? "+@scripting" : "-@scripting"}).isOk());
    }
    void cleanup() { QVERIFY((*server)({"FLUSHALL"}).isOk()); }

    void unchangedKey_isDeleted_data()
    {
        QTest::addColumn<QList<QByteArray>>("write");
        QTest::addRow("stuck lock") << QList<QByteArray> {"SET", "k", "locking"};
        QTest::addRow("lock with a lease") << QList<QByteArray> {"SET", "k", "token", "PX", "60000"};
        QTest::addRow("binary value") << QList<QByteArray> {"SET", "k", QByteArray("\0\xff", 2)};
        QTest::addRow("large value") << QList<QByteArray> {"SET", "k", QByteArray(1'000'000, 'x')};
        QTest::addRow("hash") << QList<QByteArray> {"HSET", "k", "owner:1", "1"};
        QTest::addRow("list") << QList<QByteArray> {"RPUSH", "k", "a", "b"};
    }
    void unchangedKey_isDeleted()
    {
        QFETCH(QList<QByteArray>, write);
        auto &s = *server;
        resp::Command command;
        for (const QByteArray &word : write)
            command << word;
        LATCHKEY_VERIFY_RESULT(driver->run(one(exchange::Request(command))));
        const KeySnapshot shown = snapshot("k");
        QVERIFY(shown.exists());
        QCOMPARE(remove(shown), ChangeOutcome::Done);
        QVERIFY(s({"EXISTS", "k"}).isInteger(0));
    }

    void changedKey_isUnchanged_data()
    {
        QTest::addColumn<QList<QByteArray>>("change");
        QTest::addRow("another holder") << QList<QByteArray> {"SET", "k", "other", "PX", "60000"};
        QTest::addRow("same value, no expiry") << QList<QByteArray> {"SET", "k", "token"};
        QTest::addRow("extended") << QList<QByteArray> {"PEXPIRE", "k", "90000"};
        QTest::addRow("shortened") << QList<QByteArray> {"PEXPIRE", "k", "30000"};
        QTest::addRow("longer value") << QList<QByteArray> {"APPEND", "k", "x"};
    }
    void changedKey_isUnchanged()
    {
        QFETCH(QList<QByteArray>, change);
        auto &s = *server;
        QVERIFY(s({"SET", "k", "token", "PX", "60000"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const auto changed = change.size() == 3 ? s({change[0], change[1], change[2]})
                                                : s({change[0], change[1], change[2], change[3], change[4]});
        QVERIFY(!changed.isError());
        QCOMPARE(remove(shown), ChangeOutcome::Changed);
        QVERIFY(s({"EXISTS", "k"}).isInteger(1));
        // The connection is ready for the next transaction: no key is watched.
        QVERIFY(s({"SET", "other", "v"}).isOk());
        QCOMPARE(remove(snapshot("other")), ChangeOutcome::Done);
    }

    /// Values outside of every preview are compared too.
    void changeOutsideThePreview_isDetected_data()
    {
        QTest::addColumn<QList<QByteArray>>("write");
        QTest::addColumn<QList<QByteArray>>("change");
        QTest::addRow("end of a large string")
            << QList<QByteArray> {"SETRANGE", "k", "199999", "x"} << QList<QByteArray> {"SETRANGE", "k", "199999", "y"};
        QList<QByteArray> hash {"HSET", "k"};
        QList<QByteArray> list {"RPUSH", "k"};
        for (int i = 0; i < 1000; ++i) {
            hash << "field" + QByteArray::number(i) << "value";
            list << "element" + QByteArray::number(i);
        }
        QTest::addRow("field of a hash") << hash << QList<QByteArray> {"HSET", "k", "field900", "other"};
        QTest::addRow("element of a list") << list << QList<QByteArray> {"LSET", "k", "900", "other"};
        QTest::addRow("entry of a stream")
            << QList<QByteArray> {"XADD", "k", "1-1", "f", "v"} << QList<QByteArray> {"XSETID", "k", "9-9"};
    }
    void changeOutsideThePreview_isDetected()
    {
        QFETCH(QList<QByteArray>, write);
        QFETCH(QList<QByteArray>, change);
        const auto ask = [this](const QList<QByteArray> &words) {
            resp::Command command;
            for (const QByteArray &word : words)
                command << word;
            return driver->run(one(exchange::Request(command)));
        };
        LATCHKEY_VERIFY_RESULT(ask(write));
        const KeySnapshot shown = snapshot("k");
        QVERIFY(shown.isWhole());
        LATCHKEY_VERIFY_RESULT(ask(change));
        QCOMPARE(remove(shown), ChangeOutcome::Changed);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
        QCOMPARE(remove(snapshot("k")), ChangeOutcome::Done);
    }

    void veryLargeValue_isNotReadWhole()
    {
        QVERIFY((*server)({"SETRANGE", "k", "33554431", "x"}).isInteger());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(!shown.isWhole());
        QCOMPARE(remove(shown), ChangeOutcome::Done);
    }

    void deniedDump_leavesThePreviewToCompare()
    {
        auto &s = *server;
        QVERIFY(s({"HSET", "k", "f", "v"}).isInteger(1));
        QVERIFY(s({"ACL", "SETUSER", "default", "-dump"}).isOk());
        const KeySnapshot shown = snapshot("k");
        const bool isWhole = shown.isWhole();
        const ChangeOutcome outcome = remove(shown);
        QVERIFY(s({"ACL", "SETUSER", "default", "+dump"}).isOk());
        QVERIFY(!isWhole);
        QCOMPARE(outcome, ChangeOutcome::Done);
    }

    void endedKey_isReportedAsGone()
    {
        QVERIFY((*server)({"SET", "k", "token"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(remove(shown), ChangeOutcome::Gone);
    }

    void absentKey_hasAnEmptySnapshot() { QVERIFY(!snapshot("absent").exists()); }

    void deniedDelete_isATypedError()
    {
        auto &s = *server;
        QVERIFY(s({"SET", "k", "v"}).isOk());
        const KeySnapshot shown = snapshot("k");
        QVERIFY(s({"ACL", "SETUSER", "default", "-del"}).isOk());
        const auto outcome = driver->run(deleteIfUnchanged(shown));
        QVERIFY(s({"ACL", "SETUSER", "default", "+del"}).isOk());
        QVERIFY(!outcome);
        QCOMPARE(outcome.error().kind, base::ErrorKind::PermissionDenied);
        QVERIFY(s({"EXISTS", "k"}).isInteger(1));
    }
};

LATCHKEY_TEST(TestGuardedDelete)

} // namespace tst_guardeddelete

#include "tst_guardeddelete.moc"
