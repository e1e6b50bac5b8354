#include "core/explore/races/lockrun.h"

namespace latchkey::races {

using base::Text;
using exchange::Stepper;
using locks::Acquisition;
using locks::Extension;
using locks::ReleaseOutcome;

LockRun::LockRun(std::unique_ptr<locks::Lock> lock, const OptionalOperations &optionalOperations)
    : m_lock(std::move(lock))
    , m_optionalOperations(optionalOperations)
    , m_acquiring(std::make_unique<Stepper<Acquisition>>(m_lock->acquire()))
{
    settle();
}

LockRun::~LockRun() = default;

ClientStatus LockRun::clientStatus() const
{
    ClientStatus status = m_clientStatus;
    status.canWrite = status.stage == Stage::Inside && m_optionalOperations.writes && !m_hasWritten;
    return status;
}

std::vector<Branch> LockRun::branches() const
{
    if (m_clientStatus.stage != Stage::Inside)
        return {};
    if (m_optionalOperations.extension && !m_hasExtended)
        return {Branch::Release, Branch::Extend};
    return {Branch::Release};
}

void LockRun::take(Branch branch)
{
    Q_ASSERT(m_clientStatus.stage == Stage::Inside);
    if (branch == Branch::Extend) {
        m_hasExtended = true;
        m_clientStatus.stage = Stage::Extending;
        m_extending =
            std::make_unique<Stepper<Extension>>(m_lock->extend(m_acquisition.token, *m_optionalOperations.extension));
    } else {
        m_clientStatus.stage = Stage::Releasing;
        m_clientStatus.isInside = false;
        m_releasing = std::make_unique<Stepper<ReleaseOutcome>>(m_lock->release(m_acquisition.token));
    }
    settle();
}

void LockRun::write()
{
    m_hasWritten = true;
}

/// Returns the token and the operations done. A lock object keeps no state between two operations.
std::optional<QByteArray> LockRun::localState() const
{
    return m_acquisition.token.bytes() + ' ' + (m_hasExtended ? 'e' : '-') + (m_hasWritten ? 'w' : '-');
}

exchange::StepperBase *LockRun::current() const
{
    if (m_acquiring)
        return m_acquiring.get();
    if (m_extending)
        return m_extending.get();
    return m_releasing.get();
}

const exchange::Step &LockRun::step() const
{
    static const exchange::Step none;
    const auto *stepper = current();
    return stepper == nullptr ? none : stepper->step();
}

void LockRun::grant(exchange::Grant grant)
{
    current()->grant(std::move(grant));
    settle();
}

/// Updates the status of the client when an operation has finished.
void LockRun::settle()
{
    if (m_acquiring && m_acquiring->isFinished())
        conclude(std::exchange(m_acquiring, nullptr)->takeResult());
    if (m_extending && m_extending->isFinished())
        conclude(std::exchange(m_extending, nullptr)->takeResult());
    if (m_releasing && m_releasing->isFinished())
        conclude(std::exchange(m_releasing, nullptr)->takeResult());
}

void LockRun::conclude(const base::Result<locks::Acquisition> &acquired)
{
    if (!acquired || !acquired->isAcquired()) {
        m_clientStatus.stage = Stage::Finished;
        m_clientStatus.hasFailed = true;
        m_clientStatus.outcome = !acquired                  ? acquired.error().text
                               : acquired->reason.isEmpty() ? Text(QT_TRANSLATE_NOOP("core", "busy"))
                                                            : acquired->reason;
        return;
    }
    m_acquisition = *acquired;
    m_clientStatus.stage = Stage::Inside;
    m_clientStatus.isInside = true;
    m_clientStatus.outcome = Text(QT_TRANSLATE_NOOP("core", "acquired"));
    if (acquired->fencing)
        m_clientStatus.fencing = acquired->fencing->value;
}

void LockRun::conclude(const base::Result<locks::Extension> &extended)
{
    m_clientStatus.stage = Stage::Inside; // Also after a failed extend: the client is informed and has not reacted yet.
    m_clientStatus.outcome = !extended ? extended.error().text
                           : extended->outcome == locks::ExtendOutcome::Extended
                               ? Text(QT_TRANSLATE_NOOP("core", "extended"))
                               : Text(QT_TRANSLATE_NOOP("core", "not extended"));
}

void LockRun::conclude(const base::Result<ReleaseOutcome> &released)
{
    m_clientStatus.stage = Stage::Finished;
    m_clientStatus.outcome = !released                             ? released.error().text
                           : *released == ReleaseOutcome::Released ? Text(QT_TRANSLATE_NOOP("core", "released"))
                           : *released == ReleaseOutcome::NotOwner ? Text(QT_TRANSLATE_NOOP("core", "not the owner"))
                                                                   : Text(QT_TRANSLATE_NOOP("core", "gone"));
}

} // namespace latchkey::races
