#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/watching/valuequeue.h"
#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_valuequeue {

using namespace latchkey;
using namespace latchkey::budget;
using namespace latchkey::events;
using namespace latchkey::watching;
using base::SystemClock;
using keys::KeyId;
using keys::KeyStore;
using keys::RawValue;
using net::Connection;
using namespace std::chrono_literals;

class TestValueQueue final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;
    std::unique_ptr<CommandBudget> budget;
    std::unique_ptr<ValueQueue> queue;

    QList<QByteArray> write(int count)
    {
        QList<QByteArray> names;
        for (int i = 0; i < count; ++i) {
            names += "k" + QByteArray::number(i);
            (void)(*server)({"SET", names.back(), "v" + QByteArray::number(i)});
            (void)store->observe(names.back(), base::Deadline::never(), SystemClock::instance().now());
        }
        commit();
        return names;
    }
    void commit()
    {
        while (store->commit()) {}
    }
    [[nodiscard]] qsizetype valuesKnown()
    {
        commit();
        return store->known().values.size();
    }
    void tick() { queue->tick(SystemClock::instance().now()); }
    /// Ticks like a watcher until `count` values are known.
    [[nodiscard]] bool reads(qsizetype count)
    {
        return QTest::qWaitFor([&] { return tick(), valuesKnown() >= count; }, 30'000);
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        store = std::make_unique<KeyStore>(SystemClock::instance());
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
        dispatcher = std::make_unique<ObservationDispatcher>();
        dispatcher->add(*feed);
        budget = std::make_unique<CommandBudget>(CommandLimit::ofRate(100'000), SystemClock::instance().now());
        queue = std::make_unique<ValueQueue>(store->known(), *dispatcher, *budget, SystemClock::instance());
        net::Dialer dialer(SystemClock::instance());
        dialer.dial(server->endpoint(), 30s, [this](base::Result<net::DialResult<Connection>> dialled) {
            LATCHKEY_VERIFY_RESULT(dialled);
            connection = std::move(dialled->connection);
        });
        LATCHKEY_AWAIT(connection);
        queue->setConnection(connection.get());
        queue->setStage(ValueQueue::Stage::Watching);
    }
    void cleanup()
    {
        queue.reset();
        budget.reset();
        dispatcher.reset();
        feed.reset();
        connection.reset();
        server.reset();
        store.reset();
    }

    void requestedValue_isReadWhileNoPageShowsIt()
    {
        const QList<QByteArray> names = write(450);
        queue->requestValues(names);
        QCOMPARE(queue->requests(), 450);
        QVERIFY(reads(450));
        LATCHKEY_AWAIT(queue->requests() == 0);
        const RawValue *value = store->known().value(*store->known().table.find("k449"));
        QVERIFY(value);
        QCOMPARE(value->bytes(), QByteArray("v449"));
    }

    void aKeyThatWaits_isNotRequestedTwice()
    {
        const QList<QByteArray> names = write(3);
        queue->requestValues(names);
        queue->requestValues(names);
        QCOMPARE(queue->requests(), 3);
        QVERIFY(reads(3));
        LATCHKEY_AWAIT(queue->requests() == 0);
        queue->requestValues(names); // The value was read before, so this is a new request.
        QCOMPARE(queue->requests(), 3);
    }

    void requests_keepWithinTheBudget()
    {
        budget->setLimit(CommandLimit::ofRate(1));
        (void)budget->available(SystemClock::instance().now());
        budget->spend({1000, 0});
        queue->requestValues(write(5));
        int ticks = 0;
        LATCHKEY_AWAIT((tick(), ++ticks > 50));
        QCOMPARE(valuesKnown(), 0);
        QCOMPARE(queue->requests(), 5);

        queue->exemptRequests();
        QVERIFY(reads(5));
        LATCHKEY_AWAIT(queue->requests() == 0);
        queue->markInitialRequestsComplete();
        tick(); // All requests are read, so the budget limits later ones again.
        queue->requestValues({"later"});
        tick();
        QCOMPARE(queue->requests(), 1);
    }

    void requests_waitForTheFirstScan()
    {
        queue->setStage(ValueQueue::Stage::Scanning);
        queue->exemptRequests();
        queue->requestValues(write(5));
        int ticks = 0;
        LATCHKEY_AWAIT((tick(), ++ticks > 50));
        QCOMPARE(queue->requests(), 5);
        queue->setStage(ValueQueue::Stage::Watching);
        QVERIFY(reads(5));
    }

    void visibleKeys_arePrioritised()
    {
        const QList<QByteArray> names = write(5000);
        const KeyId onScreen = *store->known().table.find("k4999");
        queue->setCompletion(ValueReader::Part::Values);
        queue->requestValues(names.mid(0, 4000));
        queue->setVisibleKeys({onScreen});
        LATCHKEY_AWAIT((tick(), commit(), store->known().value(onScreen)));
        QVERIFY2(store->known().values.size() < 4000, "it waited for all the others");
        // The value on screen is also read again while the other values are read continuously.
        const RawValue before = *store->known().value(onScreen);
        (void)(*server)({"SET", "k4999", "another"});
        LATCHKEY_AWAIT((tick(), commit(), !(*store->known().value(onScreen) == before)));
    }

    /// A key that was requested before the connection was lost is read after it, because it is not requested again.
    void requests_outliveTheConnection()
    {
        queue->requestValues(write(450));
        tick(); // The first batch is under way.
        queue->setConnection(nullptr);
        QCOMPARE(queue->requests(), 450);
        queue->readAtOnce("k0", Source::NotifiedRead);
        queue->readWaiting();
        tick();
        QCOMPARE(valuesKnown(), 0);
        queue->setConnection(connection.get());
        QVERIFY(reads(450));
        LATCHKEY_AWAIT(queue->requests() == 0);
    }

    /// Requested keys without value count as unread after a second. Keys that are to be read again do not.
    void unread_countsKeysWithoutValueThatWait()
    {
        const QList<QByteArray> names = write(5);
        queue->requestValues(names.mid(0, 2));
        QVERIFY(reads(2));
        LATCHKEY_AWAIT(queue->requests() == 0);
        budget->setLimit(CommandLimit::ofRate(1));
        (void)budget->available(SystemClock::instance().now());
        budget->spend({1000, 0});
        queue->requestValues(names);
        const auto requested = SystemClock::instance().now();
        QCOMPARE(queue->unread(requested), 0);
        QCOMPARE(queue->unread(requested + 2s), 3);
        queue->requestValues({"later", names.front()});
        QCOMPARE(queue->unread(requested + 2s), 3); // An unknown key, and one that waits already.
        queue->exemptRequests();
        QVERIFY(reads(5));
        LATCHKEY_AWAIT(queue->requests() == 0);
        QCOMPARE(queue->unread(requested + 2s), 0);
    }
};

LATCHKEY_TEST(TestValueQueue)

} // namespace tst_valuequeue

#include "tst_valuequeue.moc"
