#pragma once

#include "app/cli/heldlocks.h"
#include "app/cli/holdercheck.h"
#include "core/foundation/base/globs.h"
#include "core/inspect/history/history.h"

#include <QMap>
#include <QSet>

namespace latchkey::cli {

/// A tracker of the locks of a server. It finds locks by the dialects of the LockFinder, makes the tracker follow them,
/// and keeps their history.
///
/// It finds the same locks as the LockFinder, including locks that the finder recognises by their value alone. A key
/// that may be a lock is a candidate and is followed at once, so that no event is missed. The value of the candidate
/// decides whether it is a lock. A key that was once a lock counts as a lock again, so that even a hold too short to be
/// read is reported. Locks that exist at the start are reported as seen. The tracker must be the first listener of its
/// dispatcher, so that a key is followed before the tracker receives its observations. Owned by the command. The server
/// is not owned.
class WatchedLocks final : public LockEvents, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WatchedLocks)

public:
    WatchedLocks(inspection::InspectedServer &server, base::Globs globs);
    ~WatchedLocks() override;

    [[nodiscard]] const history::History &history() const { return m_held.history(); }
    [[nodiscard]] const QHash<QByteArray, HeldLock> &held() const { return m_held.all(); }
    /// Reports the starts of holds that wait for more events or for a read: there will be none.
    void reportLast();
    /// Returns whether any lock was seen since the start.
    [[nodiscard]] bool hasLock() const { return m_hasLock; }
    /// Returns whether the key exists and its value, which decides whether it is a lock, is not read yet.
    [[nodiscard]] bool isUnread(const QByteArray &key) const
    {
        const auto candidate = m_candidates.constFind(key);
        return candidate != m_candidates.cend() && !candidate->isAbsent && !candidate->isOverwritten;
    }
    /// Returns the number of keys named like locks that have been known for a second and are not read yet.
    [[nodiscard]] qsizetype unreadCount() const;
    /// Returns the number of keys named like locks that ended before they were read. Their events were not reported.
    [[nodiscard]] qint64 endedUnreadCount() const { return m_endedUnreadCount; }
    /// Returns the number of values of held locks that were overwritten before they were read. Only with notifications,
    /// which name each write.
    [[nodiscard]] qint64 overwrittenUnreadCount() const { return m_overwrittenUnreadCount; }
    /// Returns the number of matching keys if all were read and no lock was found since the start. 0 otherwise.
    [[nodiscard]] qsizetype matchesWithoutLock() const;

Q_SIGNALS:
    /// Emitted when an unread key has ended, or is no lock: then isUnread() has become false without an event.
    void settled(const QByteArray &key);
    /// Emitted when a key named like a lock has ended before it was read: see endedUnreadCount().
    void endedUnread(const QByteArray &key);

private:
    /// A followed key that may be a lock, until its value is known.
    struct Candidate
    {
        std::optional<base::Deadline> deadline {};
        std::optional<events::KeyEvent> appeared {}; ///< Event that is reported once the key is known to be a lock.
        std::optional<LockDescription> was {};       ///< Description of an earlier lock of this key; if set, the key
                                                     ///< always counts as a lock.
        base::MonotonicTime since {};                ///< Time of the first observation of the key.
        bool isDoubtful = false;                     ///< Whether another hold may have begun since `appeared`.
        bool isAbsent = false;      ///< Whether the key has ended, and is followed in case it appears again.
        bool isOverwritten = false; ///< Whether the key exists, and holds a value that is no lock.
        bool isNew = false;         ///< Whether the key was absent before; the tracker then reports its appearance.
        bool isMissed = false;      ///< Whether a failover preceded the read and the name indicates a lock.
        bool isAskedAgain = false;  ///< Whether an immediate read of the value was requested.
    };

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override {}
    [[nodiscard]] bool mayBeLock(const events::Observation &observation) const;
    void consider(const events::Observation &observation);
    [[nodiscard]] bool isWorthReading(const QByteArray &key, const base::Deadline &deadline) const;
    void valueRead(const events::Observation &observation, const keys::RawValue &value);
    void take(const events::KeyEvent &keyEvent);
    void takeOfCandidate(const events::KeyEvent &keyEvent);
    void reportUnread(const QByteArray &key);
    void requestMissed(const inspection::Incident &incident);
    void reportMissed(const events::Observation &observation);
    void drop(const QByteArray &key);
    void settle(const QByteArray &key)
    {
        drop(key);
        Q_EMIT settled(key);
    }
    void countUnread(const QByteArray &key);
    void keepAbsent(const QByteArray &key, std::optional<LockDescription> was, bool isOverwritten);
    [[nodiscard]] bool isNamedLikeLock(const QByteArray &key) const;
    void attend();
    void recheck();
    void adopt(const QByteArray &key);
    void noteGap();
    void countWrites(const QByteArray &key);

    inspection::InspectedServer &m_server; // Not owned.
    const base::Globs m_globs;
    QHash<QByteArray, Candidate> m_candidates;
    HeldLocks m_held;
    HolderCheck m_holderCheck;
    QSet<QByteArray> m_rejected; ///< Keys that were read and are no locks, until their next event.
    QTimer m_readTimer;
    QSet<QByteArray> m_endedUnread;     ///< The last keys named like locks that ended before they were read.
    qint64 m_endedUnreadCount = 0;      ///< Number of all of them.
    QHash<QByteArray, qint64> m_writes; ///< Number of writes of each followed key since its last read or event.
    qint64 m_overwrittenUnreadCount = 0;
    bool m_hasLock = false; ///< Whether any lock was seen.
    bool m_isStale = false; ///< Whether the server is a replica whose keys may be out of date.
};

} // namespace latchkey::cli
