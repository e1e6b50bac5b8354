#include "core/keyspace/watcher.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

using namespace latchkey;
using namespace latchkey::keyspace;
using base::SystemClock;
using keys::KeyRecord;
using keys::KeyState;
using keys::KeyType;
using resp::Session;
using rows::RowStore;
using Phase = Watcher::Phase;
using namespace std::chrono_literals;

class TestWatcher final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Session> session;
    std::unique_ptr<RowStore> store;
    std::unique_ptr<Watcher> watcher;

    std::optional<keys::KeyRecord> lease(const QByteArray &key) const
    {
        const auto id = store->table().find(key);
        return id ? std::optional(store->table().lease(*id)) : std::nullopt;
    }
    std::optional<KeyState> state(const QByteArray &key) const
    {
        const auto found = lease(key);
        return found ? std::optional(found->state) : std::nullopt;
    }
    void watch(const resp::Endpoint &endpoint)
    {
        session = std::make_unique<Session>(endpoint, SystemClock::instance(), random);
        store = std::make_unique<RowStore>(SystemClock::instance());
        watcher = std::make_unique<Watcher>(*session, *store, SystemClock::instance());
        session->start();
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        watcher.reset();
        store.reset();
        session.reset();
        server.reset();
    }

    void whatIsThere_isFoundAndWhatComesLaterToo()
    {
        QVERIFY((*server)({"SET", "early", "v", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 1);
        QVERIFY((*server)({"SET", "late", "v", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(store->rowCount() == 2);
        LATCHKEY_AWAIT(watcher->databaseSize() >= 1);
    }

    /// There is always more to ask of keys that end soon than the budget allows: that must not be all that is asked.
    void manyKeysNearTheirEnd_leaveRoomForTheRest()
    {
        for (int i = 0; i < 3000; ++i)
            QVERIFY((*server)({"SET", "k" + QByteArray::number(i), "v", "PX", QByteArray::number(60'000 + i)}).isOk());
        QVERIFY((*server)({"SET", "shown", "its value", "PX", "60000"}).isOk());
        watch(server->endpoint());
        watcher->setCommandsPerSecond(200);
        LATCHKEY_AWAIT(lease("shown"));
        const auto asked = session->commandsSent();
        LATCHKEY_AWAIT(session->commandsSent() > asked + 200); // What had been saved up is spent.
        const auto shown = *store->table().find("shown");
        watcher->setAttention({shown});
        QVERIFY((*server)({"SET", "new", "v", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(lease("new"));
        LATCHKEY_AWAIT(store->value(shown) != nullptr);
    }

    void releasedLock_goesAndSaysSo()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 1);
        QVERIFY((*server)({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(state("lock") == KeyState::Removed);
        LATCHKEY_AWAIT(store->rowCount() == 0);
    }

    void expiredLock_goesAndSaysSo()
    {
        store = std::make_unique<RowStore>(SystemClock::instance());
        QVERIFY((*server)({"SET", "lock", "v", "PX", "700"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(state("lock") == KeyState::Expired);
        LATCHKEY_AWAIT(!state("lock"));
    }

    void extendedLock_isFollowed()
    {
        QVERIFY((*server)({"SET", "lock", "v", "PX", "2000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(lease("lock"));
        const auto before = lease("lock")->deadline;
        QVERIFY((*server)({"PEXPIRE", "lock", "60000"}).isInteger(1));
        LATCHKEY_AWAIT(lease("lock")->deadline.at() > before.at() + 10s);
        QVERIFY((*server)({"PERSIST", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(lease("lock")->deadline.isNever());
        QCOMPARE(store->persistentCount(), qsizetype(1));
    }

    void flushedDatabase_emptiesTheTable()
    {
        for (int i = 0; i < 500; ++i)
            QVERIFY((*server)({"SET", "k" + QByteArray::number(i), "v"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 500);
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(store->liveCount() == 0);
        LATCHKEY_AWAIT(store->rowCount() == 0);
    }

    void valuesOnScreen_areReadAndFollowed()
    {
        QVERIFY((*server)({"SET", "lock", "holder-1", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "other", "unseen", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 2);
        const auto id = *store->table().find("lock");
        watcher->setAttention({id});
        LATCHKEY_AWAIT(store->value(id) && store->value(id)->text == "holder-1");
        QCOMPARE(store->table().type(id), KeyType::String);
        QVERIFY((*server)({"SET", "lock", "holder-2", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(store->value(id)->text == "holder-2");
        QVERIFY2(store->value(*store->table().find("other")) == nullptr, "nobody looks at it");
    }

    void completion_readsWhatSortingNeeds()
    {
        for (int i = 0; i < 2000; ++i)
            QVERIFY((*server)({"SET", "k" + QByteArray::number(i), QByteArray::number(9999 - i)}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 2000);
        store->setSortOrder({rows::SortColumn::Value, false});
        watcher->setCompletion(ValueReader::What::Values);
        LATCHKEY_AWAIT(store->leaseAt(0).key == base::Key("k1999") && store->leaseAt(1999).key == base::Key("k0"));
    }

    void budget_isKept()
    {
        // All of them end soon enough to be worth asking about more often than the budget allows.
        for (int i = 0; i < 3000; ++i)
            QVERIFY((*server)({"SET", "k" + QByteArray::number(i), "v", "PX", "14000"}).isOk());
        watch(server->endpoint());
        watcher->setCommandsPerSecond(200);
        LATCHKEY_AWAIT(store->rowCount() == 3000);
        const quint64 before = session->commandsSent();
        const auto start = SystemClock::instance().now();
        LATCHKEY_AWAIT(SystemClock::instance().now() > start + 3s);
        const std::chrono::duration<double> seconds = SystemClock::instance().now() - start;
        const double perSecond = static_cast<double>(session->commandsSent() - before) / seconds.count();
        // The session's own PING is not the watcher's; a tick may overdraw a little.
        QVERIFY2(perSecond < 230, qPrintable(QString::number(perSecond)));
        QVERIFY2(perSecond > 50, "it must be asking, else nothing is tested");
    }

    void paused_asksNothing()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "60000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 1);
        watcher->setPaused(true);
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QSignalSpy pings(session.get(), &Session::roundTripMeasured);
        LATCHKEY_AWAIT(pings.size() == 2);
        QCOMPARE(state("k"), std::optional(KeyState::Live));
        watcher->setPaused(false);
        LATCHKEY_AWAIT(state("k") != KeyState::Live);
    }

    void reconnect_keepsTheViewAndLooksAgain()
    {
        QVERIFY((*server)({"SET", "stays", "v", "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "goes", "v", "PX", "600000"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(store->rowCount() == 2);
        QSignalSpy phases(watcher.get(), &Watcher::phaseChanged);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        QVERIFY((*server)({"DEL", "goes"}).isInteger(1));
        LATCHKEY_AWAIT(watcher->phase() == Phase::Away);
        QCOMPARE(store->rowCount(), 2);
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        LATCHKEY_AWAIT(store->liveCount() == 1);
        QCOMPARE(state("stays"), std::optional(KeyState::Live));
    }

    void nothing_isEverWritten()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "60000"}).isOk());
        QVERIFY(!(*server)({"HSET", "h", "f", "v"}).isError());
        QVERIFY((*server)({"ACL", "SETUSER", "reader", "on", ">p", "~*", "+@read", "+@connection", "+info"}).isOk());
        resp::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("p");
        watch(endpoint);
        LATCHKEY_AWAIT(store->rowCount() == 2);
        std::vector<keys::KeyId> all {store->idAt(0), store->idAt(1)};
        watcher->setAttention(all);
        LATCHKEY_AWAIT(store->value(all[0]) && store->value(all[1]));
        const auto log = (*server)({"ACL", "LOG"}).elements();
        QVERIFY2(log.empty(), qPrintable(resp::Reply::array(log).toText()));
    }

    void deniedScan_isSaid()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-scan"}).isOk());
        session = std::make_unique<Session>(server->endpoint(), SystemClock::instance(), random);
        store = std::make_unique<RowStore>(SystemClock::instance());
        watcher = std::make_unique<Watcher>(*session, *store, SystemClock::instance());
        session->start();
        LATCHKEY_AWAIT(watcher->problem());
        QCOMPARE(watcher->problem()->kind, base::ErrorKind::PermissionDenied);
    }
};

QTEST_GUILESS_MAIN(TestWatcher)
#include "tst_watcher.moc"
