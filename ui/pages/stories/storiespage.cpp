#include "ui/pages/stories/storiespage.h"

#include "core/playground/scenarios/builtin.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "core/playground/scenarios/scenariotexts.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/makebutton.h"
#include "ui/pages/stories/openedscenario.h"
#include "ui/pages/stories/programpanel.h"
#include "ui/pages/stories/racepanel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace latchkey::ui::stories {

using namespace std::chrono_literals;

namespace {

/// Number of alternatives shown side by side at first.
constexpr int firstShown = 2;

/// Puts the choices beside the other controls, or into a row of their own if there are many.
void placeChoices(QBoxLayout &scenario, QHBoxLayout &choices, bool isOwnRow)
{
    auto *controls = scenario.findChild<QHBoxLayout *>(QStringLiteral("storyControls"));
    QBoxLayout *wanted = isOwnRow ? &scenario : controls;
    auto *present = qobject_cast<QBoxLayout *>(choices.parent());
    if (present == wanted)
        return;
    present->removeItem(&choices);
    choices.setParent(nullptr);
    if (isOwnRow) {
        scenario.insertLayout(scenario.indexOf(controls) + 1, &choices);
        scenario.setAlignment(&choices, Qt::AlignLeft);
    } else {
        controls->insertLayout(controls->count() - 1, &choices); // The last control leaves the presentation.
    }
}

} // namespace

StoriesPage::StoriesPage(QString program, const base::Clock &clock, base::RandomSource &random,
                         theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_program(std::move(program))
    , m_clock(clock)
    , m_random(random)
    , m_appearance(appearance)
    , m_list(new QListWidget(this))
    , m_explore(makeButton("exploreProgram", tr("Check a program for races…"), "", this))
    , m_open(makeButton("openStory", tr("Open a file…"), "", this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("storyProblem"), QString(), this))
    , m_title(widgets::makePlainLabel(QStringLiteral("pageTitle"), QString(), this))
    , m_origin(widgets::makePlainLabel(QStringLiteral("storyOrigin"), QString(), this))
    , m_race(makeButton("findRace", tr("Find races"), "", this))
    , m_summary(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_question(widgets::makePlainLabel(QStringLiteral("storyQuestion"), QString(), this))
    , m_back(makeButton("storyBack", QString(), "quiet", this))
    , m_step(makeButton("storyStep", tr("Step"), "", this))
    , m_play(makeButton("storyPlay", tr("Play"), "primary", this))
    , m_speed(new QComboBox(this))
    , m_choices(new QHBoxLayout)
    , m_lanes(new QScrollArea(this))
    , m_alternatives(new QSplitter(this))
    , m_pages(new QStackedWidget(this))
    , m_finder(new RacePanel(m_program, appearance, this))
    , m_programFinder(new ProgramPanel(m_program, appearance, this))
    , m_leave(makeButton("leavePresenting", tr("Exit (Esc)"), "quiet", this))
{
    setObjectName(QStringLiteral("page"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 14, 20, 14);
    layout->setSpacing(18);
    layout->addWidget(makeList());
    m_pages->addWidget(makeStory());
    m_pages->addWidget(m_finder);
    m_pages->addWidget(m_programFinder);
    layout->addWidget(m_pages, 1);
    m_readingTimer.setSingleShot(true);
    connect(&m_readingTimer, &QTimer::timeout, this, &StoriesPage::step);
    m_alignTimer.setSingleShot(true);
    m_alignTimer.setInterval(0ms);
    connect(&m_alignTimer, &QTimer::timeout, this, &StoriesPage::alignLanes);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0)
            show(static_cast<std::size_t>(row));
    });
    connect(m_list, &QListWidget::itemClicked, this, [this] { m_pages->setCurrentIndex(0); });
    const auto goBackToStory = [this] { m_pages->setCurrentIndex(0); };
    const auto listFound = [this](const scenarios::Scenario &scenario, const QByteArray &file) {
        list(scenario, file, tr("from the race finder"));
    };
    connect(m_finder, &RacePanel::left, this, goBackToStory);
    connect(m_finder, &RacePanel::chosen, this, listFound);
    connect(m_programFinder, &ProgramPanel::left, this, goBackToStory);
    connect(m_programFinder, &ProgramPanel::chosen, this, listFound);
    connect(m_programFinder, &ProgramPanel::formSaved, this, &StoriesPage::programFormKept);
    connect(m_explore, &QPushButton::clicked, this, &StoriesPage::findRaceInProgram);
    connect(m_open, &QPushButton::clicked, this, &StoriesPage::askForFile);
    connect(m_back, &QPushButton::clicked, this, &StoriesPage::goBack);
    connect(m_step, &QPushButton::clicked, this, [this] {
        setPlaying(false);
        step();
    });
    connect(m_play, &QPushButton::clicked, this, [this] { setPlaying(!m_isPlaying); });
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] {
        for (AlternativeView *each : m_alternatives->findChildren<AlternativeView *>())
            each->setSpeed(speed());
    });
    connect(&m_appearance, &theme::Appearance::changed, this, &StoriesPage::applyAppearance);
    applyAppearance();
    listBuiltIn();
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &StoriesPage::refresh);
}

