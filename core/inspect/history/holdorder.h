#pragma once

#include "core/inspect/history/hold.h"

namespace latchkey::history {

// The known order of changes of one lock: a hold begins, ends, and the next one begins. Each change is known as an
// interval, and the order excludes a part of it.

/// Narrows the span to the part that can follow `earlier`. Contradictory spans stay unchanged.
void narrowFromBelow(base::TimeInterval &span, const base::TimeInterval &earlier);

/// Narrows the span to the part that can precede `later`. Contradictory spans stay unchanged.
void narrowFromAbove(base::TimeInterval &span, const base::TimeInterval &later);

/// Sets the time without any hold before this one. `earlier`: the hold before; null: none is known. The time is unknown
/// if the end of the earlier hold is unknown, or if both times are so inexact that they do not show whether the next
/// holder had waited.
void setGap(Hold &hold, const Hold *earlier);

} // namespace latchkey::history
