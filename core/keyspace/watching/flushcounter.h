#pragma once

#include "core/keyspace/events/observation.h"
#include "core/keyspace/watching/evictioncounter.h"
#include "core/redis/net/requestscope.h"
#include "core/redis/net/session.h"
#include "core/redis/resp/flushcount.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::watching {

/// A counter of the flushes of a server that reports no change events. It compares the numbers of FLUSHALL, FLUSHDB and
/// SWAPDB in the replies to INFO commandstats. It delivers each increase, and the time of each count, to the
/// dispatcher.
///
/// The requests use the connection of the reads, so a reply is newer than all earlier reads. If it contains no further
/// flush, none of these reads has missed a key because of a flush. Owned by ServerEvents; session, dispatcher and clock
/// are not owned.
class FlushCounter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FlushCounter)

public:
    FlushCounter(net::Session &session, const events::ObservationDispatcher &dispatcher, const base::Clock &clock,
                 QObject *parent = nullptr);
    ~FlushCounter() override;

    /// Starts to count, also over later connections. No effect if started already.
    void start();
    void stop();
    /// Returns the counter of the evictions, which are counted with the flushes and at other times on request.
    [[nodiscard]] EvictionCounter &evictions() { return m_evictions; }
    /// Requests the number once more. Calls are combined: at most ten requests are sent per second.
    void request();

Q_SIGNALS:
    /// Emitted when the server has executed a flush, on any database, since the last number.
    void flushed();

private:
    void sessionChanged();
    void send();
    void received(const net::Connection::Delivery &delivery);
    void deliverFlushes(const resp::FlushCounts &former, base::MonotonicTime received) const;
    void deliverCoverage(bool reportsFlushes, base::MonotonicTime since) const;

    net::Session &m_session;                           // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    const base::Clock &m_clock;                        // Not owned.
    net::RequestScope m_requests;
    QTimer m_next;              ///< Active while no reply is pending.
    base::MonotonicTime m_sent; ///< Time of the last request.
    EvictionCounter m_evictions;
    bool m_isStarted = false;
    bool m_isPending = false;
    QString m_runId;                           ///< Process that reported m_counts.
    std::optional<resp::FlushCounts> m_counts; ///< Last reported numbers; absent: none were reported.
};

} // namespace latchkey::watching
