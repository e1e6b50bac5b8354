#pragma once

#include "core/inspect/detection/holderclients.h"
#include "core/inspect/detection/holdrecorder.h"
#include "core/inspect/detection/tracedlock.h"

#include <deque>

namespace latchkey::detection {

/// A record of the value changes, the largest fencing token and the traced actions of each lock, in addition to the
/// history of its holds.
///
/// The memory of a lock outlives the lock, because a fencing token can only go backwards at the next acquisition. The
/// acquirer of a traced lock is passed to HolderClients. At most maxLocks are remembered; a new entry replaces the
/// oldest one. Owned by an InspectedServer; the other objects are not owned.
class LockMemory final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockMemory)

public:
    static constexpr qsizetype maxLocks = 5000;
    static constexpr std::size_t maxChanges = 16;
    static constexpr std::size_t maxTracedActions = 32;

    struct TracedChange
    {
        findings::TracedAction action;
        base::MonotonicTime received;
    };
    struct Memory
    {
        std::deque<findings::ValueChange> changes; ///< The last maxChanges changes, the oldest first.
        std::vector<TracedChange> traced;          ///< Distinct actions of clients.
        std::optional<qint64> fencing;             ///< The largest observed fencing token.
        /// For the lock of a job: the other active jobs of its queue without a lock, each with the time of the first
        /// observation.
        QHash<QByteArray, base::MonotonicTime> unlocked;
    };

    LockMemory(LockFinder &locks, const HoldRecorder &holds, HolderClients &clients, const keys::KnownKeys &known,
               events::KeyEventTracker &tracker, const watching::WatchStatus &watcher, const base::Clock &clock,
               QObject *parent = nullptr);
    ~LockMemory() override;

    /// Returns the remembered data of a lock; empty data for an unknown lock.
    [[nodiscard]] Memory memoryOf(const QByteArray &key) const { return m_remembered.value(key); }
    /// Notes an observed fencing token. Only the largest one of each lock is kept.
    void noteFencing(const QByteArray &key, qint64 number);
    /// Notes the other active jobs of the queue without a lock, if an examined key is a job's lock.
    void noteJobs(const LockFinder::RecognisedKey &recognised);
    /// Returns the jobs that had no lock for at least a second, during which queue and locks were read again.
    [[nodiscard]] QByteArrayList unlockedJobs(const QByteArray &key) const;
    /// Records the actions of clients in this trace. The trace may be destroyed before this object.
    void listenTo(watching::KeyTrace &trace);

private:
    void happened(const events::KeyEvent &keyEvent);
    void noteChange(const events::KeyEvent &keyEvent);
    void traceBegan(const watching::KeyTrace &trace);
    void traced(const watching::TracedCommand &command);
    void traceEnded(const QObject *trace);
    Memory &remember(const QByteArray &key);

    LockFinder &m_locks;                    // Not owned.
    const HoldRecorder &m_holds;            // Not owned.
    HolderClients &m_clients;               // Not owned.
    const keys::KnownKeys &m_known;         // Not owned.
    const watching::WatchStatus &m_watcher; // Not owned.
    const base::Clock &m_clock;             // Not owned.
    QHash<QByteArray, Memory> m_remembered;
    std::deque<QByteArray> m_order;                     ///< Keys of m_remembered, the oldest first.
    QHash<QByteArray, TracedLock> m_underWay;           ///< Locks that are being traced.
    QHash<const QObject *, QList<QByteArray>> m_traces; ///< Keys of each running trace.
};

} // namespace latchkey::detection
