#include "ui/inspector/statustext.h"

#include "core/base/bytes.h"
#include "core/keyspace/serverevents.h"
#include "ui/keytable/keytext.h"
#include "ui/widgets/sentence.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace latchkey::ui::inspector {

using keys::KeyState;
using std::chrono::seconds;
using Act = EmptyText::Act;
using Means = keyspace::EventSource::Means;

namespace {

constexpr qsizetype longestStatusKey = 80;

/// Limits a count to int, the type of Qt's plural forms.
int plural(qint64 count)
{
    return static_cast<int>(std::min<qint64>(count, std::numeric_limits<int>::max()));
}

QString keysText(qint64 count)
{
    return count == 1 ? StatusText::tr("1 key") : StatusText::tr("%Ln keys", nullptr, plural(count));
}

/// Returns the known facts about the number of keys if the server refuses some questions.
QString deniedText(const KeyCounts &counts)
{
    if (counts.live > 0)
        return StatusText::tr("at least %1").arg(keysText(counts.live));
    return counts.databaseSize > 0
             ? StatusText::tr("not to be seen: the server has %1").arg(keysText(counts.databaseSize))
             : StatusText::tr("the number of keys is not known");
}

QString goneText(const rows::GoneKey &gone, base::MonotonicTime now)
{
    const auto ago = std::chrono::floor<seconds>(std::max(now - gone.since, std::chrono::nanoseconds(0)));
    const QString key = keytable::keyText(gone.key, longestStatusKey);
    const QString count = QString::number(ago.count());
    // Complete texts, so that each translation can choose its order of words.
    switch (gone.state) {
    case KeyState::Expired:
        return StatusText::tr("%1 expired %2 s ago").arg(key, count);
    case KeyState::Removed:
        if (gone.isFlushed)
            return StatusText::tr("%1 flushed %2 s ago").arg(key, count);
        return StatusText::tr("%1 removed %2 s ago").arg(key, count);
    case KeyState::Gone:
    case KeyState::Live:
        break;
    }
    return StatusText::tr("%1 gone %2 s ago").arg(key, count);
}

EmptyText nothingSeen(const Emptiness &emptiness)
{
    const QString why = widgets::sentence(emptiness.problem->message());
    const QString text =
        emptiness.counts.databaseSize > 0
            ? StatusText::tr("The server says that it has %1, but does not let us look. %2.")
                  .arg(keysText(emptiness.counts.databaseSize), why)
            : StatusText::tr("Whether there are keys is not known: the server does not let us look. %1.").arg(why);
    return {QStringLiteral("warning"), StatusText::tr("The keys cannot be seen"), text, Act::None};
}

/// Returns the text for an empty table of a recording. No action is offered, because a recording cannot be changed.
EmptyText emptyThen(bool isNothingSeen)
{
    if (isNothingSeen)
        return {QStringLiteral("server"), StatusText::tr("Nothing seen yet"),
                StatusText::tr("At this time of the recording the keys had not been looked at."), Act::None};
    return {QStringLiteral("key"), StatusText::tr("No keys here"),
            StatusText::tr("At this time of the recording there were none."), Act::None};
}

/// Whether the user lacks the permission to receive changes, whatever the server's configuration.
bool isDenied(const Telling &telling)
{
    return telling.denial && telling.denial->kind == base::ErrorKind::PermissionDenied;
}

} // namespace

QString countsText(const KeyCounts &counts)
{
    // The number of keys is still unknown, so the text must not say 0.
    if (counts.live == 0 && counts.looking != KeyCounts::Looking::Done)
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
    if (counts.looking == KeyCounts::Looking::Scanning && counts.databaseSize > 0) {
        parts += StatusText::tr("scanned %1 of %2")
                     .arg(QLocale().toString(counts.met), QLocale().toString(counts.databaseSize));
    } else if (counts.looking == KeyCounts::Looking::Done && counts.unseenFor > seconds(1)) {
        parts += StatusText::tr("new ones are seen within %Ln s", nullptr, plural(counts.unseenFor.count()));
    }
    return parts.join(QStringLiteral("  ·  "));
}

QString tellingTitle(const Telling &telling)
{
    switch (telling.means) {
    case Means::Notifications:
        return StatusText::tr("Told by notifications");
    case Means::Tracking:
        return StatusText::tr("Told by tracking");
    case Means::None:
        return StatusText::tr("Polling alone");
    }
    Q_UNREACHABLE();
}

