#include "ui/pages/stories/storyview.h"

#include "core/playground/scenarios/scenariotexts.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/taborder.h"
#include "ui/pages/stories/alternativelanes.h"
#include "ui/pages/stories/makebutton.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

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

StoryView::StoryView(const QString &program, const base::Clock &clock, base::RandomSource &random,
                     theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
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
    , m_lanes(new AlternativeLanes(program, clock, random, appearance, this))
    , m_leave(makeButton("leavePresenting", tr("Exit (Esc)"), "quiet", this))
    , m_playback(*m_lanes)
{
    setUpLayout();
    connectControls();
    connect(&m_appearance, &theme::Appearance::changed, this, &StoryView::applyAppearance);
    applyAppearance();
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &StoryView::refresh);
}

StoryView::~StoryView() = default;

void StoryView::setUpLayout()
{
    for (QLabel *label : {m_title, m_summary, m_question})
        label->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto *head = new QHBoxLayout;
    head->setSpacing(10);
    head->addWidget(m_title, 1);
    head->addWidget(m_race, 0, Qt::AlignTop);
    layout->addLayout(head);
    layout->addWidget(m_origin);
    layout->addWidget(m_summary);
    layout->addLayout(makeControls());
    layout->addWidget(m_lanes, 1);
    layout->addWidget(m_question);
}

QHBoxLayout *StoryView::makeControls()
{
    m_speed->setObjectName(QStringLiteral("storySpeed"));
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(tr("Speed of work and sentences; leases are shortened only if the story allows it"));
    for (const double times : {0.5, 1.0, 2.0, 5.0, 20.0})
        m_speed->addItem(QStringLiteral("%1\u00d7").arg(times), times);
    m_speed->setCurrentIndex(1);
    auto *controls = new QHBoxLayout;
    controls->setObjectName(QStringLiteral("storyControls"));
    controls->setSpacing(6);
    for (QWidget *control : {static_cast<QWidget *>(m_play), static_cast<QWidget *>(m_step),
                             static_cast<QWidget *>(m_back), static_cast<QWidget *>(m_speed)})
        controls->addWidget(control);
    controls->addStretch(1);
    controls->addLayout(m_choices);
    controls->addWidget(m_leave);
    m_leave->hide();
    return controls;
}

void StoryView::connectControls()
{
    connect(m_back, &QPushButton::clicked, &m_playback, &StoryPlayback::goBack);
    connect(m_step, &QPushButton::clicked, this, [this] {
        pause();
        m_playback.step();
    });
    connect(m_play, &QPushButton::clicked, this, [this] { m_playback.setPlaying(!m_playback.isPlaying()); });
    connect(m_speed, &QComboBox::currentIndexChanged, this,
            [this] { m_playback.setSpeed(m_speed->currentData().toDouble()); });
    connect(m_leave, &QPushButton::clicked, this, &StoryView::leaveRequested);
    connect(&m_playback, &StoryPlayback::changed, this, &StoryView::refresh);
}

void StoryView::applyAppearance()
{
    m_race->setIcon(m_appearance.icon(QStringLiteral("search")));
    m_back->setIcon(m_appearance.icon(QStringLiteral("refresh")));
    refresh();
}

void StoryView::setStory(const OpenedScenario &story, const QString &origin)
{
    pause();
    m_story = story;
    const scenarios::Scenario &scenario = m_story.scenario;
    m_title->setText(scenarios::translated(scenario.title));
    m_origin->setText(widgets::sentence(origin));
    m_origin->setVisible(!origin.isEmpty() && !m_isPresenting);
    m_summary->setText(scenarios::translated(scenario.summary));
    m_summary->setVisible(!scenario.summary.isEmpty() && !m_isPresenting);
    makeChoices();
    offerRaces();
    showAlternatives();
    widgets::tabInLayoutOrder(*layout());
}

