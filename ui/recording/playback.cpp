#include "ui/recording/playback.h"

#include "core/base/random.h"

#include <QFileInfo>

#include <algorithm>

namespace latchkey::ui::recording {

using base::ErrorKind;
using base::SystemClock;
using latchkey::recording::Replay;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

/// As often as a live server is shown.
constexpr auto stepInterval = 33ms;
/// So much of it goes into what has happened; the rest is the window's.
constexpr auto longestStep = 15ms;
/// What is concluded of what was seen is shown a moment later: for so long it is looked again, also while it is paused.
constexpr int stepsToSettle = 3;
/// What is as near as this is gone to at once: nothing else is to be seen on the way.
constexpr auto longestLeap = 40ms;

} // namespace

Playback::Playback(const recognition::OwnDialects &own, QObject *parent)
    : QObject(parent)
    , m_own(own)
{
    m_step.setTimerType(Qt::PreciseTimer);
    connect(&m_step, &QTimer::timeout, this, &Playback::step);
    connect(&m_own, &recognition::OwnDialects::changed, this, [this] {
        if (m_replay)
            m_replay->server().locks().setDialects(m_own.dialects());
    });
}

Playback::~Playback() = default;

base::Result<void> Playback::open(const QString &path)
{
    // A pipe would be waited for.
    if (const QFileInfo file(path); file.exists() && !file.isFile())
        return base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1: it is not a file"), path);
    if (auto opened = reopen(path, 0ns); !opened)
        return opened;
    m_path = path;
    m_target.reset();
    setPlaying(false);
    return {};
}

base::Result<void> Playback::reopen(const QString &path, nanoseconds position)
{
    auto replay = Replay::open(path, m_clock, base::SystemRandom::instance());
    if (!replay)
        return base::failure(replay.error());
    if (m_replay)
        Q_EMIT serverGoes();
    m_replay = std::move(*replay);
    m_replay->server().locks().setDialects(m_own.dialects());
    m_replay->goOn(position, QDeadlineTimer(longestLeap), false);
    Q_EMIT serverCame();
    return {};
}

void Playback::setPlaying(bool isPlaying)
{
    m_isPlaying = isPlaying;
    if (isPlaying && m_replay->isAtEnd() && !isSeeking())
        seek(0ns);
    run();
}

/// From here on, if it plays.
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
    const nanoseconds target = std::clamp(position, nanoseconds(0), m_replay->length());
    if (target < m_replay->position()) {
        if (const auto opened = reopen(m_path, target); !opened) {
            m_isPlaying = false;
            m_target.reset();
            run();
            Q_EMIT failed(opened.error());
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
        seekOn();
    else if (m_isPlaying)
        playOn();
    else
        settle();
}

void Playback::seekOn()
{
    if (!m_replay->goOn(*m_target, QDeadlineTimer(longestStep), false)) {
        Q_EMIT changed();
        return;
    }
    m_replay->goOn(m_replay->position()); // Now it is shown.
    m_target.reset();
    if (m_replay->isAtEnd())
        m_isPlaying = false;
    run();
}

void Playback::playOn()
{
    const auto passed = static_cast<double>((SystemClock::instance().now() - m_playedSince).count());
    m_replay->goOn(m_playedFrom + nanoseconds(static_cast<qint64>(passed * m_speed)), QDeadlineTimer(longestStep));
    if (m_replay->isAtEnd())
        setPlaying(false);
    else
        Q_EMIT changed();
}

void Playback::settle()
{
    m_replay->goOn(m_replay->position());
    if (m_replay->server().locks().isIdle() && --m_stepsToSettle <= 0)
        m_step.stop();
    Q_EMIT changed();
}

} // namespace latchkey::ui::recording
