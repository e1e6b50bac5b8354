#pragma once

#include "core/explore/racesearch/racesearch.h"

// The texts about a race search in a program.

namespace latchkey::ui::stories {

/// Returns the limits: `2 clients with at most 1 crash, 1 expiration`.
[[nodiscard]] QString boundsText(const racesearch::ProgramToExplore &program);
/// Returns the name of the first argument that is a file, such as `worker.py`, or else the name of the program.
[[nodiscard]] QString nameOf(const racesearch::ProgramToExplore &program);

/// Returns the text of a verdict on a promise.
[[nodiscard]] QString verdictText(const racesearch::RaceSearch::Answer &answer, const racesearch::RaceSearch &search);
/// Returns the text for a promise that has not been checked.
[[nodiscard]] QString unknownText();

/// Returns the progress of a search.
[[nodiscard]] QString progressText(const racesearch::RaceSearch::Progress &progress);
/// Returns the result for all promises together.
[[nodiscard]] QString outcomeText(const racesearch::RaceSearch &search);
/// Returns sentences with the conditions of the verdicts. Empty if they are unknown.
[[nodiscard]] QString conditionsText(const racesearch::RaceSearch &search);

} // namespace latchkey::ui::stories