void StoryView::makeChoices()
{
    while (QLayoutItem *item = m_choices->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto count = static_cast<int>(m_story.scenario.alternatives.size());
    if (auto *box = qobject_cast<QBoxLayout *>(layout()))
        placeChoices(*box, *m_choices, count > firstShown);
    for (int i = 0; i < count && count > 1; ++i) {
        const scenarios::Alternative &alternative = m_story.scenario.alternatives[static_cast<std::size_t>(i)];
        QPushButton *choice = makeButton("storyAlternative", alternative.name, "chip", this);
        choice->setCheckable(true);
        choice->setChecked(i < firstShown);
        connect(choice, &QPushButton::clicked, this, &StoryView::showAlternatives);
        m_choices->addWidget(choice);
    }
}

/// Offers a race search for the recipe of the story, or a menu if its alternatives have several recipes.
void StoryView::offerRaces()
{
    QStringList recipes;
    for (const scenarios::Alternative &alternative : m_story.scenario.alternatives) {
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
            connect(menu->addAction(recipe), &QAction::triggered, this,
                    [this, recipe] { Q_EMIT raceRequested(recipe); });
        m_race->setMenu(menu);
    } else if (!recipes.isEmpty()) {
        connect(m_race, &QPushButton::clicked, this,
                [this, recipe = recipes.front()] { Q_EMIT raceRequested(recipe); });
    }
}

/// Shows the selected alternatives side by side, at their start. At least one is shown.
void StoryView::showAlternatives()
{
    pause();
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < m_story.scenario.alternatives.size(); ++i) {
        const QLayoutItem *item = m_choices->itemAt(static_cast<int>(i));
        const auto *choice = item == nullptr ? nullptr : qobject_cast<QPushButton *>(item->widget());
        if (choice == nullptr || choice->isChecked())
            chosen.push_back(i);
    }
    if (chosen.empty())
        chosen.push_back(0);
    m_lanes->setStory(m_story, chosen);
    refresh();
}

void StoryView::refresh()
{
    const scenarios::Scenario &scenario = m_story.scenario;
    const bool isOver = !m_lanes->isEmpty() && m_lanes->areAllOver();
    const bool isPlaying = m_playback.isPlaying();
    m_play->setText(isPlaying ? tr("Pause") : isOver ? tr("Play again") : tr("Play"));
    m_play->setIcon(
        m_appearance.icon(isPlaying ? QStringLiteral("pause") : QStringLiteral("play"), m_appearance.theme().onAccent));
    m_step->setEnabled(!isOver && m_lanes->areAllWaiting());
    nameBack();
    for (int i = 0; i < m_choices->count(); ++i)
        m_choices->itemAt(i)->widget()->setToolTip(
            widgets::toolTipText(scenarios::translated(scenario.alternatives[static_cast<std::size_t>(i)].title)));
    QStringList lines;
    if (!scenario.question.isEmpty())
        lines += tr("Question: %1").arg(scenarios::translated(scenario.question));
    if (isOver && !scenario.verdict.isEmpty())
        lines += tr("Lesson: %1").arg(scenarios::translated(scenario.verdict));
    m_question->setText(lines.join(u'\n'));
    m_question->setVisible(!lines.isEmpty());
}

/// Sets the text of the button, which is only an icon on a narrow page: the alternatives need the room.
void StoryView::nameBack()
{
    const QString text = tr("Back to the start");
    m_back->setText(m_isNarrow ? QString() : text);
    m_back->setToolTip(m_isNarrow ? text : QString());
    m_back->setAccessibleName(text);
}

void StoryView::takeFocus()
{
    m_play->setFocus(Qt::OtherFocusReason);
}

void StoryView::clickPlay()
{
    m_play->click();
}

void StoryView::clickStep()
{
    m_step->click();
}

void StoryView::clickBack()
{
    m_back->click();
}

void StoryView::clickRace()
{
    if (m_race->isVisible())
        m_race->click();
}

void StoryView::setPresenting(bool isPresenting)
{
    m_isPresenting = isPresenting;
    m_leave->setVisible(isPresenting);
    m_summary->setVisible(!isPresenting && !m_summary->text().isEmpty());
    m_origin->setVisible(!isPresenting && !m_origin->text().isEmpty());
    m_race->setVisible(!isPresenting && m_canFindRaces);
}

void StoryView::setPresentedPixels(int pixels)
{
    m_lanes->setPresenting(pixels);
}

void StoryView::setNarrow(bool isNarrow)
{
    m_isNarrow = isNarrow;
    nameBack();
}

} // namespace latchkey::ui::stories