QStringList tellingText(const Telling &telling)
{
    QStringList paragraphs;
    switch (telling.means) {
    case Means::Notifications:
        paragraphs += StatusText::tr("The server tells what happens to every key, as it happens (keyspace "
                                     "notifications). So short holds are seen too, and how each one ended.");
        break;
    case Means::Tracking:
        paragraphs += StatusText::tr(
            "The server tells which keys change, as they change (client tracking), but not what has happened to them. "
            "So short holds are seen too; but how a hold ended is inferred from its time left, and of two writes at "
            "once the first may not be seen.");
        break;
    case Means::None:
        paragraphs += StatusText::tr("The server does not tell of changes: keys are asked about in turn. So holds that "
                                     "are shorter than a turn may be missed, and an end may be \"not seen how\".");
        break;
    }
    if (telling.denial)
        paragraphs += StatusText::tr("Why: %1.").arg(telling.denial->message());
    if (!telling.usePolicy.isEmpty())
        paragraphs += StatusText::tr("The server evicts by use (%1), and reading a value counts as use: what is on "
                                     "screen and every lock stay longer than they would.")
                          .arg(base::printable(telling.usePolicy, longestStatusKey));
    return paragraphs;
}

QString tellingCommand(const Telling &telling)
{
    if (!isDenied(telling))
        return QStringLiteral("CONFIG SET notify-keyspace-events KEA");
    const QString rules = QString::fromLatin1(keyspace::trackingRules().join(' '));
    return QStringLiteral("ACL SETUSER %1 %2").arg(telling.user, rules);
}

QString tellingCost(const Telling &telling)
{
    if (isDenied(telling))
        return StatusText::tr(
            "This line, sent by somebody who may, permits this user what is missing: to be told which "
            "keys change (client tracking). No setting of the server is changed. It takes effect "
            "with the next connection. Where the user may use every channel already (&*), leave the part with & out: "
            "the server refuses the line with it.");
    return StatusText::tr("This line has the server tell everything. It holds for all its clients, in place of what is "
                          "set there now, until it is restarted; and each change of a key costs the server a little "
                          "more from then on, whether anybody listens or not.");
}

QByteArray usePolicy(const findings::ServerFacts &server)
{
    const bool isByUse = server.evictionPolicy.endsWith("-lru") || server.evictionPolicy.endsWith("-lfu");
    return isByUse && server.memoryLimit.value_or(0) > 0 ? server.evictionPolicy : QByteArray();
}

EmptyText emptyText(const Emptiness &emptiness)
{
    const KeyCounts &counts = emptiness.counts;
    if (!emptiness.hasServer)
        return {
            QStringLiteral("plug"), StatusText::tr("No server yet"),
            StatusText::tr("Enter a server's URL above, or look around on a private one that Latchkey starts for you."),
            Act::StartPrivateServer};
    if (emptiness.connection) {
        // Without a valid password, the user must enter one in the connection bar. The bar also shows the reason.
        const base::ErrorKind kind = emptiness.connection->kind;
        const bool wantsPassword =
            kind == base::ErrorKind::AuthenticationRequired || kind == base::ErrorKind::WrongPassword;
        return {QStringLiteral("plug"), StatusText::tr("No connection"),
                wantsPassword ? QString() : widgets::sentence(emptiness.connection->message()),
                wantsPassword ? Act::None : Act::StartPrivateServer};
    }
    if (emptiness.isConnecting)
        return {QStringLiteral("plug"), StatusText::tr("Connecting…"), emptiness.server, Act::None};
    const bool isNothingSeen = counts.looking != KeyCounts::Looking::Done;
    if (emptiness.isRecording && (isNothingSeen || (counts.live == 0 && !emptiness.problem)))
        return emptyThen(isNothingSeen);
    if (isNothingSeen)
        return {QStringLiteral("server"), StatusText::tr("Looking at the keys…"), emptiness.server, Act::None};
    if (counts.live > 0 && counts.isFiltered)
        return {QStringLiteral("search"), StatusText::tr("No key matches"),
                counts.live == 1 ? StatusText::tr("There is 1 key, but the filter does not let it through.")
                                 : StatusText::tr("There are %Ln keys, but none that the filter lets through.", nullptr,
                                                  plural(counts.live)),
                Act::ShowAll};
    if (counts.live > 0)
        return {QStringLiteral("key"), StatusText::tr("Nothing but keys whose time is over"),
                StatusText::tr("The server is being asked whether they are gone."), Act::None};
    if (emptiness.problem)
        return nothingSeen(emptiness);
    if (emptiness.isPrivate)
        return {QStringLiteral("key"), StatusText::tr("No keys here"),
                StatusText::tr("This private server is empty. Let clients compete for a lock in the Playground, or "
                               "write a key with redis-cli: it shows up here within a moment."),
                Act::GoToPlayground};
    if (emptiness.isPart)
        return {
            QStringLiteral("key"), StatusText::tr("No keys here"),
            StatusText::tr("This node of the cluster has no keys; others may have some. A key shows up here within a "
                           "moment of being written to this one."),
            Act::None};
    return {QStringLiteral("key"), StatusText::tr("No keys here"),
            StatusText::tr("This database is empty. A key shows up here within a moment of being written."), Act::None};
}

