#include "ui/pages/stories/storyplayback.h"

#include "ui/pages/stories/alternativelanes.h"

#include <algorithm>

namespace latchkey::ui::stories {

using namespace std::chrono_literals;

namespace {

/// Reading time of a sentence at normal speed: per word, and the minimum.
constexpr auto timeForAWord = 220ms;
constexpr auto minReadingTime = 1800ms;
/// Largest factor on the reading speed at lower speeds of the story.
constexpr double maxReadingSpeed = 2;
/// From this speed on, reading time is reduced by the whole speed, so that the pause is hardly noticeable.
constexpr double tooFastToRead = 20;

} // namespace

StoryPlayback::StoryPlayback(AlternativeLanes &lanes, QObject *parent)
    : QObject(parent)
    , m_lanes(lanes)
{
    m_readingTimer.setSingleShot(true);
    connect(&m_readingTimer, &QTimer::timeout, this, &StoryPlayback::step);
    connect(&m_lanes, &AlternativeLanes::changed, this, &StoryPlayback::follow);
}

void StoryPlayback::setPlaying(bool isPlaying)
{
    m_isPlaying = isPlaying;
    m_readingTimer.stop();
    if (isPlaying && m_lanes.areAllOver())
        goBack();
    m_isPlaying = isPlaying;
    if (isPlaying && m_lanes.areAllWaiting())
        step();
    Q_EMIT changed();
}

void StoryPlayback::step()
{
    m_lanes.step();
    Q_EMIT changed();
}

void StoryPlayback::goBack()
{
    setPlaying(false);
    m_lanes.reset();
    Q_EMIT changed();
}

void StoryPlayback::setSpeed(double speed)
{
    m_speed = speed;
    m_lanes.setSpeed(speed);
}

void StoryPlayback::follow()
{
    if (m_lanes.areAllOver())
        m_isPlaying = false;
    else if (m_isPlaying && m_lanes.areAllWaiting() && !m_readingTimer.isActive())
        m_readingTimer.start(readingTime());
    Q_EMIT changed();
}

std::chrono::milliseconds StoryPlayback::readingTime() const
{
    const double faster = m_speed >= tooFastToRead ? m_speed : std::min(m_speed, maxReadingSpeed);
    const auto normalTime =
        std::max<std::chrono::milliseconds>(m_lanes.longestSentence() * timeForAWord, minReadingTime);
    return std::chrono::duration_cast<std::chrono::milliseconds>(normalTime / faster);
}

} // namespace latchkey::ui::stories
