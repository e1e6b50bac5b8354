#include "tests/support/testprogram.h"
#include "ui/pages/inspector/keychangetext.h"
#include "ui/pages/inspector/statustext.h"

#include <QLocale>
#include <QTest>

namespace tst_statustext {

using namespace latchkey;
using namespace latchkey::ui::inspector;
using base::ErrorKind;
using watching::ChangeOutcome;
using ScanState = KeyCounts::ScanState;
using Action = EmptyText::Action;
using Mechanism = watching::EventSource::Mechanism;
using namespace std::chrono_literals;

namespace {

const base::Error noScan {ErrorKind::PermissionDenied, QStringLiteral("the server denies SCAN")};

KeyCounts counted(qint64 live)
{
    KeyCounts counts;
    counts.scanState = ScanState::Done;
    counts.live = live;
    counts.shown = live;
    return counts;
}

EmptyTableState connected(const KeyCounts &counts)
{
    EmptyTableState state;
    state.hasServer = true;
    state.server = QStringLiteral("redis://host");
    state.counts = counts;
    return state;
}

} // namespace

class TestStatusText final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

    void countsText_describesWhatIsKnown_data()
    {
        QTest::addColumn<KeyCounts>("counts");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, KeyCounts counts, auto &&change, const char *text) {
            change(counts);
            QTest::addRow("%s", name) << counts << QString::fromUtf8(text);
        };
        const auto nothing = [](KeyCounts &) {};
        row("nothing looked at", {}, nothing, "");
        row("an empty database", counted(0), nothing, "0 keys");
        row("one", counted(1), nothing, "1 key");
        row("many", counted(126'000), nothing, "126,000 keys");
        row(
            "of all kinds", counted(5),
            [](KeyCounts &c) {
                c.persistent = 2;
                c.due = 1;
                c.isFiltered = true;
                c.shown = 3;
                c.isSorting = true;
            },
            "5 keys  ·  2 without expiry  ·  1 due and not shown  ·  3 shown  ·  sorting…");
        row(
            "scanning", counted(10),
            [](KeyCounts &c) {
                c.scanState = ScanState::Scanning;
                c.scanned = 12;
                c.databaseSize = 4000;
                c.unseenFor = 9s;
            },
            "10 keys  ·  scanned 12 of 4,000");
        row(
            "scanning within a limit", counted(10),
            [](KeyCounts &c) {
                c.scanState = ScanState::Scanning;
                c.scanned = 12;
                c.databaseSize = 4000;
                c.scanLeft = 70s;
            },
            "10 keys  ·  scanned 12 of 4,000  ·  70 s left");
        row(
            "new keys are seen late", counted(7), [](KeyCounts &c) { c.unseenFor = 11s; },
            "7 keys  ·  new keys appear within 11 s");
        row("new keys are seen soon", counted(7), [](KeyCounts &c) { c.unseenFor = 1s; }, "7 keys");
        row(
            "more than fit", counted(5'000'000),
            [](KeyCounts &c) {
                c.isIncomplete = true;
                c.databaseSize = 9'000'000;
            },
            "5,000,000 keys  ·  incomplete: the server has 9,000,000");
        row("denied, size unknown", counted(0), [](KeyCounts &c) { c.isDenied = true; }, "number of keys unknown");
        row(
            "denied, size known", counted(0),
            [](KeyCounts &c) {
                c.isDenied = true;
                c.databaseSize = 17;
            },
            "not readable: the server has 17 keys");
        row("some denied", counted(4), [](KeyCounts &c) { c.isDenied = true; }, "at least 4 keys");
        row(
            "away, with what was seen before", counted(4), [](KeyCounts &c) { c.scanState = ScanState::NotYet; },
            "4 keys");
    }
    void countsText_describesWhatIsKnown()
    {
        QFETCH(KeyCounts, counts);
        QTEST(countsText(counts), "text");
    }

    void changeNotificationText_namesTheMissingPartAndTheReason_data()
    {
        QTest::addColumn<ChangeNotificationStatus>("status");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QStringList>("parts"); ///< A part of each paragraph.
        const base::Error denied {ErrorKind::PermissionDenied, QStringLiteral("the server denies CLIENT TRACKING")};
        const auto row = [](const char *name, const ChangeNotificationStatus &status, const char *title,
                            const QStringList &parts) {
            QTest::addRow("%s", name) << status << QString::fromUtf8(title) << parts;
        };
        const QString all = QStringLiteral("Short holds and the end of each hold are seen");
        const QString touches = QStringLiteral("the way in which a hold ended is inferred from its TTL");
        const QString nothing = QStringLiteral("the way in which a hold ended may be unknown");
        const QString use = QStringLiteral("evicts by use (allkeys-lru), and reading a value counts as use");
        row("notifications", {Mechanism::Notifications, {}, {}}, "Keyspace notifications", {all});
        row("tracking", {Mechanism::Tracking, {}, {}}, "Client tracking", {touches});
        row("neither, yet", {Mechanism::None, {}, {}}, "Polling only", {nothing});
        row("denied", {Mechanism::None, denied, {}}, "Polling only",
            {nothing, QStringLiteral("Reason: the server denies CLIENT TRACKING.")});
        row("reading counts", {Mechanism::Tracking, {}, "allkeys-lru"}, "Client tracking", {touches, use});
        row("denied, and reading counts", {Mechanism::None, denied, "allkeys-lru"}, "Polling only",
            {nothing, QStringLiteral("Reason: "), use});
    }
    void changeNotificationText_namesTheMissingPartAndTheReason()
    {
        QFETCH(ChangeNotificationStatus, status);
        QFETCH(QStringList, parts);
        QTEST(changeNotificationTitle(status), "title");
        const QStringList paragraphs = changeNotificationText(status);
        QCOMPARE(paragraphs.size(), parts.size());
        for (qsizetype i = 0; i < parts.size(); ++i)
            QVERIFY2(paragraphs[i].contains(parts[i]), qPrintable(paragraphs[i]));
    }

    /// A command without effect is not offered.
    void changeNotificationCommand_isTheOneThatHelps()
    {
        const base::Error denied {ErrorKind::PermissionDenied, QStringLiteral("the server denies CLIENT TRACKING")};
        const base::Error old {ErrorKind::OtherServerError, QStringLiteral("unknown command")};
        const QString setting = QStringLiteral("CONFIG SET notify-keyspace-events KEA");
        QCOMPARE(changeNotificationCommand({Mechanism::Tracking, {}, {}}), setting);
        QCOMPARE(changeNotificationCommand({Mechanism::None, old, {}}), setting);
        const ChangeNotificationStatus status {Mechanism::None, denied, {}, QStringLiteral("watcher")};
        QVERIFY(changeNotificationCommand(status).startsWith(u"ACL SETUSER watcher +"));
        QVERIFY(changeNotificationCost(status) != changeNotificationCost({Mechanism::Tracking, {}, {}}));
    }

    void readingCountsAsUse_underAnLruOrLfuPolicy_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<qint64>("limit");
        QTest::addColumn<bool>("counts");
        for (const char *policy : {"allkeys-lru", "volatile-lru", "allkeys-lfu", "volatile-lfu"}) {
            QTest::addRow("%s", policy) << QByteArray(policy) << qint64(1000) << true;
            QTest::addRow("%s, no limit", policy) << QByteArray(policy) << qint64(0) << false;
        }
        for (const char *policy : {"noeviction", "allkeys-random", "volatile-ttl", "allkeys-lrm", ""})
            QTest::addRow("not %s", policy) << QByteArray(policy) << qint64(1000) << false;
    }
    void readingCountsAsUse_underAnLruOrLfuPolicy()
    {
        QFETCH(QByteArray, policy);
        QFETCH(qint64, limit);
        QFETCH(bool, counts);
        findings::ServerProperties server;
        server.evictionPolicy = policy;
        server.memoryLimit = limit;
        QCOMPARE(usePolicy(server), counts ? policy : QByteArray());
        server.memoryLimit.reset(); // The server denies INFO.
        QCOMPARE(usePolicy(server), QByteArray());
    }

