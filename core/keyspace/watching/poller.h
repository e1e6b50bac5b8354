#pragma once

#include "core/keyspace/budget/commandbudget.h"
#include "core/keyspace/events/observation.h"
#include "core/keyspace/watching/pollplan.h"
#include "core/keyspace/watching/valuequeue.h"

#include <QTimer>

#include <deque>
#include <optional>

namespace latchkey::watching {

/// A poller of the remaining time of keys: keys that the plan finds due, and keys that have just changed.
///
/// If the value of a key is known, a changed expiry is reported only after the value was read as well. Owned by the
/// ServerWatcher, which sets the connection and decides when to poll. Known keys, dispatcher, budget, plan and values
/// are not owned.
class Poller final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Poller)

public:
    Poller(const keys::KnownKeys &known, const events::ObservationDispatcher &dispatcher, budget::CommandBudget &budget,
           PollPlan &plan, ValueQueue &values, const base::Clock &clock, QObject *parent = nullptr);

    /// Sets the connection; null: not connected. Drops all keys that wait for a request or a reply.
    void setConnection(net::Connection *connection);
    void setPaused(bool isPaused) { m_isPaused = isPaused; }
    /// Sets whether all keys are known, so that an unknown key in an event is a new key.
    void setKnowsAll(bool knowsAll) { m_knowsAll = knowsAll; }

    /// Queries the keys that are due, as far as the budget allows. A few requests are sent in advance of the budget.
    void poll(base::MonotonicTime now);
    /// Queues changed keys. They are queried at the end of this iteration of the event loop, within the budget. Returns
    /// false if there are so many that a scan is faster; then none is queried.
    [[nodiscard]] bool keysChanged(const QList<QByteArray> &names);
    /// Queries the changed keys that wait, as far as the budget allows.
    void queryChanged();

    /// Returns when the oldest unread change was reported; max(): none.
    [[nodiscard]] base::MonotonicTime oldestPendingChange() const
    {
        return m_touchedAt.empty() ? base::MonotonicTime::max() : m_touchedAt.front();
    }

    /// Returns the time of the last refusal for a known key.
    [[nodiscard]] base::MonotonicTime refusedAt() const { return m_refusedAt; }

    /// Returns whether the value of the key is known and its expiry has changed. That may mean another hold, so expiry
    /// and value are reported together.
    [[nodiscard]] bool needsItsValue(const QByteArray &key, const events::ObservationContent &existence) const;

Q_SIGNALS:
    /// Emitted when the server refuses to answer for a known key.
    void refused(const latchkey::base::Error &error);
    /// Emitted with refused(), and also after a change event, for each known key: see Scanner::addRefused().
    void keyRefused(const QByteArray &key);

private:
    /// Sends PTTL for each name. `ids`: the keys that the plan has chosen; empty for changed keys.
    void requestTtls(std::vector<QByteArray> names, std::vector<keys::KeyId> ids, events::Source source);
    void answered(const std::vector<QByteArray> &names, const net::Connection::Delivery &delivery,
                  events::Source source);
    /// Returns the content of one reply; absent if it contains no information, or if the value is read first.
    [[nodiscard]] std::optional<events::ObservationContent> learn(const QByteArray &name, const resp::Reply &left,
                                                                  const net::Connection::Delivery &delivery,
                                                                  events::Source source);

    const keys::KnownKeys &m_known;                    // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    budget::CommandBudget &m_budget;                   // Not owned.
    PollPlan &m_plan;                                  // Not owned.
    ValueQueue &m_values;                              // Not owned.
    const base::Clock &m_clock;                        // Not owned.
    net::RequestScope m_requests;
    int m_pollsUnderWay = 0;
    bool m_isPaused = false;
    bool m_knowsAll = false;
    base::UniqueQueue<QByteArray> m_changedKeys; ///< Changed keys that were not queried yet.
    std::deque<base::MonotonicTime> m_touchedAt; ///< Times of these changes, in the same order.
    QTimer m_touchedTimer;
    base::MonotonicTime m_refusedAt;
};

} // namespace latchkey::watching
