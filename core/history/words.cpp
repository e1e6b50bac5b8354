#include "core/history/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

namespace latchkey::history {

using keyspace::Ending;
using namespace std::chrono_literals;

namespace {

/// With the day where that is another one.
QString clockText(base::MonotonicTime time, base::MonotonicTime now, base::WallTime wallNow)
{
    const auto ahead = std::chrono::round<std::chrono::milliseconds>(time - now);
    const QDateTime today = QDateTime::fromMSecsSinceEpoch(wallNow.time_since_epoch().count());
    const QDateTime then = QDateTime::fromMSecsSinceEpoch((wallNow + ahead).time_since_epoch().count());
    const QString clock = then.toString(QStringLiteral("HH:mm:ss"));
    return then.date() == today.date() ? clock : then.date().toString(Qt::ISODate) + u' ' + clock;
}

/// By whom it was ended, where that was here.
QString endedHereText(const Hold &hold)
{
    const bool isReleased = !hold.ownActs.empty() && hold.ownActs.back().kind == OwnAct::Kind::Released;
    return isReleased ? QCoreApplication::translate("core", "released here")
                      : QCoreApplication::translate("core", "deleted here");
}

} // namespace

QString endingText(Ending ending)
{
    switch (ending) {
    case Ending::None:
        return QCoreApplication::translate("core", "held");
    case Ending::Expired:
        return QCoreApplication::translate("core", "expired");
    case Ending::Deleted: // By a DEL, which a release is too: the server does not say whose.
        return QCoreApplication::translate("core", "released or deleted");
    case Ending::Evicted:
        return QCoreApplication::translate("core", "evicted");
    case Ending::Flushed:
        return QCoreApplication::translate("core", "flushed");
    case Ending::Removed:
        return QCoreApplication::translate("core", "gone before its time");
    case Ending::Unknown:
        return QCoreApplication::translate("core", "ended, not seen how");
    }
    Q_UNREACHABLE();
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
        return QCoreApplication::translate("core", "found in another's place");
    }
    Q_UNREACHABLE();
}

QString timeText(std::chrono::nanoseconds time)
{
    const auto milliseconds = std::chrono::round<std::chrono::milliseconds>(std::max(time, 0ns)).count();
    const auto seconds = milliseconds / 1000;
    if (seconds < 10)
        return QCoreApplication::translate("core", "%1.%2 s")
            .arg(seconds)
            .arg(milliseconds % 1000, 3, 10, QLatin1Char('0'));
    if (seconds < 120)
        return QCoreApplication::translate("core", "%1 s").arg(seconds);
    if (seconds < 7200)
        return QCoreApplication::translate("core", "%1 min").arg(seconds / 60);
    return QCoreApplication::translate("core", "%1 h").arg(seconds / 3600);
}

QString endSentence(const Hold &hold)
{
    if (!hold.isOver())
        return {};
    QStringList parts {hold.isEndedHere() ? endedHereText(hold) : endingText(hold.ending)};
    if (hold.late)
        parts += QCoreApplication::translate("core", "%1 after its deadline").arg(timeText(*hold.late));
    else if (hold.ending != Ending::Expired && hold.deadline && !hold.deadline->isNever()
             && hold.deadline->at() > hold.until->notAfter)
        parts += QCoreApplication::translate("core", "%1 before its deadline")
                     .arg(timeText(hold.deadline->at() - hold.until->middle()));
    if (const QString more = reservation(hold); !more.isEmpty())
        parts += more;
    return parts.join(QCoreApplication::translate("core", ", "));
}

QString reservation(const Hold &hold)
{
    QStringList parts;
    if (hold.isInferred)
        parts += QCoreApplication::translate("core", "worked out, not seen");
    if (hold.mayBeOurRead)
        parts += QCoreApplication::translate("core", "removed perhaps only because it was asked about");
    return parts.join(QCoreApplication::translate("core", ", "));
}

QString ownActText(const OwnAct &act, base::MonotonicTime now, base::WallTime wallNow)
{
    QString what;
    switch (act.kind) {
    case OwnAct::Kind::Deleted:
        what = QCoreApplication::translate("core", "deleted here");
        break;
    case OwnAct::Kind::Released:
        what = QCoreApplication::translate("core", "released here");
        break;
    case OwnAct::Kind::PutBack:
        what = QCoreApplication::translate("core", "put back here");
        break;
    case OwnAct::Kind::EndTakenAway:
        what = QCoreApplication::translate("core", "its end taken away here");
        break;
    case OwnAct::Kind::EndSet:
        what = QCoreApplication::translate("core", "end set here to %1");
        break;
    case OwnAct::Kind::EndSetBack:
        what = act.deadline && act.deadline->isNever()
                 ? QCoreApplication::translate("core", "without an end again, here")
                 : QCoreApplication::translate("core", "end set back here to %1");
        break;
    }
    if (what.contains(QLatin1String("%1")))
        what = what.arg(act.deadline && !act.deadline->isNever() ? clockText(act.deadline->at(), now, wallNow)
                                                                 : QStringLiteral("?"));
    return QCoreApplication::translate("core", "%1: %2").arg(clockText(act.when.middle(), now, wallNow), what);
}

QString gapText(const History::Gap &gap, base::MonotonicTime now)
{
    return QCoreApplication::translate("core", "not seen for %1").arg(timeText(gap.to.value_or(now) - gap.from));
}

} // namespace latchkey::history
