#include "app/cli/watchprinter.h"

#include "app/cli/colours.h"
#include "app/cli/exitcode.h"
#include "app/cli/output.h"
#include "app/cli/servervotes.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"
#include "core/foundation/files/json.h"
#include "core/inspect/history/historytexts.h"
#include "core/inspect/history/holdjson.h"

#include <cstdio>

namespace latchkey::cli {

using events::Ending;
using events::KeyEvent;
using events::Source;
using help::CommandLine;
using std::chrono::milliseconds;
using Type = KeyEvent::Type;

namespace {

/// Offset that makes WallTime's rounding down a rounding up: the printed interval contains the change.
constexpr auto roundingUp = std::chrono::milliseconds(1) - std::chrono::nanoseconds(1);

QLatin1String word(const KeyEvent &keyEvent)
{
    switch (keyEvent.type) {
    case Type::Appeared:
    case Type::Replaced:
        return QLatin1String("acquired");
    case Type::Renewed:
        return QLatin1String("extended");
    case Type::HandedOver:
        return QLatin1String("handed-over");
    case Type::Changed:
    case Type::FirstRead:
        return QLatin1String("changed");
    case Type::Ended:
        return history::endWord(keyEvent.ending, keyEvent.source);
    }
    Q_UNREACHABLE();
}

/// Returns the end of the former hold of a key that another hold has replaced. How it ended was not seen. It may have
/// expired before the change that was seen.
KeyEvent endBefore(const KeyEvent &replacement, const std::optional<base::Deadline> &deadline)
{
    KeyEvent ended = replacement;
    ended.type = Type::Ended;
    ended.ending = Ending::Unknown;
    ended.deadline.reset();
    ended.isAtFailover = false; // The new primary knows the key.
    ended.mayBeOwnRead = false;
    if (deadline && !deadline->isNever())
        ended.notBefore = std::min(ended.notBefore, deadline->at() - deadline->uncertainty());
    return ended;
}

QLatin1String sourceWord(const KeyEvent &keyEvent)
{
    const bool isLockCandidate = keyEvent.isInferred || keyEvent.type == Type::Replaced
                              || (keyEvent.type == Type::Ended && keyEvent.ending == Ending::Unknown);
    if (isLockCandidate)
        return QLatin1String("inferred");
    const bool isByEvent = keyEvent.source == Source::NotifiedRead || keyEvent.source == Source::Notification;
    return QLatin1String(isByEvent ? "event" : "poll");
}

QStringList wordsOf(std::initializer_list<const char *> events)
{
    QStringList words;
    for (const char *event : events)
        words += QLatin1String(event);
    return words;
}

QLatin1String word(WatchedVotes::Change change)
{
    switch (change) {
    case WatchedVotes::Change::Majority:
        return QLatin1String("majority");
    case WatchedVotes::Change::NoMajority:
        return QLatin1String("no-majority");
    case WatchedVotes::Change::Uncertain:
        return QLatin1String("uncertain");
    }
    Q_UNREACHABLE();
}

Colour colourOf(QLatin1String event)
{
    if (event == QLatin1String("acquired") || event == QLatin1String("released") || event == QLatin1String("majority"))
        return Colour::Good;
    if (event == QLatin1String("handed-over") || event == QLatin1String("expired") || event == QLatin1String("evicted")
        || event == QLatin1String("flushed") || event == QLatin1String("lost") || event == QLatin1String("no-majority")
        || event == QLatin1String("uncertain"))
        return Colour::Caution;
    return Colour::None;
}

qint64 unixTime(base::WallTime time)
{
    return time.time_since_epoch().count();
}

/// The columns of a line of text.
struct Columns
{
    base::WallTime at;
    QString server; ///< Empty for a single server.
    QLatin1String event;
    std::optional<QByteArray> holder;
    QByteArray key;
};

void printColumns(const Columns &columns, const QStringList &remarks)
{
    const auto &[at, server, event, holder, key] = columns;
    QStringList cells {base::preciseTimeOfDay(at)};
    cells += server + coloured(QString(event).leftJustified(11), colourOf(event));
    cells += (holder ? base::printable(*holder) : QStringLiteral("-")).leftJustified(36);
    cells += base::printable(key);
    const QString remark = remarks.isEmpty() ? QString() : QStringLiteral("  (%1)").arg(remarks.join(u", "));
    printBytes((cells.join(QStringLiteral("  ")) + remark + u'\n').toUtf8());
}

QString failoverRemark(const KeyEvent &keyEvent)
{
    if (!keyEvent.isAtFailover)
        return {};
    if (keyEvent.type == Type::Ended && keyEvent.ending != Ending::Lost)
        return CommandLine::tr("unknown to the primary after the failover, last change not read");
    if (keyEvent.ending != Ending::Lost)
        return CommandLine::tr("the primary before the failover knew it differently");
    if (!keyEvent.deadline || keyEvent.deadline->isNever())
        return CommandLine::tr("unknown to the primary after the failover");
    return CommandLine::tr("unknown to the primary after the failover, %1 before its deadline")
        .arg(base::displayDuration(keyEvent.deadline->at() - keyEvent.notAfter));
}

} // namespace

QStringList WatchPrinter::lockEvents()
{
    return wordsOf({"seen", "acquired", "extended", "handed-over", "changed", "released", "deleted", "expired",
                    "evicted", "flushed", "lost", "ended"});
}

QStringList WatchPrinter::voteEvents()
{
    return wordsOf({"majority", "no-majority", "uncertain"});
}

base::Result<QStringList> WatchPrinter::eventsFrom(const Arguments &arguments, const QStringList &known)
{
    const QStringList events = arguments.texts("event");
    for (const QString &event : events) {
        if (!known.contains(event))
            return base::failure(base::ErrorKind::Usage, CommandLine::tr("--event: unknown event \"%1\"; there are %2")
                                                             .arg(event, known.join(QStringLiteral(", "))));
    }
    return events;
}

QCommandLineOption WatchPrinter::eventOption(const QStringList &known, const QString &description)
{
    return makeOption("event", known.join(u'|').toLatin1().constData(), description);
}

void WatchPrinter::connectTo(const LockEvents &locks, const EventDelay &eventDelay, const Printed &printed,
                             const EventOrigin &origin)
{
    const auto printOfServer = [this, printed, origin](Line line) {
        line.origin = origin;
        print(line, printed);
    };
    QObject::connect(
        &locks, &LockEvents::seen, &locks,
        [printOfServer](const QByteArray &key, const LockDescription &description,
                        const std::optional<base::Deadline> &deadline, base::MonotonicTime at) {
            printOfServer(
                {key, QLatin1String("seen"), description.holder, QLatin1String("poll"), at, {}, {}, deadline});
        });
    QObject::connect(&locks, &LockEvents::happened, &locks,
                     [printOfServer, eventDelay](const KeyEvent &keyEvent, const LockDescription &description,
                                                 const FormerHold &former) {
                         if (keyEvent.type == Type::Replaced)
                             printOfServer(lineOf(endBefore(keyEvent, former.deadline), former.description, {}));
                         if (keyEvent.type != Type::FirstRead)
                             printOfServer(lineOf(keyEvent, description, eventDelay(keyEvent)));
                     });
}

void WatchPrinter::connectTo(const WatchedVotes &votes, const QStringList &servers, const Printed &printed)
{
    QObject::connect(&votes, &WatchedVotes::changed, &votes,
                     [this, servers, printed](const WatchedVotes::Event &event) { print(event, servers, printed); });
}

WatchPrinter::Line WatchPrinter::lineOf(const KeyEvent &keyEvent, const LockDescription &description,
                                        const std::optional<std::chrono::nanoseconds> &eventDelay)
{
    Line line {keyEvent.key,
               word(keyEvent),
               description.holder,
               sourceWord(keyEvent),
               keyEvent.notAfter,
               keyEvent.late(),
               keyEvent.notAfter - keyEvent.notBefore,
               keyEvent.deadline,
               keyEvent.mayBeOwnRead,
               failoverRemark(keyEvent)};
    // The time from which the server has certainly reported everything can be much earlier.
    if (line.source == QLatin1String("event") && eventDelay && keyEvent.firstNotification)
        line.uncertainty = std::min(line.uncertainty, keyEvent.notAfter - *keyEvent.firstNotification + *eventDelay);
    if (line.late) // The printed interval must contain the end, and late minus uncertainty the shortest delay.
        line.uncertainty = std::max(line.uncertainty, keyEvent.deadline->uncertainty());
    if (keyEvent.type == Type::Ended)
        line.deadline.reset();
    return line;
}

bool WatchPrinter::isWanted(QLatin1String event)
{
    if (m_isClosed)
        return false;
    if (m_events.isEmpty() || m_events.contains(event))
        return true;
    const bool isEndWanted = std::ranges::any_of(m_events, [](const QString &wanted) {
        constexpr std::array ends {"handed-over", "released", "deleted", "expired", "evicted", "flushed", "lost"};
        return std::ranges::any_of(ends, [&](const char *end) { return wanted == QLatin1String(end); });
    });
    if (event == QLatin1String("ended") && isEndWanted)
        ++m_hiddenEnds;
    return false;
}

void WatchPrinter::print(const Line &line, const Printed &printed)
{
    if (!isWanted(line.event))
        return;
    const base::WallTime at = m_clock.wallAt(line.at + roundingUp);
    if (m_json)
        printJsonLine(line, at);
    else
        printText(line, at);
    std::fflush(stdout);
    printed(line.event);
}

void WatchPrinter::printJsonLine(const Line &line, base::WallTime at) const
{
    QJsonObject object;
    object[QStringLiteral("at_ms")] = static_cast<qint64>(at.time_since_epoch().count());
    if (!line.origin.server.isEmpty())
        object[QStringLiteral("server")] = line.origin.server;
    files::insertBytes(object, QStringLiteral("key"), line.key);
    object[QStringLiteral("event")] = line.event;
    object[QStringLiteral("holder")] = QJsonValue::Null;
    if (line.holder)
        files::insertBytes(object, QStringLiteral("holder"), *line.holder);
    object[QStringLiteral("source")] = line.source;
    object[QStringLiteral("late_ms")] = line.late ? QJsonValue(base::ceilMilliseconds(*line.late)) : QJsonValue();
    const qint64 uncertain = (at - m_clock.wallAt(line.at - line.uncertainty)).count();
    object[QStringLiteral("uncertain_ms")] = line.uncertainty.count() == 0 ? 0 : uncertain;
    printBytes(files::toLine(object) + '\n');
}

void WatchPrinter::printText(const Line &line, base::WallTime at) const
{
    QStringList remarks;
    if (line.deadline)
        remarks += line.deadline->isNever()
                     ? CommandLine::tr("no expiry")
                     : CommandLine::tr("%1 left").arg(base::displayDuration(line.deadline->at() - line.at));
    if (line.late) {
        // The end may have been in time, and its observation late.
        const bool isBound = *line.late <= line.uncertainty;
        remarks += (isBound ? CommandLine::tr("at most %1 late") : CommandLine::tr("%1 late"))
                       .arg(base::displayDuration(*line.late));
    }
    if (!line.failover.isEmpty())
        remarks += line.failover;
    if (line.mayBeOwnRead)
        remarks += CommandLine::tr("possibly because of our own read");
    if (line.source == QLatin1String("inferred"))
        remarks += QStringLiteral("inferred");
    printColumns({at, originColumn(line.origin, line.origin.server), line.event, line.holder, line.key}, remarks);
}

void WatchPrinter::print(const WatchedVotes::Event &event, const QStringList &servers, const Printed &printed)
{
    if (!isWanted(word(event.change)))
        return;
    if (m_json)
        printJsonLine(event, servers);
    else
        printText(event, servers);
    std::fflush(stdout);
    printed(word(event.change));
}

void WatchPrinter::printJsonLine(const WatchedVotes::Event &event, const QStringList &servers) const
{
    QJsonObject object;
    object[QStringLiteral("at_ms")] = unixTime(m_clock.wallAt(event.at));
    files::insertBytes(object, QStringLiteral("key"), event.key);
    object[QStringLiteral("event")] = word(event.change);
    files::insertBytes(object, QStringLiteral("holder"), event.votes.holder().value_or(QByteArray()));
    object[QStringLiteral("votes")] = countsJson(event.votes, event.at);
    std::vector<voting::ServerReply> replies;
    for (std::size_t i = 0; i < event.missingVotes.size(); ++i)
        replies.push_back({servers[static_cast<qsizetype>(i)], nullptr, event.missingVotes[i].why});
    QJsonArray each = serversJson(event.votes, replies, event.at);
    for (std::size_t i = 0; i < event.missingVotes.size(); ++i) {
        const auto since = event.missingVotes[i].since;
        QJsonObject one = each[static_cast<qsizetype>(i)].toObject();
        one[QStringLiteral("since_ms")] = since ? QJsonValue(unixTime(m_clock.wallAt(*since))) : QJsonValue();
        each[static_cast<qsizetype>(i)] = one;
    }
    object[QStringLiteral("servers")] = each;
    printBytes(files::toLine(object) + '\n');
}

void WatchPrinter::printText(const WatchedVotes::Event &event, const QStringList &servers) const
{
    QStringList remarks;
    if (const auto until = event.votes.validUntil(event.at); until && event.change == WatchedVotes::Change::Majority)
        remarks += *until > event.at
                     ? CommandLine::tr("valid for %1 at most").arg(base::displayDuration(*until - event.at))
                     : CommandLine::tr("no longer valid");
    qsizetype width = 0;
    for (std::size_t i = 0; i < event.missingVotes.size(); ++i) {
        const QString &server = servers[static_cast<qsizetype>(i)];
        const auto &[why, since] = event.missingVotes[i];
        width = std::max(width, server.size());
        if (since)
            remarks +=
                CommandLine::tr("silent since %1: %2").arg(base::preciseTimeOfDay(m_clock.wallAt(*since)), server);
        else if (!why.isEmpty())
            remarks += CommandLine::tr("not known: %1").arg(server);
        else if (event.votes.voteOf(i) == voting::LockVotes::Vote::OtherHolder)
            remarks += CommandLine::tr("other holder: %1").arg(server);
    }
    const QString votes = CommandLine::tr("%1 of %2").arg(event.votes.votes()).arg(event.votes.servers());
    printColumns({m_clock.wallAt(event.at), originColumn({{}, {}, width}, votes), word(event.change),
                  event.votes.holder(), event.key},
                 remarks);
}

} // namespace latchkey::cli
