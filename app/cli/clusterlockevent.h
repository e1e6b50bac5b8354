#pragma once

#include "app/cli/lockevents.h"

#include <variant>

namespace latchkey::cli {

/// A hold of a lock of a cluster, as it was last reported. A value.
struct HeldClusterLock
{
    std::size_t owner = 0; ///< The primary that has the key.
    LockDescription description;
    std::optional<base::Deadline> deadline {};
    base::MonotonicTime knownAt {};  ///< The latest time at which the lock is known to have existed.
    base::MonotonicTime reportAt {}; ///< Holder and deadline were those at or after this time.
    /// Whether the owner has reported this hold. False after a migration until it does: its reports may still concern
    /// an earlier hold.
    bool isReportedByOwner = true;
};

/// An event of a lock at one primary of a cluster. A value.
struct ClusterLockEvent
{
    /// The lock existed before the observation.
    struct Seen
    {
        QByteArray key;
        std::optional<base::Deadline> deadline;
        base::MonotonicTime at;
    };
    std::size_t from = 0;        ///< The primary.
    LockDescription description; ///< Before the event; for a new lock after it.
    LockDescription after;       ///< After the event.
    std::variant<Seen, events::KeyEvent> content;

    [[nodiscard]] const QByteArray &key() const;
    /// Returns whether the primary had not reported the lock before.
    [[nodiscard]] bool isAppearance() const;
    /// Returns the end of the lock; null for another event.
    [[nodiscard]] const events::KeyEvent *end() const;
    /// Returns whether the event is an end that may be a migration to another primary.
    [[nodiscard]] bool isDoubtfulEnd() const;
    /// Returns whether this primary may have found the same hold. The holder is absent if the value was not read in
    /// time. An expiry that has changed says nothing about the holder.
    [[nodiscard]] bool mayBeOf(const HeldClusterLock &held) const;
    /// Returns the deadline after the event; absent: unknown.
    [[nodiscard]] const std::optional<base::Deadline> &deadline() const;
    /// Returns the start and the end of the interval that contains the change.
    [[nodiscard]] base::MonotonicTime notBefore() const;
    [[nodiscard]] base::MonotonicTime notAfter() const;
};

/// Returns the change of the deadline since the last report of a hold, which another primary has found after a
/// migration, and which is reported now. Absent if the deadline is the same, or was moved by no more than a
/// migration does.
[[nodiscard]] std::optional<events::KeyEvent> changedDeadline(const HeldClusterLock &held,
                                                              const ClusterLockEvent &event, base::MonotonicTime now);

} // namespace latchkey::cli
