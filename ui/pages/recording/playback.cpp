#include "ui/pages/recording/playback.h"

#include "core/foundation/base/random.h"

#include <algorithm>

namespace latchkey::ui::recording {

using base::SystemClock;
using latchkey::recording::Replay;
using latchkey::recording::ReplayCache;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

/// Step interval; the update rate of a live server.
constexpr auto stepInterval = 33ms;
/// Time limit per step for replaying events; the remaining time is for the window.
constexpr auto maxSlice = 15ms;
/// Interval and time limits for preparing other positions. The limit is a tenth of the interval while playing, and
/// three tenths otherwise.
constexpr auto prepareInterval = 50ms;
constexpr auto shortPreparation = 5ms;
constexpr auto longPreparation = 15ms;
/// Number of steps after a change: conclusions from the events appear after a short delay, also while paused.
constexpr int stepsToSettle = 3;
/// Maximum distance that is replayed at once, because no intermediate state would be visible.
constexpr auto maxLeap = 40ms;

} // namespace

Playback::Playback(const recognition::UserDialects &own, QObject *parent)
    : QObject(parent)
    , m_own(own)
{
    m_step.setTimerType(Qt::PreciseTimer);
    connect(&m_step, &QTimer::timeout, this, &Playback::step);
    m_prepare.setInterval(prepareInterval);
    connect(&m_prepare, &QTimer::timeout, this, &Playback::prepare);
    connect(&m_own, &recognition::UserDialects::changed, this, [this] {
        if (m_replayCache)
            m_replayCache->setUpAnew();
    });
}

Playback::~Playback() = default;

base::Result<void> Playback::open(const QString &path)
{
    auto replayCache = ReplayCache::open(path, base::SystemRandom::instance(), [this](Replay &replay) {
        replay.server().locks().setDialects(m_own.dialects());
    });
    if (!replayCache)
        return base::failure(replayCache.error());
    if (m_replayCache)
        Q_EMIT serverAboutToChange();
    m_clock.show((*replayCache)->clock());
    m_replayCache = std::move(*replayCache);
    Q_EMIT serverReplaced();
    m_target.reset();
    setPlaying(false);
    m_prepare.start();
    return {};
}

/// Shows the closest server before that position from now on.
base::Result<void> Playback::change(nanoseconds position)
{
    if (auto moved = m_replayCache->moveTo(position, [this] { Q_EMIT serverAboutToChange(); }); !moved)
        return moved;
    replay()->advance(position, QDeadlineTimer(maxLeap), false);
    Q_EMIT serverReplaced();
    m_prepare.start(); // The change may have used up a prepared server.
    return {};
}

void Playback::prepare()
{
    if (!isSeeking() && !m_replayCache->prepare(QDeadlineTimer(m_isPlaying ? shortPreparation : longPreparation)))
        m_prepare.stop();
}

void Playback::setPlaying(bool isPlaying)
{
    m_isPlaying = isPlaying;
    if (isPlaying && replay()->isAtEnd() && !isSeeking())
        seek(0ns);
    run();
}

/// Restarts the step timer at the current position.
void Playback::run()
{
    m_playedFrom = position();
    m_playedSince = SystemClock::instance().now();
    m_stepsToSettle = stepsToSettle;
    m_step.start(isSeeking() ? 0ms : stepInterval);
    Q_EMIT changed();
}

void Playback::setSpeed(double speed)
{
    m_speed = speed;
    run();
}

void Playback::seek(nanoseconds position)
{
    const nanoseconds target = std::clamp(position, nanoseconds(0), replay()->length());
    if (m_replayCache->isAnother(target)) {
        if (const auto moved = change(target); !moved) {
            m_isPlaying = false;
            m_target.reset();
            run();
            Q_EMIT failed(moved.error());
            return;
        }
    }
    m_target = target;
    run();
    step();
}

void Playback::step()
{
    if (m_target)
        continueSeek();
    else if (m_isPlaying)
        continuePlaying();
    else
        settle();
}

void Playback::continueSeek()
{
    if (!replay()->advance(*m_target, QDeadlineTimer(maxSlice), false)) {
        Q_EMIT changed();
        return;
    }
    replay()->advance(replay()->position()); // Shows the new position.
    m_target.reset();
    if (replay()->isAtEnd())
        m_isPlaying = false;
    run();
}

void Playback::continuePlaying()
{
    const auto passed = static_cast<double>((SystemClock::instance().now() - m_playedSince).count());
    replay()->advance(m_playedFrom + nanoseconds(static_cast<qint64>(passed * m_speed)), QDeadlineTimer(maxSlice));
    if (replay()->isAtEnd())
        setPlaying(false);
    else
        Q_EMIT changed();
}

void Playback::settle()
{
    replay()->advance(replay()->position());
    if (replay()->server().locks().isIdle() && --m_stepsToSettle <= 0)
        m_step.stop();
    Q_EMIT changed();
}

} // namespace latchkey::ui::recording
