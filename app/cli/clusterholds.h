#pragma once

#include "app/cli/clusterlockevent.h"
#include "app/cli/endedlocks.h"

namespace latchkey::cli {

/// The holds of the locks of a cluster, as they were reported: each report changes them and emits its event.
///
/// Owned by the ClusterLocks, which decide to which hold an event of a primary belongs.
class ClusterHolds final : public LockEvents
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterHolds)

public:
    explicit ClusterHolds(const base::Clock &clock);
    ~ClusterHolds() override;

    [[nodiscard]] const QHash<QByteArray, HeldClusterLock> &all() const { return m_held; }
    /// Returns the last ends of locks that are not held.
    [[nodiscard]] const EndedLocks &ended() const { return m_ended; }

    /// Reports the beginning of a hold, unless the event belongs to the last hold, which has ended. `unread`: time for
    /// which the primary may not have been able to read the key.
    void begin(ClusterLockEvent event, std::chrono::nanoseconds unread);
    /// Reports an event of the owner.
    void report(const ClusterLockEvent &event);
    /// Notes that a hold is on another primary, or has returned, which has not reported it.
    void moveTo(const QByteArray &key, std::size_t owner);
    /// Notes that a primary has reported this hold after a migration, and reports a change of the deadline that was
    /// made meanwhile.
    void continueAt(const ClusterLockEvent &event);
    /// Reports an end that no primary has reported, and that was found at this time. A lost lock whose deadline has
    /// passed counts as expired.
    void end(const QByteArray &key, events::Ending ending, base::MonotonicTime found, bool isAtFailover = false);

private:
    const base::Clock &m_clock; // Not owned.
    QHash<QByteArray, HeldClusterLock> m_held;
    EndedLocks m_ended;
};

} // namespace latchkey::cli