StoriesPage::~StoriesPage() = default;

void StoriesPage::listBuiltIn()
{
    for (const scenarios::BuiltInScenario &builtIn : scenarios::builtInScenarios()) {
        auto scenario = scenarios::readScenario(builtIn.name, builtIn.contents);
        if (!scenario)
            continue; // Cannot happen: a test reads all built-in stories.
        list(std::move(*scenario), builtIn.contents, {});
    }
    m_list->setCurrentRow(0);
}

/// Adds a story to the list. A story of the user is also selected, and replaces an earlier version of the same file.
void StoriesPage::list(scenarios::Scenario scenario, const QByteArray &file, const QString &origin)
{
    const QString title = scenarios::translated(scenario.title);
    const QString text = origin.isEmpty() ? title : title + u'\n' + origin;
    const auto same = m_list->findItems(text, Qt::MatchExactly);
    const int row = origin.isEmpty() || same.isEmpty() ? m_list->count() : m_list->row(same.front());
    if (row == m_list->count())
        m_list->addItem(text);
    m_stories.resize(static_cast<std::size_t>(m_list->count()));
    m_stories[static_cast<std::size_t>(row)] = {std::move(scenario), file, origin};
    if (!origin.isEmpty() && row == m_list->currentRow())
        show(static_cast<std::size_t>(row));
    else if (!origin.isEmpty())
        m_list->setCurrentRow(row);
}

void StoriesPage::applyAppearance()
{
    m_race->setIcon(m_appearance.icon(QStringLiteral("search")));
    m_explore->setIcon(m_appearance.icon(QStringLiteral("search")));
    m_back->setIcon(m_appearance.icon(QStringLiteral("refresh")));
    m_open->setIcon(m_appearance.icon(QStringLiteral("plus")));
    refresh();
}

void StoriesPage::enter()
{
    m_play->setFocus(Qt::OtherFocusReason);
}

