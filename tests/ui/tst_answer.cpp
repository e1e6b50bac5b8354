#include "core/inspect/inspection/readstate.h"
#include "core/redis/net/dialer.h"
#include "tests/support/faultyproxy.h"
#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/detail/detailtext.h"
#include "ui/pages/detail/findingbox.h"

#include <QClipboard>
#include <QLabel>
#include <QScrollArea>

namespace tst_answer {

using namespace latchkey;
using detection::ClientMatch;
using history::Hold;
using recognition::Holder;
using test::MainWindowFixture;
using test::TestServer;
using ui::detail::AnswerInput;
using ui::detail::DetailPanel;
using ui::detail::FindingBox;
using namespace std::chrono_literals;

namespace {

constexpr base::MonotonicTime now {1h};
const QByteArray token = "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6";

/// The facts of one row, with the objects to which they refer.
struct Situation
{
    AnswerInput input;
    Hold hold;
    recognition::TtlHistory ttlHistory;

    /// A lock of the client worker-7 that was there at the first read, 20 minutes ago, and ends in 24 seconds.
    Situation()
    {
        input.recognition.candidates = {{QStringLiteral("lock.owner"), recognition::Confidence::Medium, {}}};
        input.now = now;
        const auto noon = QDateTime(QDate(2026, 1, 1), QTime(12, 0, 5));
        input.wallNow = base::WallTime(std::chrono::milliseconds(noon.toMSecsSinceEpoch()));
        input.exists = true;
        input.isValueKnown = true;
        input.seenSince = now - 30min;
        input.deadline = input.end = base::Deadline(now + 24'500ms, 0ns);
        hold.from = {now - 20min, now - 20min};
        hold.holder = "worker-7";
        setHolders({"worker-7"});
        join("worker-7", "10.0.0.12:5041", ClientMatch::Criterion::Address);
    }

    void setHolders(const QByteArrayList &names)
    {
        input.recognition.decoded.holders.clear();
        for (const QByteArray &name : names) {
            Holder holder;
            holder.bytes = name;
            input.recognition.decoded.holders.push_back(holder);
        }
        input.clients.clear();
    }
    void join(const QByteArray &holder, const QByteArray &address, ClientMatch::Criterion by)
    {
        input.clients.push_back({holder, {by, address, {{7, address, "worker-7", {}, {}, 60s, 0s, "set"}}}, true});
    }
    void renew(std::chrono::milliseconds every, int times)
    {
        base::MonotonicTime at = now - every * times;
        ttlHistory.addSample(at - every, 30s);
        for (int i = 0; i < times; ++i, at += every) {
            ttlHistory.addSample(at, 30s);
            hold.extensions.push_back(at);
        }
        input.ttlHistory = &ttlHistory;
    }
    [[nodiscard]] QString text()
    {
        input.hold = &hold;
        return ui::detail::answerText(input);
    }
};

using Change = std::function<void(Situation &)>;

} // namespace

} // namespace tst_answer

Q_DECLARE_METATYPE(tst_answer::Change)

namespace tst_answer {

/// Tests of the answer at the top of the details: one sentence that says who holds the lock, and why it is stuck.
class TestAnswer final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }

