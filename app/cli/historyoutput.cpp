#include "app/cli/historyoutput.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/files/json.h"
#include "core/inspect/history/historytexts.h"

#include <QDateTime>
#include <QJsonArray>

namespace latchkey::cli {

using Gap = history::History::Gap;
using events::Ending;
using help::CommandLine;
using history::Hold;
using history::Span;
using std::chrono::milliseconds;
using watching::EventSource;

namespace {

/// Returns the word of the JSON output. The text output has its translation.
const char *meansWord(EventSource::Means means)
{
    switch (means) {
    case EventSource::Means::None:
        return QT_TRANSLATE_NOOP("CommandLine", "polling");
    case EventSource::Means::Notifications:
        return QT_TRANSLATE_NOOP("CommandLine", "notifications");
    case EventSource::Means::Tracking:
        return QT_TRANSLATE_NOOP("CommandLine", "tracking");
    }
    Q_UNREACHABLE();
}

base::WallTime wallTime(base::MonotonicTime time, const SeenHolds &seen)
{
    return seen.wallNow - std::chrono::floor<milliseconds>(seen.now - time);
}

QJsonValue unixMilliseconds(base::MonotonicTime time, const SeenHolds &seen)
{
    return static_cast<qint64>(wallTime(time, seen).time_since_epoch().count());
}

QString clockText(base::MonotonicTime time, const SeenHolds &seen)
{
    return QDateTime::fromMSecsSinceEpoch(wallTime(time, seen).time_since_epoch().count())
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

QLatin1String startWord(Hold::Start start)
{
    switch (start) {
    case Hold::Start::Unseen:
        return QLatin1String("seen");
    case Hold::Start::Acquired:
        return QLatin1String("acquired");
    case Hold::Start::HandedOver:
        return QLatin1String("handed-over");
    case Hold::Start::Replaced:
        return QLatin1String("replaced");
    }
    Q_UNREACHABLE();
}

QJsonObject toJson(const Hold &hold, const SeenHolds &seen)
{
    QJsonObject row;
    row[QStringLiteral("holder")] = QJsonValue::Null;
    if (hold.holder)
        files::insertBytes(row, QStringLiteral("holder"), *hold.holder);
    row[QStringLiteral("start")] = startWord(hold.start);
    row[QStringLiteral("from_ms")] = unixMilliseconds(hold.from.middle(), seen);
    row[QStringLiteral("from_uncertain_ms")] = wholeMilliseconds(hold.from.uncertainty());
    row[QStringLiteral("held_ms")] = wholeMilliseconds(hold.duration(seen.now));
    row[QStringLiteral("extensions")] = static_cast<qint64>(hold.extensionCount);
    row[QStringLiteral("lease_ms")] = hold.lease ? QJsonValue(static_cast<qint64>(hold.lease->count())) : QJsonValue();
    for (const char *name : {"until_ms", "until_uncertain_ms", "end", "late_ms"})
        row[QLatin1String(name)] = QJsonValue::Null;
    if (hold.until) {
        row[QStringLiteral("until_ms")] = unixMilliseconds(hold.until->middle(), seen);
        row[QStringLiteral("until_uncertain_ms")] = wholeMilliseconds(hold.until->uncertainty());
        row[QStringLiteral("end")] = endWord(hold.ending, hold.endSource);
    }
    if (hold.late)
        row[QStringLiteral("late_ms")] = wholeMilliseconds(*hold.late);
    row[QStringLiteral("inferred")] = hold.isInferred;
    row[QStringLiteral("possibly_own_read")] = hold.mayBeOurRead;
    return row;
}

QJsonValue orNull(const std::optional<std::chrono::nanoseconds> &time)
{
    return time ? QJsonValue(wholeMilliseconds(*time)) : QJsonValue();
}

QJsonObject toJson(const history::Statistics &statistics)
{
    QJsonObject ends;
    for (std::size_t i = 0; i < history::Statistics::endingCount; ++i) {
        const auto ending = static_cast<Ending>(i);
        const qint64 count = statistics.count(ending);
        if (ending == Ending::None || count == 0)
            continue;
        const QLatin1String word = endWord(ending, events::Source::Notice);
        ends[word] = ends[word].toInteger() + count;
    }
    const auto used = statistics.meanLeaseUsed();
    const bool isTimed = statistics.timed > 0;
    return {{QStringLiteral("holds"), static_cast<qint64>(statistics.holds)},
            {QStringLiteral("ended"), static_cast<qint64>(statistics.ended)},
            {QStringLiteral("mean_held_ms"), orNull(statistics.meanHeld())},
            {QStringLiteral("longest_held_ms"), isTimed ? orNull(statistics.longest) : QJsonValue()},
            {QStringLiteral("lease_used"), used ? QJsonValue(*used) : QJsonValue()},
            {QStringLiteral("contended"), static_cast<qint64>(statistics.contended)},
            {QStringLiteral("handed_over"), static_cast<qint64>(statistics.handedOver)},
            {QStringLiteral("extensions"), static_cast<qint64>(statistics.extensions)},
            {QStringLiteral("longest_late_ms"), wholeMilliseconds(statistics.longestLate)},
            {QStringLiteral("ends"), ends}};
}

QString textLine(const Hold &hold, const SeenHolds &seen)
{
    const QString holder = hold.holder ? base::printable(*hold.holder, 100) : CommandLine::tr("holder unknown");
    const QString held = hold.isOver() ? CommandLine::tr("%1, held for %2") : CommandLine::tr("%1, held for %2 so far");
    QStringList parts {held.arg(history::startText(hold.start), history::heldText(hold, seen.now))};
    if (hold.extensionCount > 0)
        parts += hold.extensionCount == 1 ? CommandLine::tr("extended once")
                                          : CommandLine::tr("extended %1 times").arg(hold.extensionCount);
    QString text =
        QStringLiteral("%1  %2  %3").arg(history::beginText(hold, seen.now, seen.wallNow), holder, parts.join(u", "));
    if (hold.isOver())
        text += QStringLiteral(": ") + history::endSentence(hold);
    return text;
}

} // namespace

QLatin1String endWord(Ending ending, events::Source source)
{
    switch (ending) {
    case Ending::Expired:
        return QLatin1String("expired");
    case Ending::Evicted:
        return QLatin1String("evicted");
    case Ending::Flushed:
        return QLatin1String("flushed");
    case Ending::Deleted: // A DEL of another client may be a release; a DEL of this program is none.
        return QLatin1String(source == events::Source::Act ? "deleted" : "released");
    case Ending::Removed:
        return QLatin1String("released");
    case Ending::None:
    case Ending::Unknown:
        return QLatin1String("ended");
    }
    Q_UNREACHABLE();
}

QString meansName(EventSource::Means means)
{
    return QLatin1String(meansWord(means));
}

QJsonObject toJson(const SeenHolds &seen)
{
    QJsonArray holds;
    for (const Hold &hold : seen.holds)
        holds += toJson(hold, seen);
    QJsonArray gaps;
    for (const Gap &gap : seen.gaps)
        gaps += QJsonObject {{QStringLiteral("from_ms"), unixMilliseconds(gap.from, seen)},
                             {QStringLiteral("to_ms"), gap.to ? unixMilliseconds(*gap.to, seen) : QJsonValue()}};
    return {{QStringLiteral("watched_ms"), wholeMilliseconds(seen.watched)},
            {QStringLiteral("means"), meansName(seen.means)},
            {QStringLiteral("holds"), holds},
            {QStringLiteral("gaps"), gaps},
            {QStringLiteral("statistics"), toJson(seen.statistics)}};
}

QStringList textLines(const SeenHolds &seen)
{
    QStringList lines;
    for (const Hold &hold : seen.holds)
        lines += textLine(hold, seen);
    for (const Gap &gap : seen.gaps)
        lines += clockText(gap.from, seen) + QStringLiteral("  ") + history::gapText(gap, seen.now);
    if (seen.statistics.holds > 0) {
        for (const history::Figure &figure : history::figures(seen.statistics))
            lines += QStringLiteral("%1  %2").arg(figure.name.toLower(), -12).arg(figure.value);
    }
    const bool isPolling = seen.means == EventSource::Means::None;
    const QString watched = isPolling
                              ? CommandLine::tr("watched for %1, by %2 only: changes between two polls were not seen")
                              : CommandLine::tr("watched for %1, by %2");
    lines += watched.arg(history::timeText(seen.watched), CommandLine::tr(meansWord(seen.means)));
    return lines;
}

} // namespace latchkey::cli
