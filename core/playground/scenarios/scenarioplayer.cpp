#include "core/playground/scenarios/scenarioplayer.h"

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Text;

namespace {

exchange::Exchange<bool> sendToAll(resp::Commands commands, int servers)
{
    for (int server = 0; server < servers; ++server) {
        for (const resp::Command &command : commands) {
            (void)co_await exchange::Request(command, server);
        }
    }
    co_return true;
}

} // namespace

ScenarioPlayer::ScenarioPlayer(QString program, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
    , m_clock(clock)
    , m_random(random)
    , m_steps(m_run, clock)
    , m_evaluator(m_run)
    , m_poller(m_run, clock)
{
    connect(&m_run, &ScenarioRun::failed, this, &ScenarioPlayer::fail);
    connect(&m_steps, &StepRunner::timedOut, this, &ScenarioPlayer::fail);
    connect(&m_steps, &StepRunner::reached, this, [this] { m_evaluator.evaluate(current(), position()); });
    connect(&m_steps, &StepRunner::impossible, this,
            [this](const Text &difference) { endStep(m_evaluator.refusal(current(), position(), difference)); });
    connect(&m_steps, &StepRunner::lifetimeCut, this,
            [this](const ObservedKey &observedKey, std::chrono::milliseconds left) {
                if (m_isWatching) // The remaining TTL may be shorter than the polling interval.
                    m_recorder->recordKey(observedKey.server, observedKey.key, true, {}, m_clock.now() + left);
            });
    connect(&m_evaluator, &StepEvaluator::failed, this, &ScenarioPlayer::fail);
    connect(&m_evaluator, &StepEvaluator::evaluated, this, &ScenarioPlayer::endStep);
    connect(&m_evaluator, &StepEvaluator::exchanged, this, &ScenarioPlayer::exchanged);
}

ScenarioPlayer::~ScenarioPlayer() = default;

void ScenarioPlayer::setState(State state)
{
    m_state = state;
    Q_EMIT stateChanged(state);
}

void ScenarioPlayer::load(const Scenario &scenario, std::size_t alternative)
{
    m_scenario = scenario;
    m_alternative = alternative;
    restart();
}

void ScenarioPlayer::restart()
{
    clear();
    forget();
    prepare();
}

void ScenarioPlayer::unload()
{
    if (m_state == State::Empty)
        return;
    clear();
    forget();
    Q_EMIT sequenceAboutToBeDestroyed();
    m_recorder.reset();
    setState(State::Empty);
}

void ScenarioPlayer::setWatching(bool isWatching)
{
    m_isWatching = isWatching;
    if (!isWatching)
        m_poller.stop();
    else if (m_clients)
        m_poller.start();
}

void ScenarioPlayer::forget()
{
    m_isPlaying = false;
    m_isStepRequested = false;
    m_isEnding = false;
    m_steps.restart();
    m_evaluator.restart();
    m_results.clear();
    m_verdict = ScenarioVerdict::Unknown;
    m_error.reset();
}

void ScenarioPlayer::clear()
{
    stopRun();
    // Deferred, because a signal of these objects may be the caller.
    if (ScenarioClients *cast = m_clients.release()) {
        cast->disconnect(this);
        cast->disconnect(&m_evaluator);
        cast->disconnect(&m_steps);
        cast->deleteLater();
    }
    if (ScenarioServers *servers = m_servers.release()) {
        servers->disconnect(this);
        servers->disconnect(&m_steps);
        servers->deleteLater();
    }
}

/// Ends the step under way, and drops all replies that are still missing.
void ScenarioPlayer::stopRun()
{
    m_steps.stop();
    m_poller.stop();
    m_run.detach();
}

void ScenarioPlayer::prepare()
{
    m_servers = std::make_unique<ScenarioServers>(m_scenario.servers, m_scenario.replicas, m_clock, m_random);
    m_clients = std::make_unique<ScenarioClients>(m_program, m_scenario.clients);
    connect(m_servers.get(), &ScenarioServers::failed, this, &ScenarioPlayer::fail);
    connect(m_servers.get(), &ScenarioServers::changed, &m_steps, &StepRunner::check);
    connect(m_servers.get(), &ScenarioServers::ready, this, &ScenarioPlayer::sendPreparation);
    connect(m_clients.get(), &ScenarioClients::ready, this, [this] {
        m_steps.stopTimeout();
        m_steps.setClocks();
        setState(State::Resting);
        advanceIfRequested();
    });
    connectClients();
    record();
    m_run.attach(m_scenario, *m_servers, *m_clients, *m_recorder);
    setState(State::Preparing);
    m_steps.startTimeout();
    m_servers->start();
}

void ScenarioPlayer::sendPreparation()
{
    m_run.execute<bool>(sendToAll(m_scenario.setupCommands, m_scenario.servers),
                        [this](bool) { m_clients->start(m_servers->endpoints()); });
}

/// Records the clients' actions and events for a diagram.
void ScenarioPlayer::record()
{
    Q_EMIT sequenceAboutToBeDestroyed();
    QStringList names;
    for (int server = 0; server < m_scenario.servers; ++server)
        names += m_scenario.servers == 1 ? Text(QT_TRANSLATE_NOOP("core", "server")).toString()
                                         : Text(QT_TRANSLATE_NOOP("core", "server %1"), server + 1).toString();
    m_recorder = std::make_unique<playground::SequenceRecorder>(names, m_clock);
    for (const QString &name : m_clients->names())
        m_recorder->record(m_clients->process(name));
    connect(m_recorder.get(), &playground::SequenceRecorder::changed, this, &ScenarioPlayer::sequenceChanged);
    connect(m_clients.get(), &ScenarioClients::ready, this, [this] { setWatching(m_isWatching); });
}

void ScenarioPlayer::connectClients()
{
    connect(m_clients.get(), &ScenarioClients::changed, &m_steps, &StepRunner::check);
    connect(m_clients.get(), &ScenarioClients::died, this, [this](const QString &name) {
        fail({ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "the process of \"%1\" ended unexpectedly"), name)});
    });
    m_evaluator.follow(*m_clients);
}

