#pragma once

#include "core/foundation/base/clock.h"

#include <QDateTime>
#include <QString>

namespace latchkey::base {

/// Returns the time in the local time zone.
[[nodiscard]] QDateTime localTime(WallTime time);

/// Returns the local time of day: `17:02:09`.
[[nodiscard]] QString timeOfDay(WallTime time);

/// Returns the local time of day with milliseconds: `17:02:09.514`.
[[nodiscard]] QString preciseTimeOfDay(WallTime time);

} // namespace latchkey::base
