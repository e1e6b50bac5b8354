#include "core/inspect/inspection/serverregistry.h"
#include "core/inspect/inspection/watchedkey.h"
#include "core/keyspace/events/coveragemeter.h"
#include "tests/support/await.h"
#include "tests/support/faultyproxy.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_recovery {

using namespace latchkey;
using base::MonotonicTime;
using base::SystemClock;
using events::CoverageMeter;
using events::KeyEvent;
using events::KeyRequest;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using watching::EventSource;
using Type = KeyEvent::Type;
using Mechanism = EventSource::Mechanism;
using namespace std::chrono_literals;

/// Tests of the watcher's recovery after server failures. The watcher sees again and reports only the changes made
/// meanwhile. Its coverage says when it could not see.
class TestRecovery final : public QObject
{
    Q_OBJECT

    /// Change of the locks during the failure.
    enum class Change : quint8 {
        During, ///< Another owner takes lock:changed.
        After,  ///< The same change after the failure, because the server refuses writes during it.
        AllGo,  ///< The failure removes all keys.
    };
    struct Trouble
    {
        const char *name;
        std::function<void()> begin;
        std::function<void()> end; ///< Absent: the failure ends automatically.
        Change change = Change::During;
        bool isBlind = true; ///< The watcher sees nothing meanwhile.
        bool hasProxy = false;
        bool isTakeoverAll = true; ///< False: parts of a read are refused, and their content is reported later.
    };

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<test::OtherClient> control;
    std::unique_ptr<test::FaultyProxy> proxy;
    std::unique_ptr<inspection::ServerRegistry> registry;
    std::shared_ptr<inspection::InspectedServer> inspected;
    std::unique_ptr<inspection::WatchedKey> changed;
    std::unique_ptr<inspection::WatchedKey> quiet;
    std::vector<KeyEvent> keyEvents;
    QLocalSocket raw; ///< Connection for commands whose replies are not awaited.
    QByteArray rawReplies;

    const QByteArray changedKey = QByteArrayLiteral("lock:changed");
    const QByteArray quietKey = QByteArrayLiteral("lock:quiet");
    const QByteArray first = QByteArrayLiteral("5d41402abc4b2a76b9719d911017c592");
    const QByteArray before = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray after = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");

    static MonotonicTime now() { return SystemClock::instance().now(); }
    static int millisecondsOf(std::chrono::nanoseconds time)
    {
        return static_cast<int>(duration_cast<milliseconds>(time).count());
    }

    void tell(const resp::Command &command) const
    {
        if (const resp::Reply reply = (*control)(command); reply.isError())
            qFatal("%s: %s", command.name().constData(), reply.bytes().constData());
    }
    /// Returns the ids of the watching clients: the ones with a subscription, or the others.
    QList<QByteArray> watchers(bool isSubscriber) const
    {
        static const QRegularExpression id(QStringLiteral("^id=(\\d+) .* name=latchkey"),
                                           QRegularExpression::MultilineOption);
        QList<QByteArray> ids;
        const QByteArrayList lines = (*control)({"CLIENT", "LIST"}).bytes().split('\n');
        for (const QByteArray &line : lines) {
            const auto match = id.match(QString::fromUtf8(line));
            const bool hasSubscribed = !line.contains(" sub=0 ") || !line.contains(" psub=0 ");
            if (match.hasMatch() && hasSubscribed == isSubscriber)
                ids += match.captured(1).toLatin1();
        }
        return ids;
    }
    void killWatchers(bool isSubscriber) const
    {
        const QList<QByteArray> ids = watchers(isSubscriber);
        if (ids.isEmpty())
            qFatal("nothing watches");
        for (const QByteArray &id : ids)
            (void)(*control)({"CLIENT", "KILL", "ID", id});
    }
    void restart()
    {
        bool isReady = false;
        connect(&server->process(), &privateserver::PrivateServer::ready, &raw, [&] { isReady = true; });
        server->process().start({QStringLiteral("--notify-keyspace-events"), notifications()});
        if (!test::waitFor([&] { return isReady; }))
            qFatal("no restart");
    }
    void crash()
    {
        bool isKilled = false;
        connect(&server->process(), &privateserver::PrivateServer::killed, &raw, [&] { isKilled = true; });
        server->process().crash();
        if (!test::waitFor([&] { return isKilled; }))
            qFatal("no crash");
    }
    void send(const char *command)
    {
        raw.write(command);
        raw.write("\r\n");
        raw.flush();
    }

