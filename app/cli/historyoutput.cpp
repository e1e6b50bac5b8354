#include "app/cli/historyoutput.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"
#include "core/inspect/history/historytexts.h"
#include "core/inspect/history/holdjson.h"

#include <QJsonArray>

namespace latchkey::cli {

using Gap = history::History::Gap;
using events::Ending;
using help::CommandLine;
using history::Hold;
using std::chrono::milliseconds;
using watching::EventSource;

namespace {

/// Returns the word of the JSON output. The text output has its translation.
const char *mechanismWord(EventSource::Mechanism mechanism)
{
    switch (mechanism) {
    case EventSource::Mechanism::None:
        return QT_TRANSLATE_NOOP("CommandLine", "polling");
    case EventSource::Mechanism::Notifications:
        return QT_TRANSLATE_NOOP("CommandLine", "notifications");
    case EventSource::Mechanism::Tracking:
        return QT_TRANSLATE_NOOP("CommandLine", "tracking");
    }
    Q_UNREACHABLE();
}

base::WallTime wallTime(base::MonotonicTime time, const ObservedHolds &observed)
{
    return observed.wallNow - std::chrono::floor<milliseconds>(observed.now - time);
}

QJsonValue unixMilliseconds(base::MonotonicTime time, const ObservedHolds &observed)
{
    return static_cast<qint64>(wallTime(time, observed).time_since_epoch().count());
}

QString clockText(base::MonotonicTime time, const ObservedHolds &observed)
{
    return base::preciseTimeOfDay(wallTime(time, observed));
}

QJsonValue orNull(const std::optional<std::chrono::nanoseconds> &time)
{
    return time ? QJsonValue(base::ceilMilliseconds(*time)) : QJsonValue();
}

QJsonObject toJson(const history::Statistics &statistics)
{
    QJsonObject ends;
    for (std::size_t i = 0; i < history::Statistics::endingCount; ++i) {
        const auto ending = static_cast<Ending>(i);
        const qint64 count = statistics.count(ending);
        if (ending == Ending::None || count == 0)
            continue;
        const QLatin1String word = history::endWord(ending, events::Source::Notification);
        ends[word] = ends[word].toInteger() + count;
    }
    if (statistics.endedByHandover > 0)
        ends[QStringLiteral("handed-over")] = static_cast<qint64>(statistics.endedByHandover);
    const auto used = statistics.meanLeaseUsed();
    const bool isTimed = statistics.timed > 0;
    return {
        {QStringLiteral("holds"), static_cast<qint64>(statistics.holds)},
        {QStringLiteral("ended"), static_cast<qint64>(statistics.ended)},
        {QStringLiteral("mean_held_ms"), orNull(statistics.meanHeld())},
        {QStringLiteral("mean_held_uncertain_ms"), isTimed ? orNull(statistics.meanHeldUncertainty()) : QJsonValue()},
        {QStringLiteral("longest_held_ms"), isTimed ? orNull(statistics.longest) : QJsonValue()},
        {QStringLiteral("longest_held_uncertain_ms"), isTimed ? orNull(statistics.longestUncertainty) : QJsonValue()},
        {QStringLiteral("lease_used"), used ? QJsonValue(*used) : QJsonValue()},
        {QStringLiteral("contended"), static_cast<qint64>(statistics.contended)},
        {QStringLiteral("handed_over"), static_cast<qint64>(statistics.handedOver)},
        {QStringLiteral("extensions"), static_cast<qint64>(statistics.extensions)},
        {QStringLiteral("longest_late_ms"), base::ceilMilliseconds(statistics.longestLate)},
        {QStringLiteral("ends"), ends}};
}

QString textLine(const Hold &hold, const ObservedHolds &observed)
{
    const QString holder = hold.holder ? base::printable(*hold.holder, 100) : CommandLine::tr("holder unknown");
    const QString held = hold.isOver() ? CommandLine::tr("%1, held for %2") : CommandLine::tr("%1, held for %2 so far");
    QStringList parts {held.arg(history::startText(hold.start), history::heldText(hold, observed.now))};
    if (hold.extensionCount > 0)
        parts += hold.extensionCount == 1 ? CommandLine::tr("extended once")
                                          : CommandLine::tr("extended %1 times").arg(hold.extensionCount);
    QString text = QStringLiteral("%1  %2  %3")
                       .arg(history::beginText(hold, observed.now, observed.wallNow), holder, parts.join(u", "));
    if (hold.isOver())
        text += QStringLiteral(": ") + history::endSentence(hold);
    return text;
}

} // namespace

QString mechanismName(EventSource::Mechanism mechanism)
{
    return QLatin1String(mechanismWord(mechanism));
}

QJsonObject toJson(const ObservedHolds &observed)
{
    QJsonArray holds;
    for (const Hold &hold : observed.holds)
        holds += history::toJson(hold, observed.now, observed.wallNow);
    QJsonArray gaps;
    for (const Gap &gap : observed.gaps)
        gaps += QJsonObject {{QStringLiteral("from_ms"), unixMilliseconds(gap.from, observed)},
                             {QStringLiteral("to_ms"), gap.to ? unixMilliseconds(*gap.to, observed) : QJsonValue()}};
    return {{QStringLiteral("watched_ms"), base::ceilMilliseconds(observed.watched)},
            {QStringLiteral("means"), mechanismName(observed.mechanism)},
            {QStringLiteral("holds"), holds},
            {QStringLiteral("gaps"), gaps},
            {QStringLiteral("statistics"), toJson(observed.statistics)}};
}

QStringList textLines(const ObservedHolds &observed)
{
    QStringList lines;
    for (const Hold &hold : observed.holds)
        lines += textLine(hold, observed);
    for (const Gap &gap : observed.gaps)
        lines += clockText(gap.from, observed) + QStringLiteral("  ") + history::gapText(gap, observed.now);
    if (observed.statistics.holds > 0) {
        for (const history::StatisticText &figure : history::statisticTexts(observed.statistics))
            lines += QStringLiteral("%1  %2").arg(figure.name.toLower(), -12).arg(figure.value);
    }
    const bool isPolling = observed.mechanism == EventSource::Mechanism::None;
    const QString watched = isPolling
                              ? CommandLine::tr("watched for %1, by %2 only: changes between two polls were not seen")
                              : CommandLine::tr("watched for %1, by %2");
    lines += watched.arg(base::displayDuration(observed.watched), CommandLine::tr(mechanismWord(observed.mechanism)));
    return lines;
}

} // namespace latchkey::cli
