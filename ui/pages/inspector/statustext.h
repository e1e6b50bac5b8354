#pragma once

#include "core/foundation/base/error.h"
#include "core/inspect/findings/lockevidence.h"
#include "core/keyspace/rows/endedrows.h"
#include "core/keyspace/watching/eventsource.h"
#include "core/keyspace/watching/watchstatus.h"
#include "core/redis/resp/serverinfo.h"

#include <QCoreApplication>

#include <optional>
#include <span>

// The Inspector's texts about a server and its keys, as functions from values to texts. They do not depend on widgets.

namespace latchkey::ui::inspector {

/// The translation context of these texts.
struct StatusText
{
    Q_DECLARE_TR_FUNCTIONS(StatusText)
};

/// The known numbers of keys.
struct KeyCounts
{
    enum class ScanState : quint8 {
        NotYet,   ///< No scan since the connection was established.
        Scanning, ///< First scan in progress.
        Done,     ///< First scan complete; the keys are watched from then on.
    };
    ScanState scanState = ScanState::NotYet;
    qint64 live = 0;
    qint64 persistent = 0;
    qint64 due = 0;   ///< Keys past their deadline whose end is not confirmed by the server; not in the table.
    qint64 shown = 0; ///< Number of rows.
    bool isFiltered = false;
    bool isSorting = false;
    quint64 scanned = 0;                             ///< Keys found by the scan.
    qint64 databaseSize = 0;                         ///< As reported by the server; 0 if unknown.
    bool isIncomplete = false;                       ///< Whether the server has more keys than the store may hold.
    bool isDenied = false;                           ///< Whether the server refuses some requests.
    std::chrono::seconds unseenFor {};               ///< Longest delay until a new key is seen.
    std::optional<std::chrono::seconds> scanLeft {}; ///< Time until the end of the first scan; absent: unknown.
};

/// Returns the line below the title. Empty if nothing is known.
[[nodiscard]] QString countsText(const KeyCounts &counts);

/// The way in which the server reports changes, and the effects of watching on the server.
struct ChangeNotificationStatus
{
    watching::EventSource::Mechanism mechanism = watching::EventSource::Mechanism::None;
    std::optional<base::Error> denial; ///< Why the server reports no changes.
    QByteArray usePolicy;              ///< Eviction policy of the server if a read counts as use; empty otherwise.
    QString user {};                   ///< User name of the connection.
    int database = 0;
    resp::ServerInfo server {}; ///< Self-description of the server.
};
/// Returns a short text for a button.
[[nodiscard]] QString changeNotificationTitle(const ChangeNotificationStatus &status);
/// Returns paragraphs about the consequences for the display, and the reasons.
[[nodiscard]] QStringList changeNotificationText(const ChangeNotificationStatus &status);
/// Returns the command that makes the server report changes: a setting of the server, or a permission of this user.
[[nodiscard]] QString changeNotificationCommand(const ChangeNotificationStatus &status);
/// Returns the effect and the cost of that command.
[[nodiscard]] QString changeNotificationCost(const ChangeNotificationStatus &status);
/// Returns the eviction policy if it depends on use and memory is limited. Empty otherwise.
[[nodiscard]] QByteArray usePolicy(const findings::ServerProperties &server);

/// The input of emptyText(): why the table is empty.
struct EmptyTableState
{
    bool hasServer = false;
    bool isPrivate = false;
    bool isRecording = false;              ///< Whether the data is from a recording.
    bool isPart = false;                   ///< Whether the server is one of several nodes of a cluster.
    QString server;                        ///< URL of the server.
    bool isConnecting = false;             ///< Whether a connection attempt is running.
    std::optional<base::Error> connection; ///< Why there is no connection; absent before the first attempt.
    std::optional<base::Error> problem;    ///< See watching::Watcher::problem().
    QString lastSeen {};                   ///< See lastSeenText(); empty while the server is observed.
    KeyCounts counts {};
};

/// The text in place of an empty table. The page carries out the action when the user clicks the button.
struct EmptyText
{
    enum class Action : quint8 { None, StartPrivateServer, ShowAll, GoToPlayground };

    QString icon;
    QString title;
    QString text;
    Action action = Action::None;

    friend bool operator==(const EmptyText &, const EmptyText &) = default;
};
[[nodiscard]] EmptyText emptyText(const EmptyTableState &state);
/// Returns the label of the button. Empty for None.
[[nodiscard]] QString actionText(EmptyText::Action action);

/// Returns the text about keys or properties that cannot be shown, with the reason. Empty if the server refuses
/// nothing.
[[nodiscard]] QString problemText(const watching::WatchStatus &watcher);

/// The selection in the table.
struct Choice
{
    qint64 rows = 0;
    QByteArray key;     ///< Key of the first row.
    qint64 awaited = 0; ///< Number of selected keys without a row now.
    QByteArray awaitedKey;
    bool canChange = true; ///< False for a recording: its keys can only be copied.
    qint64 filtered = 0;   ///< Number of awaited keys that exist but are filtered out.
    qint64 unreadable = 0; ///< Number of awaited keys that the server no longer permits reading.
};
[[nodiscard]] QString choiceText(const Choice &choice);

/// Returns the time since the last read of a key. `isConnected`: true if the server does not reply or refuses all
/// commands, false if there is no connection. `why`: the reason.
[[nodiscard]] QString lastSeenText(std::chrono::nanoseconds ago, bool isConnected, const base::Error &why);
/// Returns the same text for a recording: the server was not reachable at that time.
[[nodiscard]] QString recordedLastSeenText(std::chrono::nanoseconds ago);

/// The number of keys that ended within the last minute, whether or not they were displayed.
struct EndedCount
{
    std::optional<qint64> keys; ///< Absent if unknown.
    bool isLeast = false;       ///< Whether the number is a lower bound.
    /// Time since which ends are seen, if that is less than a minute. Absent otherwise.
    std::optional<std::chrono::seconds> seenFor {};
};
/// Returns the text about the number of keys that ended within the last minute. Returns only a title if the number is
/// unknown.
[[nodiscard]] QString endedCountText(const EndedCount &count);
/// Returns the count and the first of the keys in one line.
[[nodiscard]] QString endedSummary(const EndedCount &count, std::span<const keys::EndedKey> ended,
                                   base::MonotonicTime now);
/// Returns one line for each of the first `maximum` keys.
[[nodiscard]] QString endedList(std::span<const keys::EndedKey> ended, base::MonotonicTime now, std::size_t maximum);

/// Returns the message after a copy in which bytes were escaped. `keys`: number of copied keys that are not text.
[[nodiscard]] QString escapedText(int keys);

} // namespace latchkey::ui::inspector