    static DetailPanel &panel(const MainWindowFixture &fixture) { return *fixture.window.findChild<DetailPanel *>(); }
    static QString answer(const MainWindowFixture &fixture)
    {
        QString text = fixture.widget<QLabel>("detailAnswer").text();
        return text.remove(QChar(0x200b));
    }
    /// Opens the server in the window, with the details of the key.
    static void look(const MainWindowFixture &fixture, const TestServer &server, const QString &key)
    {
        look(fixture, server.endpoint(), key);
    }
    static void look(const MainWindowFixture &fixture, const net::Endpoint &endpoint, const QString &key)
    {
        test::openServer(const_cast<MainWindowFixture &>(fixture), endpoint);
        LATCHKEY_AWAIT(fixture.keys().contains(key));
        fixture.choose(key);
        QTest::keyClick(&fixture.table(),
                        Qt::Key_Return); // Unlike the default, this holds for each size of the window.
        LATCHKEY_AWAIT(panel(fixture).shown() && panel(fixture).shown()->exists);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void answer_describesWhatIsKnown_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, const Change &change, const char *text) {
            QTest::addRow("%s", name) << change << QString::fromUtf8(text);
        };
        row(
            "everything",
            [](Situation &of) {
                of.renew(10s, 4);
                of.input.trace = {12s, {"10.0.0.12:5041"}};
            },
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, renewed every 10.0 s, ends in 24 s unless "
            "renewed. No other client has asked for it during a trace of 12 s.");
        row(
            "without a trace", [](Situation &) {},
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, not seen renewed, ends in 24 s unless renewed. "
            "Other clients: unknown without a trace.");
        row(
            "acquired while watched", [](Situation &of) { of.hold.start = Hold::Start::Acquired; },
            "Held by worker-7 (10.0.0.12:5041) for 20 min, not seen renewed, ends in 24 s unless renewed. Other "
            "clients: unknown without a trace.");
        row(
            "inferred, gone, and polled",
            [](Situation &of) {
                of.input.clients.front().match.criterion = ClientMatch::Criterion::Name;
                of.input.clients.front().isConnected = false;
                of.input.seenSince.reset();
            },
            "Held by worker-7 (10.0.0.12:5041, inferred from its name, no longer connected) at every look for 20 min, "
            "with changes that may not have been seen, not seen renewed, ends in 24 s unless renewed. Other clients: "
            "unknown without a trace.");
        row(
            "changes seen for a part of the hold", [](Situation &of) { of.input.seenSince = now - 3min; },
            "Held by worker-7 (10.0.0.12:5041) since at least 3 min, not seen renewed, ends in 24 s unless renewed. "
            "Other clients: unknown without a trace.");
        row(
            "a token, and CLIENT LIST refused",
            [](Situation &of) {
                of.setHolders({token});
                of.hold.holder = token;
                of.input.isClientListDenied = true;
                of.input.seenSince.reset(); // The token is of one hold only.
            },
            "Held by token 7f0c1d2e-3b4a-4c5d-8e6f… (client unknown: the server refuses CLIENT LIST) since at least 20 "
            "min, not seen renewed, ends in 24 s unless renewed. Other clients: unknown without a trace.");
        row(
            "no expiry, holder not recorded",
            [](Situation &of) {
                of.setHolders({});
                of.input.recognition.decoded.isHolderRecorded = false;
                of.hold.holder.reset();
                of.input.deadline = of.input.end = base::Deadline::never();
            },
            "Held by an unknown client (the value does not name it) since at least 20 min, without expiry. It stays "
            "until a client deletes it. Other clients: unknown without a trace.");
        row(
            "no expiry, and unused for long before it was met",
            [](Situation &of) {
                of.input.unusedSince = now - 50min;
                of.input.deadline = of.input.end = base::Deadline::never();
            },
            "Held by worker-7 (10.0.0.12:5041) since at least 50 min, without expiry. It stays until a client deletes "
            "it. Other clients: unknown without a trace.");
        row(
            "expiry refused",
            [](Situation &of) {
                of.input.deadline = of.input.end = base::Deadline::never();
                of.input.isEndDenied = true;
            },
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, its expiry is unknown because the server refuses "
            "to tell. Other clients: unknown without a trace.");
        row(
            "several holders, of which one is known",
            [](Situation &of) {
                of.setHolders({"worker-7", "worker-8", "worker-9"});
                of.join("worker-7", "10.0.0.12:5041", ClientMatch::Criterion::Address);
            },
            "Held by 3 holders: worker-7 (10.0.0.12:5041); worker-8 (client unknown) and 1 more, ends in 24 s unless "
            "renewed. Other clients: unknown without a trace.");
        row(
            "a value of another holder than the last hold", [](Situation &of) { of.hold.holder = "worker-6"; },
            "Held by worker-7 (10.0.0.12:5041), ends in 24 s unless renewed. Other clients: unknown without a trace.");
        row(
            "permits without holders",
            [](Situation &of) {
                of.setHolders({});
                of.input.family = recognition::Family::Semaphore;
                of.input.recognition.decoded.isHolderRecorded = false;
                of.input.recognition.decoded.free = 2;
                of.hold.holder = "another";
                of.hold.until = of.hold.from;
            },
            "Free permits: 2; the holders of the others are not recorded, ends in 24 s unless renewed. Other clients: "
            "unknown without a trace.");
        row(
            "a renewal that has stopped",
            [](Situation &of) {
                of.renew(10s, 3);
                of.input.now = now + 21s;
            },
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, renewed every 10.0 s until 31 s ago, ends in 3 s "
            "unless renewed. Other clients: unknown without a trace.");
        row(
            "waiting clients", [](Situation &of) { of.input.recognition.decoded.waiters = {{"a", {}}, {"b", {}}}; },
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, not seen renewed, ends in 24 s unless renewed. "
            "2 clients wait for it.");
        row(
            "asked for by others", [](Situation &of) { of.input.trace = {3s, {"10.0.0.12:5041", "10.0.0.9:1"}}; },
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, not seen renewed, ends in 24 s unless renewed. "
            "Other clients that asked for it during a trace of 3 s: 1.");
        row(
            "hardly a lock",
            [](Situation &of) { of.input.recognition.candidates.front().confidence = recognition::Confidence::Low; },
            "Held by worker-7 (10.0.0.12:5041) since at least 20 min, not seen renewed, ends in 24 s "
            "unless renewed. Other clients: unknown without a trace. The key is possibly no lock.");
        row(
            "no lock", [](Situation &of) { of.input.recognition = {}; },
            "The key is not recognised as a lock; ends in 24 s.");
        row(
            "value refused",
            [](Situation &of) {
                of.input.recognition = {};
                of.input.isValueKnown = false;
                of.input.isValueDenied = true;
            },
            "Whether the key is a lock is unknown: the server refuses to show its value.");
        row(
            "gone",
            [](Situation &of) {
                of.input.exists = false;
                of.hold.until = base::TimeInterval {now - 5s, now - 5s};
                of.hold.ending = events::Ending::Expired;
            },
            "The key does not exist. worker-7 held it for at least 19 min until 5 s ago: expired.");
        row(
            "gone, acquired and ended at uncertain times",
            [](Situation &of) {
                of.input.exists = false;
                of.hold.start = Hold::Start::Acquired;
                of.hold.from = {now - 15s, now - 14'900ms};
                of.hold.until = base::TimeInterval {now - 6600ms, now - 100ms};
                of.hold.ending = events::Ending::Unknown;
            },
            "The key does not exist. worker-7 held it for 8 s to 14 s; the end was between less than 1 s and 6 s ago: "
            "ended, cause not seen.");
        row(
            "held, acquired at an uncertain time",
            [](Situation &of) {
                of.hold.start = Hold::Start::Acquired;
                of.hold.from = {now - 15s, now - 8s};
            },
            "Held by worker-7 (10.0.0.12:5041) for 8 s to 15 s, not seen renewed, ends in 24 s unless renewed. Other "
            "clients: unknown without a trace.");
        row(
            "end reported, and the key not read since",
            [](Situation &of) {
                of.input.isEndReported = true;
                of.hold.start = Hold::Start::Acquired;
                of.hold.until = base::TimeInterval {now - 5s, now - 5s};
                of.hold.ending = events::Ending::Deleted;
            },
            "worker-7 held it for 19 min until 5 s ago: released or deleted. The key has not been read since.");
        row(
            "read permission withdrawn",
            [](Situation &of) {
                of.input.exists = false;
                of.input.isFrozen = true; // The refusals make the view old, too.
                of.input.unreadable = {now - 3s, now - 2s, base::Deadline(now + 60s, 0ns)};
            },
            "Whether the key still exists is unknown: the server has not permitted reading it since 12:00:03. When "
            "last seen, at 12:00:02, it was held by worker-7 and due to end at 12:01:05 unless renewed.");
        row(
            "read permission withdrawn, end reported",
            [](Situation &of) {
                of.input.exists = false;
                of.hold.start = Hold::Start::Acquired;
                of.hold.until = base::TimeInterval {now - 1s, now - 1s};
                of.hold.ending = events::Ending::Deleted;
                of.input.unreadable = {now - 3s, now - 2s, base::Deadline(now + 60s, 0ns)};
            },
            "worker-7 held it for 19 min until 1 s ago: released or deleted. Whether the key still exists is unknown: "
            "the server has not permitted reading it since 12:00:03.");
        row(
            "read permission withdrawn, no hold known",
            [](Situation &of) {
                of.input.exists = false;
                of.hold.until = of.hold.from;
                of.input.unreadable = {now - 3s, now - 2s, base::Deadline::never()};
            },
            "Whether the key still exists is unknown: the server has not permitted reading it since 12:00:03. When "
            "last seen, at 12:00:02, it had no expiry.");
        row(
            "hostile",
            [](Situation &of) {
                of.setHolders({"worker-7"});
                of.join("worker-7", "10.0.0.12:5041", ClientMatch::Criterion::Address);
                of.input.clients.front().match.clients.front().name = "<b>\n\xff" + QByteArray(300, 'w');
            },
            "Held by <b>\\x0a\\xffwwwwwwwwwwwwwwwwwwwwwwwwwwww… (10.0.0.12:5041) since at least 20 min, not seen "
            "renewed, ends in 24 s unless renewed. Other clients: unknown without a trace.");
    }
    void answer_describesWhatIsKnown()
    {
        QFETCH(Change, change);
        Situation situation;
        change(situation);
        QTEST(situation.text(), "text");
    }

