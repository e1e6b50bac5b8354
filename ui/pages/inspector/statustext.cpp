#include "ui/pages/inspector/statustext.h"

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"
#include "core/keyspace/watching/serverevents.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/views/keytable/keytext.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace latchkey::ui::inspector {

using std::chrono::seconds;
using Action = EmptyText::Action;
using Ending = keys::EndedKey::Ending;
using Mechanism = watching::EventSource::Mechanism;

namespace {

constexpr qsizetype maxStatusKeyLength = 80;

/// Limits a count to int, the type of Qt's plural forms.
int plural(qint64 count)
{
    return static_cast<int>(std::min<qint64>(count, std::numeric_limits<int>::max()));
}

QString keysText(qint64 count)
{
    return count == 1 ? StatusText::tr("1 key") : StatusText::tr("%Ln keys", nullptr, plural(count));
}

/// Returns the known facts about the number of keys if the server refuses some requests.
QString deniedText(const KeyCounts &counts)
{
    if (counts.live > 0)
        return StatusText::tr("at least %1").arg(keysText(counts.live));
    return counts.databaseSize > 0
             ? StatusText::tr("not readable: the server has %1").arg(keysText(counts.databaseSize))
             : StatusText::tr("number of keys unknown");
}

QString endedRowText(const keys::EndedKey &ended, base::MonotonicTime now)
{
    const auto ago = std::chrono::floor<seconds>(std::max(now - ended.goneAt, std::chrono::nanoseconds(0)));
    const QString key = keytable::keyText(ended.key, maxStatusKeyLength);
    const QString count = QString::number(ago.count());
    // Complete texts, so that each translation can choose its order of words.
    const auto longest = std::chrono::ceil<seconds>(std::max(now - ended.lastSeen, std::chrono::nanoseconds(0)));
    switch (ended.ending()) {
    case Ending::Expired:
        if (ended.source == keys::EndSource::Unseen)
            return StatusText::tr("%1 expired %2 to %3 s ago").arg(key, count, QString::number(longest.count()));
        return StatusText::tr("%1 expired %2 s ago").arg(key, count);
    case Ending::Removed:
        return StatusText::tr("%1 removed %2 s ago").arg(key, count);
    case Ending::ExpiredOrRemoved:
        return StatusText::tr("%1 gone %2 s ago").arg(key, count);
    case Ending::Flushed:
        return StatusText::tr("%1 flushed %2 s ago").arg(key, count);
    case Ending::Unknown:
        break;
    }
    return StatusText::tr("%1 ended %2 to %3 s ago, not seen how").arg(key, count, QString::number(longest.count()));
}

EmptyText textForRefusedReads(const EmptyTableState &state)
{
    const QString why = widgets::sentence(state.problem->message());
    const bool isDenied = state.problem->kind == base::ErrorKind::PermissionDenied;
    const QString count = keysText(state.counts.databaseSize);
    QString text;
    if (state.counts.databaseSize > 0)
        text = isDenied ? StatusText::tr("The server reports %1, but does not permit reading them. %2.").arg(count, why)
                        : StatusText::tr("The server reports %1, but they could not be read. %2.").arg(count, why);
    else
        text =
            isDenied
                ? StatusText::tr("The number of keys is unknown: the server does not permit reading them. %1.").arg(why)
                : StatusText::tr("The number of keys is unknown: they could not be read. %1.").arg(why);
    return {QStringLiteral("warning"),
            isDenied ? StatusText::tr("No permission to read keys") : StatusText::tr("The keys cannot be read"), text,
            Action::None};
}

/// Returns the text for an empty table of a recording. No action is offered, because a recording cannot be changed.
EmptyText emptyThen(bool isNothingSeen)
{
    if (isNothingSeen)
        return {QStringLiteral("server"), StatusText::tr("No data yet"),
                StatusText::tr("The keys had not been read at this time of the recording."), Action::None};
    return {QStringLiteral("key"), StatusText::tr("No keys here"),
            StatusText::tr("There were no keys at this time of the recording."), Action::None};
}

/// Returns the refusals of requests that read keys. If all requests are refused for one reason, only the reason.
QStringList refusalTexts(const events::Coverage &coverage)
{
    std::vector<events::Coverage::Denial> denied = coverage.denied();
    std::erase_if(denied, [](const auto &denial) {
        return denial.request == events::KeyRequest::Changes; // The button in the header shows this refusal.
    });
    constexpr std::size_t readRequests = 4;
    if (denied.size() == readRequests && std::ranges::all_of(denied, [&](const auto &denial) {
            return !denial.isOfSomeKeys && denial.why == denied.front().why;
        }))
        return {denied.front().why.message()};
    QStringList texts;
    for (const events::Coverage::Denial &denial : denied)
        texts += denial.sentence().toString();
    return texts;
}

/// Returns whether the user lacks the permission to receive changes, whatever the server's configuration.
bool isDenied(const ChangeNotificationStatus &status)
{
    return status.denial && status.denial->kind == base::ErrorKind::PermissionDenied;
}

} // namespace

