#include "ui/pages/stories/alternativeview.h"

#include "core/playground/scenarios/scenariotexts.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/stories/recipeview.h"
#include "ui/views/diagram/diagrampanel.h"

#include <QApplication>
#include <QFontInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::stories {

using scenarios::Alternative;
using scenarios::ScenarioPlayer;
using widgets::Pill;

namespace {

/// Minimum height in pixels for the script. In a lower window, the diagram gets its room.
constexpr int heightForSource = 600;
/// Minimum height in pixels of a diagram with rows: the participants and about three rows.
constexpr int minDiagramHeight = 150;

} // namespace

AlternativeView::AlternativeView(const QString &program, const base::Clock &clock, base::RandomSource &random,
                                 theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_kind(new Pill(appearance, this))
    , m_title(widgets::makePlainLabel(QStringLiteral("sectionTitle"), QString(), this))
    , m_count(widgets::makePlainLabel(QStringLiteral("stepCount"), QString(), this))
    , m_sentence(widgets::makePlainLabel(QStringLiteral("storySentence"), QString(), this))
    , m_recipe(new RecipeView(appearance, this))
    , m_diagram(new diagram::DiagramPanel(clock, appearance, this))
    , m_verdict(widgets::makePlainLabel(QStringLiteral("storyVerdict"), QString(), this))
    , m_player(program, clock, random)
{
    setObjectName(QStringLiteral("storyAlternativeView"));
    setUpLayout();
    m_player.setWatching(true);
    connect(&m_player, &ScenarioPlayer::sequenceAboutToBeDestroyed, this, [this] { m_diagram->setSequence(nullptr); });
    connect(&m_player, &ScenarioPlayer::sequenceChanged, m_diagram, &diagram::DiagramPanel::refresh);
    connect(&m_player, &ScenarioPlayer::stateChanged, this, &AlternativeView::showState);
    connect(&m_player, &ScenarioPlayer::stepBegan, this, &AlternativeView::showStep);
    connect(&m_player, &ScenarioPlayer::stepEnded, this, &AlternativeView::showResult);
    connect(&m_player, &ScenarioPlayer::exchanged, this,
            [this](const scenarios::CommandRecord &exchanged) { m_recipe->highlight(exchanged.command); });
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &AlternativeView::updateTexts);
}

AlternativeView::~AlternativeView()
{
    m_diagram->setSequence(nullptr); // The player owns the sequence.
}

void AlternativeView::setUpLayout()
{
    for (QLabel *label : {m_title, m_sentence, m_verdict})
        label->setWordWrap(true);
    auto *title = new QHBoxLayout;
    title->setSpacing(8);
    title->addWidget(m_kind);
    title->addWidget(m_title, 1);
    title->addWidget(m_count);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(title);
    layout->addWidget(m_sentence);
    layout->addWidget(m_recipe);
    layout->addWidget(m_diagram, 1);
    layout->addWidget(m_verdict);
}

void AlternativeView::setStory(const scenarios::Scenario &scenario, std::size_t alternative, const QByteArray &file)
{
    m_diagram->setStoryMaker([file]() -> base::Result<diagram::StoryFile> { return diagram::StoryFile {file, {}}; });
    m_scenario = scenario;
    m_alternative = alternative;
    const Alternative &shown = m_scenario.alternatives[alternative];
    m_kind->setVisible(shown.kind != Alternative::Kind::Plain);
    m_kind->set(shown.kind == Alternative::Kind::Flawed ? tr("flawed") : tr("sound"),
                shown.kind == Alternative::Kind::Flawed ? Pill::Tone::Critical : Pill::Tone::Good);
    m_recipe->setRecipe(shown.recipe);
    reset();
}

void AlternativeView::updateTexts()
{
    if (m_scenario.alternatives.empty())
        return;
    const Alternative &shown = m_scenario.alternatives[m_alternative];
    QString title = scenarios::translated(shown.title.isEmpty() ? shown.name : shown.title);
    if (!shown.recipe.isEmpty())
        title += (title.isEmpty() ? QString() : QStringLiteral(" \u00b7 ")) + shown.recipe;
    m_title->setText(title);
    setAccessibleName(title);
    m_count->setText(tr("step %1 of %2").arg(m_begun).arg(shown.steps.size()));
    m_sentence->setText(scenarios::translated(shown.steps[std::max<std::size_t>(m_begun, 1) - 1].say));
    showVerdict();
    m_diagram->view().setEmptyText(tr("Press Play or Step: the sequence is drawn here."));
    Q_EMIT headChanged();
}