    void unobservedServer_isReportedFirst()
    {
        Situation situation;
        situation.input.isFrozen = true;
        QVERIFY2(situation.text().startsWith(QLatin1String("Not seen since ")), qPrintable(situation.text()));
        QVERIFY(situation.text().contains(QLatin1String("State then: Held by worker-7 (10.0.0.12:5041) ")));
    }

    void details_startWithTheAnswer()
    {
        auto worker = net::dialBlocking(server->endpoint(), 30s);
        QVERIFY(worker && worker->connection->execute(resp::Command {"CLIENT", "SETNAME", "worker-7"}, 30s));
        QVERIFY(redis({"SET", "lock:order", "worker-7", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        // The test server listens on a Unix socket, so its clients have no address of their own.
        LATCHKEY_AWAIT(answer(fixture).startsWith(
            QStringLiteral("Held by worker-7 (Unix socket, inferred from its name) since ")));
        LATCHKEY_AWAIT(answer(fixture).contains(QStringLiteral(" since at least 1 s, ")));
        QVERIFY2(answer(fixture).contains(QStringLiteral("ends in 9 min unless renewed.")),
                 qPrintable(answer(fixture)));
        QVERIFY2(answer(fixture).contains(QStringLiteral(" Other clients: unknown without a trace.")),
                 qPrintable(answer(fixture)));
        // The parts follow in the order in which a user needs them.
        int below = 0;
        for (const char *name : {"detailKey", "detailAnswer", "detailCourse", "detailFacts", "detailHolds",
                                 "detailValue", "detailWire", "detailEvidence"}) {
            const QWidget &part = fixture.widget<QWidget>(name);
            const int top = part.mapTo(&panel(fixture), QPoint()).y();
            QVERIFY2(part.isVisible() && top >= below, name);
            below = top + part.height();
        }
    }

    void renewals_areInTheAnswer()
    {
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(
            answer(fixture).startsWith(QStringLiteral("Held by token 7f0c1d2e-3b4a-4c5d-8e6f… (client unknown)")));
        const auto &locks = fixture.workspace.inspected()->locks();
        for (int renewal = 1; renewal <= 3; ++renewal) {
            QVERIFY(redis({"PEXPIRE", "lock:order", QByteArray::number(600'000 + renewal * 1000)}).isInteger(1));
            LATCHKEY_AWAIT(locks.ttlHistory("lock:order") && locks.ttlHistory("lock:order")->renewals() == renewal);
        }
        LATCHKEY_AWAIT(answer(fixture).contains(QStringLiteral(", renewed every ")));
    }

    void refusedReads_areNotTakenForFacts_data()
    {
        QTest::addColumn<QByteArray>("rule");
        QTest::newRow("value") << QByteArray("-getrange");
        QTest::newRow("type") << QByteArray("-type");
    }
    void refusedReads_areNotTakenForFacts()
    {
        QFETCH(const QByteArray, rule);
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "default", rule}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(answer(fixture)
                       == u"Whether the key is a lock is unknown: the server refuses to show its value.");
    }

    /// A key that may not be read any more is not known to have ended.
    void withdrawnPermission_isNoEnd_data()
    {
        QTest::addColumn<QByteArray>("rule");
        for (const char *rule : {"-pttl", "-@all", "resetkeys"})
            QTest::newRow(rule) << QByteArray(rule);
    }
    void withdrawnPermission_isNoEnd()
    {
        QFETCH(const QByteArray, rule);
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "w", "on", ">pw", "~*", "&*", "+@all"}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("w");
        endpoint.password = QStringLiteral("pw");
        MainWindowFixture fixture;
        look(fixture, endpoint, QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by token ")));
        QVERIFY(redis({"ACL", "SETUSER", "w", rule}).isOk());
        LATCHKEY_AWAIT(
            answer(fixture).startsWith(QStringLiteral("Whether the key still exists is unknown: the server has not ")));
        QVERIFY2(answer(fixture).contains(QStringLiteral("it was held by %1").arg(QString::fromLatin1(token))),
                 qPrintable(answer(fixture)));
        const auto &shown = panel(fixture).shown();
        QCOMPARE(shown->facts.front().value, QStringLiteral("unknown: may not be read"));
        QVERIFY2(shown->holds.front().contains(QStringLiteral("held at least until")),
                 qPrintable(shown->holds.join(u'\n')));
        LATCHKEY_AWAIT(test::labelText(fixture, "choice")
                       == QStringLiteral("The server no longer lets this user read lock:order; it stays selected"));
        // The permission returns, and the key has ended meanwhile.
        QVERIFY(redis({"DEL", "lock:order"}).isInteger(1));
        QVERIFY(redis({"ACL", "SETUSER", "w", "~*", "+@all"}).isOk());
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("The key does not exist.")));
    }

    /// An error reply shows nothing of the key.
    void refusalOfAllCommands_isNoSight()
    {
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
        QVERIFY(redis({"CONFIG", "SET", "replica-serve-stale-data", "no"}).isOk());
        QVERIFY(redis({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        const auto &watcher = fixture.workspace.inspected()->watcher();
        LATCHKEY_AWAIT(!watcher.coverage().denied().empty());
        const auto refused = base::SystemClock::instance().now();
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Not seen since ")));
        const auto since = fixture.table().shownTime().now();
        QVERIFY(fixture.table().shownTime().isFrozen() && since <= refused);
        const auto &note = fixture.widget<QLabel>("outOfSight");
        QVERIFY2(note.isVisible() && note.text().startsWith(QStringLiteral("No key has been read for ")),
                 qPrintable(note.text()));
        // More refusals do not move the time.
        const quint64 sent = fixture.workspace.inspected()->commandsSent();
        LATCHKEY_AWAIT(fixture.workspace.inspected()->commandsSent() > sent + 2);
        QVERIFY(fixture.table().shownTime().isFrozen() && fixture.table().shownTime().now() == since);
        QVERIFY(redis({"REPLICAOF", "NO", "ONE"}).isOk());
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
    }

    /// A new connection shows nothing of the key until the key is read.
    void reconnection_isNoSight()
    {
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        test::FaultyProxy proxy(server->endpoint());
        MainWindowFixture fixture;
        look(fixture, proxy.endpoint(), QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
        const net::Session &session = fixture.workspace.inspected()->session();
        connect(&session, &net::Session::stateChanged, &fixture.window, [&proxy](net::Session::State state) {
            if (state == net::Session::State::Ready)
                proxy.hold();
        });
        QVERIFY(redis({"CLIENT", "KILL", "TYPE", "normal"}).isInteger());
        LATCHKEY_AWAIT(session.state() != net::Session::State::Ready);
        const auto lost = base::SystemClock::instance().now();
        LATCHKEY_AWAIT(session.state() == net::Session::State::Ready);
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Not seen since ")));
        QVERIFY(fixture.table().shownTime().isFrozen() && fixture.table().shownTime().now() <= lost);
        proxy.release();
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
    }

    /// The first reply after a gap need not be about the selected key.
    void gap_lastsUntilTheKeyIsRead()
    {
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        auto &inspected = *fixture.workspace.inspected();
        std::optional<base::MonotonicTime> unread;
        connect(&inspected.watcher(), &watching::Watcher::gapChanged, &fixture.window, [&inspected, &unread] {
            if (!inspection::unreadInterval(inspected.watcher()))
                unread = inspection::unreadSince(inspected, "lock:order");
        });
        server->process().suspend();
        LATCHKEY_AWAIT(inspection::unreadInterval(inspected.watcher()).has_value());
        const auto since = inspection::unreadInterval(inspected.watcher())->from;
        server->process().resume();
        LATCHKEY_AWAIT(unread.has_value());
        QVERIFY(*unread == since);
        LATCHKEY_AWAIT(!inspection::unreadSince(inspected, "lock:order"));
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
    }

    /// A notification of the end is newer than the last read of the key.
    void reportedEnd_isTakenBeforeTheNextRead()
    {
        QVERIFY(redis({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
        auto &inspected = *fixture.workspace.inspected();
        LATCHKEY_AWAIT(inspected.watcher().hasChangeEvents());
        server->process().suspend(); // No read replies.
        const base::Clock &clock = inspected.clock();
        const keys::KeyTable &table = inspected.store().known().table;
        LATCHKEY_AWAIT(clock.now() > table.sampled(*table.find("lock:order")) + keys::KeyTable::sampledResolution);
        const auto now = clock.now();
        inspected.dispatcher().deliver(
            {{"lock:order", events::ChangeNotification {"del"}, now, now, events::Source::Notification}});
        inspected.dispatcher().deliverReceivedUpTo(0, now);
        const auto headline = [&] {
            return ui::detail::detailOf("lock:order", inspected, {clock.now(), clock.wallNow()}).answer;
        };
        LATCHKEY_AWAIT(headline().endsWith(QStringLiteral(": released or deleted. The key has not been read since.")));
        server->process().resume();
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
    }

    void end_isReported()
    {
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        LATCHKEY_AWAIT(answer(fixture).startsWith(QStringLiteral("Held by ")));
        QVERIFY(redis({"DEL", "lock:order"}).isInteger(1));
        LATCHKEY_AWAIT(answer(fixture).startsWith(
            QStringLiteral("The key does not exist. %1 held it for ").arg(QString::fromLatin1(token))));
    }

    /// A new box for each change would make the panel jump, and a box that is too low would cut its text.
    void findings_keepTheirBoxesAndAreWhole()
    {
        QVERIFY(redis({"SET", "mutex:index", "1"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("mutex:index"));
        LATCHKEY_AWAIT(panel(fixture).shown() && panel(fixture).shown()->findings.size() >= 2);
        const QList<FindingBox *> boxes = panel(fixture).findChildren<FindingBox *>();
        const QString before = panel(fixture).shown()->findings.front().evidence;
        LATCHKEY_AWAIT(panel(fixture).shown()->findings.front().evidence != before); // It contains the age of the lock.
        QCOMPARE(panel(fixture).findChildren<FindingBox *>(), boxes);
        const auto areWhole = [&] {
            for (const FindingBox *box : panel(fixture).findChildren<FindingBox *>()) {
                for (const QLabel *label : box->findChildren<QLabel *>()) {
                    const bool isCut = label->height() < label->heightForWidth(label->width())
                                    || label->width() < label->minimumSizeHint().width()
                                    || !box->rect().contains(label->geometry());
                    if (!label->text().isEmpty() && (!label->isVisible() || isCut))
                        return false;
                }
            }
            return true;
        };
        for (const int width : {960, 1280, 1920}) {
            fixture.window.resize(width, 560);
            LATCHKEY_AWAIT(fixture.window.width() == width && areWhole());
        }
        fixture.languageSwitcher.choose(ui::i18n::LanguageSwitcher::Choice::Chinese);
        LATCHKEY_AWAIT(areWhole() && answer(fixture).contains(QStringLiteral("持有")));
        QCOMPARE(panel(fixture).findChildren<FindingBox *>(), boxes);
    }

    void finding_isCopiedAsText()
    {
        QVERIFY(redis({"SET", "mutex:index", "1"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("mutex:index"));
        LATCHKEY_AWAIT(panel(fixture).shown() && !panel(fixture).shown()->findings.isEmpty());
        auto *box = panel(fixture).findChild<FindingBox *>();
        box->findChild<QPushButton *>(QStringLiteral("copyFinding"))->click();
        const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n');
        QCOMPARE(lines.size(), 6);
        QCOMPARE(lines.first(), QStringLiteral("mutex:index"));
        QVERIFY(lines[1].startsWith(QStringLiteral("Held by an unknown client")));
        QCOMPARE(lines[2], panel(fixture).shown()->findings.front().title);
        QCOMPARE(lines.last(), panel(fixture).shown()->findings.front().advice);
    }

    void trace_namesTheOtherClients()
    {
        QVERIFY(redis({"SET", "lock:order", token, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        look(fixture, *server, QStringLiteral("lock:order"));
        fixture.table().setFocus();
        QTest::keyClick(&fixture.table(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        fixture.click("traceStart");
        LATCHKEY_AWAIT(answer(fixture).contains(QStringLiteral("No client has asked for it during a trace of ")));
        (void)redis({"SET", "lock:order", "mine", "NX"});
        LATCHKEY_AWAIT(
            answer(fixture).contains(QStringLiteral("have asked for it during a trace of "))
            || answer(fixture).contains(QStringLiteral("Clients that sent commands for it during a trace of ")));
    }
};

LATCHKEY_WINDOW_TEST(TestAnswer)

} // namespace tst_answer

#include "tst_answer.moc"
