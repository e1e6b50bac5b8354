#pragma once

#include "core/foundation/base/clock.h"
#include "core/inspect/history/hold.h"

namespace latchkey::ui::timeline {

/// Returns the description of a hold for a tool tip and for screen readers, in lines: key, holder, times, renewals,
/// changes by this program, and the end.
[[nodiscard]] QString holdTip(const history::Hold &hold, const base::Clock &clock);

} // namespace latchkey::ui::timeline
