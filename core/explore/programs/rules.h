#pragma once

#include "core/explore/races/rules.h"

namespace latchkey::programs {

/// Returns the rules for a program, which see only its commands, in the order of the results: mutual-exclusion,
/// lost-update, owner-only-release, no-immortal-key, crash-release, and the rules about server faults.
[[nodiscard]] std::span<const races::Rule *const> rules();

/// Returns the ID of the promise that exists only for programs: no client overwrites a value that another client has
/// written since the first client's read.
[[nodiscard]] QString lostUpdate();

} // namespace latchkey::programs
