#pragma once

#include "core/playground/scenarios/expectationchecker.h"
#include "core/playground/scenarios/scenariorun.h"
#include "core/playground/sequence/sequence.h"

#include <functional>

namespace latchkey::scenarios {

/// The execution of a step of a story: it starts the action of the step, and detects the effect of the action.
///
/// Each step waits for its effect: an answer, a dead or stopped process, or a removed key. The effect is checked after
/// every change, and polled where there is no notification. Owned by the player. The run and the clock are not owned.
/// It evaluates nothing, see StepEvaluator.
class StepRunner final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StepRunner)

public:
    StepRunner(ScenarioRun &run, const base::Clock &clock);

    /// Sets the speed factor: 2 is twice as fast.
    void setSpeed(double speed) { m_speed = speed; }
    /// Sets how much longer than its planned time a step may take.
    void setTimeout(std::chrono::milliseconds timeout) { m_timeout = timeout; }

    /// Forgets the former story.
    void restart();
    /// Starts a step, which must stay valid until it has ended.
    /// `position`: number of the step, from 0.
    void begin(const ScenarioStep &step, std::size_t position);
    /// Ends the step under way, without a signal.
    void stop();
    /// Checks whether the step has had its effect. To be called after every change of the run.
    void check();
    /// Starts or stops the timer of timedOut(), for a preparation.
    void startTimeout() { m_stepTimer.start(m_timeout); }
    void stopTimeout() { m_stepTimer.stop(); }
    /// Sets the clocks of the clients: their offsets in the story, and the passed deadlines.
    void setClocks();

Q_SIGNALS:
    /// Emitted when the step has had its effect.
    void reached();
    /// Emitted when the step cannot happen.
    void impossible(const latchkey::base::Text &difference);
    void timedOut(const latchkey::base::Error &error);
    /// Emitted when the TTL of a key was shortened, because the story is played faster.
    void lifetimeCut(const latchkey::scenarios::ObservedKey &observedKey, std::chrono::milliseconds left);

private:
    void start(const CheckExpectations &action);
    void start(const playground::ClientOrder &action);
    void start(Signal action);
    void start(ResumeClient action);
    void start(const AwaitAnswer &action);
    void start(AwaitReport action);
    void start(const AwaitGone &action);
    void start(const AwaitDeadline &action);
    void start(Work action);
    void start(KillServer action);
    void start(RestartServer action);
    void start(CutReplica action);
    void start(Failover action);
    void start(const AdvanceClocks &action);
    void start(const ChangeServerKeys &action);
    /// Records the event when the server is serving again. Completes the step when the clients have connected to it.
    void untilServing(int server, sequence::ServerEvent event);
    void orderClient(const playground::ClientOrder &action);
    /// Divides the key's TTL by the speed, then calls done.
    void cutLeft(const ObservedKey &observedKey, std::function<void()> done);
    void pollExpiry(const AwaitGone &action, bool isFirst);
    void pollDeadline(const AwaitDeadline &action);
    /// Completes the step when the condition is true.
    void until(std::function<bool()> isDone);
    [[nodiscard]] playground::ClientOrder scaled(playground::ClientOrder order) const;
    [[nodiscard]] std::chrono::milliseconds scaled(std::chrono::milliseconds time) const;

    ScenarioRun &m_run;
    const base::Clock &m_clock;
    const ScenarioStep *m_step = nullptr; ///< Step under way. Not owned.
    double m_speed = 1;
    std::chrono::milliseconds m_timeout;
    std::chrono::milliseconds m_clocksMoved {};
    std::function<bool()> m_isDone; ///< Completion condition of the step; null while there is none to check.
    QTimer m_pollTimer;             ///< Polling of that condition, for changes without a notification.
    QTimer m_stepTimer;             ///< Timeout of the step.
    QTimer m_waitTimer;             ///< Delay of a step.
};

} // namespace latchkey::scenarios