QString actText(Act act)
{
    switch (act) {
    case Act::None:
        return {};
    case Act::StartPrivateServer:
        return StatusText::tr("Start a private server");
    case Act::ShowAll:
        return StatusText::tr("Show all");
    case Act::GoToPlayground:
        return StatusText::tr("Go to the Playground");
    }
    Q_UNREACHABLE();
}

QString problemText(const base::Error &problem)
{
    return StatusText::tr("Not everything can be shown: %1").arg(problem.message());
}

QString choiceText(const Choice &choice)
{
    if (choice.rows == 1)
        return keytable::keyText(choice.key, longestStatusKey);
    if (choice.rows > 1)
        return StatusText::tr("%Ln keys chosen", nullptr, plural(choice.rows));
    if (choice.awaited == 1 && choice.filtered == 1)
        return StatusText::tr("%1 is not shown by the filter; it stays chosen")
            .arg(keytable::keyText(choice.awaitedKey, longestStatusKey));
    if (choice.filtered > 0 && choice.filtered == choice.awaited)
        return StatusText::tr("%Ln chosen keys are not shown by the filter; they stay chosen", nullptr,
                              plural(choice.awaited));
    if (choice.filtered > 0)
        return StatusText::tr("%Ln chosen keys are gone or not shown by the filter; they are chosen again when they "
                              "come back",
                              nullptr, plural(choice.awaited));
    if (choice.awaited == 1)
        return StatusText::tr("%1 is gone; it is chosen again when it comes back")
            .arg(keytable::keyText(choice.awaitedKey, longestStatusKey));
    if (choice.awaited > 1)
        return StatusText::tr("%Ln chosen keys are gone; they are chosen again when they come back", nullptr,
                              plural(choice.awaited));
    return choice.canChange ? StatusText::tr("Choose a key to copy or to change it")
                            : StatusText::tr("Choose a key to see more of it");
}

QString lastSeenText(std::chrono::nanoseconds ago, bool isConnected)
{
    const int count = plural(std::chrono::floor<seconds>(std::max(ago, std::chrono::nanoseconds(0))).count());
    return isConnected
             ? StatusText::tr("The server does not answer. Last seen %Ln s ago; all is shown as it was then.", nullptr,
                              count)
             : StatusText::tr("No connection. Last seen %Ln s ago; all is shown as it was then.", nullptr, count);
}

QString lastSeenThenText(std::chrono::nanoseconds ago)
{
    const int count = plural(std::chrono::floor<seconds>(std::max(ago, std::chrono::nanoseconds(0))).count());
    return StatusText::tr("The server was out of sight at this time. It had been seen %Ln s before; all is shown as it "
                          "was then.",
                          nullptr, count);
}

QString goneCount(const GoneCount &count)
{
    if (!count.keys)
        return StatusText::tr("Keys that have gone");
    const int keys = plural(*count.keys);
    if (count.isLeast)
        return *count.keys == 0 ? StatusText::tr("No key was seen to go within the last minute")
                                : StatusText::tr("At least %Ln of all keys gone within the last minute", nullptr, keys);
    return *count.keys == 0 ? StatusText::tr("No key has gone within the last minute")
                            : StatusText::tr("%Ln of all keys gone within the last minute", nullptr, keys);
}

QString goneSummary(const GoneCount &count, std::span<const rows::GoneKey> gone, base::MonotonicTime now)
{
    constexpr std::size_t mostNamed = 3;
    QStringList parts;
    for (const rows::GoneKey &key : gone.first(std::min(gone.size(), mostNamed)))
        parts += goneText(key, now);
    if (gone.size() > mostNamed)
        parts += QStringLiteral("…");
    if (parts.isEmpty())
        return count.keys ? goneCount(count) : StatusText::tr("Keys that have gone: not known at present");
    return StatusText::tr("%1: %2").arg(goneCount(count), parts.join(QStringLiteral("  ·  ")));
}

QString goneList(std::span<const rows::GoneKey> gone, base::MonotonicTime now, std::size_t most)
{
    QStringList lines;
    for (const rows::GoneKey &key : gone.first(std::min(gone.size(), most)))
        lines += goneText(key, now);
    return lines.join(u'\n');
}

QString escapedText(int keys)
{
    return keys == 1
             ? StatusText::tr("One of the copied keys is not text: its bytes are written as \\xNN.")
             : StatusText::tr("%Ln of the copied keys are not text: their bytes are written as \\xNN.", nullptr, keys);
}

} // namespace latchkey::ui::inspector
