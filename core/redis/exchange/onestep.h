#pragma once

#include "core/redis/exchange/exchange.h"

namespace latchkey::exchange {

/// Returns an exchange that executes one step of another exchange. Used by code that can pause an exchange between any
/// two steps, and executes each step by a driver. A failed step is a value in the grant. `deadline`:
/// StepperBase::deadline().
[[nodiscard]] Exchange<Grant> oneStep(base::MonotonicTime deadline, Step step);

} // namespace latchkey::exchange
