#pragma once

#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/servercontentpoller.h"
#include "core/playground/scenarios/stepevaluator.h"
#include "core/playground/scenarios/steprunner.h"

namespace latchkey::scenarios {

/// Result of playing an alternative of a story.
enum class ScenarioVerdict : quint8 {
    Passed,  ///< All expectations were met.
    Differs, ///< An expectation was not met; the story ends there.
    Unknown, ///< Undecided: a server or client ended unexpectedly, or a step timed out.
};

/// A player of one alternative of a story. It uses private servers, a process for each client, and real signals to kill
/// and stop processes.
///
///     Empty → Preparing → Resting ⇄ Playing → … → Over      restart() and load() from any of them → Preparing
///                                                          unload() from any of them → Empty
///
/// Each step waits for its effect: an answer, a dead or stopped process, or a removed key. A timeout of a step
/// (setStepTimeout()) ends the story with the verdict Unknown. pause() takes effect at the end of the current step. The
/// speed factor divides the duration of work; it divides a TTL only where the story allows this. When the player is
/// Over, servers and clients are gone. Owned by its user. Clock and random source are not owned.
class ScenarioPlayer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ScenarioPlayer)

public:
    enum class State : quint8 {
        Empty,
        Preparing, ///< Servers and clients are starting.
        Resting,   ///< Before the next step.
        Playing,   ///< A step is under way.
        Over,
    };
    Q_ENUM(State)

    /// Creates an empty player. `program`: path of latchkey-cli.
    ScenarioPlayer(QString program, const base::Clock &clock, base::RandomSource &random, QObject *parent = nullptr);
    ~ScenarioPlayer() override;

    /// Prepares servers and clients for an alternative, and replaces those of a previous one. Does not start playing.
    void load(const Scenario &scenario, std::size_t alternative);
    /// Returns to the beginning with new servers and clients, paused.
    void restart();
    /// Ends servers and clients, and unloads the story.
    void unload();
    /// Plays to the end, or until pause().
    void play();
    void pause();
    /// Plays the next step only. If a step is under way or the preparation is not complete, the next step is played
    /// afterwards.
    void step();

    /// Sets the speed factor: 2 is twice as fast. Default: 1; greater than zero.
    void setSpeed(double speed) { m_steps.setSpeed(speed); }
    /// Sets how much longer than its planned time a step may take. Default: 30 s.
    void setStepTimeout(std::chrono::milliseconds timeout) { m_steps.setTimeout(timeout); }

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isPlaying() const { return m_isPlaying; }
    [[nodiscard]] const Scenario &scenario() const { return m_scenario; }
    [[nodiscard]] const Alternative &alternative() const { return m_scenario.alternatives.at(m_alternative); }
    /// Returns the results of the completed steps.
    [[nodiscard]] const std::vector<StepResult> &results() const { return m_results; }
    /// Returns the index of the next step, or of the step under way.
    [[nodiscard]] std::size_t position() const { return m_results.size(); }
    /// Returns the events since load() or restart(), also when Over; null when Empty. The sequence has the content of
    /// servers only as far as they were read; see setWatching().
    [[nodiscard]] const sequence::Sequence *sequence() const { return m_recorder ? &m_recorder->sequence() : nullptr; }
    /// Enables continuous polling of the servers' content for a diagram. Default: off.
    void setWatching(bool isWatching);
    /// Returns the verdict. Valid when Over.
    [[nodiscard]] ScenarioVerdict verdict() const { return m_verdict; }
    /// Returns why the verdict is Unknown; else absent.
    [[nodiscard]] const std::optional<base::Error> &error() const { return m_error; }

Q_SIGNALS:
    void stateChanged(latchkey::scenarios::ScenarioPlayer::State state);
    void stepBegan(std::size_t step);
    void stepEnded(const latchkey::scenarios::StepResult &result);
    /// Emitted before the sequence object is replaced or removed. Read the new object at the next stateChanged().
    void sequenceAboutToBeDestroyed();
    void sequenceChanged();
    /// Emitted for each command as it happens; see also StepResult.
    void exchanged(const latchkey::scenarios::CommandRecord &exchanged);

private:
    void setState(State state);
    void prepare();
    void forget();
    void connectClients();
    /// Sends the initial commands to the servers, then starts the clients.
    void sendPreparation();
    void record();
    void stopRun();
    /// Removes servers and clients. Objects that may be the caller are deleted later.
    void clear();
    void advanceIfRequested();

    void begin();
    void endStep(const StepResult &result);
    void fail(const base::Error &error);
    void finish(ScenarioVerdict verdict);

    [[nodiscard]] const ScenarioStep &current() const { return alternative().steps[m_results.size()]; }

    const QString m_program;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    Scenario m_scenario;
    std::size_t m_alternative = 0;

    State m_state = State::Empty;
    bool m_isPlaying = false;
    bool m_isStepRequested = false;
    bool m_isWatching = false;
    bool m_isEnding = false; ///< Whether the verdict is final and servers and clients are about to be removed.
    // Declared before the servers and clients that they use, whose signals they receive.
    ScenarioRun m_run;
    StepRunner m_steps;
    StepEvaluator m_evaluator;
    ServerContentPoller m_poller;
    std::unique_ptr<ScenarioServers> m_servers;
    std::unique_ptr<playground::SequenceRecorder> m_recorder; ///< Declared before the clients that it follows.
    std::unique_ptr<ScenarioClients> m_clients;
    std::vector<StepResult> m_results;
    ScenarioVerdict m_verdict = ScenarioVerdict::Unknown;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::scenarios
