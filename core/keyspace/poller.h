#pragma once

#include "core/keyspace/commandbudget.h"
#include "core/keyspace/observation.h"
#include "core/keyspace/pollplan.h"
#include "core/keyspace/valuequeue.h"

#include <QTimer>

#include <deque>
#include <optional>

namespace latchkey::keyspace {

/// Asks how long keys have left: those that the plan finds due, and those to which something has just happened.
///
/// Where a value is known, an end that has moved is not told before the value has been read as well.
/// Owned by the Watcher, which tells it when there is a connection and when it is time; what is known, fan-out, budget,
/// plan and values are not owned.
class Poller final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Poller)

public:
    Poller(const keys::KnownKeys &known, const FanOut &fanOut, CommandBudget &budget, PollPlan &plan,
           ValueQueue &values, const base::Clock &clock, QObject *parent = nullptr);

    /// Null: there is none any more; what was being asked is forgotten.
    void setConnection(resp::Connection *connection);
    void setPaused(bool isPaused) { m_isPaused = isPaused; }
    /// Whether all keys are known, so that one which is not known and which an event tells of is new.
    void setKnowsAll(bool knowsAll) { m_knowsAll = knowsAll; }

    /// Asks about what is due, as far as the budget goes.
    void poll(base::MonotonicTime now);
    /// Something has happened to these keys: they are asked about with the end of this turn of the event loop, as far
    /// as the budget goes. False where they are so many that a scan finds them faster: then none is.
    [[nodiscard]] bool touched(const QList<QByteArray> &names);
    /// Asks about those for which the budget was too small before.
    void askTouched();

    /// Since when the oldest change waits to be asked about; max(): none does.
    [[nodiscard]] base::MonotonicTime oldestTouched() const
    {
        return m_touchedAt.empty() ? base::MonotonicTime::max() : m_touchedAt.front();
    }

    /// When a key that is known was last refused.
    [[nodiscard]] base::MonotonicTime refusedAt() const { return m_refusedAt; }

    /// Whether a key whose value is known has another end by now: that may mean another hold, and the two are told
    /// when both are known.
    [[nodiscard]] bool needsItsValue(const QByteArray &key, const Knowledge &existence) const;

Q_SIGNALS:
    /// The server does not tell us about a key that is known.
    void refused(const latchkey::base::Error &error);

private:
    /// ids: of those names that the plan has asked for.
    void ask(std::vector<QByteArray> names, std::vector<keys::KeyId> ids, Source source);
    void answered(const std::vector<QByteArray> &names, const resp::Connection::Delivery &delivery, Source source);
    /// What one answer says; absent where it says nothing, or where the value is read first.
    [[nodiscard]] std::optional<Knowledge> learn(const QByteArray &name, const resp::Reply &left,
                                                 const resp::Connection::Delivery &delivery, Source source);

    const keys::KnownKeys &m_known;          // Not owned.
    const FanOut &m_fanOut;                  // Not owned.
    CommandBudget &m_budget;                 // Not owned.
    PollPlan &m_plan;                        // Not owned.
    ValueQueue &m_values;                    // Not owned.
    const base::Clock &m_clock;              // Not owned.
    QPointer<resp::Connection> m_connection; // Not owned.
    quint64 m_connectionRun = 0;             ///< Answers over an earlier connection are not for this one.
    int m_pollsUnderWay = 0;
    bool m_isPaused = false;
    bool m_knowsAll = false;
    base::UniqueQueue<QByteArray> m_touched;     ///< Told of, and not asked about yet.
    std::deque<base::MonotonicTime> m_touchedAt; ///< Of those, when; in the same order.
    QTimer m_askTouched;
    base::MonotonicTime m_refusedAt;
};

} // namespace latchkey::keyspace
