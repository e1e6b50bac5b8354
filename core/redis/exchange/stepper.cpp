#include "core/redis/exchange/stepper.h"

namespace latchkey::exchange {

void StepperBase::grant(Grant grant)
{
    Q_ASSERT(!isFinished());
    m_progress.grant = std::move(grant);
    m_progress.step = std::monostate();
    advance();
}

// NOLINTNEXTLINE(readability-make-member-function-const): the exchange is a part of this.
void StepperBase::advance()
{
    while (m_progress.leaf && std::holds_alternative<std::monostate>(m_progress.step))
        m_progress.leaf.resume();
}

} // namespace latchkey::exchange
