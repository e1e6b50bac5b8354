// The layout of the StoriesPage. The content is in storiespage.cpp.

#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/presenting.h"
#include "ui/kit/widgets/wrappingdelegate.h"
#include "ui/pages/stories/alternativeview.h"
#include "ui/pages/stories/storiespage.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::stories {

namespace {

/// Widths in pixels of the list, on a page with room and on a narrow one, where two lanes need the room.
constexpr int defaultListWidth = 260;
constexpr int narrowListWidth = 224;
constexpr int widthWithUsualList = 1000;
/// Minimum width of a lane in pixels. If more lanes are shown than fit, the lanes scroll.
constexpr int minLaneWidth = 280;
constexpr int laneSpacing = 14;

} // namespace

QWidget *StoriesPage::makeList()
{
    auto *side = new QWidget(this);
    m_side = side;
    m_list->setObjectName(QStringLiteral("stories"));
    m_list->setAccessibleName(tr("Stories"));
    m_list->setWordWrap(true);
    m_list->setItemDelegate(new widgets::WrappingDelegate(m_list));
    m_list->setResizeMode(QListView::Adjust); // The texts are wrapped again.
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(widgets::makePlainLabel(QStringLiteral("pageTitle"), tr("Stories"), side));
    layout->addWidget(m_list, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_explore);
    layout->addWidget(m_open);
    return side;
}

QHBoxLayout *StoriesPage::makeControls()
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
    connect(m_leave, &QPushButton::clicked, this, [this] { setPresenting(false); });
    auto *leave = new QShortcut(Qt::Key_Escape, this);
    leave->setContext(Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, this, [this] { setPresenting(false); });
    return controls;
}

QWidget *StoriesPage::makeStory()
{
    auto *scenario = new QWidget(this);
    for (QLabel *label : {m_title, m_summary, m_question})
        label->setWordWrap(true);
    m_alternatives->setChildrenCollapsible(false);
    m_alternatives->setHandleWidth(laneSpacing);
    m_lanes->setObjectName(QStringLiteral("pageScroll"));
    m_lanes->setFocusPolicy(Qt::NoFocus); // The focus scrolls to the controls of the lanes.
    m_lanes->setWidgetResizable(true);
    m_lanes->setFrameShape(QFrame::NoFrame);
    m_lanes->setWidget(m_alternatives);
    auto *layout = new QVBoxLayout(scenario);
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
    return scenario;
}

void StoriesPage::addAlternative(std::size_t alternative)
{
    auto *added = new AlternativeView(m_program, m_clock, m_random, m_appearance, m_alternatives);
    added->setMinimumWidth(minLaneWidth);
    added->setStory(m_scenario, alternative, m_storyFile);
    added->setSpeed(speed());
    added->setPresenting(m_isPresenting ? widgets::presentedPixels(window()->size()) : 0);
    m_alternatives->addWidget(added);
    connect(added, &AlternativeView::changed, this, &StoriesPage::stageChanged);
    connect(added, &AlternativeView::headChanged, &m_alignTimer, qOverload<>(&QTimer::start));
}

/// Gives all lanes the same heights for the titles and the sentences, so that their diagrams start at the same height.
void StoriesPage::alignLanes()
{
    const auto stages = m_alternatives->findChildren<AlternativeView *>();
    AlternativeView::HeadHeights tallest;
    for (const AlternativeView *each : stages) {
        const AlternativeView::HeadHeights needed = each->neededHeights();
        tallest.title = std::max(tallest.title, needed.title);
        tallest.sentence = std::max(tallest.sentence, needed.sentence);
    }
    for (AlternativeView *each : stages)
        each->setHeadHeights(tallest);
}

bool StoriesPage::isNarrow() const
{
    return width() < widthWithUsualList;
}

/// Sets the text of the button, which is only an icon on a narrow page: the alternatives need the room.
void StoriesPage::nameBack()
{
    const QString text = tr("Back to the start");
    m_back->setText(isNarrow() ? QString() : text);
    m_back->setToolTip(isNarrow() ? text : QString());
    m_back->setAccessibleName(text);
}

void StoriesPage::findRaces()
{
    if (m_race->isVisible())
        m_race->click();
}

void StoriesPage::setPresenting(bool isPresenting)
{
    if (m_isPresenting == isPresenting)
        return;
    m_isPresenting = isPresenting;
    m_pages->setCurrentIndex(0);
    Q_EMIT presentingChanged(isPresenting);
    m_side->setVisible(!isPresenting);
    m_leave->setVisible(isPresenting);
    m_summary->setVisible(!isPresenting && !m_summary->text().isEmpty());
    m_origin->setVisible(!isPresenting && !m_origin->text().isEmpty());
    m_race->setVisible(!isPresenting && m_canFindRaces);
    applySizes();
    m_play->setFocus(Qt::OtherFocusReason);
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
    for (AlternativeView *each : m_alternatives->findChildren<AlternativeView *>())
        each->setPresenting(pixels);
}

void StoriesPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_isPresenting)
        applySizes();
    m_side->setFixedWidth(isNarrow() ? narrowListWidth : defaultListWidth);
    nameBack();
}

} // namespace latchkey::ui::stories
