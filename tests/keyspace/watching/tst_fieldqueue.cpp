#include "core/inspect/inspection/keystoreupdater.h"
#include "core/keyspace/watching/serverwatcher.h"
#include "tests/support/await.h"
#include "tests/support/fieldlifetimes.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_fieldqueue {

using namespace latchkey;
using namespace latchkey::events;
using namespace latchkey::watching;
using base::SystemClock;
using keys::KeyStore;
using keys::KeyType;
using Phase = Watcher::Phase;
using namespace std::chrono_literals;

/// Tests of the watcher's choice of hashes for reading field lifetimes, on a real server.
class TestFieldQueue final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<net::Session> session;
    std::unique_ptr<KeyStore> store;
    std::unique_ptr<inspection::KeyStoreUpdater> feed;
    std::unique_ptr<ObservationDispatcher> dispatcher;
    std::unique_ptr<ServerWatcher> watcher;
    QList<QByteArray> asked; ///< Keys of all HPTTL commands.

    void watch(const net::Endpoint &endpoint)
    {
        session = std::make_unique<net::Session>(endpoint, SystemClock::instance(), random);
        session->setCommandFilter([this](const resp::Command &command) -> std::optional<base::Error> {
            if (command.name() == "HPTTL")
                asked += command.words()[1];
            return std::nullopt;
        });
        store = std::make_unique<KeyStore>(SystemClock::instance());
        feed = std::make_unique<inspection::KeyStoreUpdater>(*store);
        dispatcher = std::make_unique<ObservationDispatcher>();
        watcher = std::make_unique<ServerWatcher>(*session, store->known(), *dispatcher, SystemClock::instance());
        dispatcher->addFirst(*feed);
        connect(watcher.get(), &Watcher::ticked, watcher.get(), [this] { (void)store->commit(); });
        session->start();
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
    }
    [[nodiscard]] std::optional<keys::KeyId> find(const QByteArray &key) const
    {
        return store->known().table.find(key);
    }
    [[nodiscard]] const keys::FieldDeadlines *ends(const QByteArray &key) const
    {
        const auto id = find(key);
        return id ? store->known().fieldEndsOf(*id) : nullptr;
    }
    void show(const QByteArray &key)
    {
        LATCHKEY_AWAIT(find(key).has_value());
        watcher->setVisibleKeys({*find(key)});
    }
    [[nodiscard]] bool isRead(const QByteArray &key) const
    {
        return find(key) && store->known().value(*find(key)) != nullptr;
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        asked.clear();
    }
    void cleanup()
    {
        watcher.reset();
        dispatcher.reset();
        feed.reset();
        store.reset();
        session.reset();
        server.reset();
    }

    /// The watcher asks once per connection, for a hash on screen.
    void serverWithoutTheCommand_isAskedOnce()
    {
        if (test::hasFieldLifetimes(*server))
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-hpttl"}).isOk());
        auto &s = *server;
        QVERIFY(!s({"HSET", "h", "a", "1"}).isError());
        QVERIFY(!s({"HSET", "other", "a", "1"}).isError());
        watch(server->endpoint());
        show("h");
        LATCHKEY_AWAIT(!asked.isEmpty());
        show("other"); // A hash new on screen is normally asked at once.
        LATCHKEY_AWAIT(isRead("other"));
        QVERIFY(!s({"HSET", "other", "b", "2"}).isError());
        LATCHKEY_AWAIT(store->known().value(*find("other"))->size == 2);
        QCOMPARE(asked, QList<QByteArray> {"h"});
        QVERIFY(ends("h") == nullptr);
    }

    void hashOnScreen_isAskedAndNoOther()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        auto &s = *server;
        for (const char *key : {"seen", "unseen"}) {
            QVERIFY(!s({"HSET", key, "a", "1", "b", "2"}).isError());
            QVERIFY(!s({"HPEXPIRE", key, "60000", "FIELDS", "1", "a"}).isError());
        }
        QVERIFY(s({"SET", "string", "v"}).isOk());
        watch(server->endpoint());
        LATCHKEY_AWAIT(find("seen") && find("unseen") && find("string"));
        watcher->setVisibleKeys({*find("seen"), *find("string")});
        LATCHKEY_AWAIT(ends("seen") != nullptr);
        LATCHKEY_AWAIT(isRead("string"));
        QVERIFY(!asked.contains("unseen") && !asked.contains("string"));
        QCOMPARE(ends("seen")->first.front().name, QByteArray("a"));
        QCOMPARE(store->persistentCount(), 3); // One of its fields has no expiry.
        QVERIFY(!s({"HPEXPIRE", "seen", "90000", "FIELDS", "1", "b"}).isError());
        LATCHKEY_AWAIT(ends("seen")->endingCount == 2); // The hash was asked again.
        QCOMPARE(store->persistentCount(), 2);
        QVERIFY(!s({"HPERSIST", "seen", "FIELDS", "2", "a", "b"}).isError());
        LATCHKEY_AWAIT(ends("seen") == nullptr);
        QCOMPARE(store->persistentCount(), 3);
        QVERIFY(!asked.contains("unseen"));
    }

    /// An ended field disappears from the known data soon, and the key disappears with its last field.
    void fieldThatEnds_isNoticed()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        auto &s = *server;
        QVERIFY(!s({"HSET", "h", "soon", "1", "later", "2"}).isError());
        QVERIFY(!s({"HPEXPIRE", "h", "1500", "FIELDS", "1", "soon"}).isError());
        QVERIFY(!s({"HPEXPIRE", "h", "3000", "FIELDS", "1", "later"}).isError());
        watch(server->endpoint());
        show("h");
        LATCHKEY_AWAIT(ends("h") != nullptr && ends("h")->first.front().name == "soon");
        LATCHKEY_AWAIT(ends("h") != nullptr && ends("h")->first.front().name == "later");
        LATCHKEY_AWAIT(!find("h").has_value());
    }

    /// Known data of a hash off screen does not stay outdated.
    void hashOffScreen_isNotOutdatedForLong()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        auto &s = *server;
        for (const char *key : {"h", "other"}) {
            QVERIFY(!s({"HSET", key, "a", "1", "b", "2"}).isError());
            QVERIFY(!s({"HPEXPIRE", key, "2000", "FIELDS", "1", "a"}).isError());
        }
        watch(server->endpoint());
        LATCHKEY_AWAIT(find("h") && find("other"));
        watcher->setVisibleKeys({*find("h"), *find("other")});
        LATCHKEY_AWAIT(ends("h") != nullptr && ends("other") != nullptr);
        watcher->setVisibleKeys({});
        QVERIFY(!s({"HPERSIST", "h", "FIELDS", "1", "a"}).isError());
        watcher->keysChanged({"h"}); // As an event does.
        LATCHKEY_AWAIT(ends("h") == nullptr);
        LATCHKEY_AWAIT(ends("other") == nullptr); // The only field with a lifetime has ended.
        QVERIFY(find("other"));
    }

    /// A hash with frequent writes is asked at a limited rate.
    void busyHash_isAskedTwiceASecondAtMost()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        auto &s = *server;
        QVERIFY(!s({"HSET", "h", "a", "1"}).isError());
        QVERIFY(!s({"HPEXPIRE", "h", "600000", "FIELDS", "1", "a"}).isError());
        watch(server->endpoint());
        show("h");
        LATCHKEY_AWAIT(ends("h") != nullptr);
        QTimer writer;
        connect(&writer, &QTimer::timeout, watcher.get(), [this] { watcher->keysChanged({"h"}); });
        writer.start(5ms);
        asked.clear();
        QElapsedTimer time;
        time.start();
        LATCHKEY_AWAIT(asked.size() >= 3);
        QVERIFY2(time.elapsed() >= 900,
                 qPrintable(QString::number(time.elapsed()))); // At least two intervals of half a second.
    }

    /// Unchanged results are neither passed on nor recorded.
    void unchangedResult_isNotDelivered()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        struct Listener final : ObservationListener
        {
            void observed(const Observations &observations) override
            {
                for (const Observation &observation : observations)
                    count += std::holds_alternative<FieldExpiries>(observation.content) ? 1 : 0;
            }
            void emptied(NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}
            int count = 0;
        };
        auto &s = *server;
        QVERIFY(!s({"HSET", "h", "a", "1"}).isError());
        QVERIFY(!s({"HPEXPIRE", "h", "600000", "FIELDS", "1", "a"}).isError());
        QVERIFY(!s({"HSET", "plain", "a", "1"}).isError());
        watch(server->endpoint());
        Listener listener;
        dispatcher->add(listener);
        LATCHKEY_AWAIT(find("h") && find("plain"));
        watcher->setVisibleKeys({*find("h"), *find("plain")});
        LATCHKEY_AWAIT(ends("h") != nullptr);
        QTimer writer;
        connect(&writer, &QTimer::timeout, watcher.get(), [this] { watcher->keysChanged({"h", "plain"}); });
        writer.start(50ms);
        asked.clear();
        LATCHKEY_AWAIT(asked.count("h") >= 4 && asked.count("plain") >= 4);
        // One initial result, and at most a few results of much better precision.
        QVERIFY2(listener.count <= 3, qPrintable(QString::number(listener.count)));
        dispatcher->remove(listener);
    }

    /// A hash in the same batch as one with too large a reply is automatically asked again.
    void hashBesideATooLargeOne_isStillReported()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        auto &s = *server;
        QVERIFY(!s({"EVAL", "return redis.call('HSET', 'large', string.rep('x', 70000000), '1')", "0"}).isError());
        QVERIFY(!s({"HSET", "small", "a", "1"}).isError());
        QVERIFY(!s({"HPEXPIRE", "small", "600000", "FIELDS", "1", "a"}).isError());
        watch(server->endpoint());
        int losses = 0;
        connect(session.get(), &net::Session::stateChanged, watcher.get(),
                [&](net::Session::State state) { losses += state == net::Session::State::Waiting ? 1 : 0; });
        LATCHKEY_AWAIT(find("large") && find("small"));
        watcher->setVisibleKeys({*find("large"), *find("small")});
        LATCHKEY_AWAIT(losses == 2);
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        const auto before = asked.count("small");
        LATCHKEY_AWAIT(ends("small") != nullptr && asked.count("small") > before);
        QCOMPARE(losses, 2); // The large hash is never asked again.
    }

    /// One reply that exceeds the limit costs one connection. The watcher does not request a second one.
    void hashWithLargeNames_costsOneConnection()
    {
        LATCHKEY_NEED_FIELD_LIFETIMES(*server);
        auto &s = *server;
        QVERIFY(!s({"EVAL", "return redis.call('HSET', 'large', string.rep('x', 70000000), '1')", "0"}).isError());
        QVERIFY(!s({"HSET", "small", "a", "1"}).isError());
        watch(server->endpoint());
        int losses = 0;
        connect(session.get(), &net::Session::stateChanged, watcher.get(),
                [&](net::Session::State state) { losses += state == net::Session::State::Waiting ? 1 : 0; });
        show("large");
        LATCHKEY_AWAIT(losses == 1);
        LATCHKEY_AWAIT(watcher->phase() == Phase::Watching);
        watcher->setVisibleKeys({*find("large"), *find("small")});
        LATCHKEY_AWAIT(asked.count("small") >= 2); // First to detect the command, then for the hash's field.
        QCOMPARE(asked.count("large"), 1);
        QCOMPARE(losses, 1);
    }
};

LATCHKEY_TEST(TestFieldQueue)

} // namespace tst_fieldqueue

#include "tst_fieldqueue.moc"