    std::vector<Trouble> troubles()
    {
        const auto give = [this](const char *rule) { tell({"ACL", "SETUSER", "default", rule}); };
        return {
            {"SIGSTOP", [this] { server->process().suspend(); }, [this] { server->process().resume(); }},
            {"CLIENT PAUSE", [this] { tell({"CLIENT", "PAUSE", "3000", "ALL"}); }, {}},
            {"DEBUG SLEEP", [this] { send("DEBUG SLEEP 3"); }, {}},
            {"CLIENT KILL of what asks", [this] { killWatchers(false); }, {}},
            {"CLIENT KILL of what listens", [this] { killWatchers(true); }, {}, Change::During, false},
            {"BUSY",
             [this] {
                 tell({"CONFIG", "SET", "lua-time-limit", "50"});
                 send("EVAL \"while true do end\" 0");
             },
             [this] { tell({"SCRIPT", "KILL"}); }, Change::After},
            {"ACL without PTTL", [give] { give("-pttl"); }, [give] { give("+pttl"); }},
            {"ACL without SCAN", [give] { give("-scan"); }, [give] { give("+scan"); }},
            {"ACL without values", [give] { give("-getrange"); }, [give] { give("+getrange"); }, Change::During, true,
             false, false},
            {"MASTERDOWN",
             [this] {
                 tell({"CONFIG", "SET", "replica-serve-stale-data", "no"});
                 tell({"REPLICAOF", "127.0.0.1", "1"});
             },
             [this] { tell({"REPLICAOF", "NO", "ONE"}); }, Change::After},
            {"LOADING",
             [this] {
                 tell({"DEBUG", "POPULATE", "3000", "filler", "100"});
                 send("DEBUG RELOAD");
             },
             [this] { (void)test::waitFor([this] { return !(*control)({"DBSIZE"}).isError(); }); }, Change::After},
            {"requirepass",
             [this] {
                 tell({"CONFIG", "SET", "requirepass", "secret"});
                 killWatchers(true);
                 killWatchers(false);
             },
             [this] { tell({"CONFIG", "SET", "requirepass", ""}); }},
            {"maxclients",
             [this] {
                 tell({"CONFIG", "SET", "maxclients", "1"});
                 killWatchers(true);
                 killWatchers(false);
             },
             [this] { tell({"CONFIG", "SET", "maxclients", "1000"}); }},
            {"held line", [this] { proxy->hold(); }, [this] { proxy->release(); }, Change::During, true, true},
            {"swallowing line", [this] { proxy->discard(); }, [this] { proxy->release(); }, Change::During, true, true},
            {"restart", [this] { crash(); }, [this] { restart(); }, Change::AllGo},
            {"FLUSHALL", [this] { tell({"FLUSHALL"}); }, {}, Change::AllGo, false},
            {"other means of telling",
             [this] { tell({"CONFIG", "SET", "notify-keyspace-events", notifications().isEmpty() ? "KEA" : ""}); },
             [this] {
                 const Mechanism other = notifications().isEmpty() ? Mechanism::Notifications : Mechanism::Tracking;
                 (void)test::waitFor([&] { return inspected->events().mechanism() == other; });
             },
             Change::During, false},
        };
    }

    bool isNotified = false;
    QString notifications() const { return isNotified ? QStringLiteral("KEA") : QString(); }

