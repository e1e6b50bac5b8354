#include "ui/pages/stories/alternativelanes.h"

#include <QSplitter>

#include <algorithm>

namespace latchkey::ui::stories {

using namespace std::chrono_literals;

namespace {

/// Minimum width of a lane in pixels.
constexpr int minLaneWidth = 270;
constexpr int laneSpacing = 14;

} // namespace

AlternativeLanes::AlternativeLanes(QString program, const base::Clock &clock, base::RandomSource &random,
                                   theme::Appearance &appearance, QWidget *parent)
    : QScrollArea(parent)
    , m_program(std::move(program))
    , m_clock(clock)
    , m_random(random)
    , m_appearance(appearance)
    , m_splitter(new QSplitter(this))
{
    setObjectName(QStringLiteral("pageScroll"));
    setFocusPolicy(Qt::NoFocus); // The focus scrolls to the controls of the lanes.
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(laneSpacing);
    setWidget(m_splitter);
    m_alignTimer.setSingleShot(true);
    m_alignTimer.setInterval(0ms);
    connect(&m_alignTimer, &QTimer::timeout, this, &AlternativeLanes::align);
}

QList<AlternativeView *> AlternativeLanes::views() const
{
    return m_splitter->findChildren<AlternativeView *>();
}

void AlternativeLanes::setStory(const OpenedScenario &story, const std::vector<std::size_t> &alternatives)
{
    for (const AlternativeView *each : views())
        delete each;
    for (const std::size_t alternative : alternatives) {
        auto *added = new AlternativeView(m_program, m_clock, m_random, m_appearance, m_splitter);
        added->setMinimumWidth(minLaneWidth);
        added->setStory(story.scenario, alternative, story.file);
        added->setSpeed(m_speed);
        added->setPresenting(m_presentedPixels);
        m_splitter->addWidget(added);
        connect(added, &AlternativeView::changed, this, &AlternativeLanes::changed);
        connect(added, &AlternativeView::headChanged, &m_alignTimer, qOverload<>(&QTimer::start));
    }
}

/// Gives all lanes the same heights for the titles and the sentences, so that their diagrams start at the same height.
void AlternativeLanes::align()
{
    AlternativeView::HeadHeights tallest;
    for (const AlternativeView *each : views()) {
        const AlternativeView::HeadHeights needed = each->neededHeights();
        tallest.title = std::max(tallest.title, needed.title);
        tallest.sentence = std::max(tallest.sentence, needed.sentence);
    }
    for (AlternativeView *each : views())
        each->setHeadHeights(tallest);
}

void AlternativeLanes::step()
{
    for (AlternativeView *each : views()) {
        if (each->isWaiting())
            each->step();
    }
}

void AlternativeLanes::reset()
{
    for (AlternativeView *each : views())
        each->reset();
}

void AlternativeLanes::setSpeed(double speed)
{
    m_speed = speed;
    for (AlternativeView *each : views())
        each->setSpeed(speed);
}

void AlternativeLanes::setPresenting(int pixels)
{
    m_presentedPixels = pixels;
    for (AlternativeView *each : views())
        each->setPresenting(pixels);
}

bool AlternativeLanes::isEmpty() const
{
    return m_splitter->count() == 0;
}

bool AlternativeLanes::areAllOver() const
{
    return std::ranges::all_of(views(), [](const AlternativeView *each) { return each->isOver(); });
}

bool AlternativeLanes::areAllWaiting() const
{
    return std::ranges::all_of(views(),
                               [](const AlternativeView *each) { return each->isWaiting() || each->isOver(); });
}

qsizetype AlternativeLanes::longestSentence() const
{
    qsizetype words = 0;
    for (const AlternativeView *each : views())
        words = std::max(words, each->sentence().count(u' ') + 1);
    return words;
}

} // namespace latchkey::ui::stories