QString countsText(const KeyCounts &counts)
{
    // The number of keys is still unknown, so the text must not say 0.
    if (counts.live == 0 && counts.scanState != KeyCounts::ScanState::Done)
        return {};
    QStringList parts {counts.isDenied ? deniedText(counts) : keysText(counts.live)};
    if (counts.persistent > 0)
        parts += StatusText::tr("%Ln without expiry", nullptr, plural(counts.persistent));
    if (counts.due > 0)
        parts += StatusText::tr("%Ln due and not shown", nullptr, plural(counts.due));
    if (counts.isFiltered)
        parts += StatusText::tr("%Ln shown", nullptr, plural(counts.shown));
    if (counts.isIncomplete)
        parts += StatusText::tr("incomplete: the server has %Ln", nullptr, plural(counts.databaseSize));
    if (counts.isSorting)
        parts += StatusText::tr("sorting…");
    if (counts.scanState == KeyCounts::ScanState::Scanning && counts.databaseSize > 0) {
        parts += StatusText::tr("scanned %1 of %2")
                     .arg(QLocale().toString(counts.scanned), QLocale().toString(counts.databaseSize));
        if (counts.scanLeft && *counts.scanLeft > seconds(1))
            parts += StatusText::tr("%1 left").arg(base::displayDuration(*counts.scanLeft));
    } else if (counts.scanState == KeyCounts::ScanState::Done && counts.unseenFor > seconds(1)) {
        parts += StatusText::tr("new keys appear within %Ln s", nullptr, plural(counts.unseenFor.count()));
    }
    return parts.join(QStringLiteral("  ·  "));
}

QString changeNotificationTitle(const ChangeNotificationStatus &status)
{
    switch (status.mechanism) {
    case Mechanism::Notifications:
        return StatusText::tr("Keyspace notifications");
    case Mechanism::Tracking:
        return StatusText::tr("Client tracking");
    case Mechanism::None:
        return StatusText::tr("Polling only");
    }
    Q_UNREACHABLE();
}

QStringList changeNotificationText(const ChangeNotificationStatus &status)
{
    QStringList paragraphs;
    switch (status.mechanism) {
    case Mechanism::Notifications:
        paragraphs += StatusText::tr("The server sends an event for each change of a key (keyspace notifications). "
                                     "Short holds and the end of each hold are seen.");
        break;
    case Mechanism::Tracking:
        paragraphs += StatusText::tr("The server reports which keys change (client tracking), but not how. Short holds "
                                     "are seen; the way in which a hold ended is inferred from its TTL, and the first "
                                     "of two writes in quick succession may be missed.");
        break;
    case Mechanism::None:
        paragraphs += StatusText::tr("The server does not report changes: keys are polled in turn. Holds shorter than "
                                     "one round may be missed, and the way in which a hold ended may be unknown.");
        break;
    }
    if (status.denial)
        paragraphs += StatusText::tr("Reason: %1.").arg(status.denial->message());
    if (!status.usePolicy.isEmpty())
        paragraphs += StatusText::tr("The server evicts by use (%1), and reading a value counts as use: locks and "
                                     "displayed keys are evicted later.")
                          .arg(base::printable(status.usePolicy, maxStatusKeyLength));
    return paragraphs;
}

QString changeNotificationCommand(const ChangeNotificationStatus &status)
{
    if (!isDenied(status))
        return QStringLiteral("CONFIG SET notify-keyspace-events KEA");
    const QString rules = QString::fromLatin1(watching::trackingRules().join(' '));
    return QStringLiteral("ACL SETUSER %1 %2").arg(status.user, rules);
}

QString changeNotificationCost(const ChangeNotificationStatus &status)
{
    if (isDenied(status))
        return StatusText::tr(
            "This command, sent by an administrator, gives this user the missing permission for client tracking. No "
            "server setting is changed. It takes effect with the next connection. If the user may already use every "
            "channel (&*), omit the part with &: the server refuses the command with it.");
    return StatusText::tr(
        "This command enables keyspace notifications. It replaces the current setting for all clients until the server "
        "restarts. Each change of a key then costs the server a little more, even without listeners.");
}

