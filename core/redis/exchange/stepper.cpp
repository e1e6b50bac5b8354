#include "core/redis/exchange/stepper.h"

namespace latchkey::exchange {

void StepperBase::grant(Grant grant)
{
    Q_ASSERT(!isFinished());
    m_state.grant = std::move(grant);
    m_state.step = std::monostate();
    advance();
}

// NOLINTNEXTLINE(readability-make-member-function-const): the exchange is a part of this.
void StepperBase::advance()
{
    while (m_state.leaf && std::holds_alternative<std::monostate>(m_state.step))
        m_state.leaf.resume();
}

} // namespace latchkey::exchange
