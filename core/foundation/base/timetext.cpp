#include "core/foundation/base/timetext.h"

namespace latchkey::base {

QDateTime localTime(WallTime time)
{
    return QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count());
}

QString timeOfDay(WallTime time)
{
    return localTime(time).toString(QStringLiteral("HH:mm:ss"));
}

QString preciseTimeOfDay(WallTime time)
{
    return localTime(time).toString(QStringLiteral("HH:mm:ss.zzz"));
}

} // namespace latchkey::base
