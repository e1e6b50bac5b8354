#pragma once

#include "core/redis/exchange/exchange.h"

namespace latchkey::exchange {

/// Returns an exchange that executes one step of another exchange. It is for code that holds an exchange between two
/// steps, and uses a driver for each step. A failed step is a value in the grant. `deadline`: StepperBase::deadline().
[[nodiscard]] Exchange<Grant> oneStep(base::MonotonicTime deadline, Step step);

} // namespace latchkey::exchange
