#pragma once

#include "core/keyspace/budget/commandcosts.h"
#include "core/redis/net/requestscope.h"

#include <QObject>

#include <optional>

namespace latchkey::budget {

/// A meter of the server time that the commands of this program take. It sends INFO commandstats at intervals and
/// counts, through trafficObserver(), the commands of the session.
///
/// Owned by its user, the watcher or KeyListing, which sets the connection and calls poll(). Costs and connection are
/// not owned.
class CostMeter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CostMeter)

public:
    explicit CostMeter(CommandCosts &costs, QObject *parent = nullptr);
    ~CostMeter() override;

    /// Sets the connection; null: not connected. Forgets the costs that were learned over the former one.
    void setConnection(net::Connection *connection);
    /// Sets whether many commands are being sent. If so, the costs are queried every half second instead of every five
    /// seconds. The first costs of a connection are always queried at the shorter interval.
    void setFrequent(bool isFrequent);
    /// Sends INFO commandstats, unless it is too early or an answer is pending. Returns the request; empty if none was
    /// sent.
    resp::Commands poll(base::MonotonicTime now);

    /// Returns an observer for the session. The observer adds up the server's estimated time of all commands.
    [[nodiscard]] net::Connection::TrafficObserver trafficObserver();
    /// Returns the server's estimated time of all commands so far, in microseconds.
    [[nodiscard]] double microseconds() const { return m_microseconds; }

Q_SIGNALS:
    /// Emitted when the server has reported its costs, or has refused to.
    void measured();
    /// Emitted when the server has executed SWAPDB since the last report over this connection, on any databases, or when
    /// its statistics were reset since then. No change event reports SWAPDB.
    void databasesSwapped();

private:
    void answered(const net::Connection::Delivery &delivery);

    CommandCosts &m_costs; // Not owned.
    net::RequestScope m_requests;
    base::MonotonicTime m_next;
    bool m_isPending = false;
    bool m_isFrequent = false;
    std::optional<qint64> m_swapCount; ///< Number of executed SWAPDB in the last answer over this connection.
    int m_answers = 0;                 ///< Number of answers over this connection, without errors.
    double m_microseconds = 0;
};

} // namespace latchkey::budget
