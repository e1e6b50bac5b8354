#include "app/cli/watchprinter.h"

#include "app/cli/colours.h"
#include "app/cli/exitcode.h"
#include "app/cli/output.h"
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
    case Type::Learnt:
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

/// Returns the words of all events of locks, in the order of the help.
QStringList eventWords()
{
    QStringList words;
    for (const char *event : {"seen", "acquired", "extended", "handed-over", "changed", "released", "deleted",
                              "expired", "evicted", "flushed", "lost", "ended"})
        words += QLatin1String(event);
    return words;
}

Colour colourOf(QLatin1String event)
{
    if (event == QLatin1String("acquired") || event == QLatin1String("released"))
        return Colour::Good;
    if (event == QLatin1String("handed-over") || event == QLatin1String("expired") || event == QLatin1String("evicted")
        || event == QLatin1String("flushed") || event == QLatin1String("lost"))
        return Colour::Caution;
    return Colour::None;
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

base::Result<QStringList> WatchPrinter::eventsFrom(const Arguments &arguments)
{
    const QStringList events = arguments.texts("event");
    for (const QString &event : events) {
        if (!eventWords().contains(event))
            return base::failure(base::ErrorKind::Usage, CommandLine::tr("--event: unknown event \"%1\"; there are %2")
                                                             .arg(event, eventWords().join(QStringLiteral(", "))));
    }
    return events;
}

QCommandLineOption WatchPrinter::eventOption(const QString &description)
{
    return makeOption("event", eventWords().join(u'|').toLatin1().constData(), description);
}

void WatchPrinter::connectTo(const LockEvents &locks, const EventDelay &eventDelay, const Printed &printed)
{
    QObject::connect(
        &locks, &LockEvents::seen, &locks,
        [this, printed](const QByteArray &key, const LockDescription &description,
                        const std::optional<base::Deadline> &deadline, base::MonotonicTime at) {
            print({key, QLatin1String("seen"), description.holder, QLatin1String("poll"), at, {}, {}, deadline},
                  printed);
        });
    QObject::connect(&locks, &LockEvents::happened, &locks,
                     [this, eventDelay, printed](const KeyEvent &keyEvent, const LockDescription &description,
                                                 const FormerHold &former) {
                         if (keyEvent.type == Type::Replaced)
                             print(lineOf(endBefore(keyEvent, former.deadline), former.description, {}), printed);
                         if (keyEvent.type != Type::Learnt)
                             print(lineOf(keyEvent, description, eventDelay(keyEvent)), printed);
                     });
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
    const QString time = base::preciseTimeOfDay(at);
    const QString text = QStringLiteral("%1  %2  %3  %4")
                             .arg(time)
                             .arg(coloured(QStringLiteral("%1").arg(line.event, -11), colourOf(line.event)))
                             .arg(line.holder ? base::printable(*line.holder) : QStringLiteral("-"), -36)
                             .arg(base::printable(line.key));
    const QString remark = remarks.isEmpty() ? QString() : QStringLiteral("  (%1)").arg(remarks.join(u", "));
    printBytes((text + remark + u'\n').toUtf8());
}

} // namespace latchkey::cli
