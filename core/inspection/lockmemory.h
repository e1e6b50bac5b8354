#pragma once

#include "core/inspection/holderclients.h"
#include "core/inspection/holdrecorder.h"
#include "core/inspection/tracedlock.h"

#include <deque>

namespace latchkey::inspection {

/// What is remembered of a server's locks for those who judge them, beside the history of their holds: how their values
/// were replaced, the largest fencing number that they had, and what traces of their commands have shown.
///
/// A lock that has ended is remembered, for it is when it is taken again that a number has gone back. Of a lock that
/// somebody has traced, who acquired it is told to those who join holders to clients.
/// Bounded: beyond mostLocks, those that were remembered first are forgotten. Owned by an InspectedServer; the others
/// are not owned.
class LockMemory final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockMemory)

public:
    static constexpr qsizetype mostLocks = 5000;
    static constexpr std::size_t mostChanges = 16;
    static constexpr std::size_t mostActs = 32;

    struct Act
    {
        findings::TracedAct act;
        base::MonotonicTime heard;
    };
    struct Remembered
    {
        std::deque<findings::ValueChange> changes; ///< The last mostChanges, the oldest first.
        std::vector<Act> traced;                   ///< Each thing that a client did once.
        std::optional<qint64> fencing;             ///< The largest that was seen.
        /// Jobs at work of the queue whose job's lock it is that have no lock, and since when.
        QHash<QByteArray, base::MonotonicTime> unlocked;
    };

    LockMemory(LockFinder &locks, const HoldRecorder &holds, HolderClients &clients, const keys::KnownKeys &known,
               keyspace::Ledger &ledger, const keyspace::Watcher &watcher, const base::Clock &clock,
               QObject *parent = nullptr);
    ~LockMemory() override;

    [[nodiscard]] Remembered of(const QByteArray &key) const { return m_remembered.value(key); }
    void noteFencing(const QByteArray &key, qint64 number);
    /// A lock has been looked at: if it is a job's, whether other jobs of its queue are at work without theirs.
    void noteJobs(const LockFinder::Looked &looked);
    /// Those that have been so for longer than it takes to read the queue and the locks again.
    [[nodiscard]] QByteArrayList unlockedJobs(const QByteArray &key) const;
    /// Whatever this trace shows of the keys that it follows. It may go before we do.
    void listenTo(keyspace::KeyTrace &trace);

private:
    void happened(const keyspace::Happening &happening);
    void noteChange(const keyspace::Happening &happening);
    void traceBegan(const keyspace::KeyTrace &trace);
    void traced(const keyspace::TracedCommand &command);
    void traceEnded(const QObject *trace);
    Remembered &remember(const QByteArray &key);

    LockFinder &m_locks;                // Not owned.
    const HoldRecorder &m_holds;        // Not owned.
    HolderClients &m_clients;           // Not owned.
    const keys::KnownKeys &m_known;     // Not owned.
    const keyspace::Watcher &m_watcher; // Not owned.
    const base::Clock &m_clock;         // Not owned.
    QHash<QByteArray, Remembered> m_remembered;
    std::deque<QByteArray> m_order;                     ///< The keys of these, the oldest first.
    QHash<QByteArray, TracedLock> m_underWay;           ///< As long as they are traced.
    QHash<const QObject *, QList<QByteArray>> m_traces; ///< The keys of each that is under way.
};

} // namespace latchkey::inspection
