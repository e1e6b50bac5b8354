#pragma once

#include "core/exchange/loopdriver.h"
#include "core/locks/renewing.h"
#include "core/locks/standing.h"

#include <QObject>

namespace latchkey::locks {

/// Keeps a hold for its holder, on the event loop: renews it again and again until it is told to stop or the hold is
/// lost; or, where a recipe cannot extend, looks at it again and again, and says when it is over, or will be earlier
/// than was granted.
///
/// One hold at a time. It does not acquire and does not release, and the moment it is told to stop nothing more is
/// sent. Owned by the holder; the driver is not owned.
class HoldKeeper final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HoldKeeper)

public:
    explicit HoldKeeper(exchange::LoopDriver &driver, QObject *parent = nullptr);
    ~HoldKeeper() override;

    /// Renews this hold from now on; see renewOnce() for the arguments. lock must outlive the keeping.
    void keep(Lock &lock, base::OwnerToken token, base::Lease lease, base::MonotonicTime validUntil);
    /// Looks at this hold from now on, after each interval; see lookAgain(). At its end it is lost, as RanOut or
    /// Shortened.
    void watch(Hold hold, std::chrono::milliseconds interval);
    /// Neither renewed(), endMoved() nor lost() comes after it.
    void stop();

    /// Until when the hold may be relied on, by its last renewal or look. Of the last hold where there is none now.
    [[nodiscard]] base::MonotonicTime validUntil() const { return m_validUntil; }

Q_SIGNALS:
    void renewed(base::MonotonicTime validUntil);
    /// Somebody has given the watched lock an earlier end, or taken that back.
    void endMoved(base::MonotonicTime validUntil);
    /// Once; nothing is kept any more.
    void lost(const latchkey::locks::Loss &loss);

private:
    void renew();
    void look(const Standing &last);

    exchange::LoopDriver &m_driver;        // Not owned.
    exchange::LoopDriver::RunId m_run = 0; ///< The one under way, or one that is over.
    Lock *m_lock = nullptr;                // Not owned.
    base::OwnerToken m_token;
    std::optional<base::Lease> m_lease;
    std::optional<Hold> m_hold; ///< That is watched, or was.
    std::chrono::milliseconds m_interval {};
    base::MonotonicTime m_validUntil = base::MonotonicTime::max();
};

} // namespace latchkey::locks