    void emptyText_givesTheReason_data()
    {
        QTest::addColumn<EmptyTableState>("state");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("text");
        QTest::addColumn<Action>("action");
        const auto row = [](const char *name, EmptyTableState state, auto &&change, const char *title, const char *text,
                            Action action) {
            change(state);
            QTest::addRow("%s", name) << state << QString::fromUtf8(title) << QString::fromUtf8(text) << action;
        };
        const auto nothing = [](EmptyTableState &) {};
        row("no server", {}, nothing, "No server yet", "Enter the URL of a server above", Action::StartPrivateServer);
        row(
            "no connection", connected({}),
            [](EmptyTableState &state) {
                state.connection = base::Error {ErrorKind::Unreachable, QStringLiteral("refused")};
            },
            "No connection", "Refused", Action::StartPrivateServer);
        row(
            "connecting", connected({}), [](EmptyTableState &state) { state.isConnecting = true; }, "Connecting…",
            "redis://host", Action::None);
        row(
            "connecting again", connected({}),
            [](EmptyTableState &state) {
                state.isConnecting = true;
                state.connection = base::Error {ErrorKind::TimedOut, QStringLiteral("no answer within 5 s")};
            },
            "No connection", "No answer within 5 s", Action::StartPrivateServer);
        row(
            "a node without keys", connected(counted(0)), [](EmptyTableState &state) { state.isPart = true; },
            "No keys here", "This cluster node", Action::None);
        row(
            "a wrong password", connected({}),
            [](EmptyTableState &state) {
                state.connection = base::Error {ErrorKind::WrongPassword, QStringLiteral("wrong")};
            },
            "No connection", "", Action::None);
        row(
            "a wrong password of the proxy", connected({}),
            [](EmptyTableState &state) {
                state.connection = base::Error {ErrorKind::ProxyAuthentication, QStringLiteral("wrong")};
            },
            "No connection", "", Action::None);
        row("looking", connected({}), nothing, "Reading keys…", "redis://host", Action::None);
        row("empty", connected(counted(0)), nothing, "No keys here", "This database is empty.", Action::None);
        row(
            "empty and not observed", connected(counted(0)),
            [](EmptyTableState &state) {
                state.lastSeen = QStringLiteral("The server does not answer.");
                state.isPrivate = true;
            },
            "No keys when last read", "The server does not answer.", Action::None);
        row(
            "empty and private", connected(counted(0)), [](EmptyTableState &state) { state.isPrivate = true; },
            "No keys here", "This private server is empty.", Action::GoToPlayground);
        row(
            "filtered", connected(counted(5)), [](EmptyTableState &state) { state.counts.isFiltered = true; },
            "No key matches", "There are 5 keys, but the filter", Action::ShowAll);
        row(
            "one filtered", connected(counted(1)), [](EmptyTableState &state) { state.counts.isFiltered = true; },
            "No key matches", "There is 1 key, but", Action::ShowAll);
        row("all of them due", connected(counted(5)), nothing, "Only expired keys", "The server is being asked",
            Action::None);
        row(
            "denied", connected(counted(0)), [](EmptyTableState &state) { state.problem = noScan; },
            "No permission to read keys",
            "The number of keys is unknown: the server does not permit reading them. The server denies SCAN.",
            Action::None);
        row(
            "unreadable", connected(counted(0)),
            [](EmptyTableState &state) {
                state.problem =
                    base::Error(ErrorKind::Protocol, QStringLiteral("the server's answer to SCAN is not one"));
                state.counts.databaseSize = 17;
            },
            "The keys cannot be read",
            "The server reports 17 keys, but they could not be read. The server's answer to SCAN is not one.",
            Action::None);
        row(
            "denied on a private server", connected(counted(0)),
            [](EmptyTableState &state) {
                state.problem = noScan;
                state.isPrivate = true;
                state.counts.databaseSize = 17;
            },
            "No permission to read keys",
            "The server reports 17 keys, but does not permit reading them. The server denies SCAN.", Action::None);
    }
    void emptyText_givesTheReason()
    {
        QFETCH(EmptyTableState, state);
        QFETCH(QString, text);
        QFETCH(Action, action);
        const EmptyText result = emptyText(state);
        QTEST(result.title, "title");
        QVERIFY2(text.isEmpty() ? result.text.isEmpty() : result.text.startsWith(text), qPrintable(result.text));
        QVERIFY(result.action == action);
        QVERIFY(!result.icon.isEmpty());
        QCOMPARE(actionText(action).isEmpty(), action == Action::None);
    }

