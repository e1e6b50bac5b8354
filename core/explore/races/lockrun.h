#pragma once

#include "core/explore/races/run.h"
#include "core/recipes/locks/lock.h"
#include "core/redis/exchange/stepper.h"

namespace latchkey::races {

/// A client of a lock that tries to acquire it once. After success, the client is inside until its release starts.
class LockRun final : public RecipeRun
{
public:
    /// Operations that the client may do once while it is inside.
    struct OptionalOperations
    {
        std::optional<base::Lease> extension; ///< Lease of one extend; absent: the client does not extend.
        bool writes = false;                  ///< Whether the client writes to the resource behind the lock.
    };

    LockRun(std::unique_ptr<locks::Lock> lock, const OptionalOperations &optionalOperations);
    ~LockRun() override;

    [[nodiscard]] ClientStatus clientStatus() const override;
    [[nodiscard]] std::vector<Branch> branches() const override;
    void take(Branch branch) override;
    void write() override;
    [[nodiscard]] std::optional<QByteArray> localState() const override;
    [[nodiscard]] const exchange::Step &step() const override;
    void grant(exchange::Grant grant) override;

private:
    [[nodiscard]] exchange::StepperBase *current() const;
    void settle();
    void conclude(const base::Result<locks::Acquisition> &acquired);
    void conclude(const base::Result<locks::Extension> &extended);
    void conclude(const base::Result<locks::ReleaseOutcome> &released);

    const std::unique_ptr<locks::Lock> m_lock; // Outlives the steppers below.
    const OptionalOperations m_optionalOperations;
    std::unique_ptr<exchange::Stepper<locks::Acquisition>> m_acquiring;
    std::unique_ptr<exchange::Stepper<locks::Extension>> m_extending;
    std::unique_ptr<exchange::Stepper<locks::ReleaseOutcome>> m_releasing;
    locks::Acquisition m_acquisition;
    ClientStatus m_clientStatus;
    bool m_hasExtended = false;
    bool m_hasWritten = false;
};

} // namespace latchkey::races