void AlternativeView::setPresenting(int pixels)
{
    m_isPresenting = pixels > 0;
    m_recipe->setVisible(!m_isPresenting); // The diagram needs the room.
    m_diagram->setPresented(m_isPresenting);
    m_recipe->setRoomForSource(height() >= heightForSource && !m_isPresenting);
    m_diagram->view().setScale(
        m_isPresenting ? static_cast<double>(pixels + 1) / QFontInfo(QApplication::font()).pixelSize() : 1);
    Q_EMIT headChanged();
}

AlternativeView::HeadHeights AlternativeView::neededHeights() const
{
    // Measured without the minimum of an earlier text, which QLabel would include.
    const auto needed = [](const QLabel &label) {
        const QRect room(0, 0, std::max(1, label.width()), QWIDGETSIZE_MAX);
        return label.fontMetrics().boundingRect(room, Qt::TextWordWrap, label.text()).height();
    };
    const int twoLines = 2 * m_sentence->fontMetrics().lineSpacing(); // Most sentences have two, so that few steps move
                                                                      // the diagrams.
    return {std::max(needed(*m_title), m_kind->sizeHint().height()), std::max(needed(*m_sentence), twoLines)};
}

void AlternativeView::setHeadHeights(const HeadHeights &heights)
{
    m_title->setMinimumHeight(heights.title);
    m_sentence->setMinimumHeight(heights.sentence);
}

bool AlternativeView::isWaiting() const
{
    return !m_isStepping
        && (m_player.state() == ScenarioPlayer::State::Empty || m_player.state() == ScenarioPlayer::State::Resting);
}

void AlternativeView::step()
{
    m_isStepping = true;
    if (m_player.state() == ScenarioPlayer::State::Empty)
        m_player.load(m_scenario, m_alternative);
    m_player.step();
}

void AlternativeView::reset()
{
    m_isStepping = false;
    m_player.unload();
    m_diagram->setSequence(nullptr);
    m_begun = 0;
    m_differences.clear();
    updateTexts();
}

void AlternativeView::showStep(std::size_t step)
{
    m_begun = step + 1;
    updateTexts();
}

void AlternativeView::showResult(const scenarios::StepResult &result)
{
    m_isStepping = false;
    if (result.differences.isEmpty())
        return;
    m_differences = result.differences;
    showVerdict();
}

void AlternativeView::showState()
{
    if (m_diagram->view().sequence() != m_player.sequence())
        m_diagram->setSequence(m_player.sequence());
    m_diagram->view().setMinimumHeight(m_player.sequence() == nullptr ? 0 : minDiagramHeight);
    showVerdict();
    Q_EMIT changed();
}

void AlternativeView::showVerdict()
{
    const Alternative &shown = m_scenario.alternatives[m_alternative];
    if (isOver() && m_player.verdict() == scenarios::ScenarioVerdict::Unknown) {
        setVerdictText(m_player.error() ? widgets::sentence(m_player.error()->message())
                                        : tr("Unknown: the story could not be completed."),
                       QStringLiteral("critical"));
    } else if (!m_differences.isEmpty()) {
        QStringList sentences;
        for (const base::Text &difference : std::as_const(m_differences))
            sentences += difference.toString();
        setVerdictText(tr("Failed: %1").arg(sentences.join(QStringLiteral("; "))), QStringLiteral("critical"));
    } else if (isOver() && m_player.verdict() == scenarios::ScenarioVerdict::Passed) {
        setVerdictText(shown.verdict.isEmpty() ? tr("Passed: all expectations were met.")
                                               : scenarios::translated(shown.verdict),
                       shown.kind == Alternative::Kind::Flawed ? QStringLiteral("warning") : QStringLiteral("good"));
    } else {
        setVerdictText({}, {});
    }
}

void AlternativeView::setVerdictText(const QString &verdict, const QString &tone)
{
    m_verdict->setText(verdict);
    m_verdict->setVisible(!verdict.isEmpty());
    widgets::restyle(*m_verdict, "tone", tone);
}

QString AlternativeView::sentence() const
{
    return m_sentence->text();
}

QSize AlternativeView::minimumSizeHint() const
{
    // QSplitter does not ask for the height that wrapped texts need at a width.
    const QSize hint = QFrame::minimumSizeHint();
    return {hint.width(), std::max(hint.height(), layout()->minimumHeightForWidth(width()))};
}

void AlternativeView::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        updateGeometry();
    m_recipe->setRoomForSource(height() >= heightForSource && !m_isPresenting);
    Q_EMIT headChanged();
}

void AlternativeView::showEvent(QShowEvent *event)
{
    QFrame::showEvent(event);
    m_player.setWatching(true);
}

/// Stops the requests of a hidden page.
void AlternativeView::hideEvent(QHideEvent *event)
{
    QFrame::hideEvent(event);
    m_player.setWatching(false);
}

} // namespace latchkey::ui::stories
