#pragma once

#include "core/races/rules.h"

namespace latchkey::programs {

/// The promises that mean something for a program of which only its commands are known, in the order in which they are
/// answered: mutual-exclusion, lost-update, owner-only-release, no-immortal-key, crash-release.
[[nodiscard]] std::span<const races::Rule *const> rules();

/// The promise that only programs can break: nobody writes over what another has written since it read it.
[[nodiscard]] QString lostUpdate();

} // namespace latchkey::programs
