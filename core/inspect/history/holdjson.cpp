#include "core/inspect/history/holdjson.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"

namespace latchkey::history {

using base::MonotonicTime;
using base::WallTime;
using events::Ending;

namespace {

qint64 unixMilliseconds(MonotonicTime time, MonotonicTime now, WallTime wallNow)
{
    return (wallNow - std::chrono::floor<std::chrono::milliseconds>(now - time)).time_since_epoch().count();
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
    case Ending::Deleted: // A DEL of another client may be a release; a DEL of this program is not.
        return QLatin1String(source == events::Source::OwnCommand ? "deleted" : "released");
    case Ending::Removed:
        return QLatin1String("released");
    case Ending::Lost:
        return QLatin1String("lost");
    case Ending::None:
    case Ending::Unknown:
        return QLatin1String("ended");
    }
    Q_UNREACHABLE();
}

QLatin1String endWord(const Hold &hold)
{
    return hold.isHandedOver ? QLatin1String("handed-over") : endWord(hold.ending, hold.endSource);
}

QJsonObject toJson(const Hold &hold, MonotonicTime now, WallTime wallNow)
{
    QJsonObject row;
    row[QStringLiteral("holder")] = QJsonValue::Null;
    if (hold.holder)
        files::insertBytes(row, QStringLiteral("holder"), *hold.holder);
    row[QStringLiteral("start")] = startWord(hold.start);
    row[QStringLiteral("from_ms")] = unixMilliseconds(hold.from.middle(), now, wallNow);
    row[QStringLiteral("from_uncertain_ms")] = base::ceilMilliseconds(hold.from.uncertainty());
    row[QStringLiteral("held_ms")] = base::ceilMilliseconds(hold.duration(now));
    row[QStringLiteral("extensions")] = static_cast<qint64>(hold.extensionCount);
    row[QStringLiteral("lease_ms")] = hold.lease ? QJsonValue(static_cast<qint64>(hold.lease->count())) : QJsonValue();
    for (const char *name : {"until_ms", "until_uncertain_ms", "end", "late_ms"})
        row[QLatin1String(name)] = QJsonValue::Null;
    if (hold.until) {
        row[QStringLiteral("until_ms")] = unixMilliseconds(hold.until->middle(), now, wallNow);
        row[QStringLiteral("until_uncertain_ms")] = base::ceilMilliseconds(hold.until->uncertainty());
        row[QStringLiteral("end")] = endWord(hold);
    }
    if (hold.late)
        row[QStringLiteral("late_ms")] = base::ceilMilliseconds(*hold.late);
    row[QStringLiteral("inferred")] = hold.isInferred || hold.isHolderInferred;
    row[QStringLiteral("possibly_own_read")] = hold.mayBeOwnRead;
    return row;
}

} // namespace latchkey::history
