#include "ui/pages/inspector/endedtext.h"

#include "core/foundation/base/timetext.h"
#include "ui/views/keytable/keytext.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace latchkey::ui::inspector {

using base::preciseTimeOfDay;
using base::timeOfDay;
using events::Coverage;
using keys::EndedKey;
using keys::EndSource;

namespace {

constexpr int maxEndedKeyLength = 300;
/// Number of gaps that are named; the latest ones.
constexpr std::size_t maxNamedIntervals = 3;

/// Returns the intervals that overlap the period of the record. An end is seen even if types and values are refused.
std::vector<Coverage::Gap> recentOf(std::vector<Coverage::Gap> gaps, base::MonotonicTime from)
{
    std::erase_if(gaps, [from](const Coverage::Gap &each) {
        return (each.to && *each.to <= std::max(each.from, from)) || each.request == events::KeyRequest::Type
            || each.request == events::KeyRequest::Value;
    });
    return gaps;
}

/// Returns a sentence about an interval without observations, or without change events. The interval is shown from
/// `from` on.
QString intervalText(const Coverage::Gap &interval, base::MonotonicTime from, const base::Clock &clock)
{
    const QString start = timeOfDay(clock.wallAt(std::max(interval.from, from)));
    const QString end = interval.to ? timeOfDay(clock.wallAt(*interval.to)) : QString();
    const QString why = interval.why.message();
    if (interval.request != events::KeyRequest::Changes)
        return interval.to ? EndedText::tr("Not seen from %1 to %2: %3.").arg(start, end, why)
                           : EndedText::tr("Not seen since %1: %2.").arg(start, why);
    return interval.to ? EndedText::tr("From %1 to %2 the server reported no changes: %3.").arg(start, end, why)
                       : EndedText::tr("Since %1 the server has reported no changes: %2.").arg(start, why);
}

} // namespace

QString EndedText::time(const EndedKey &ended, const base::Clock &clock)
{
    const QString at = preciseTimeOfDay(clock.wallAt(ended.goneAt));
    if (ended.source != EndSource::Unseen)
        return at;
    return tr("%1 to %2", "two times of day").arg(preciseTimeOfDay(clock.wallAt(ended.lastSeen)), at);
}

QString EndedText::key(const EndedKey &ended)
{
    return ended.count > 1 ? tr("%1 keys").arg(QLocale().toString(ended.count))
                           : keytable::keyText(ended.key, maxEndedKeyLength);
}

QString EndedText::ending(const EndedKey &ended)
{
    switch (ended.ending()) {
    case EndedKey::Ending::Expired:
        return tr("expired");
    case EndedKey::Ending::Removed:
        return tr("removed");
    case EndedKey::Ending::ExpiredOrRemoved:
        return tr("expired or removed");
    case EndedKey::Ending::Flushed:
        return tr("flushed");
    case EndedKey::Ending::Unknown:
        return tr("ended, not seen how");
    }
    Q_UNREACHABLE();
}

QString EndedText::late(const EndedKey &ended)
{
    const auto late = ended.late();
    if (!late)
        return {};
    const QString text = keytable::durationText(*late);
    return ended.source == EndSource::Reported ? text : QStringLiteral("\u2264 ") + text;
}

EndedText::Source EndedText::source(const EndedKey &ended, const base::Clock &clock)
{
    const QString last = preciseTimeOfDay(clock.wallAt(ended.lastSeen));
    switch (ended.source) {
    case EndSource::Reported:
        return {tr("event"), tr("The server reported a change of the key, which was then absent.")};
    case EndSource::Queried:
        return {tr("look"), tr("The server was asked. The key was last known to exist at %1.").arg(last)};
    case EndSource::OwnCommand:
        return {tr("own command"), tr("A command of this program removed the key.")};
    case EndSource::Inferred:
        return {tr("scan"), tr("A scan did not find the key, which was last known to exist at %1.").arg(last)};
    case EndSource::Flushed:
        return {tr("event"), tr("The server reported a flush, and the database was then empty.")};
    case EndSource::Unseen:
        return {tr("look"), tr("The key was absent after a time in which the server was not seen. It was last known to "
                               "exist at %1.")
                                .arg(last)};
    }
    Q_UNREACHABLE();
}

QString EndedText::coverageText(const keys::EndedKeyLog &ended, const RecordedPeriod &period, const base::Clock &clock)
{
    const base::MonotonicTime now = clock.now();
    const auto dropped = ended.droppedUntil(now);
    const base::MonotonicTime from =
        std::max({now - keys::EndedKeyLog::retention, period.since, dropped.value_or(period.since)});
    QStringList sentences {tr("Since %1.").arg(timeOfDay(clock.wallAt(from)))};
    if (dropped)
        sentences += tr("Earlier ones were dropped: the list keeps the last %1 keys.")
                         .arg(QLocale().toString(static_cast<qulonglong>(keys::EndedKeyLog::maxKeys)));
    const auto gaps = recentOf(period.gaps, from);
    for (std::size_t i = gaps.size() - std::min(gaps.size(), maxNamedIntervals); i < gaps.size(); ++i)
        sentences += intervalText(gaps[i], from, clock);
    if (gaps.size() > maxNamedIntervals)
        sentences += tr("Earlier gaps: %1.").arg(static_cast<qulonglong>(gaps.size() - maxNamedIntervals));
    sentences +=
        period.hasChangeEvents
            ? tr("A key that ended before it was read is missing.")
            : tr("The server reports no changes, so a key that appeared and ended between two looks is missing.");
    if (period.isIncomplete)
        sentences += tr("Not all keys are known, so others may have ended.");
    return sentences.join(u' ');
}

} // namespace latchkey::ui::inspector