    void choiceText_namesWhatIsChosen_data()
    {
        QTest::addColumn<Choice>("choice");
        QTest::addColumn<QString>("text");
        QTest::addRow("nothing") << Choice {} << QStringLiteral("Select a key to copy or change it");
        QTest::addRow("one") << Choice {1, "App\\Jobs", 0, {}} << QStringLiteral("App\\Jobs");
        QTest::addRow("many") << Choice {1200, "a", 0, {}} << QStringLiteral("1,200 keys selected");
        QTest::addRow("gone") << Choice {0, {}, 1, "lock"}
                              << QStringLiteral("lock is gone; it is selected again if it returns");
        QTest::addRow("filtered out") << Choice {0, {}, 1, "lock", true, 1}
                                      << QStringLiteral("lock is hidden by the filter; it stays selected");
        QTest::addRow("one gone, one filtered out")
            << Choice {0, {}, 2, "lock", true, 1}
            << QStringLiteral(
                   "2 selected keys are gone or hidden by the filter; they are selected again if they return");
        QTest::addRow("several gone") << Choice {
            0, {}, 3, "lock"} << QStringLiteral("3 selected keys are gone; they are selected again if they return");
        QTest::addRow("not permitted to be read")
            << Choice {0, {}, 1, "lock", true, 0, 1}
            << QStringLiteral("The server no longer lets this user read lock; it stays selected");
        QTest::addRow("some not permitted to be read")
            << Choice {0, {}, 3, "lock", true, 0, 2}
            << QStringLiteral(
                   "3 selected keys are gone or not permitted to be read; they are selected again if they return");
        QTest::addRow("gone, filtered out and not permitted to be read")
            << Choice {0, {}, 3, "lock", true, 1, 1}
            << QStringLiteral("3 selected keys are gone, hidden by the filter or not permitted to be read; they are "
                              "selected again if they return");
        QTest::addRow("some gone") << Choice {1, "a", 3, "lock"} << QStringLiteral("a");
    }
    void choiceText_namesWhatIsChosen()
    {
        QFETCH(Choice, choice);
        QTEST(choiceText(choice), "text");
    }

