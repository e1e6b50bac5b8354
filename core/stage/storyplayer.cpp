#include "core/stage/storyplayer.h"

#include <algorithm>

namespace latchkey::stage {

using base::ErrorKind;
using base::Text;
using playground::ClientReport;
using namespace std::chrono_literals;

namespace {

/// Polling interval for the servers' content.
constexpr auto watchInterval = 40ms;

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

StoryPlayer::StoryPlayer(QString program, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
    , m_clock(clock)
    , m_random(random)
    , m_patience(30s)
{
    m_look.setInterval(5ms);
    m_look.setTimerType(Qt::PreciseTimer);
    m_late.setSingleShot(true);
    m_wait.setSingleShot(true);
    m_wait.setTimerType(Qt::PreciseTimer);
    m_watch.setInterval(watchInterval);
    connect(&m_watch, &QTimer::timeout, this, &StoryPlayer::watch);
    connect(&m_look, &QTimer::timeout, this, &StoryPlayer::check);
    connect(&m_wait, &QTimer::timeout, this, &StoryPlayer::check);
    connect(&m_late, &QTimer::timeout, this, [this] {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(m_patience).count();
        fail({ErrorKind::TimedOut,
              Text::counted(seconds, QT_TRANSLATE_N_NOOP("core", "timeout: not reached within %n seconds"))});
    });
}

StoryPlayer::~StoryPlayer() = default;

void StoryPlayer::setState(State state)
{
    m_state = state;
    Q_EMIT stateChanged(state);
}

void StoryPlayer::load(const ToldStory &story, std::size_t alternative)
{
    m_story = story;
    m_alternative = alternative;
    restart();
}

void StoryPlayer::restart()
{
    clear();
    forget();
    prepare();
}

void StoryPlayer::unload()
{
    if (m_state == State::Empty)
        return;
    clear();
    forget();
    Q_EMIT sequenceGoes();
    m_recorder.reset();
    setState(State::Empty);
}

void StoryPlayer::setWatching(bool isWatching)
{
    m_isWatching = isWatching;
    if (!isWatching)
        m_watch.stop();
    else if (m_cast)
        m_watch.start();
}

void StoryPlayer::forget()
{
    m_isPlaying = false;
    m_isStepWanted = false;
    m_isEnding = false;
    m_resource = {};
    m_lifetimes = {};
    m_isTaken.clear();
    m_clocksMoved = {};
    m_recomputed = 0;
    m_exchanged.clear();
    m_results.clear();
    m_verdict = Verdict::Unknown;
    m_error.reset();
}

void StoryPlayer::clear()
{
    m_isDone = nullptr;
    m_look.stop();
    m_late.stop();
    m_wait.stop();
    m_watch.stop();
    m_isLooking = false;
    // Deferred, because a signal of these objects may be the caller.
    if (Cast *cast = m_cast.release()) {
        cast->disconnect(this);
        cast->deleteLater();
    }
    if (Servers *servers = m_servers.release()) {
        servers->disconnect(this);
        servers->deleteLater();
    }
}

void StoryPlayer::prepare()
{
    m_servers = std::make_unique<Servers>(m_story.servers, m_clock, m_random);
    m_cast = std::make_unique<Cast>(m_program, m_story.clients);
    connect(m_servers.get(), &Servers::failed, this, &StoryPlayer::fail);
    connect(m_servers.get(), &Servers::gone, this, &StoryPlayer::check);
    connect(m_servers.get(), &Servers::ready, this, &StoryPlayer::dress);
    connect(m_cast.get(), &Cast::ready, this, [this] {
        m_late.stop();
        setClocks();
        setState(State::Resting);
        goOnIfWanted();
    });
    castPlays();
    record();
    setState(State::Preparing);
    m_late.start(m_patience);
    m_servers->start();
}

void StoryPlayer::dress()
{
    ask<bool>(sendToAll(m_story.beforehand, m_story.servers), [this](bool) { m_cast->start(m_servers->endpoints()); });
}

/// Records the clients' actions and events for a diagram.
void StoryPlayer::record()
{
    Q_EMIT sequenceGoes();
    QStringList names;
    for (int server = 0; server < m_story.servers; ++server)
        names += m_story.servers == 1 ? Text(QT_TRANSLATE_NOOP("core", "server")).toString()
                                      : Text(QT_TRANSLATE_NOOP("core", "server %1"), server).toString();
    m_recorder = std::make_unique<playground::SequenceRecorder>(names, m_clock);
    for (const QString &name : m_cast->names())
        m_recorder->follow(m_cast->process(name));
    connect(m_recorder.get(), &playground::SequenceRecorder::changed, this, &StoryPlayer::sequenceChanged);
    connect(m_cast.get(), &Cast::ready, this, [this] { setWatching(m_isWatching); });
}

void StoryPlayer::castPlays()
{
    connect(m_cast.get(), &Cast::changed, this, &StoryPlayer::check);
    connect(m_cast.get(), &Cast::died, this, [this](const QString &name) {
        fail({ErrorKind::Local, Text(QT_TRANSLATE_NOOP("core", "the process of \"%1\" ended unexpectedly"), name)});
    });
    connect(m_cast.get(), &Cast::answered, this, [this](const QString &name, const ClientReport &report) {
        if (report.event != ClientReport::Event::Done)
            return;
        if (report.upshot.outcome == u"recomputed")
            ++m_recomputed;
        else if (report.upshot.outcome == u"writes")
            m_recorder->noteWrite(name, m_isTaken[name] = m_resource.write(name, report.fencing));
    });
    connect(m_cast.get(), &Cast::wired, this, [this](const QString &name, const ClientReport &report) {
        m_exchanged.push_back({name, report.command, report.reply});
        Q_EMIT exchanged(m_exchanged.back());
    });
}

void StoryPlayer::play()
{
    m_isPlaying = true;
    goOnIfWanted();
}

void StoryPlayer::pause()
{
    m_isPlaying = false;
    m_isStepWanted = false;
}

void StoryPlayer::step()
{
    m_isStepWanted = true;
    goOnIfWanted();
}

void StoryPlayer::goOnIfWanted()
{
    if (m_state != State::Resting || m_isEnding || (!m_isPlaying && !m_isStepWanted))
        return;
    m_isStepWanted = false;
    m_state = State::Playing; // Set at once, to prevent a second begin().
    QMetaObject::invokeMethod(m_cast.get(), [this] { begin(); }, Qt::QueuedConnection);
}

void StoryPlayer::begin()
{
    if (m_state != State::Playing)
        return; // The story was restarted meanwhile.
    setState(State::Playing);
    if (m_state == State::Playing)
        Q_EMIT stepBegan(position());
    if (m_state != State::Playing)
        return; // A receiver of the signal restarted the story.
    m_late.start(m_patience);
    std::visit([this](const auto &deed) { start(deed); }, current().deed);
}

void StoryPlayer::endStep(const StepResult &result)
{
    m_late.stop();
    m_look.stop();
    m_wait.stop();
    const bool isAsTold = result.differences.isEmpty();
    m_results.push_back(result);
    m_state = State::Resting;
    if (!isAsTold)
        finish(Verdict::Differs);
    else if (position() == alternative().steps.size())
        finish(Verdict::AsTold);
    Q_EMIT stepEnded(result);
    Q_EMIT stateChanged(m_state);
    goOnIfWanted();
}

void StoryPlayer::fail(const base::Error &error)
{
    if (m_isEnding || m_state == State::Over || m_state == State::Empty)
        return;
    const bool isInStep = m_state == State::Playing && position() < alternative().steps.size();
    m_error = isInStep ? error.during(current().place) : error;
    finish(Verdict::Unknown);
}

/// Finishes through the event loop, because an object that is removed may be the caller.
void StoryPlayer::finish(Verdict verdict)
{
    m_isEnding = true;
    m_isDone = nullptr;
    m_look.stop();
    m_late.stop();
    m_wait.stop();
    m_verdict = verdict;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_isEnding)
                return; // The story was restarted meanwhile.
            m_isEnding = false;
            m_isPlaying = false;
            m_watch.stop();
            m_recorder->end();
            m_cast.reset();
            m_servers.reset();
            setState(State::Over);
        },
        Qt::QueuedConnection);
}

} // namespace latchkey::stage