QByteArray usePolicy(const findings::ServerProperties &server)
{
    const bool isByUse = server.evictionPolicy.endsWith("-lru") || server.evictionPolicy.endsWith("-lfu");
    return isByUse && server.memoryLimit.value_or(0) > 0 ? server.evictionPolicy : QByteArray();
}

EmptyText emptyText(const EmptyTableState &state)
{
    const KeyCounts &counts = state.counts;
    if (!state.hasServer)
        return {QStringLiteral("plug"), StatusText::tr("No server yet"),
                StatusText::tr("Enter the URL of a server above, or try a private server that Latchkey starts."),
                Action::StartPrivateServer};
    if (state.connection) {
        // Without a valid password, the user must enter one in the connection bar. The bar also shows the reason.
        const bool wantsPassword = base::isPasswordRefused(state.connection->kind);
        return {QStringLiteral("plug"), StatusText::tr("No connection"),
                wantsPassword ? QString() : widgets::sentence(state.connection->message()),
                wantsPassword ? Action::None : Action::StartPrivateServer};
    }
    if (state.isConnecting)
        return {QStringLiteral("plug"), StatusText::tr("Connecting…"), state.server, Action::None};
    const bool isNothingSeen = counts.scanState != KeyCounts::ScanState::Done;
    if (state.isRecording && (isNothingSeen || (counts.live == 0 && !state.problem)))
        return emptyThen(isNothingSeen);
    if (isNothingSeen)
        return {QStringLiteral("server"), StatusText::tr("Reading keys…"), state.server, Action::None};
    if (counts.live > 0 && counts.isFiltered)
        return {QStringLiteral("search"), StatusText::tr("No key matches"),
                counts.live == 1 ? StatusText::tr("There is 1 key, but the filter hides it.")
                                 : StatusText::tr("There are %Ln keys, but the filter hides all of them.", nullptr,
                                                  plural(counts.live)),
                Action::ShowAll};
    if (counts.live > 0)
        return {QStringLiteral("key"), StatusText::tr("Only expired keys"),
                StatusText::tr("The server is being asked if they are gone."), Action::None};
    if (state.problem)
        return textForRefusedReads(state);
    if (!state.lastSeen.isEmpty())
        return {QStringLiteral("server"), StatusText::tr("No keys when last read"), state.lastSeen, Action::None};
    if (state.isPrivate)
        return {QStringLiteral("key"), StatusText::tr("No keys here"),
                StatusText::tr("This private server is empty. Start clients in the Playground, or write a key with "
                               "redis-cli: it appears here at once."),
                Action::GoToPlayground};
    if (state.isPart)
        return {QStringLiteral("key"), StatusText::tr("No keys here"),
                StatusText::tr("This cluster node has no keys; other nodes may have some. A key written to this node "
                               "appears here at once."),
                Action::None};
    return {QStringLiteral("key"), StatusText::tr("No keys here"),
            StatusText::tr("This database is empty. A new key appears here at once."), Action::None};
}

QString actionText(Action action)
{
    switch (action) {
    case Action::None:
        return {};
    case Action::StartPrivateServer:
        return StatusText::tr("Start a private server");
    case Action::ShowAll:
        return StatusText::tr("Show all");
    case Action::GoToPlayground:
        return StatusText::tr("Go to the Playground");
    }
    Q_UNREACHABLE();
}

QString problemText(const watching::WatchStatus &watcher)
{
    if (watcher.problem())
        return StatusText::tr("Incomplete view: %1").arg(watcher.problem()->message());
    const events::Coverage coverage = watcher.coverage();
    QStringList missing;
    // The header shows any other reason why nothing is seen.
    if (const auto *gap = coverage.gap(); gap != nullptr && gap->why.kind == base::ErrorKind::StaleReplica)
        missing += gap->sentence(coverage.parts().now).toString();
    missing += refusalTexts(coverage);
    if (const auto unread = coverage.unreadSentence())
        missing += unread->toString();
    return missing.isEmpty() ? QString()
                             : StatusText::tr("Incomplete view: %1").arg(missing.join(QStringLiteral("; ")));
}

