#include "core/inspection/serverregistry.h"
#include "core/rows/rowlist.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testserver.h"

#include <QTest>

using namespace latchkey;
using namespace latchkey::inspection;
using base::Key;
using base::SystemClock;
using keyspace::DeleteOutcome;
using keyspace::Happening;
using keyspace::KeySnapshot;
using keyspace::Watcher;
using namespace std::chrono_literals;

class TestInspectedServer final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<ServerRegistry> registry;
    std::shared_ptr<InspectedServer> inspected;

    base::Result<KeySnapshot> snapshot(const QByteArray &key)
    {
        std::optional<base::Result<KeySnapshot>> found;
        inspected->takeSnapshot(Key(key), [&](base::Result<KeySnapshot> taken) { found = std::move(taken); });
        if (!QTest::qWaitFor([&] { return found.has_value(); }, 30'000))
            qFatal("no snapshot was taken");
        return *found;
    }
    base::Result<DeleteOutcome> remove(const KeySnapshot &shown)
    {
        std::optional<base::Result<DeleteOutcome>> outcome;
        inspected->deleteIfUnchanged(shown, [&](base::Result<DeleteOutcome> done) { outcome = std::move(done); });
        if (!QTest::qWaitFor([&] { return outcome.has_value(); }, 30'000))
            qFatal("nothing became of the delete");
        return *outcome;
    }
    bool isKnown(const QByteArray &key) const { return inspected->store().known().table.find(key).has_value(); }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        registry = std::make_unique<ServerRegistry>(SystemClock::instance(), random);
        inspected = registry->open(server->endpoint(), false);
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
    }
    void cleanup()
    {
        inspected.reset();
        registry.reset();
        server.reset();
    }

    void serverThatIsOpen_isWatchedOnce()
    {
        QCOMPARE(registry->open(server->endpoint(), false), inspected);
        resp::Endpoint other = server->endpoint();
        other.database = 3;
        const auto another = registry->open(other, false);
        QVERIFY(another != inspected);
        const InspectedServer *old = inspected.get();
        const QPointer<InspectedServer> released(inspected.get());
        inspected.reset();
        LATCHKEY_AWAIT(!released);
        inspected = registry->open(server->endpoint(), false);
        QVERIFY(inspected.get() != old || !released);
    }

    void everyPage_hasItsAttention()
    {
        for (const char *key : {"a", "b", "c"})
            QVERIFY((*server)({"SET", key, "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("a") && isKnown("b") && isKnown("c"));
        const auto &known = inspected->store().known();
        const auto hasValue = [&](const char *key) { return known.value(*known.table.find(key)) != nullptr; };
        QObject page;
        auto other = std::make_unique<QObject>();
        inspected->setAttention(page, {*known.table.find("a")});
        inspected->setAttention(*other, {*known.table.find("b")});
        LATCHKEY_AWAIT(hasValue("a") && hasValue("b"));
        QVERIFY(!hasValue("c"));
        other.reset(); // A page that is gone looks at nothing.
        QVERIFY((*server)({"SET", "a", "w", "KEEPTTL"}).isOk());
        LATCHKEY_AWAIT(known.value(*known.table.find("a"))->bytes() == "w");
    }

    void withoutArming_nothingIsDeleted()
    {
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        const auto outcome = remove(snapshot("k").value());
        QVERIFY(!outcome);
        QCOMPARE(outcome.error().kind, base::ErrorKind::Usage);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
    }

    /// What we have done ourselves need not be found out.
    void ownDelete_isKnownAtOnce()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("k"));
        inspected->watcher().setPaused(true);
        inspected->setArmed(true);
        const auto shown = snapshot("k");
        QVERIFY(shown.has_value());
        QCOMPARE(remove(*shown).value(), DeleteOutcome::Deleted);
        LATCHKEY_AWAIT(!isKnown("k"));
    }

    /// Eight megabytes travel over a line of their own, and the watching goes on beside them.
    void largeValue_isReadBesideTheWatching()
    {
        QVERIFY((*server)({"SETRANGE", "big", "8000000", "x"}).isInteger());
        const resp::Connection *watching = inspected->session().connection();
        const quint64 before = inspected->session().commandsSent();
        const auto shown = snapshot("big");
        QVERIFY(shown.has_value());
        QVERIFY(shown->isWhole());
        QCOMPARE(inspected->session().connection(), watching);
        QVERIFY2(inspected->session().commandsSent() - before < 2000, "it went over another session");
        inspected->setArmed(true);
        QCOMPARE(remove(*shown).value(), DeleteOutcome::Deleted);
        QVERIFY(inspected->commandsSent() > inspected->session().commandsSent());
    }

    /// A server without memory queues nothing behind MULTI, and still has to let a person make room.
    void fullServer_letsKeysBeDeleted()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "600000"}).isOk());
        QVERIFY(!(*server)({"RPUSH", "list", "a", "b"}).isError());
        QVERIFY((*server)({"SET", "other", "v"}).isOk());
        inspected->setArmed(true);
        const auto string = snapshot("k");
        const auto list = snapshot("list");
        const auto other = snapshot("other");
        QVERIFY((*server)({"SET", "other", "w"}).isOk());
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "1"}).isOk());
        QVERIFY((*server)({"SET", "x", "y"}).isError());
        QCOMPARE(remove(string.value()).value(), DeleteOutcome::Deleted);
        QCOMPARE(remove(list.value()).value(), DeleteOutcome::Deleted);
        QCOMPARE(remove(other.value()).value(), DeleteOutcome::Changed);
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "0"}).isOk());
        QVERIFY((*server)({"EXISTS", "k", "list"}).isInteger(0));
        QVERIFY((*server)({"EXISTS", "other"}).isInteger(1));
    }

    /// A look that fails leaves no WATCH behind, which would answer for the next delete.
    void deniedLook_doesNotSpoilTheNextDelete()
    {
        for (const char *key : {"a", "b"})
            QVERIFY((*server)({"SET", key, QByteArray(100'000, 'x')}).isOk());
        inspected->setArmed(true);
        const auto first = snapshot("a");
        const auto second = snapshot("b");
        LATCHKEY_AWAIT(remove(snapshot("missing").value()).has_value()); // The line is there.
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-strlen"}).isOk());
        QVERIFY(!remove(first.value()));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+strlen"}).isOk());
        QVERIFY((*server)({"SET", "a", "changed"}).isOk());
        QCOMPARE(remove(second.value()).value(), DeleteOutcome::Deleted);
    }

    void followedKey_isToldOf()
    {
        QList<Happening> told;
        inspected->ledger().follow("lock");
        connect(&inspected->ledger(), &keyspace::Ledger::happened, this,
                [&](const Happening &happening) { told += happening; });
        QVERIFY((*server)({"SET", "lock", "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("lock"));
        QVERIFY((*server)({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(!told.isEmpty());
        QCOMPARE(told.back().what, Happening::What::Ended);
        QCOMPARE(told.back().ending, keyspace::Ending::Removed);
    }
};

QTEST_GUILESS_MAIN(TestInspectedServer)
#include "tst_inspectedserver.moc"
