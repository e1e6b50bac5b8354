#pragma once

#include "core/stage/racesearch.h"

// What is said of a program whose races are sought.

namespace latchkey::ui::stories {

/// `2 clients with at most 1 crash, 1 passing of time`
[[nodiscard]] QString boundsText(const stage::SoughtProgram &program);
/// `worker.py`: the file among its words that somebody has written, as far as that can be told.
[[nodiscard]] QString nameOf(const stage::SoughtProgram &program);

/// What has come of a promise.
[[nodiscard]] QString verdictText(const stage::RaceSearch::Answer &answer, const stage::RaceSearch &search);
/// Of one that it has not come to.
[[nodiscard]] QString unknownText();

/// How far it is.
[[nodiscard]] QString progressText(const stage::RaceSearch::Progress &progress);
/// What it has come to, all promises together.
[[nodiscard]] QString outcomeText(const stage::RaceSearch &search);
/// What puts the verdicts into their place, a sentence after the other; empty: nothing is known of that.
[[nodiscard]] QString surroundingsText(const stage::RaceSearch &search);

} // namespace latchkey::ui::stories