    void watch(bool hasProxy)
    {
        server = std::make_unique<test::TestServer>(QStringList {
            QStringLiteral("--notify-keyspace-events"), notifications(), QStringLiteral("--enable-debug-command"),
            QStringLiteral("yes"), QStringLiteral("--key-load-delay"), QStringLiteral("1000"),
            QStringLiteral("--loading-process-events-interval-bytes"), QStringLiteral("1024")});
        control = std::make_unique<test::OtherClient>(server->endpoint());
        raw.connectToServer(server->endpoint().path);
        connect(&raw, &QIODevice::readyRead, this, [this] { rawReplies += raw.readAll(); });
        for (const QByteArray &key : {changedKey, quietKey})
            tell({"SET", key, "3b1f9c52d7a84e60f2c1905be7d836a4", "PX", "3600000"});
        if (hasProxy)
            proxy = std::make_unique<test::FaultyProxy>(server->endpoint());
        registry = std::make_unique<inspection::ServerRegistry>(SystemClock::instance(), random);
        inspected = registry->open(proxy ? proxy->endpoint() : server->endpoint(), false);
        net::Session::Timing timing;
        timing.passwordWait = 1s;
        inspected->session().setTiming(timing);
        const auto noHolder = [](const QByteArray &, const keys::RawValue &) { return std::optional<QByteArray>(); };
        changed = std::make_unique<inspection::WatchedKey>(*inspected, base::Key(changedKey), noHolder);
        quiet = std::make_unique<inspection::WatchedKey>(*inspected, base::Key(quietKey), noHolder);
        connect(&inspected->keyEventTracker(), &events::KeyEventTracker::happened, this,
                [this](const KeyEvent &keyEvent) { keyEvents.push_back(keyEvent); });
        inspected->start();
        const Mechanism wanted = isNotified ? Mechanism::Notifications : Mechanism::Tracking;
        LATCHKEY_AWAIT(inspected->events().mechanism() == wanted && changed->since() && quiet->since()
                       && inspected->watcher().coverage().isComplete());
        // The first value may be read as that of the start. The change to the second one shows that all events up to
        // now are received.
        for (const QByteArray &key : {changedKey, quietKey}) {
            for (const QByteArray &value : {first, before}) {
                tell({"SET", key, value, "PX", "3600000"});
                LATCHKEY_AWAIT(std::ranges::any_of(keyEvents, [&](const KeyEvent &keyEvent) {
                    return keyEvent.key == key && keyEvent.after && keyEvent.after->parts.value(0) == value;
                }));
            }
        }
        keyEvents.clear();
    }
    [[nodiscard]] events::Coverage coverage() const { return inspected->watcher().coverage(); }
    /// Returns whether the server answers all requests and all keys are read.
    [[nodiscard]] bool seesAll() const
    {
        const events::Coverage all = coverage();
        return all.isObserving() && all.isScanComplete() && std::ranges::none_of(all.denied(), [](const auto &denial) {
                   return denial.request != KeyRequest::Changes;
               });
    }
    [[nodiscard]] std::vector<KeyEvent> eventsOf(const QByteArray &key) const
    {
        std::vector<KeyEvent> found;
        std::ranges::copy_if(keyEvents, std::back_inserter(found), [&](const KeyEvent &keyEvent) {
            return keyEvent.key == key && keyEvent.type != Type::FirstRead;
        });
        return found;
    }
    [[nodiscard]] QByteArray story() const
    {
        QByteArray text;
        for (const KeyEvent &keyEvent : keyEvents)
            text += keyEvent.key + ' ' + QByteArray::number(int(keyEvent.type)) + ' '
                  + QByteArray::number(int(keyEvent.ending)) + ' '
                  + QByteArray::number(millisecondsOf(keyEvent.notBefore - MonotonicTime())) + " to "
                  + QByteArray::number(millisecondsOf(keyEvent.notAfter - MonotonicTime())) + ' '
                  + (keyEvent.after ? keyEvent.after->parts.value(0) : "not read") + '\n';
        return text;
    }
    /// Returns whether the events are exactly the takeover: one event, or an end and a beginning.
    [[nodiscard]] bool isTakeover(const std::vector<KeyEvent> &found, MonotonicTime sent, MonotonicTime answered) const
    {
        const auto contains = [&](const KeyEvent &each) { return each.notBefore <= answered && each.notAfter >= sent; };
        if (found.empty() || found.size() > 2 || !std::ranges::all_of(found, contains))
            return false;
        const KeyEvent &last = found.back();
        const bool isOther = last.after && last.after->parts.value(0) == after;
        if (found.size() == 2)
            return found.front().type == Type::Ended && last.type == Type::Appeared && isOther;
        return (last.type == Type::HandedOver || last.type == Type::Replaced) && isOther;
    }

private Q_SLOTS:
    void cleanup()
    {
        quiet.reset();
        changed.reset();
        inspected.reset();
        registry.reset();
        proxy.reset();
        control.reset();
        raw.abort();
        raw.disconnect(this);
        rawReplies.clear();
        keyEvents.clear();
        if (server && server->process().isFrozen())
            server->process().resume();
        server.reset();
    }

    /// A value that changes while nothing is reported, under the same expiry: only a read shows it.
    void valueThatChangesUnreported_isReadAgain_data()
    {
        QTest::addColumn<bool>("hasNotifications");
        QTest::addColumn<bool>("isSwap");
        QTest::addRow("lost connections, notifications") << true << false;
        QTest::addRow("lost connections, tracking") << false << false;
        QTest::addRow("SWAPDB, notifications") << true << true;
        QTest::addRow("SWAPDB, tracking") << false << true;
    }
    void valueThatChangesUnreported_isReadAgain()
    {
        QFETCH(bool, hasNotifications);
        QFETCH(bool, isSwap);
        isNotified = hasNotifications;
        watch(false);
        if (QTest::currentTestFailed())
            return;
        const QByteArray key = QByteArrayLiteral("lock:steady");
        const auto holder = [&] {
            const keys::KnownKeys &known = inspected->store().known();
            const auto id = known.table.find(key);
            const keys::RawValue *value = id ? known.value(*id) : nullptr;
            return value != nullptr ? value->parts.value(0) : QByteArray();
        };
        tell({"SET", key, before});
        LATCHKEY_AWAIT(holder() == before && inspected->watcher().requests() == 0);
        const QList<QByteArray> ids = watchers(false) + watchers(true);
        LATCHKEY_AWAIT(inspected->watcher().serverTimeSpent().has_value()); // The statistics are known.
        tell({"MULTI"});
        if (isSwap) {
            tell({"COPY", key, key, "DB", "1"});
            tell({"SELECT", "1"});
            tell({"SET", key, after});
            tell({"SWAPDB", "0", "1"});
            tell({"SELECT", "0"});
        } else {
            for (const QByteArray &id : ids)
                tell({"CLIENT", "KILL", "ID", id});
            tell({"SET", key, after});
        }
        tell({"EXEC"});
        LATCHKEY_AWAIT(holder() == after);
    }