void StoriesPage::askForFile()
{
    auto *dialog = new QFileDialog(this, tr("Open a story"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Stories (*.json)"));
    connect(dialog, &QFileDialog::fileSelected, this, &StoriesPage::openFile);
    dialog->open();
}

void StoriesPage::openFile(const QString &path)
{
    auto opened = openScenario(path);
    m_problem->setText(opened ? QString() : widgets::sentence(opened.error().message()));
    m_problem->setVisible(!opened);
    if (!opened)
        return;
    list(std::move(opened->scenario), opened->file, tr("file %1").arg(QFileInfo(path).fileName()));
}

void StoriesPage::show(std::size_t index)
{
    const auto &[scenario, file, origin] = m_stories[index];
    setPlaying(false);
    m_pages->setCurrentIndex(0);
    m_scenario = scenario;
    m_storyFile = file;
    m_title->setText(scenarios::translated(scenario.title));
    m_origin->setText(widgets::sentence(origin));
    m_origin->setVisible(!origin.isEmpty() && !m_isPresenting);
    m_summary->setText(scenarios::translated(scenario.summary));
    m_summary->setVisible(!scenario.summary.isEmpty() && !m_isPresenting);
    while (QLayoutItem *item = m_choices->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto count = static_cast<int>(m_scenario.alternatives.size());
    if (auto *layout = qobject_cast<QBoxLayout *>(m_pages->widget(0)->layout()))
        placeChoices(*layout, *m_choices, count > firstShown);
    for (int i = 0; i < count && count > 1; ++i) {
        const scenarios::Alternative &alternative = m_scenario.alternatives[static_cast<std::size_t>(i)];
        QPushButton *choice = makeButton("storyAlternative", alternative.name, "chip", this);
        choice->setCheckable(true);
        choice->setChecked(i < firstShown);
        connect(choice, &QPushButton::clicked, this, &StoriesPage::showAlternatives);
        m_choices->addWidget(choice);
    }
    offerRaces();
    showAlternatives();
    widgets::tabInLayoutOrder(*m_pages->widget(0)->layout());
}

/// Offers a race search for the recipe of the story, or a menu if its alternatives have several recipes.
void StoriesPage::offerRaces()
{
    QStringList recipes;
    for (const scenarios::Alternative &alternative : m_scenario.alternatives) {
        if (!alternative.recipe.isEmpty() && !recipes.contains(alternative.recipe))
            recipes += alternative.recipe;
    }
    delete m_race->menu();
    m_race->disconnect(this);
    m_canFindRaces = !recipes.isEmpty();
    m_race->setVisible(!recipes.isEmpty() && !m_isPresenting);
    if (recipes.size() > 1) {
        auto *menu = new QMenu(m_race);
        for (const QString &recipe : recipes)
            connect(menu->addAction(recipe), &QAction::triggered, this, [this, recipe] { findRace(recipe); });
        m_race->setMenu(menu);
    } else if (!recipes.isEmpty()) {
        connect(m_race, &QPushButton::clicked, this, [this, recipe = recipes.front()] { findRace(recipe); });
    }
}

void StoriesPage::findRace(const QString &recipe)
{
    setPlaying(false);
    m_pages->setCurrentIndex(1);
    m_finder->find(recipe);
}

void StoriesPage::findRaceInProgram()
{
    setPlaying(false);
    m_pages->setCurrentWidget(m_programFinder);
    m_programFinder->enter();
}

void StoriesPage::restoreProgramForm(const QVariantMap &kept)
{
    m_programFinder->restoreForm(kept);
}

/// Shows the selected alternatives side by side, at their start. At least one is shown.
void StoriesPage::showAlternatives()
{
    setPlaying(false);
    for (AlternativeView *each : m_alternatives->findChildren<AlternativeView *>())
        delete each;
    for (std::size_t i = 0; i < m_scenario.alternatives.size(); ++i) {
        const QLayoutItem *item = m_choices->itemAt(static_cast<int>(i));
        const auto *choice = item == nullptr ? nullptr : qobject_cast<QPushButton *>(item->widget());
        if (choice == nullptr || choice->isChecked())
            addAlternative(i);
    }
    if (m_alternatives->count() == 0)
        addAlternative(0);
    refresh();
}

void StoriesPage::refresh()
{
    const bool isOver = m_alternatives->count() > 0 && areAllOver();
    m_play->setText(m_isPlaying ? tr("Pause") : isOver ? tr("Play again") : tr("Play"));
    m_play->setIcon(m_appearance.icon(m_isPlaying ? QStringLiteral("pause") : QStringLiteral("play"),
                                      m_appearance.theme().onAccent));
    m_step->setEnabled(!isOver && areAllWaiting());
    nameBack();
    for (int i = 0; i < m_choices->count(); ++i)
        m_choices->itemAt(i)->widget()->setToolTip(
            widgets::toolTipText(scenarios::translated(m_scenario.alternatives[static_cast<std::size_t>(i)].title)));
    QStringList lines;
    if (!m_scenario.question.isEmpty())
        lines += tr("Question: %1").arg(scenarios::translated(m_scenario.question));
    if (isOver && !m_scenario.verdict.isEmpty())
        lines += tr("Lesson: %1").arg(scenarios::translated(m_scenario.verdict));
    m_question->setText(lines.join(u'\n'));
    m_question->setVisible(!lines.isEmpty());
}

void StoriesPage::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    setPlaying(false);
}

} // namespace latchkey::ui::stories