    void lastSeen_statesTheTime()
    {
        const base::Error silent {base::ErrorKind::TimedOut, base::Text("no answer")};
        const base::Error busy {base::ErrorKind::Busy, base::Text("BUSY a script runs")};
        QCOMPARE(lastSeenText(12'900ms, true, silent),
                 QStringLiteral("The server does not answer. The view is 12 s old."));
        QCOMPARE(lastSeenText(12'900ms, true, busy),
                 QStringLiteral("No key has been read for 12 s: BUSY a script runs."));
        QCOMPARE(lastSeenText(-1ms, false, busy), QStringLiteral("No connection. The view is 0 s old."));
    }

    void gone_areNamedTheLastOneFirst()
    {
        const base::MonotonicTime now {100s};
        std::vector<keys::EndedKey> ended;
        QCOMPARE(endedSummary({0, false}, ended, now), QStringLiteral("No key ended within the last minute"));
        QCOMPARE(endedSummary({0, true}, ended, now), QStringLiteral("No key was seen to end within the last minute"));
        QCOMPARE(endedSummary({0, true, 12s}, ended, now),
                 QStringLiteral("No key was seen to end within the last 12 s; before that, ends could not be seen"));
        // A key whose end was not seen: the time is that of the observation.
        const keys::EndedKey unseen {"lock",   keys::KeyState::Expired, base::Deadline::never(), now - 13s,
                                     now - 2s, keys::EndSource::Unseen};
        QCOMPARE(endedList(std::span(&unseen, 1), now, 1), QStringLiteral("lock expired 2 to 13 s ago"));
        QCOMPARE(endedSummary({}, ended, now), QStringLiteral("Recently ended keys: unknown at present"));
        ended.push_back({"lock:a", keys::KeyState::Expired, base::Deadline::never(), {}, now - 2500ms});
        ended.push_back({"%1 %2", keys::KeyState::Removed, base::Deadline::never(), {}, now - 5s});
        const QString named = QStringLiteral("lock:a expired 2 s ago  ·  %1 %2 removed 5 s ago");
        QCOMPARE(endedSummary({6300, false}, ended, now),
                 QStringLiteral("6,300 of all keys ended within the last minute: ") + named);
        QCOMPARE(endedSummary({2, true}, ended, now),
                 QStringLiteral("At least 2 of all keys ended within the last minute: ") + named);
        QCOMPARE(endedSummary({}, ended, now), QStringLiteral("Recently ended keys: ") + named);
        QCOMPARE(endedList(ended, now, 1), QStringLiteral("lock:a expired 2 s ago"));
    }

    void resultText_describesOneKey()
    {
        const auto textOf = [](KeyChangeKind kind, const base::Result<ChangeOutcome> &outcome) {
            const KeyChangeResult one {base::Key("lock"), outcome};
            return resultText(kind, std::span(&one, 1));
        };
        QCOMPARE(textOf(KeyChangeKind::Delete, ChangeOutcome::Done), QStringLiteral("lock was deleted."));
        QCOMPARE(textOf(KeyChangeKind::Delete, ChangeOutcome::Changed),
                 QStringLiteral("lock was not deleted: it has changed since it was displayed."));
        QCOMPARE(textOf(KeyChangeKind::Delete, ChangeOutcome::Gone), QStringLiteral("lock no longer exists."));
        QCOMPARE(textOf(KeyChangeKind::Delete, base::failure(ErrorKind::TimedOut, QStringLiteral("no answer"))),
                 QStringLiteral("lock was not deleted: no answer"));
        QCOMPARE(textOf(KeyChangeKind::Restore, ChangeOutcome::Taken),
                 QStringLiteral("lock was not restored: another client has acquired it in the meantime."));
        QCOMPARE(textOf(KeyChangeKind::RestoreExpiry, ChangeOutcome::TooLate),
                 QStringLiteral("The previous expiry of lock was not restored: the previous expiry has passed."));
    }

    void actedText_countsSeveralAndNamesThoseThatWereLeft()
    {
        std::vector<KeyChangeResult> results(98, {base::Key("k"), ChangeOutcome::Done});
        results.push_back({base::Key("a"), ChangeOutcome::Changed});
        results.push_back({base::Key("b"), ChangeOutcome::Changed});
        QCOMPARE(resultText(KeyChangeKind::Delete, results),
                 QStringLiteral("98 deleted; 2 changed in the meantime: a, b."));
        results.assign(7, {base::Key("k"), ChangeOutcome::Gone});
        results.push_back({base::Key("x"), base::failure(ErrorKind::TimedOut, QStringLiteral("no answer"))});
        QCOMPARE(resultText(KeyChangeKind::SetExpiry, results),
                 QStringLiteral("7 no longer exist: k, k, k, k, k, …; 1 failed: x (no answer)."));
        results.assign(2, {base::Key("k"), ChangeOutcome::Done});
        results.push_back({base::Key("x"), ChangeOutcome::Gone});
        QCOMPARE(resultText(KeyChangeKind::Delete, results), QStringLiteral("2 deleted; 1 no longer exists: x."));
        QCOMPARE(resultText(KeyChangeKind::Restore, {}), QString());
    }

    void otherTexts_sayWhatHasHappened()
    {
        QCOMPARE(escapedText(1), QStringLiteral("One of the copied keys is not text: its bytes are written as \\xNN."));
    }
};

LATCHKEY_TEST(TestStatusText)

} // namespace tst_statustext

#include "tst_statustext.moc"
