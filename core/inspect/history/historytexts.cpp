#include "core/inspect/history/historytexts.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

namespace latchkey::history {

using base::displayDuration;
using events::Ending;
using namespace std::chrono_literals;

namespace {

QDateTime wallTime(base::MonotonicTime time, base::MonotonicTime now, base::WallTime wallNow)
{
    const auto ahead = std::chrono::round<std::chrono::milliseconds>(time - now);
    return base::localTime(wallNow + ahead);
}

/// Returns the time, with the date if it is another day.
QString clockText(base::MonotonicTime time, base::MonotonicTime now, base::WallTime wallNow,
                  const QString &format = QStringLiteral("HH:mm:ss"))
{
    const QDateTime then = wallTime(time, now, wallNow);
    const QString clock = then.toString(format);
    return then.date() == wallTime(now, now, wallNow).date() ? clock : then.date().toString(Qt::ISODate) + u' ' + clock;
}

QString number(qsizetype number)
{
    return QLocale().toString(static_cast<qlonglong>(number));
}

QString percent(double share)
{
    return QCoreApplication::translate("core", "%1 %").arg(qRound(100 * share));
}

/// Returns the change by this program that ended the hold: a release or a deletion.
QString endedHereText(const Hold &hold)
{
    const bool isReleased = !hold.ownChanges.empty() && hold.ownChanges.back().kind == OwnChange::Kind::Released;
    return isReleased ? QCoreApplication::translate("core", "released here")
                      : QCoreApplication::translate("core", "deleted here");
}

/// Returns the number of contended holds. Empty if no hold had another before it.
QString contendedText(const Statistics &statistics)
{
    const qsizetype next = statistics.holds - 1 - statistics.contentionUnknown; // The first hold had none before it.
    const QString unknown = QCoreApplication::translate("core", "unknown for %1: their times are too inexact")
                                .arg(number(statistics.contentionUnknown));
    if (next <= 0)
        return statistics.contentionUnknown > 0 ? unknown : QString();
    const QString known = QCoreApplication::translate("core", "%1 of %2 (%3): taken by another within %4 of an end")
                              .arg(number(statistics.contended), number(next),
                                   percent(static_cast<double>(statistics.contended) / static_cast<double>(next)),
                                   displayDuration(Statistics::contendedWithin));
    return statistics.contentionUnknown > 0 ? QCoreApplication::translate("core", "%1; %2").arg(known, unknown) : known;
}

} // namespace

QString endingText(Ending ending)
{
    switch (ending) {
    case Ending::None:
        return QCoreApplication::translate("core", "held");
    case Ending::Expired:
        return QCoreApplication::translate("core", "expired");
    case Ending::Deleted: // DEL, including that of a release: the server does not name the client.
        return QCoreApplication::translate("core", "released or deleted");
    case Ending::Evicted:
        return QCoreApplication::translate("core", "evicted");
    case Ending::Flushed:
        return QCoreApplication::translate("core", "flushed");
    case Ending::Removed:
        return QCoreApplication::translate("core", "ended before its expiry");
    case Ending::Lost:
        return QCoreApplication::translate("core", "lost at the failover");
    case Ending::Unknown:
        return QCoreApplication::translate("core", "ended, cause not seen");
    }
    Q_UNREACHABLE();
}

QString endingText(const Hold &hold)
{
    return hold.isHandedOver ? QCoreApplication::translate("core", "taken over by another holder")
                             : endingText(hold.ending);
}

QString startText(Hold::Start start)
{
    switch (start) {
    case Hold::Start::Unseen:
        return QCoreApplication::translate("core", "there before");
    case Hold::Start::Acquired:
        return QCoreApplication::translate("core", "acquired");
    case Hold::Start::HandedOver:
        return QCoreApplication::translate("core", "taken over");
    case Hold::Start::Replaced:
        return QCoreApplication::translate("core", "replaced another holder");
    }
    Q_UNREACHABLE();
}

QString uncertaintyText(std::chrono::nanoseconds uncertainty)
{
    if (uncertainty <= 500us) // Half a millisecond is rounded to the even one: zero.
        return {};
    return QString(QChar(u'\u00b1')) + u' ' + displayDuration(uncertainty);
}

QString withUncertainty(const QString &text, std::chrono::nanoseconds uncertainty)
{
    const QString offBy = uncertaintyText(uncertainty);
    return offBy.isEmpty() ? text : text + u' ' + offBy;
}

QString momentText(const base::TimeInterval &span, base::MonotonicTime now, base::WallTime wallNow)
{
    const QString moment = clockText(span.middle(), now, wallNow, QStringLiteral("HH:mm:ss.zzz"));
    return withUncertainty(moment, span.uncertainty());
}

QString beginText(const Hold &hold, base::MonotonicTime now, base::WallTime wallNow)
{
    if (hold.start != Hold::Start::Unseen)
        return momentText(hold.from, now, wallNow);
    return QCoreApplication::translate("core", "before %1")
        .arg(clockText(hold.from.latest, now, wallNow, QStringLiteral("HH:mm:ss.zzz")));
}

QString heldText(const Hold &hold, base::MonotonicTime now)
{
    const QString held = displayDuration(hold.duration(now));
    if (hold.start == Hold::Start::Unseen)
        return QCoreApplication::translate("core", "at least %1").arg(held);
    return withUncertainty(held, hold.durationUncertainty());
}

QList<StatisticText> statisticTexts(const Statistics &statistics)
{
    QList<StatisticText> all;
    const auto add = [&all](const char *name, const QString &value) {
        all.append({QCoreApplication::translate("core", name), value});
    };
    const QString count = number(statistics.holds);
    add(QT_TRANSLATE_NOOP("core", "Holds"),
        statistics.ended == statistics.holds
            ? count
            : QCoreApplication::translate("core", "%1, of which %2 are over").arg(count, number(statistics.ended)));
    if (const auto mean = statistics.meanHeld()) {
        add(QT_TRANSLATE_NOOP("core", "Held for"),
            QCoreApplication::translate("core", "%1 on average, %2 at the longest")
                .arg(withUncertainty(displayDuration(*mean), statistics.meanHeldUncertainty()),
                     withUncertainty(displayDuration(statistics.longest), statistics.longestUncertainty)));
    }
    if (const auto used = statistics.meanLeaseUsed())
        add(QT_TRANSLATE_NOOP("core", "Lease used"),
            QCoreApplication::translate("core", "%1 on average").arg(percent(*used)));
    if (const QString contended = contendedText(statistics); !contended.isEmpty())
        add(QT_TRANSLATE_NOOP("core", "Contended"), contended);
    if (statistics.handedOver > 0)
        add(QT_TRANSLATE_NOOP("core", "Taken over"), number(statistics.handedOver));
    if (statistics.extensions > 0)
        add(QT_TRANSLATE_NOOP("core", "Extended"), number(statistics.extensions));
    QStringList ends;
    for (std::size_t i = 0; i < Statistics::endingCount; ++i) {
        const auto ending = static_cast<Ending>(i);
        if (ending != Ending::None && statistics.count(ending) > 0)
            ends +=
                QCoreApplication::translate("core", "%1: %2").arg(endingText(ending), number(statistics.count(ending)));
    }
    if (statistics.endedByHandover > 0)
        ends += QCoreApplication::translate("core", "%1: %2")
                    .arg(QCoreApplication::translate("core", "taken over by another holder"),
                         number(statistics.endedByHandover));
    if (!ends.isEmpty())
        add(QT_TRANSLATE_NOOP("core", "Ended"), ends.join(QCoreApplication::translate("core", ", ")));
    if (statistics.longestLate > 0ns)
        add(QT_TRANSLATE_NOOP("core", "Seen late"),
            QCoreApplication::translate("core", "an end by expiry at most %1 after its deadline")
                .arg(displayDuration(statistics.longestLate)));
    return all;
}

QString endSentence(const Hold &hold)
{
    if (!hold.isOver())
        return {};
    QStringList parts {hold.isEndedByUs() ? endedHereText(hold) : endingText(hold)};
    if (hold.late)
        parts += QCoreApplication::translate("core", "seen %1 after its deadline").arg(displayDuration(*hold.late));
    else if (hold.ending != Ending::Expired && hold.deadline && !hold.deadline->isNever()
             && hold.deadline->at() > hold.until->latest)
        parts += QCoreApplication::translate("core", "%1 before its deadline")
                     .arg(displayDuration(hold.deadline->at() - hold.until->middle()));
    if (const QString more = reservation(hold); !more.isEmpty())
        parts += more;
    return parts.join(QCoreApplication::translate("core", ", "));
}

QString reservation(const Hold &hold)
{
    QStringList parts;
    if (hold.isInferred)
        parts += QCoreApplication::translate("core", "inferred, not seen");
    if (hold.mayBeOwnRead)
        parts += QCoreApplication::translate("core", "possibly removed because of our own read");
    return parts.join(QCoreApplication::translate("core", ", "));
}

QString ownChangeText(const OwnChange &change, base::MonotonicTime now, base::WallTime wallNow)
{
    QString what;
    switch (change.kind) {
    case OwnChange::Kind::Deleted:
        what = QCoreApplication::translate("core", "deleted here");
        break;
    case OwnChange::Kind::Released:
        what = QCoreApplication::translate("core", "released here");
        break;
    case OwnChange::Kind::Restored:
        what = QCoreApplication::translate("core", "restored here");
        break;
    case OwnChange::Kind::ExpiryRemoved:
        what = QCoreApplication::translate("core", "expiry removed here");
        break;
    case OwnChange::Kind::ExpirySet:
        what = QCoreApplication::translate("core", "expiry set here to %1");
        break;
    case OwnChange::Kind::ExpiryRestored:
        what = change.deadline && change.deadline->isNever()
                 ? QCoreApplication::translate("core", "expiry removed again here")
                 : QCoreApplication::translate("core", "expiry restored here to %1");
        break;
    }
    if (what.contains(QLatin1String("%1")))
        what = what.arg(change.deadline && !change.deadline->isNever() ? clockText(change.deadline->at(), now, wallNow)
                                                                       : QStringLiteral("?"));
    return QCoreApplication::translate("core", "%1: %2").arg(clockText(change.when.middle(), now, wallNow), what);
}

QString gapText(const History::Gap &gap, base::MonotonicTime now)
{
    return QCoreApplication::translate("core", "not seen for %1").arg(displayDuration(gap.to.value_or(now) - gap.from));
}

} // namespace latchkey::history