void ScenarioPlayer::play()
{
    m_isPlaying = true;
    advanceIfRequested();
}

void ScenarioPlayer::pause()
{
    m_isPlaying = false;
    m_isStepRequested = false;
}

void ScenarioPlayer::step()
{
    m_isStepRequested = true;
    advanceIfRequested();
}

void ScenarioPlayer::advanceIfRequested()
{
    if (m_state != State::Resting || m_isEnding || (!m_isPlaying && !m_isStepRequested))
        return;
    m_isStepRequested = false;
    m_state = State::Playing; // Set at once, to prevent a second begin().
    QMetaObject::invokeMethod(m_clients.get(), [this] { begin(); }, Qt::QueuedConnection);
}

void ScenarioPlayer::begin()
{
    if (m_state != State::Playing)
        return; // The story was restarted meanwhile.
    setState(State::Playing);
    if (m_state == State::Playing)
        Q_EMIT stepBegan(position());
    if (m_state != State::Playing)
        return; // A receiver of the signal restarted the story.
    m_steps.begin(current(), position());
}

void ScenarioPlayer::endStep(const StepResult &result)
{
    m_steps.stop();
    const bool hasPassed = result.differences.isEmpty();
    m_results.push_back(result);
    m_state = State::Resting;
    if (!hasPassed)
        finish(ScenarioVerdict::Differs);
    else if (position() == alternative().steps.size())
        finish(ScenarioVerdict::Passed);
    Q_EMIT stepEnded(result);
    Q_EMIT stateChanged(m_state);
    advanceIfRequested();
}

void ScenarioPlayer::fail(const base::Error &error)
{
    if (m_isEnding || m_state == State::Over || m_state == State::Empty)
        return;
    const bool isInStep = m_state == State::Playing && position() < alternative().steps.size();
    m_error = isInStep ? error.during(current().location) : error;
    finish(ScenarioVerdict::Unknown);
}

/// Finishes through the event loop, because an object that is removed may be the caller.
void ScenarioPlayer::finish(ScenarioVerdict verdict)
{
    m_isEnding = true;
    stopRun();
    m_verdict = verdict;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_isEnding)
                return; // The story was restarted meanwhile.
            m_isEnding = false;
            m_isPlaying = false;
            m_recorder->end();
            m_clients.reset();
            m_servers.reset();
            setState(State::Over);
        },
        Qt::QueuedConnection);
}

} // namespace latchkey::scenarios