    void troubleThatEnds_isFollowedByTheTruth_data()
    {
        QTest::addColumn<int>("place");
        QTest::addColumn<bool>("hasNotifications");
        const std::vector<Trouble> all = troubles();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::addRow("%s, notifications", all[i].name) << static_cast<int>(i) << true;
            QTest::addRow("%s, tracking", all[i].name) << static_cast<int>(i) << false;
        }
    }
    void troubleThatEnds_isFollowedByTheTruth()
    {
        QFETCH(int, place);
        QFETCH(bool, hasNotifications);
        isNotified = hasNotifications;
        const Trouble trouble = troubles()[static_cast<std::size_t>(place)];
        watch(trouble.hasProxy);
        if (QTest::currentTestFailed())
            return;

        const MonotonicTime began = now();
        trouble.begin();
        MonotonicTime sent = now();
        const QByteArray takeOver = "SET " + changedKey + ' ' + after + " PX 3600000";
        if (trouble.change == Change::During)
            send(takeOver.constData());
        if (trouble.isBlind) {
            LATCHKEY_AWAIT(!coverage().isObserving() || coverage().unobservedDuration() > 0ns);
            const events::Coverage meanwhile = coverage();
            if (const auto *gap = meanwhile.gap()) {
                // The last good reply came before the failure, for any load of the machine.
                const MonotonicTime noticed = now();
                QVERIFY2(gap->from <= began + 750ms || gap->from <= noticed - CoverageMeter::maxSilence,
                         QByteArray::number(millisecondsOf(gap->from - began)).constData());
            }
        }
        if (trouble.end)
            trouble.end();
        MonotonicTime ended = now();
        if (trouble.change == Change::After) {
            sent = ended;
            send(takeOver.constData());
        }
        if (trouble.change != Change::AllGo)
            LATCHKEY_AWAIT(rawReplies.endsWith("+OK\r\n"));
        const MonotonicTime answered = now();
        if (!trouble.end)
            ended = answered;
        LATCHKEY_AWAIT(coverage().isObserving());
        const MonotonicTime saw = now();
        if (trouble.change == Change::AllGo)
            LATCHKEY_AWAIT(!eventsOf(changedKey).empty() && !eventsOf(quietKey).empty());
        else
            LATCHKEY_AWAIT(!eventsOf(changedKey).empty() && eventsOf(changedKey).back().type != Type::Ended);
        const MonotonicTime reportedAt = now();
        LATCHKEY_AWAIT(seesAll());
        qInfo("%s: sees %d ms after the end, has told after %d ms, has looked at all after %d ms",
              QTest::currentDataTag(), millisecondsOf(saw - ended), millisecondsOf(reportedAt - ended),
              millisecondsOf(now() - ended));

        // Waits for further reads, so that late events are reported.
        const quint64 commands = inspected->session().commandsSent();
        LATCHKEY_AWAIT(inspected->session().commandsSent() > commands + 20);
        QCOMPARE(coverage().unobservedDuration() > 0ns, trouble.isBlind);
        if (trouble.change != Change::AllGo) {
            const std::vector<KeyEvent> events = eventsOf(changedKey);
            QVERIFY2(trouble.isTakeoverAll
                         ? isTakeover(events, sent, answered)
                         : std::ranges::any_of(
                               events, [&](const KeyEvent &each) { return isTakeover({each}, sent, answered); }),
                     story().constData());
            QVERIFY2(eventsOf(quietKey).empty(), story().constData());
            return;
        }
        for (const QByteArray &key : {changedKey, quietKey}) {
            const std::vector<KeyEvent> found = eventsOf(key);
            QVERIFY2(found.size() == 1 && found.front().type == Type::Ended, story().constData());
            QVERIFY2(found.front().notBefore <= ended && found.front().notAfter >= began, story().constData());
            QVERIFY2(found.front().ending != events::Ending::Expired && found.front().ending != events::Ending::Deleted,
                     story().constData());
        }
    }
};

LATCHKEY_TEST(TestRecovery)

} // namespace tst_recovery

#include "tst_recovery.moc"
