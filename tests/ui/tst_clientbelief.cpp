#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"
#include "ui/pages/playground/clientbelief.h"

#include <QTest>

namespace tst_clientbelief {

using namespace latchkey;
using namespace latchkey::ui::playground;
using base::Deadline;
using base::SystemClock;
using playground::ClientPool;
using playground::ClientProcess;
using State = ClientProcess::State;
using Tone = ui::widgets::Pill::Tone;
using namespace std::chrono_literals;

/// Tests of the texts for real clients with a simulated server state, in all combinations.
class TestClientBelief final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<ClientPool> clientPool;
    ClientProcess *client = nullptr;

    void acquire(const char *recipe)
    {
        locks::LockOptions options;
        options.key = base::Key("k");
        client->acquire(QString::fromLatin1(recipe), options);
        LATCHKEY_AWAIT(client->state() == State::Holding);
    }
    static base::MonotonicTime now() { return SystemClock::instance().now(); }
    static KeyServerState held(const QByteArray &value, const QString &holder = {}, bool isHolderAlive = true)
    {
        return {true, true, Deadline(now() + 59500ms, 1ms), value, holder, isHolderAlive};
    }
    static KeyServerState absent() { return {true, false, Deadline::never(), {}, {}, true}; }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        clientPool = std::make_unique<ClientPool>(QStringLiteral(LATCHKEY_CLI), SystemClock::instance());
        clientPool->setServer(server->endpoint());
        client = &clientPool->add();
        LATCHKEY_AWAIT(client->state() == State::Idle);
    }
    void cleanup()
    {
        clientPool.reset();
        server.reset();
    }

    void idleClient_believesNothing()
    {
        const BeliefView view = describe(*client, absent(), now());
        QCOMPARE(view.state, QStringLiteral("idle"));
        QCOMPARE(view.belief, QStringLiteral("holds no lock"));
        QCOMPARE(view.truth, QStringLiteral("the key does not exist"));
        QVERIFY(!view.isConflict());
    }

    void holder_agreesWithTheServer()
    {
        acquire("token");
        const BeliefView view = describe(*client, held(client->hold()->token.bytes(), client->name()), now());
        QCOMPARE(view.stateTone, Tone::Good);
        QVERIFY2(view.belief.startsWith(QStringLiteral("holds it, 2")), qPrintable(view.belief));
        QVERIFY2(view.truth.startsWith(QStringLiteral("held by this client, for 59")), qPrintable(view.truth));
        QCOMPARE(view.truthTone, Tone::Good);
    }

    void holderOfAGoneLock_isWrong()
    {
        acquire("token");
        QVERIFY(describe(*client, absent(), now() + maxReadAge).isConflict());
    }

    void newHolder_isNoConflictWithAnOlderRead()
    {
        acquire("token");
        const auto since = client->hold()->since;
        for (const KeyServerState &older : {absent(), held("of the one before", QStringLiteral("client 7"))}) {
            const BeliefView view = describe(*client, older, since + maxReadAge - 1ms);
            QVERIFY(!view.isConflict());
            QCOMPARE(view.truth, QStringLiteral("requesting…"));
            QVERIFY(describe(*client, older, since + maxReadAge).isConflict());
        }
        // An extension does not make the hold new.
        client->extend(base::Lease::of(1min).value());
        LATCHKEY_AWAIT(client->lastReport()->event == playground::ClientReport::Event::Extended);
        QCOMPARE(client->hold()->since, since);
    }

    void holderOfAnothersLock_isWrong()
    {
        acquire("token");
        const BeliefView view = describe(*client, held("other", QStringLiteral("client 7")), now() + maxReadAge);
        QVERIFY(view.isConflict());
        QVERIFY2(view.truth.startsWith(QStringLiteral("held by client 7, ")), qPrintable(view.truth));
    }

    void holderPastItsLease_isMarked()
    {
        acquire("token");
        const BeliefView view = describe(*client, held("other"), client->hold()->validUntil + 1500ms);
        QCOMPARE(view.belief, QStringLiteral("holds it, but the lease ended 1.500 s ago"));
    }

    void constantValue_provesNothing()
    {
        acquire("basic");
        const BeliefView view = describe(*client, held("locking"), now());
        QCOMPARE(view.belief, QStringLiteral("holds it, without a lease"));
        QVERIFY2(view.truth.endsWith(QStringLiteral("holder not recorded")), qPrintable(view.truth));
        QCOMPARE(view.truthTone, Tone::Neutral);
    }

    void valueThatMayNotBeRead_isNoMissingHolder()
    {
        acquire("token");
        KeyServerState state = held({});
        state.valueRefusal = base::Error {base::ErrorKind::PermissionDenied, QStringLiteral("NOPERM for GET")};
        for (const bool isDead : {false, true}) {
            const BeliefView view = describe(*client, state, now() + maxReadAge);
            QVERIFY2(view.truth.startsWith(QStringLiteral("held, for 5"))
                         && view.truth.endsWith(QStringLiteral("; the holder cannot be read: NOPERM for GET")),
                     qPrintable(view.truth));
            QCOMPARE(view.truthTone, Tone::Warning);
            if (!isDead)
                client->crash();
            LATCHKEY_AWAIT(client->state() == State::Dead);
        }
    }

    void ownDeadlineInTheValue_isItsOwn()
    {
        acquire("timestamp-getset");
        const BeliefView view = describe(*client, held(client->hold()->token.bytes()), now());
        QVERIFY2(view.truth.startsWith(QStringLiteral("held by this client, ")), qPrintable(view.truth));
        QCOMPARE(view.truthTone, Tone::Good);
        const QString said = reportText(*client->lastReport(), QStringLiteral("timestamp-getset"));
        QVERIFY2(said.startsWith(QStringLiteral("Acquired; the deadline in the lock is ")), qPrintable(said));
    }

    void anotherDeadlineInTheValue_provesNothing()
    {
        acquire("timestamp-getset");
        const BeliefView view = describe(*client, held("1750000000"), now()); // A contender has moved the deadline.
        QVERIFY2(view.truth.endsWith(QStringLiteral("holder not recorded")), qPrintable(view.truth));
        QVERIFY(!view.isConflict());
    }

    void deadHolder_leavesItsLockBehind()
    {
        acquire("token");
        const auto token = client->hold()->token;
        client->crash();
        LATCHKEY_AWAIT(client->state() == State::Dead);
        const BeliefView view = describe(*client, held(token.bytes()), now());
        QCOMPARE(view.state, QStringLiteral("crashed"));
        QVERIFY2(view.truth.startsWith(QStringLiteral("still held by this client, for ")), qPrintable(view.truth));
        QCOMPARE(view.truthTone, Tone::Warning);
        QVERIFY(!describe(*client, held("other", QStringLiteral("client 2")), now()).isConflict());
        QCOMPARE(describe(*client, absent(), now()).truthTone, Tone::Neutral);
    }

    void deadClient_isNamedAsTheOwnerOfWhatItLeft()
    {
        acquire("token");
        const auto token = client->hold()->token;
        ClientProcess &waiting = clientPool->add();
        LATCHKEY_AWAIT(waiting.state() == State::Idle);
        keys::KeyStore store(SystemClock::instance());
        (void)store.observe("k", Deadline(now() + 59500ms, 1ms), now());
        store.observeType("k", keys::KeyType::String);
        store.observeValue("k", {keys::KeyType::String, token.bytes().size(), {token.bytes()}});
        (void)store.commit();
        QVERIFY(serverStateOf(store, base::Key("k"), *clientPool).isHolderAlive);
        const QString name = client->name();
        client->crash();
        LATCHKEY_AWAIT(client->state() == State::Dead);
        for (const bool isRemoved : {false, true}) {
            if (isRemoved)
                clientPool->remove(*client);
            const BeliefView view = describe(waiting, serverStateOf(store, base::Key("k"), *clientPool), now());
            QVERIFY2(view.truth.startsWith(QStringLiteral("held by %1, which has crashed, for 59").arg(name)),
                     qPrintable(view.truth));
            QCOMPARE(view.truthTone, Tone::Warning);
        }
    }

    void fencingNumber_isShownForAsLongAsTheLockIsHeld()
    {
        acquire("fenced");
        QCOMPARE(client->hold()->fencing, std::optional<qint64>(1));
        const BeliefView view = describe(*client, held(client->hold()->token.bytes()), now());
        QVERIFY2(view.belief.endsWith(QStringLiteral(", with fencing number 1")), qPrintable(view.belief));
        const QString said = reportText(*client->lastReport(), QStringLiteral("fenced"));
        QVERIFY2(said.endsWith(QStringLiteral("The fencing number is 1.")), qPrintable(said));
    }

    void renewingHolderWhoLostItsLock_knowsIt()
    {
        locks::LockOptions options;
        options.key = base::Key("k");
        options.lease = base::Lease::of(400ms).value();
        client->acquire(QStringLiteral("renewing"), options);
        LATCHKEY_AWAIT(client->state() == State::Holding);
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        LATCHKEY_AWAIT(client->state() == State::Idle);
        const BeliefView view = describe(*client, held("other"), now());
        QCOMPARE(view.belief, QStringLiteral("it has lost the lock: another client holds it"));
        QVERIFY2(!view.isConflict(), "it is right about that");

        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        acquire("basic");
        QCOMPARE(describe(*client, held("locking"), now()).belief, QStringLiteral("holds it, without a lease"));
    }

    void pausedHolder_isMarkedAndStillBelieves()
    {
        acquire("token");
        client->pause();
        const BeliefView view = describe(*client, absent(), now() + maxReadAge);
        QCOMPARE(view.state, QStringLiteral("paused"));
        QVERIFY(view.isConflict());
        client->resume();
    }

    void unknownTruth_isNoVerdict()
    {
        acquire("token");
        const BeliefView view = describe(*client, KeyServerState(), now());
        QCOMPARE(view.truth, QStringLiteral("not requested yet"));
        QCOMPARE(view.truthTone, Tone::Neutral);
    }
};

LATCHKEY_TEST(TestClientBelief)

} // namespace tst_clientbelief

#include "tst_clientbelief.moc"
