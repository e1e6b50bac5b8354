#include "core/inspect/inspection/serverregistry.h"
#include "core/keyspace/rows/rowlist.h"
#include "core/redis/resp/codec.h"
#include "tests/support/await.h"
#include "tests/support/fakeserver.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <algorithm>

namespace tst_inspectedserver {

using namespace latchkey;
using namespace latchkey::inspection;
using base::Key;
using base::SystemClock;
using events::KeyEvent;
using watching::ChangeOutcome;
using watching::ChangeResult;
using watching::KeySnapshot;
using watching::Watcher;
using namespace std::chrono_literals;

namespace {

/// Acts as a server of this version: accepts the login, permits or denies NO-TOUCH, and answers nothing else.
test::FakeServer::Behaviour serverOf(const QByteArray &version, bool permits, QByteArrayList &asked)
{
    return [=, &asked](QTcpSocket &client, const QByteArray &bytes) {
        resp::ReplyReader reader; // A command has the form of a reply: an array of bulk strings.
        resp::Replies commands;
        if (!reader.feed(bytes, commands))
            return;
        for (const resp::Reply &command : commands) {
            QByteArray words;
            for (const resp::Reply &word : command.elements())
                words += word.bytes() + ' ';
            asked += words.trimmed();
            const QByteArray info = "redis_version:" + version + "\r\n";
            if (words.startsWith("INFO"))
                client.write('$' + QByteArray::number(info.size()) + "\r\n" + info + "\r\n");
            else if (words.startsWith("CLIENT SETNAME") || (permits && words.startsWith("CLIENT NO-TOUCH")))
                client.write("+OK\r\n");
            else if (words.startsWith("PING"))
                client.write("+PONG\r\n");
            else
                client.write("-ERR unknown command\r\n");
        }
    };
}

} // namespace

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
        if (!test::waitFor([&] { return found.has_value(); }))
            qFatal("no snapshot was taken");
        return *found;
    }
    /// Returns the result of a change.
    base::Result<ChangeResult> resultOf(const std::function<void(KeyChangeQueue::Done)> &act)
    {
        std::optional<base::Result<ChangeResult>> result;
        act([&](const base::Result<ChangeResult> &done) { result = done; });
        if (!test::waitFor([&] { return result.has_value(); }))
            qFatal("nothing became of the act");
        return *result;
    }
    base::Result<ChangeOutcome> remove(const KeySnapshot &shown)
    {
        return resultOf([&](const KeyChangeQueue::Done &done) { inspected->deleteIfUnchanged(shown, done); })
            .map([](const ChangeResult &result) { return result.outcome; });
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

    /// Servers of such versions are not available everywhere, so a test double answers.
    void reads_doNotCountAsUse_withNoTouch_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<bool>("permits");
        QTest::addColumn<bool>("isAsked");
        QTest::addColumn<bool>("isNoTouchActive");
        QTest::addRow("from then on") << QByteArray("7.2.0") << true << true << true;
        QTest::addRow("later") << QByteArray("8.0.1") << true << true << true;
        QTest::addRow("cluster node") << QByteArray("8.0.2\r\nredis_mode:cluster") << true << false << false;
        QTest::addRow("denied") << QByteArray("7.4.0") << false << true << false;
        QTest::addRow("too old") << QByteArray("7.0.15") << true << false << false;
        QTest::addRow("unknown") << QByteArray("") << true << false << false;
    }
    void reads_doNotCountAsUse_withNoTouch()
    {
        QFETCH(QByteArray, version);
        QFETCH(bool, permits);
        QFETCH(bool, isAsked);
        QFETCH(bool, isNoTouchActive);
        QByteArrayList asked;
        const test::FakeServer strange(serverOf(version, permits, asked));
        const auto other = registry->open(*net::Endpoint::fromUrl(strange.url()), false);
        net::Session::Timing often;
        often.pingInterval = 100ms;
        other->session().setTiming(often);
        other->start();
        // A PING is sent long after the first requests, and its answer comes after all others.
        LATCHKEY_AWAIT(asked.contains("PING"));
        const auto received = other->session().lastAnswer();
        LATCHKEY_AWAIT(other->session().lastAnswer() != received);
        QCOMPARE(asked.contains("CLIENT NO-TOUCH ON"), isAsked);
        const auto isScan = [](const QByteArray &words) { return words.startsWith("SCAN "); };
        const auto firstScan = std::ranges::find_if(asked, isScan) - asked.begin();
        QVERIFY(!isAsked || asked.indexOf("CLIENT NO-TOUCH ON") < firstScan); // Sent before anything is read.
        QCOMPARE(other->isNoTouchActive(), isNoTouchActive);
        if (isNoTouchActive) {
            other->session().stop();
            QVERIFY(!other->isNoTouchActive());
        }
    }

    void ourServer_isNotAskedWhatItDoesNotKnow()
    {
        const QByteArray stats = (*server)({"INFO", "errorstats"}).bytes();
        QVERIFY2(!stats.contains("errorstat_ERR"), stats.constData());
        const bool knowsIt = !(*server)({"CLIENT", "NO-TOUCH", "OFF"}).isError(); // True from Redis 7.2 on.
        QCOMPARE(inspected->isNoTouchActive(), knowsIt);
    }

    void serverThatIsOpen_isWatchedOnce()
    {
        QCOMPARE(registry->open(server->endpoint(), false), inspected);
        net::Endpoint other = server->endpoint();
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
        for (const char *key : {"a", "b", "session:1"})
            QVERIFY((*server)({"SET", key, "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("a") && isKnown("b") && isKnown("session:1"));
        const auto &known = inspected->store().known();
        const auto hasValue = [&](const char *key) { return known.value(*known.table.find(key)) != nullptr; };
        QObject page;
        auto other = std::make_unique<QObject>();
        inspected->setVisibleKeys(page, {*known.table.find("a")});
        inspected->setVisibleKeys(*other, {*known.table.find("b")});
        LATCHKEY_AWAIT(hasValue("a") && hasValue("b"));
        QVERIFY(!hasValue("session:1")); // The other keys could be locks and are read for that reason.
        other.reset();                   // A destroyed page looks at nothing.
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

    /// This program's own changes need no discovery.
    void ownDelete_isKnownImmediately()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("k"));
        inspected->watcher().setPaused(true);
        inspected->setArmed(true);
        const auto shown = snapshot("k");
        QVERIFY(shown.has_value());
        QCOMPARE(remove(*shown).value(), ChangeOutcome::Done);
        LATCHKEY_AWAIT(!isKnown("k"));
    }

    void ownNewExpiry_isKnownImmediately()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("k"));
        inspected->watcher().setPaused(true);
        inspected->setArmed(true);
        const auto shown = snapshot("k");
        const auto acted = resultOf([&](const KeyChangeQueue::Done &done) {
            inspected->expireIfUnchanged(shown.value(), watching::NewExpiry::never(), done);
        });
        QCOMPARE(acted.value().outcome, ChangeOutcome::Done);
        const auto &known = inspected->store().known();
        LATCHKEY_AWAIT(known.table.deadline(*known.table.find("k")).isNever());
        const auto undone =
            resultOf([&](const KeyChangeQueue::Done &done) { inspected->undo(shown.value(), acted->after, done); });
        QCOMPARE(undone.value().outcome, ChangeOutcome::Done);
        LATCHKEY_AWAIT(!known.table.deadline(*known.table.find("k")).isNever());
    }

    void restoredKey_isKnownImmediately()
    {
        QVERIFY((*server)({"SET", "k", "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("k"));
        inspected->watcher().setPaused(true);
        inspected->setArmed(true);
        const auto shown = snapshot("k");
        const auto removed =
            resultOf([&](const KeyChangeQueue::Done &done) { inspected->deleteIfUnchanged(shown.value(), done); });
        LATCHKEY_AWAIT(!isKnown("k"));
        (void)resultOf([&](const KeyChangeQueue::Done &done) { inspected->undo(shown.value(), removed->after, done); });
        LATCHKEY_AWAIT(isKnown("k"));
    }

    /// Each change has its own WATCH: a shared one would answer for both.
    void severalActs_areJudgedOneByOne()
    {
        constexpr int count = 30;
        const auto keyOf = [](int i) { return "k" + QByteArray::number(i); };
        std::vector<KeySnapshot> shown;
        for (int i = 0; i < count; ++i) {
            QVERIFY((*server)({"SET", keyOf(i), "v"}).isOk());
            shown.push_back(snapshot(keyOf(i)).value());
        }
        for (int i = 0; i < count; i += 3)
            QVERIFY((*server)({"SET", keyOf(i), "w"}).isOk());
        inspected->setArmed(true);
        QList<ChangeOutcome> outcomes;
        for (const KeySnapshot &one : shown)
            inspected->deleteIfUnchanged(
                one, [&](const base::Result<ChangeResult> &result) { outcomes += result.value().outcome; });
        LATCHKEY_AWAIT(outcomes.size() == count);
        for (int i = 0; i < count; ++i) {
            QCOMPARE(outcomes[i], i % 3 == 0 ? ChangeOutcome::Changed : ChangeOutcome::Done);
            QVERIFY((*server)({"EXISTS", keyOf(i)}).isInteger(i % 3 == 0 ? 1 : 0));
        }
    }

    void actsThatWait_areAnsweredWhenTheServerIsDisarmed()
    {
        std::vector<KeySnapshot> shown;
        for (const char *key : {"a", "b", "c"}) {
            QVERIFY((*server)({"SET", key, "v"}).isOk());
            shown.push_back(snapshot(key).value());
        }
        inspected->setArmed(true);
        QList<base::ErrorKind> errors;
        for (const KeySnapshot &one : shown)
            inspected->deleteIfUnchanged(
                one, [&](const base::Result<ChangeResult> &result) { errors += result.error().kind; });
        inspected->setArmed(false);
        QCOMPARE(errors, (QList<base::ErrorKind> {base::ErrorKind::ConnectionLost, base::ErrorKind::Usage,
                                                  base::ErrorKind::Usage}));
    }

    /// Eight megabytes arrive over a separate connection while watching continues.
    void largeValue_isReadBesideTheWatching()
    {
        QVERIFY((*server)({"SETRANGE", "big", "8000000", "x"}).isInteger());
        const net::Connection *watching = inspected->session().connection();
        const quint64 before = inspected->session().commandsSent();
        const auto shown = snapshot("big");
        QVERIFY(shown.has_value());
        QVERIFY(shown->isWhole());
        QCOMPARE(inspected->session().connection(), watching);
        QVERIFY2(inspected->session().commandsSent() - before < 2000, "it went over another session");
        inspected->setArmed(true);
        QCOMPARE(remove(*shown).value(), ChangeOutcome::Done);
        QVERIFY(inspected->commandsSent() > inspected->session().commandsSent());
    }

    /// A server without free memory queues nothing after MULTI, but the user must be able to free memory.
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
        QCOMPARE(remove(string.value()).value(), ChangeOutcome::Done);
        QCOMPARE(remove(list.value()).value(), ChangeOutcome::Done);
        QCOMPARE(remove(other.value()).value(), ChangeOutcome::Changed);
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "0"}).isOk());
        QVERIFY((*server)({"EXISTS", "k", "list"}).isInteger(0));
        QVERIFY((*server)({"EXISTS", "other"}).isInteger(1));
    }

    /// A failed read leaves no WATCH behind, which would make the next delete fail.
    void deniedRead_doesNotAffectTheNextDelete()
    {
        for (const char *key : {"a", "b"})
            QVERIFY((*server)({"SET", key, QByteArray(100'000, 'x')}).isOk());
        inspected->setArmed(true);
        const auto first = snapshot("a");
        const auto second = snapshot("b");
        LATCHKEY_AWAIT(remove(snapshot("missing").value()).has_value());                    // The connection is open.
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-strlen", "-@scripting"}).isOk()); // A script needs none.
        QVERIFY(!remove(first.value()));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+strlen"}).isOk());
        QVERIFY((*server)({"SET", "a", "changed"}).isOk());
        QCOMPARE(remove(second.value()).value(), ChangeOutcome::Done);
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+@all"}).isOk());
    }

    void followedKey_isReported()
    {
        QList<KeyEvent> keyEvents;
        inspected->keyEventTracker().follow("lock");
        connect(&inspected->keyEventTracker(), &events::KeyEventTracker::happened, this,
                [&](const KeyEvent &keyEvent) { keyEvents += keyEvent; });
        QVERIFY((*server)({"SET", "lock", "v", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(isKnown("lock"));
        QVERIFY((*server)({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(!keyEvents.isEmpty());
        QCOMPARE(keyEvents.back().type, KeyEvent::Type::Ended);
        QCOMPARE(keyEvents.back().ending, events::Ending::Removed);
    }
};

LATCHKEY_TEST(TestInspectedServer)

} // namespace tst_inspectedserver

#include "tst_inspectedserver.moc"
