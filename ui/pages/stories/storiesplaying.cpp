// The playing of the stories of a StoriesPage. The layout is in storiespage.cpp.

#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/storiespage.h"

#include <QComboBox>
#include <QSplitter>

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

double StoriesPage::speed() const
{
    return m_speed->currentData().toDouble();
}

void StoriesPage::goBack()
{
    setPlaying(false);
    for (AlternativeView *each : m_alternatives->findChildren<AlternativeView *>())
        each->reset();
    refresh();
}

/// Steps all alternatives that are not finished.
void StoriesPage::step()
{
    for (AlternativeView *each : m_alternatives->findChildren<AlternativeView *>()) {
        if (each->isWaiting())
            each->step();
    }
    refresh();
}

void StoriesPage::setPlaying(bool isPlaying)
{
    m_isPlaying = isPlaying;
    m_readingTimer.stop();
    if (isPlaying && areAllOver())
        goBack();
    m_isPlaying = isPlaying;
    if (isPlaying && areAllWaiting())
        step();
    refresh();
}

bool StoriesPage::areAllOver() const
{
    const auto stages = m_alternatives->findChildren<AlternativeView *>();
    return std::ranges::all_of(stages, [](const AlternativeView *each) { return each->isOver(); });
}

bool StoriesPage::areAllWaiting() const
{
    const auto stages = m_alternatives->findChildren<AlternativeView *>();
    return std::ranges::all_of(stages, [](const AlternativeView *each) { return each->isWaiting() || each->isOver(); });
}

void StoriesPage::stageChanged()
{
    if (areAllOver())
        m_isPlaying = false;
    else if (m_isPlaying && areAllWaiting() && !m_readingTimer.isActive())
        m_readingTimer.start(readingTime());
    refresh();
}

std::chrono::milliseconds StoriesPage::readingTime() const
{
    qsizetype words = 0;
    for (const AlternativeView *each : m_alternatives->findChildren<AlternativeView *>())
        words = std::max(words, each->sentence().count(u' ') + 1);
    const double faster = speed() >= tooFastToRead ? speed() : std::min(speed(), maxReadingSpeed);
    const auto normalTime = std::max<std::chrono::milliseconds>(words * timeForAWord, minReadingTime);
    return std::chrono::duration_cast<std::chrono::milliseconds>(normalTime / faster);
}

} // namespace latchkey::ui::stories
