#include "ui/pages/stories/storiespage.h"

#include "ui/kit/widgets/presenting.h"
#include "ui/pages/stories/programpanel.h"
#include "ui/pages/stories/racepanel.h"
#include "ui/pages/stories/storylist.h"
#include "ui/pages/stories/storyview.h"

#include <QHBoxLayout>
#include <QShortcut>
#include <QStackedWidget>

namespace latchkey::ui::stories {

namespace {

/// Widths in pixels of the list, on a page with room and on a narrow one, where two lanes need the room.
constexpr int defaultListWidth = 260;
constexpr int narrowListWidth = 224;
constexpr int widthWithUsualList = 1000;

} // namespace

StoriesPage::StoriesPage(const QString &program, const base::Clock &clock, base::RandomSource &random,
                         theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_list(new StoryList(appearance, this))
    , m_pages(new QStackedWidget(this))
    , m_story(new StoryView(program, clock, random, appearance, this))
    , m_finder(new RacePanel(program, appearance, this))
    , m_programFinder(new ProgramPanel(program, appearance, this))
{
    setObjectName(QStringLiteral("page"));
    setUpLayout();
    connectParts();
    m_list->addBuiltIn();
}

StoriesPage::~StoriesPage() = default;

void StoriesPage::setUpLayout()
{
    m_pages->addWidget(m_story);
    m_pages->addWidget(m_finder);
    m_pages->addWidget(m_programFinder);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 14, 20, 14);
    layout->setSpacing(18);
    layout->addWidget(m_list);
    layout->addWidget(m_pages, 1);
    auto *leave = new QShortcut(Qt::Key_Escape, this);
    leave->setContext(Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, this, [this] { setPresenting(false); });
}

void StoriesPage::connectParts()
{
    connect(m_list, &StoryList::selected, this, [this](const StoryList::Story &story) {
        m_story->pause();
        showStory();
        m_story->setStory(story.opened, story.origin);
    });
    connect(m_list, &StoryList::clicked, this, &StoriesPage::showStory);
    connect(m_list, &StoryList::activated, this, [this] {
        showStory();
        m_story->play();
    });
    connect(m_list, &StoryList::explorationRequested, this, &StoriesPage::findRaceInProgram);
    connect(m_story, &StoryView::raceRequested, this, &StoriesPage::findRace);
    connect(m_story, &StoryView::leaveRequested, this, [this] { setPresenting(false); });
    const auto listFound = [this](const scenarios::Scenario &scenario, const QByteArray &file) {
        m_list->add({{scenario, file}, tr("from the race finder")});
    };
    connect(m_finder, &RacePanel::backRequested, this, &StoriesPage::showStory);
    connect(m_finder, &RacePanel::chosen, this, listFound);
    connect(m_programFinder, &ProgramPanel::backRequested, this, &StoriesPage::showStory);
    connect(m_programFinder, &ProgramPanel::chosen, this, listFound);
    connect(m_programFinder, &ProgramPanel::formSaved, this, &StoriesPage::programFormSaved);
}

void StoriesPage::showStory()
{
    m_pages->setCurrentWidget(m_story);
}

void StoriesPage::takeFocus()
{
    m_story->takeFocus();
}

void StoriesPage::togglePlaying()
{
    m_story->clickPlay();
}

void StoriesPage::takeStep()
{
    m_story->clickStep();
}

void StoriesPage::goToStart()
{
    m_story->clickBack();
}

void StoriesPage::findRaces()
{
    m_story->clickRace();
}

void StoriesPage::exploreProgram()
{
    m_list->clickExplore();
}

void StoriesPage::openStory()
{
    m_list->clickOpen();
}

void StoriesPage::openFile(const QString &path)
{
    m_list->openFile(path);
}

void StoriesPage::findRace(const QString &recipe)
{
    m_story->pause();
    m_pages->setCurrentWidget(m_finder);
    m_finder->find(recipe);
}

void StoriesPage::findRaceInProgram()
{
    m_story->pause();
    m_pages->setCurrentWidget(m_programFinder);
    m_programFinder->takeFocus();
}

void StoriesPage::restoreProgramForm(const QVariantMap &state)
{
    m_programFinder->restoreForm(state);
}

void StoriesPage::setPresenting(bool isPresenting)
{
    if (m_isPresenting == isPresenting)
        return;
    m_isPresenting = isPresenting;
    showStory();
    Q_EMIT presentingChanged(isPresenting);
    m_list->setVisible(!isPresenting);
    m_story->setPresenting(isPresenting);
    applySizes();
    m_story->takeFocus();
}

/// Sets the font sizes of a presentation, or the usual ones.
void StoriesPage::applySizes()
{
    const int pixels = m_isPresenting ? widgets::presentedPixels(window()->size()) : 0;
    setStyleSheet(m_isPresenting
                      ? QStringLiteral("#page #storySentence, #page #storyVerdict, #page #storyQuestion, #page "
                                       "#sectionTitle, #page #stepCount, #page #pageTitle, #page "
                                       "#recipeCommands { font-size: %1px; }")
                            .arg(pixels)
                      : QString());
    m_story->setPresentedPixels(pixels);
}

void StoriesPage::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_story->pause();
}

void StoriesPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_isPresenting)
        applySizes();
    const bool isNarrow = width() < widthWithUsualList;
    m_list->setFixedWidth(isNarrow ? narrowListWidth : defaultListWidth);
    m_story->setNarrow(isNarrow);
}

} // namespace latchkey::ui::stories
