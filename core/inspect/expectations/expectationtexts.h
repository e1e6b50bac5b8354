#pragma once

#include "core/inspect/expectations/verdict.h"

#include <QString>

namespace latchkey::expectations {

/// Returns the outcome in one word: "holds", "fails", "not known", "open".
[[nodiscard]] QString outcomeText(Verdict::Outcome outcome);

/// Returns the reason as a sentence without a full stop: "expired 1.502 s after it was written, give or take 2 ms".
[[nodiscard]] QString groundsText(const Verdict &verdict);

} // namespace latchkey::expectations
