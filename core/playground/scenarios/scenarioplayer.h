#pragma once

#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/extendedttls.h"
#include "core/playground/scenarios/scenarioclients.h"
#include "core/playground/scenarios/scenarioservers.h"

#include <QTimer>

namespace latchkey::scenarios {

/// Result of playing an alternative of a story.
enum class ScenarioVerdict : quint8 {
    Passed,  ///< All expectations were met.
    Differs, ///< An expectation was not met; the story ends there.
    Unknown, ///< Undecided: a server or client ended unexpectedly, or a step timed out.
};

/// A command of a client and its reply, for users.
struct CommandRecord
{
    QString client;
    QString command;
    base::Text reply;
};

/// The result of a step.
struct StepResult
{
    std::size_t step = 0;
    QString outcome; ///< Outcome of the client's order; empty if there was nothing to answer.
    playground::ClientReport report;
    std::vector<CommandRecord> exchanged; ///< Commands of all clients since the previous step.
    QStringList inside;
    QList<base::Text> differences; ///< One sentence for each difference, with its place; empty: none.
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
    void setSpeed(double speed) { m_speed = speed; }
    /// Sets how much longer than its planned time a step may take. Default: 30 s.
    void setStepTimeout(std::chrono::milliseconds timeout) { m_timeout = timeout; }

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
    void watch();
    /// Removes servers and clients. Objects that may be the caller are deleted later.
    void clear();
    void advanceIfRequested();

    void begin();
    void start(const CheckExpectations &action);
    void start(const playground::ClientOrder &action);
    void start(Signal action);
    void start(ResumeClient action);
    void start(const AwaitAnswer &action);
    void start(AwaitReport action);
    void start(const AwaitGone &action);
    void start(const AwaitPassed &action);
    void start(Work action);
    void start(StopServer action);
    void start(const MoveClocks &action);
    /// Divides the key's TTL by the speed, then calls done.
    void cutLeft(const ObservedKey &seen, std::function<void()> done);
    void pollExpiry(const AwaitGone &action, bool isFirst);
    void pollDeadline(const AwaitPassed &action);

    /// Sends a request to the servers. done is not called if the servers were removed meanwhile.
    template<typename T>
    void ask(exchange::Exchange<T> question, std::function<void(const T &)> done)
    {
        m_servers->driver().run<T>(std::move(question),
                                   [this, asked = m_servers.get(), done = std::move(done)](base::Result<T> answer) {
                                       if (m_servers.get() != asked || m_isEnding)
                                           return;
                                       if (answer)
                                           done(*answer);
                                       else
                                           fail(answer.error());
                                   });
    }
    /// Calls a function after this time.
    void later(std::chrono::milliseconds time, std::function<void()> what);
    /// Completes the step when the condition is true. The condition is checked after every change.
    void until(std::function<bool()> isDone);
    void check();
    void orderClient(const playground::ClientOrder &action);
    void conclude();
    void readAndCheck();
    void followInside(const ScenarioStep &step);
    void checkKeys(const std::vector<ObservedKey> &keys);
    [[nodiscard]] QString outcome() const;
    void endStep(const StepResult &result);
    void refuse(const base::Text &difference);
    void fail(const base::Error &error);
    void finish(ScenarioVerdict verdict);

    void setClocks();
    [[nodiscard]] const ScenarioStep &current() const { return alternative().steps[m_results.size()]; }
    [[nodiscard]] playground::ClientOrder scaled(playground::ClientOrder order) const;
    [[nodiscard]] std::chrono::milliseconds scaled(std::chrono::milliseconds time) const;

    const QString m_program;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
    Scenario m_scenario;
    std::size_t m_alternative = 0;
    double m_speed = 1;
    std::chrono::milliseconds m_timeout;

    State m_state = State::Empty;
    bool m_isPlaying = false;
    bool m_isStepRequested = false;
    bool m_isWatching = false;
    bool m_isInspecting = false; ///< Whether replies of the last poll are still missing.
    QTimer m_watchTimer;
    bool m_isEnding = false; ///< Whether the verdict is final and servers and clients are about to be removed.
    std::unique_ptr<ScenarioServers> m_servers;
    std::unique_ptr<playground::SequenceRecorder> m_recorder; ///< Declared before the clients that it follows.
    std::unique_ptr<ScenarioClients> m_clients;
    Resource m_resource;
    ExtendedTtls m_extendedTtls;       ///< Used if the story holds TTLs.
    std::map<QString, bool> m_isTaken; ///< Whether each client's last write was accepted.
    std::chrono::milliseconds m_clocksMoved {};
    int m_recomputed = 0;
    std::function<bool()> m_isDone; ///< Completion condition of the current step; null while there is none to check.
    QTimer m_pollTimer;             ///< Polling of that condition, for changes without a notification.
    QTimer m_stepTimer;             ///< Timeout of the step.
    QTimer m_waitTimer;             ///< Delay of later().
    std::vector<CommandRecord> m_exchanged;
    std::vector<StepResult> m_results;
    ScenarioVerdict m_verdict = ScenarioVerdict::Unknown;
    std::optional<base::Error> m_error;
};

} // namespace latchkey::scenarios
