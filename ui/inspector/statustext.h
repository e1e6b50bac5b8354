#pragma once

#include "core/base/error.h"
#include "core/findings/case.h"
#include "core/keyspace/eventsource.h"
#include "core/resp/serverinfo.h"
#include "core/rows/gonekeys.h"

#include <QCoreApplication>

#include <optional>
#include <span>

// What the Inspector says about a server and its keys, as functions from what is known to words. They know no widget.

namespace latchkey::ui::inspector {

/// The context in which these words are translated.
struct StatusText
{
    Q_DECLARE_TR_FUNCTIONS(StatusText)
};

/// What is known of how many keys there are.
struct KeyCounts
{
    enum class Looking : quint8 {
        NotYet,   ///< Nothing has been looked at since we are connected.
        Scanning, ///< For the first time.
        Done,     ///< Everything has been looked at once, and is from then on.
    };
    Looking looking = Looking::NotYet;
    qint64 live = 0;
    qint64 persistent = 0;
    qint64 due = 0;   ///< Their time is over, but the server has not been asked yet; not in the table.
    qint64 shown = 0; ///< Rows.
    bool isFiltered = false;
    bool isSorting = false;
    quint64 met = 0;                   ///< By the scan.
    qint64 databaseSize = 0;           ///< As the server says; 0: unknown.
    bool isIncomplete = false;         ///< There are more than the store may hold.
    bool isDenied = false;             ///< The server does not tell everything.
    std::chrono::seconds unseenFor {}; ///< A new key is seen after this time at the latest.
};

/// The line below the title; empty where nothing is known.
[[nodiscard]] QString countsText(const KeyCounts &counts);

/// How the server tells of changes, and what looking at it does to it.
struct Telling
{
    keyspace::EventSource::Means means = keyspace::EventSource::Means::None;
    std::optional<base::Error> denial; ///< Why nothing is told.
    QByteArray usePolicy;              ///< By which it evicts, where reading counts as use; empty: it does not.
    QString user {};                   ///< As whom it is asked.
    int database = 0;
    resp::ServerInfo server {}; ///< What it says of itself.
};
/// A few words, for a button.
[[nodiscard]] QString tellingTitle(const Telling &telling);
/// Paragraphs: what that means for what is shown, and why it is so.
[[nodiscard]] QStringList tellingText(const Telling &telling);
/// The one line that has the server tell of changes: of everything, or this user, where that is what is missing.
[[nodiscard]] QString tellingCommand(const Telling &telling);
/// What that line does, and what it costs.
[[nodiscard]] QString tellingCost(const Telling &telling);
/// The policy by which the server evicts, where it goes by use and memory is limited; else empty.
[[nodiscard]] QByteArray usePolicy(const findings::ServerFacts &server);

/// What the page knows while there is no row to show.
struct Emptiness
{
    bool hasServer = false;
    bool isPrivate = false;
    bool isRecording = false;              ///< What it says is what was so then.
    bool isPart = false;                   ///< One of several nodes of a cluster.
    QString server;                        ///< Its URL.
    bool isConnecting = false;             ///< A connection is being tried.
    std::optional<base::Error> connection; ///< Why there is no connection; absent if none was tried before.
    std::optional<base::Error> problem;    ///< See keyspace::Watcher::problem().
    KeyCounts counts;
};

/// What stands in the table's place then. The action is a promise of what the page does when it is clicked.
struct EmptyText
{
    enum class Act : quint8 { None, StartPrivateServer, ShowAll, GoToPlayground };

    QString icon;
    QString title;
    QString text;
    Act act = Act::None;

    friend bool operator==(const EmptyText &, const EmptyText &) = default;
};
[[nodiscard]] EmptyText emptyText(const Emptiness &emptiness);
/// For the button; empty for None.
[[nodiscard]] QString actText(EmptyText::Act act);

/// That not everything can be shown, and why.
[[nodiscard]] QString problemText(const base::Error &problem);

/// What is chosen.
struct Choice
{
    qint64 rows = 0;
    QByteArray key;     ///< Of the first row.
    qint64 awaited = 0; ///< Chosen, and no rows at present.
    QByteArray awaitedKey;
    bool canChange = true; ///< Of a recording keys can only be copied.
    qint64 filtered = 0;   ///< Of the awaited: keys that exist, which the filter does not show.
};
[[nodiscard]] QString choiceText(const Choice &choice);

/// How long ago the server was last seen. isConnected: it does not answer, else it is not there.
[[nodiscard]] QString lastSeenText(std::chrono::nanoseconds ago, bool isConnected);
/// The same of a recording: it was out of sight then.
[[nodiscard]] QString lastSeenThenText(std::chrono::nanoseconds ago);

/// Number of keys that have gone within the last minute, whether they were shown or not.
struct GoneCount
{
    std::optional<qint64> keys; ///< Absent: it is not known.
    bool isLeast = false;       ///< Some may have gone unseen.
};
/// How many keys have gone within the last minute, if that is known.
[[nodiscard]] QString goneCount(const GoneCount &count);
/// The same in one line with the first of them.
[[nodiscard]] QString goneSummary(const GoneCount &count, std::span<const rows::GoneKey> gone, base::MonotonicTime now);
/// A line for each of the first so many.
[[nodiscard]] QString goneList(std::span<const rows::GoneKey> gone, base::MonotonicTime now, std::size_t most);

/// Said after copying keys of which some are not text, so that their bytes were written out.
[[nodiscard]] QString escapedText(int keys);

} // namespace latchkey::ui::inspector
