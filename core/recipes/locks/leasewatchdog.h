#pragma once

#include "core/recipes/locks/holdstatus.h"
#include "core/recipes/locks/renewing.h"
#include "core/redis/exchange/loopdriver.h"

#include <QObject>

namespace latchkey::locks {

/// A watchdog of one hold at a time, on the event loop. It renews the hold until it is stopped or the hold is lost. If
/// the recipe cannot extend, the watchdog polls the hold, and reports its end or a shortened expiry.
///
/// The watchdog neither acquires nor releases a lock, and sends nothing after stop(). Owned by the holder. The driver
/// is not owned.
class LeaseWatchdog final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LeaseWatchdog)

public:
    explicit LeaseWatchdog(exchange::LoopDriver &driver, QObject *parent = nullptr);
    ~LeaseWatchdog() override;

    /// Renews this hold from now on; see renewOnce() for the arguments. `lock`: must exist until stop() or lost().
    void keep(Lock &lock, base::OwnerToken token, base::Lease lease, base::MonotonicTime validUntil);
    /// Polls this hold at each interval from now on; see pollHold(). The end of its validity is reported by lost(), as
    /// LeaseExpired or Shortened.
    void watch(HeldLease hold, std::chrono::milliseconds interval);
    /// Stops the renewals or polls. renewed(), expiryChanged() and lost() are not emitted afterwards.
    void stop();

    /// Returns the time until which the hold is reliable, by its last renewal or poll. Without a hold, returns that of
    /// the last hold, or max() before the first.
    [[nodiscard]] base::MonotonicTime validUntil() const { return m_validUntil; }

Q_SIGNALS:
    void renewed(base::MonotonicTime validUntil);
    /// Emitted when another client has shortened the watched lock's expiry, or restored it.
    void expiryChanged(base::MonotonicTime validUntil);
    /// Emitted once, when the hold is lost. The watchdog then stops.
    void lost(const latchkey::locks::Loss &loss);

private:
    void renew();
    void checkHold(const HoldStatus &last);

    exchange::LoopDriver &m_driver;        // Not owned.
    exchange::LoopDriver::RunId m_run = 0; ///< The current or the last run.
    Lock *m_lock = nullptr;                // Not owned.
    base::OwnerToken m_token;
    std::optional<base::Lease> m_lease;
    std::optional<HeldLease> m_hold; ///< The current or the last watched hold.
    std::chrono::milliseconds m_interval {};
    base::MonotonicTime m_validUntil = base::MonotonicTime::max();
};

} // namespace latchkey::locks