QString choiceText(const Choice &choice)
{
    if (choice.rows == 1)
        return keytable::keyText(choice.key, maxStatusKeyLength);
    if (choice.rows > 1)
        return StatusText::tr("%Ln keys selected", nullptr, plural(choice.rows));
    if (choice.awaited == 1 && choice.filtered == 1)
        return StatusText::tr("%1 is hidden by the filter; it stays selected")
            .arg(keytable::keyText(choice.awaitedKey, maxStatusKeyLength));
    if (choice.filtered > 0 && choice.filtered == choice.awaited)
        return StatusText::tr("%Ln selected keys are hidden by the filter; they stay selected", nullptr,
                              plural(choice.awaited));
    if (choice.unreadable == 1 && choice.awaited == 1)
        return StatusText::tr("The server no longer lets this user read %1; it stays selected")
            .arg(keytable::keyText(choice.awaitedKey, maxStatusKeyLength));
    if (choice.unreadable > 0 && choice.filtered > 0)
        return StatusText::tr("%Ln selected keys are gone, hidden by the filter or not permitted to be read; they are "
                              "selected again if they return",
                              nullptr, plural(choice.awaited));
    if (choice.unreadable > 0)
        return StatusText::tr(
            "%Ln selected keys are gone or not permitted to be read; they are selected again if they return", nullptr,
            plural(choice.awaited));
    if (choice.filtered > 0)
        return StatusText::tr(
            "%Ln selected keys are gone or hidden by the filter; they are selected again if they return", nullptr,
            plural(choice.awaited));
    if (choice.awaited == 1)
        return StatusText::tr("%1 is gone; it is selected again if it returns")
            .arg(keytable::keyText(choice.awaitedKey, maxStatusKeyLength));
    if (choice.awaited > 1)
        return StatusText::tr("%Ln selected keys are gone; they are selected again if they return", nullptr,
                              plural(choice.awaited));
    return choice.canChange ? StatusText::tr("Select a key to copy or change it")
                            : StatusText::tr("Select a key to see its details");
}

QString lastSeenText(std::chrono::nanoseconds ago, bool isConnected, const base::Error &why)
{
    const int count = plural(std::chrono::floor<seconds>(std::max(ago, std::chrono::nanoseconds(0))).count());
    if (isConnected && why.kind != base::ErrorKind::TimedOut)
        return StatusText::tr("No key has been read for %Ln s: %1.", nullptr, count).arg(why.message());
    return isConnected ? StatusText::tr("The server does not answer. The view is %Ln s old.", nullptr, count)
                       : StatusText::tr("No connection. The view is %Ln s old.", nullptr, count);
}

QString recordedLastSeenText(std::chrono::nanoseconds ago)
{
    const int count = plural(std::chrono::floor<seconds>(std::max(ago, std::chrono::nanoseconds(0))).count());
    return StatusText::tr("The server was not reachable at this time. The view is %Ln s older.", nullptr, count);
}

QString endedCountText(const EndedCount &count)
{
    if (!count.keys)
        return StatusText::tr("Recently ended keys");
    const int keys = plural(*count.keys);
    if (*count.keys == 0 && count.seenFor)
        return StatusText::tr("No key was seen to end within the last %Ln s; before that, ends could not be seen",
                              nullptr, plural(count.seenFor->count()));
    if (count.isLeast)
        return *count.keys == 0
                 ? StatusText::tr("No key was seen to end within the last minute")
                 : StatusText::tr("At least %Ln of all keys ended within the last minute", nullptr, keys);
    return *count.keys == 0 ? StatusText::tr("No key ended within the last minute")
                            : StatusText::tr("%Ln of all keys ended within the last minute", nullptr, keys);
}

QString endedSummary(const EndedCount &count, std::span<const keys::EndedKey> ended, base::MonotonicTime now)
{
    constexpr std::size_t maxNamed = 3;
    QStringList parts;
    for (const keys::EndedKey &key : ended.first(std::min(ended.size(), maxNamed)))
        parts += endedRowText(key, now);
    if (ended.size() > maxNamed)
        parts += QStringLiteral("…");
    if (parts.isEmpty())
        return count.keys ? endedCountText(count) : StatusText::tr("Recently ended keys: unknown at present");
    return StatusText::tr("%1: %2").arg(endedCountText(count), parts.join(QStringLiteral("  ·  ")));
}

QString endedList(std::span<const keys::EndedKey> ended, base::MonotonicTime now, std::size_t maximum)
{
    QStringList lines;
    for (const keys::EndedKey &key : ended.first(std::min(ended.size(), maximum)))
        lines += endedRowText(key, now);
    return lines.join(u'\n');
}

QString escapedText(int keys)
{
    return keys == 1
             ? StatusText::tr("One of the copied keys is not text: its bytes are written as \\xNN.")
             : StatusText::tr("%Ln of the copied keys are not text: their bytes are written as \\xNN.", nullptr, keys);
}

} // namespace latchkey::ui::inspector
