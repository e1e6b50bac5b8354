#pragma once

#include "core/exchange/stepper.h"
#include "core/locks/lock.h"
#include "core/races/run.h"

namespace latchkey::races {

/// A client of a lock: one attempt to acquire; where it is won, inside until release starts.
class LockRun final : public Run
{
public:
    /// extension: the lease that it may give its hold once while inside; nothing: it does not extend.
    LockRun(std::unique_ptr<locks::Lock> lock, std::optional<base::Lease> extension);
    ~LockRun() override;

    [[nodiscard]] Situation situation() const override;
    [[nodiscard]] std::vector<Way> ways() const override;
    void take(Way way) override;
    [[nodiscard]] const exchange::Step &step() const override;
    void grant(exchange::Grant grant) override;

private:
    [[nodiscard]] exchange::StepperBase *current() const;
    void settle();
    void conclude(const base::Result<locks::Acquisition> &acquired);
    void conclude(const base::Result<locks::Extension> &extended);
    void conclude(const base::Result<locks::ReleaseOutcome> &released);

    const std::unique_ptr<locks::Lock> m_lock; // Outlives the steppers below.
    const std::optional<base::Lease> m_extension;
    std::unique_ptr<exchange::Stepper<locks::Acquisition>> m_acquiring;
    std::unique_ptr<exchange::Stepper<locks::Extension>> m_extending;
    std::unique_ptr<exchange::Stepper<locks::ReleaseOutcome>> m_releasing;
    locks::Acquisition m_acquisition;
    Situation m_situation;
    bool m_hasExtended = false;
};

} // namespace latchkey::races
