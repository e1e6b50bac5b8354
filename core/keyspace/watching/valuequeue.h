#pragma once

#include "core/foundation/base/uniquequeue.h"
#include "core/keyspace/budget/commandbudget.h"
#include "core/keyspace/watching/missingvaluecursor.h"
#include "core/keyspace/watching/valuereader.h"

#include <deque>
#include <optional>

namespace latchkey::watching {

/// A queue of values to read.
///
/// Order of priority: values that have just changed; visible values, every second; requests for keys that are not
/// visible; known values that may be outdated; all other keys without the value that the rows are sorted by. A refused
/// value is requested again at intervals, because the ACL may change. One batch at a time, within the budget;
/// setCompletionFree() and exemptRequests() state the two exceptions. Owned by the ServerWatcher, which sets the
/// connection; known keys, dispatcher and budget are not owned.
class ValueQueue final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ValueQueue)

public:
    /// Progress of the watcher, which decides what may be read.
    enum class Stage : quint8 { Scanning, Watching };

    ValueQueue(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher,
               budget::CommandBudget &budget, const base::Clock &clock, QObject *parent = nullptr);

    /// Sets the connection; null: not connected. Drops the keys that wait for readWaiting() and the current batch. The
    /// requests are kept, those of the batch included.
    void setConnection(net::Connection *connection);
    /// Sets whether idle times are asked for; see events::areIdleTimesTrue(). Default: false.
    void setAsksIdleTimes(bool asks) { m_reader.setAsksIdleTimes(asks); }
    /// Pauses all reads, or resumes them.
    void setPaused(bool isPaused) { m_isPaused = isPaused; }
    void setStage(Stage stage) { m_stage = stage; }

    /// Sets the keys on screen.
    void setVisibleKeys(const std::vector<keys::KeyId> &ids);
    /// Reads the types, or the values, of all keys that lack them.
    void setCompletion(std::optional<ValueReader::Part> what) { m_completion.setTarget(what); }
    /// Sets whether reads for setCompletion() are exempt from the budget; default: false.
    void setCompletionFree(bool isFree) { m_isCompletionFree = isFree; }
    /// Queues a key for the next batch, because its value may have changed. The key was read before, or is on screen.
    void readAtOnce(const QByteArray &name, events::Source source);
    /// Returns whether a read of the key's value was sent within the last second or two. Its reply may be from before a
    /// change, and may not be in the store yet.
    [[nodiscard]] bool isReadLately(const QByteArray &name) const
    {
        return m_readLately.contains(name) || m_readBefore.contains(name);
    }
    /// Returns the time since which the oldest key of readAtOnce() waits; max() if none waits.
    [[nodiscard]] base::MonotonicTime oldestWaiting() const
    {
        return m_waiting.empty() ? base::MonotonicTime::max() : m_waitingSince;
    }
    /// Sends the keys of readAtOnce(); during a batch they are sent after it.
    void readWaiting();
    /// Queues these keys to be read when nothing more urgent is due. A key that waits already is not queued twice.
    void requestValues(const QList<QByteArray> &names);
    /// Queues all keys with a known value, to be read when no request waits. They do not count as requests.
    void requestKnown();
    /// Exempts requests from the budget, until markInitialRequestsComplete() was called and all requests are read.
    void exemptRequests();
    /// Marks the initial requests as complete.
    void markInitialRequestsComplete() { m_areAllRequested = true; }
    /// Returns the number of requested keys that have no value yet and have waited for more than a second.
    [[nodiscard]] qint64 unread(base::MonotonicTime now) const;
    /// Returns the number of requests that wait or are being read.
    [[nodiscard]] qsizetype requests() const
    {
        return m_requested.size() + static_cast<qsizetype>(m_requestsUnderWay.size());
    }

    /// Reads the values that are due.
    void tick(base::MonotonicTime now);

private:
    /// A request that waits.
    struct Waiting
    {
        base::MonotonicTime since;
        qint64 unreadBefore = 0; ///< Value of m_unreadRequested before this request.
    };

    [[nodiscard]] bool isReady() const;
    void request(const QByteArray &name);
    [[nodiscard]] bool isUnread(const QByteArray &name) const;
    /// The way in which a batch is charged to the budget.
    enum class Charging : quint8 { Free, InTime, Ahead };
    void read(std::vector<QByteArray> names, ValueReader::Part what, events::Source source, Charging charging);
    [[nodiscard]] bool readAttention(base::MonotonicTime now);
    [[nodiscard]] bool readRequested(base::MonotonicTime now);
    [[nodiscard]] bool readOutdated(base::MonotonicTime now);
    [[nodiscard]] bool readLacking(base::MonotonicTime now);
    [[nodiscard]] bool retryRefused(base::MonotonicTime now);
    [[nodiscard]] std::size_t affordable(base::MonotonicTime now, int commandsPerKey) const;
    /// Starts the next batch if it need not wait for a tick.
    void resume();
    void settle();

    const keys::KnownKeys &m_known;  // Not owned.
    budget::CommandBudget &m_budget; // Not owned.
    const base::Clock &m_clock;      // Not owned.
    ValueReader m_reader;
    MissingValueCursor m_completion;
    QPointer<net::Connection> m_connection; // Not owned.
    Stage m_stage = Stage::Scanning;
    bool m_isPaused = false;
    Charging m_charging = Charging::InTime; ///< How the current batch is charged.
    budget::CommandCost m_settled;          ///< Cost of the reader's commands already charged to the budget.
    std::vector<keys::KeyId> m_visibleKeys;
    base::MonotonicTime m_nextAttention;
    base::MonotonicTime m_attentionPaid; ///< Time from which a scan with a limit has got its share after the last read
                                         ///< of the visible keys.
    QSet<QByteArray> m_readLately;       ///< Keys of the batches since m_readLatelySince.
    QSet<QByteArray> m_readBefore;       ///< Keys of the batches of the second before.
    base::MonotonicTime m_readLatelySince;
    std::vector<QByteArray> m_waiting;
    base::MonotonicTime m_waitingSince;
    events::Source m_waitingSource = events::Source::Read;
    base::UniqueQueue<QByteArray> m_requested;
    base::UniqueQueue<QByteArray> m_outdated;   ///< See requestKnown().
    std::deque<Waiting> m_requestedSince;       ///< One per key of m_requested, in its order.
    qint64 m_unreadRequested = 0;               ///< Number of keys without value that were ever requested.
    std::vector<QByteArray> m_requestsUnderWay; ///< Requests in the current batch.
    base::UniqueQueue<QByteArray> m_refused;    ///< Keys with values that the user may not read.
    qint64 m_forgotten = 0;                     ///< Number of refusals that were not kept in m_refused.
    base::MonotonicTime m_nextRetry;
    bool m_isRetry = false; ///< Whether the current batch is a retry of a refused key.
    bool m_isCompletionFree = false;
    bool m_areRequestsFree = false;
    bool m_areAllRequested = false;
};

} // namespace latchkey::watching
