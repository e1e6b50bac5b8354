#include "core/recipes/locks/leasewatchdog.h"

namespace latchkey::locks {

using base::MonotonicTime;

LeaseWatchdog::LeaseWatchdog(exchange::LoopDriver &driver, QObject *parent)
    : QObject(parent)
    , m_driver(driver)
{}

LeaseWatchdog::~LeaseWatchdog()
{
    stop();
}

void LeaseWatchdog::keep(Lock &lock, base::OwnerToken token, base::Lease lease, MonotonicTime validUntil)
{
    stop();
    m_lock = &lock;
    m_token = std::move(token);
    m_lease = lease;
    m_validUntil = validUntil;
    renew();
}

void LeaseWatchdog::watch(HeldLease hold, std::chrono::milliseconds interval)
{
    stop();
    m_interval = interval;
    m_validUntil = hold.validUntil;
    m_hold = std::move(hold);
    checkHold(initialStatus(*m_hold));
}

void LeaseWatchdog::stop()
{
    m_driver.cancel(m_run);
}

void LeaseWatchdog::renew()
{
    m_run = m_driver.run<Renewal>(renewOnce(*m_lock, m_token, *m_lease, m_validUntil),
                                  [this](const base::Result<Renewal> &result) {
                                      if (!result) {
                                          Q_EMIT lost({Loss::Kind::Unrenewed, result.error()});
                                          return;
                                      }
                                      const Renewal &renewal = *result;
                                      if (!renewal) {
                                          Q_EMIT lost(renewal.error());
                                          return;
                                      }
                                      m_validUntil = *renewal;
                                      renew(); // Before the signal, because a receiver may call stop().
                                      Q_EMIT renewed(m_validUntil);
                                  });
}

void LeaseWatchdog::checkHold(const HoldStatus &last)
{
    m_run =
        m_driver.run<HoldStatus>(pollHold(*m_hold, last, m_interval), [this](const base::Result<HoldStatus> &result) {
            if (!result || result->loss) {
                Q_EMIT lost(result ? *result->loss : Loss {Loss::Kind::LeaseExpired, result.error()});
                return;
            }
            const bool hasMoved = std::exchange(m_validUntil, result->validUntil) != result->validUntil;
            checkHold(*result); // Before the signal, because a receiver may call stop().
            if (hasMoved)
                Q_EMIT expiryChanged(m_validUntil);
        });
}

} // namespace latchkey::locks
