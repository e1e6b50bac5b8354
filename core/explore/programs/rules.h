#pragma once

#include "core/explore/races/rules.h"

namespace latchkey::programs {

/// Rules that apply to a program with observable commands only, in the order in which they are answered:
/// mutual-exclusion, lost-update, owner-only-release, no-immortal-key, crash-release.
[[nodiscard]] std::span<const races::Rule *const> rules();

/// The promise for programs only: no client overwrites a value that another client has written since it read it.
[[nodiscard]] QString lostUpdate();

} // namespace latchkey::programs
