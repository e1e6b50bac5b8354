#pragma once

#include "core/foundation/base/globs.h"
#include "core/inspect/alerts/alertrule.h"
#include "core/inspect/inspection/inspectedserver.h"

#include <QTimer>

#include <algorithm>

namespace latchkey::alerts {

/// An alert: a rule whose condition is true for a lock or for the observation. A value.
struct Alert
{
    AlertRule rule;
    std::optional<QByteArray> key; ///< Absent for AlertRule::Condition::Blind.
    std::optional<QByteArray> holder;
    std::optional<std::chrono::nanoseconds>
        heldFor; ///< Minimum age of the hold, in whole milliseconds; absent: unknown.
    base::MonotonicTime raisedAt;
    base::Text reason; ///< One sentence without a full stop.
};

/// The end of an alert. A value.
struct AlertEnd
{
    base::MonotonicTime at;
    /// The hold that has ended; absent: the lock is still held, or its end is unknown.
    std::optional<history::Hold> hold;
    bool isLockGone = false; ///< Whether the lock is gone; otherwise the condition is over, and the lock is still held.
};

/// An evaluator of alert rules for the locks of a server. It raises an alert once per lock and rule, and reports its
/// end.
///
/// The end of a hold also ends its alerts, so the next hold of the same key raises a new alert. During a gap in the
/// observation, alerts are neither raised nor ended. A lock must be seen without an expiry for `settling`, because some
/// libraries set the expiry by a second command. Owned by the code that watches; the server is not owned. It runs no
/// command and shows nothing.
class AlertWatch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AlertWatch)

public:
    static constexpr std::chrono::seconds settling {1};

    /// The trigger of the evaluations that depend on time alone, such as those of OlderThan.
    enum class Timing : quint8 {
        Timers, ///< Timers of the event loop; for a server that is watched.
        Caller, ///< The owner calls evaluateDue() at nextDue(); for a recording, which has its own clock.
    };

    /// `globs`: only keys that match one of these patterns.
    AlertWatch(inspection::InspectedServer &server, const base::Clock &clock, std::vector<AlertRule> rules,
               base::Globs globs, Timing timing = Timing::Timers, QObject *parent = nullptr);
    ~AlertWatch() override;

    /// Returns the number of alerts that have not ended.
    [[nodiscard]] qsizetype openCount() const;
    /// Returns whether more locks exist than are followed, so that an alert may be missing.
    [[nodiscard]] bool isIncomplete() const;
    /// Returns the time of the next evaluation for which no observation is needed; MonotonicTime::max(): none.
    [[nodiscard]] base::MonotonicTime nextDue() const { return std::min(m_nextDue, m_nextSweep); }
    /// Evaluates the rules for which nextDue() has passed.
    void evaluateDue();

Q_SIGNALS:
    void raised(const latchkey::alerts::Alert &alert);
    void over(const latchkey::alerts::Alert &alert, const latchkey::alerts::AlertEnd &end);

private:
    /// The state of one rule for one lock.
    struct State
    {
        std::optional<base::MonotonicTime> trueSince; ///< Time of the first evaluation at which the condition was true.
        std::optional<Alert> alert;                   ///< Set while the alert lasts.
    };

    [[nodiscard]] bool isObserving() const;
    [[nodiscard]] const history::Hold *lastHold(const QByteArray &key) const;
    void consider(const QByteArray &key);
    void sweep();
    void scheduleSweep();
    void considerDue(base::MonotonicTime now);
    void evaluate();
    void evaluate(const QByteArray &key);
    void evaluate(const QByteArray &key, std::size_t rule, const history::Hold *hold,
                  const std::vector<findings::Finding> &found);
    [[nodiscard]] std::optional<base::Text> reasonFor(const AlertRule &rule, const QByteArray &key,
                                                      const history::Hold *hold,
                                                      const std::vector<findings::Finding> &found,
                                                      base::MonotonicTime now);
    [[nodiscard]] base::Text evidence(const findings::Finding &finding, const QByteArray &key) const;
    void raise(State &state, Alert alert);
    void holdEnded(const history::Hold &hold);
    void forget(const QByteArray &key);
    void evaluateGaps();
    void wakeAt(const QByteArray &key, base::MonotonicTime at);
    void wakeAt(base::MonotonicTime at);
    void startTimer();

    inspection::InspectedServer &m_server; // Not owned.
    const base::Clock &m_clock;            // Not owned.
    const std::vector<AlertRule> m_rules;
    const base::Globs m_globs;
    const Timing m_timing;
    bool m_needsFindings = false;
    QSet<QByteArray> m_dirty;                       ///< Keys to evaluate at the next commit.
    QHash<QByteArray, std::vector<State>> m_states; ///< One state per rule; only keys with a condition that was true.
    QHash<QByteArray, base::MonotonicTime> m_due;   ///< Times at which a condition becomes true.
    std::vector<State> m_observationStates;         ///< The states of the rules about the observation.
    base::MonotonicTime m_nextDue = base::MonotonicTime::max();
    base::MonotonicTime m_nextSweep = base::MonotonicTime::max(); ///< Some findings depend on the time.
    QTimer m_dueTimer;                                            ///< Unused with Timing::Caller.
};

} // namespace latchkey::alerts
