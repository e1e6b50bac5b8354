#pragma once

#include "core/exchange/exchange.h"

namespace latchkey::exchange {

/// One step of another exchange, as an exchange: for those who drive an exchange themselves, because they hold it
/// between two of its steps, and have each step carried out by a driver. A step's failure is a value in the grant.
/// deadline: StepperBase::deadline().
[[nodiscard]] Exchange<Grant> oneStep(base::MonotonicTime deadline, Step step);

} // namespace latchkey::exchange
