#pragma once

#include "core/explore/races/run.h"

#include <vector>

namespace latchkey::programs {

/// A difference between the next commands of two processes with the same history, which should be equal.
struct Divergence
{
    const std::vector<races::Offer> &before; ///< With placeholders in place of tokens. Not owned.
    const std::vector<races::Offer> &now;    ///< The same of the later process. Not owned.
    bool hasTokens = false;                  ///< Whether the processes have sent tokens.
    bool isClockControlled = false;
    bool hasThreads = false; ///< Whether several threads may send commands.
};

/// Returns the likely cause and what to change in the program, as one sentence.
[[nodiscard]] base::Error errorFor(const Divergence &divergence);

} // namespace latchkey::programs
