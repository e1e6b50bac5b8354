#include "ui/stories/storiespage.h"

#include "core/stage/builtin.h"
#include "core/stage/toldfile.h"
#include "core/stage/words.h"
#include "ui/stories/storystage.h"
#include "ui/widgets/languagewatch.h"
#include "ui/widgets/plaintext.h"
#include "ui/widgets/sentence.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace latchkey::ui::stories {

using namespace std::chrono_literals;

namespace {

constexpr int listWidth = 250;
/// No story that is worth telling is longer, and no other file should be read as a whole.
constexpr qint64 largestFile = 1 << 20;
/// So long a sentence is to be read before the next, at the speed that it is told in.
constexpr auto readingTime = 1800ms;
/// Alternatives that are shown at first, beside each other.
constexpr int firstShown = 2;

QPushButton *makeButton(const char *name, const QString &text, const char *kind, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    button->setProperty("kind", QLatin1String(kind));
    return button;
}

base::Result<QByteArray> contentsOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return base::failure(base::ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot read %1: %2"), path,
                             file.errorString());
    const QByteArray contents = file.read(largestFile + 1);
    if (contents.size() > largestFile)
        return base::failure(base::ErrorKind::Usage,
                             QT_TRANSLATE_NOOP("core", "%1 is larger than a story may be: 1 MB"), path);
    return contents;
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
    , m_open(makeButton("openStory", tr("Open a file…"), "", this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("storyProblem"), QString(), this))
    , m_title(widgets::makePlainLabel(QStringLiteral("pageTitle"), QString(), this))
    , m_summary(widgets::makePlainLabel(QStringLiteral("secondary"), QString(), this))
    , m_question(widgets::makePlainLabel(QStringLiteral("storyQuestion"), QString(), this))
    , m_back(makeButton("storyBack", tr("Back to the start"), "quiet", this))
    , m_step(makeButton("storyStep", tr("Step"), "", this))
    , m_play(makeButton("storyPlay", tr("Play"), "primary", this))
    , m_speed(new QComboBox(this))
    , m_choices(new QHBoxLayout)
    , m_stages(new QSplitter(this))
{
    setObjectName(QStringLiteral("page"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 14, 20, 14);
    layout->setSpacing(18);
    layout->addWidget(makeList());
    layout->addWidget(makeStory(), 1);
    m_reading.setSingleShot(true);
    connect(&m_reading, &QTimer::timeout, this, &StoriesPage::step);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0)
            show(m_stories[static_cast<std::size_t>(row)]);
    });
    connect(m_open, &QPushButton::clicked, this, &StoriesPage::askForFile);
    connect(m_back, &QPushButton::clicked, this, &StoriesPage::goBack);
    connect(m_step, &QPushButton::clicked, this, [this] {
        setPlaying(false);
        step();
    });
    connect(m_play, &QPushButton::clicked, this, [this] { setPlaying(!m_isPlaying); });
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] {
        for (StoryStage *each : m_stages->findChildren<StoryStage *>())
            each->setSpeed(speed());
    });
    connect(&m_appearance, &theme::Appearance::changed, this, &StoriesPage::applyAppearance);
    applyAppearance();
    listBuiltIn();
    connect(new widgets::LanguageWatch(this), &widgets::LanguageWatch::changed, this, &StoriesPage::refresh);
}

StoriesPage::~StoriesPage() = default;

QWidget *StoriesPage::makeList()
{
    auto *side = new QWidget(this);
    side->setFixedWidth(listWidth);
    m_list->setObjectName(QStringLiteral("stories"));
    m_list->setAccessibleName(tr("Stories"));
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(widgets::makePlainLabel(QStringLiteral("pageTitle"), tr("Stories"), side));
    layout->addWidget(m_list, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_open);
    return side;
}

QHBoxLayout *StoriesPage::makeControls()
{
    m_speed->setObjectName(QStringLiteral("storySpeed"));
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setToolTip(tr("How fast work passes and sentences follow each other; a lease is shortened only where the "
                           "story allows it"));
    for (const double times : {0.5, 1.0, 2.0, 5.0, 20.0})
        m_speed->addItem(QStringLiteral("%1\u00d7").arg(times), times);
    m_speed->setCurrentIndex(1);
    auto *controls = new QHBoxLayout;
    controls->setSpacing(6);
    for (QWidget *control : {static_cast<QWidget *>(m_play), static_cast<QWidget *>(m_step),
                             static_cast<QWidget *>(m_back), static_cast<QWidget *>(m_speed)})
        controls->addWidget(control);
    controls->addStretch(1);
    controls->addLayout(m_choices);
    return controls;
}

QWidget *StoriesPage::makeStory()
{
    auto *story = new QWidget(this);
    for (QLabel *label : {m_title, m_summary, m_question})
        label->setWordWrap(true);
    m_stages->setChildrenCollapsible(false);
    m_stages->setHandleWidth(14);
    auto *layout = new QVBoxLayout(story);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(m_summary);
    layout->addLayout(makeControls());
    layout->addWidget(m_stages, 1);
    layout->addWidget(m_question);
    return story;
}

void StoriesPage::listBuiltIn()
{
    for (const stage::BuiltInStory &builtIn : stage::builtInStories()) {
        auto story = stage::readToldStory(builtIn.name, builtIn.contents);
        if (!story)
            continue; // Which a test does not let happen.
        m_list->addItem(stage::spoken(story->title));
        m_stories.push_back(std::move(*story));
    }
    m_list->setCurrentRow(0);
}

void StoriesPage::applyAppearance()
{
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
    const auto contents = contentsOf(path);
    auto story = contents ? stage::readToldStory(QFileInfo(path).fileName(), *contents)
                          : base::Result<stage::ToldStory>(base::failure(contents.error()));
    m_problem->setText(story ? QString() : widgets::sentence(story.error().message()));
    m_problem->setVisible(!story);
    if (!story)
        return;
    m_stories.push_back(std::move(*story));
    m_list->addItem(stage::spoken(m_stories.back().title));
    m_list->setCurrentRow(m_list->count() - 1);
}

void StoriesPage::show(const stage::ToldStory &story)
{
    setPlaying(false);
    m_story = story;
    m_title->setText(stage::spoken(story.title));
    m_summary->setText(stage::spoken(story.summary));
    m_summary->setVisible(!story.summary.isEmpty());
    while (QLayoutItem *item = m_choices->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto count = static_cast<int>(m_story.alternatives.size());
    for (int i = 0; i < count && count > 1; ++i) {
        const stage::Alternative &alternative = m_story.alternatives[static_cast<std::size_t>(i)];
        QPushButton *choice = makeButton("storyAlternative", alternative.name, "chip", this);
        choice->setCheckable(true);
        choice->setChecked(i < firstShown);
        connect(choice, &QPushButton::clicked, this, &StoriesPage::showAlternatives);
        m_choices->addWidget(choice);
    }
    showAlternatives();
}

/// Those that are chosen, side by side, from the start; one at least.
void StoriesPage::showAlternatives()
{
    setPlaying(false);
    for (StoryStage *each : m_stages->findChildren<StoryStage *>())
        delete each;
    for (std::size_t i = 0; i < m_story.alternatives.size(); ++i) {
        const QLayoutItem *item = m_choices->itemAt(static_cast<int>(i));
        const auto *choice = item == nullptr ? nullptr : qobject_cast<QPushButton *>(item->widget());
        if (choice == nullptr || choice->isChecked())
            addStage(i);
    }
    if (m_stages->count() == 0)
        addStage(0);
    refresh();
}

void StoriesPage::addStage(std::size_t alternative)
{
    auto *added = new StoryStage(m_program, m_clock, m_random, m_appearance, m_stages);
    added->setMinimumWidth(300);
    added->setStory(m_story, alternative);
    added->setSpeed(speed());
    m_stages->addWidget(added);
    connect(added, &StoryStage::changed, this, &StoriesPage::stageChanged);
}

double StoriesPage::speed() const
{
    return m_speed->currentData().toDouble();
}

void StoriesPage::goBack()
{
    setPlaying(false);
    for (StoryStage *each : m_stages->findChildren<StoryStage *>())
        each->reset();
    refresh();
}

/// Those that are not over yet.
void StoriesPage::step()
{
    for (StoryStage *each : m_stages->findChildren<StoryStage *>()) {
        if (each->isWaiting())
            each->step();
    }
    refresh();
}

void StoriesPage::setPlaying(bool isPlaying)
{
    m_isPlaying = isPlaying;
    m_reading.stop();
    if (isPlaying && areAllOver())
        goBack();
    m_isPlaying = isPlaying;
    if (isPlaying && areAllWaiting())
        step();
    refresh();
}

bool StoriesPage::areAllOver() const
{
    const auto stages = m_stages->findChildren<StoryStage *>();
    return std::ranges::all_of(stages, [](const StoryStage *each) { return each->isOver(); });
}

bool StoriesPage::areAllWaiting() const
{
    const auto stages = m_stages->findChildren<StoryStage *>();
    return std::ranges::all_of(stages, [](const StoryStage *each) { return each->isWaiting() || each->isOver(); });
}

void StoriesPage::stageChanged()
{
    if (areAllOver())
        m_isPlaying = false;
    else if (m_isPlaying && areAllWaiting() && !m_reading.isActive())
        m_reading.start(std::chrono::duration_cast<std::chrono::milliseconds>(readingTime / speed()));
    refresh();
}

void StoriesPage::refresh()
{
    const bool isOver = m_stages->count() > 0 && areAllOver();
    m_play->setText(m_isPlaying ? tr("Pause") : isOver ? tr("Play again") : tr("Play"));
    m_play->setIcon(m_appearance.icon(m_isPlaying ? QStringLiteral("pause") : QStringLiteral("play"),
                                      m_appearance.theme().onAccent));
    m_step->setEnabled(!isOver && areAllWaiting());
    for (int i = 0; i < m_choices->count(); ++i)
        m_choices->itemAt(i)->widget()->setToolTip(
            widgets::toolTipText(stage::spoken(m_story.alternatives[static_cast<std::size_t>(i)].title)));
    QStringList lines;
    if (!m_story.question.isEmpty())
        lines += tr("For the class: %1").arg(stage::spoken(m_story.question));
    if (isOver && !m_story.verdict.isEmpty())
        lines += tr("To be learnt: %1").arg(stage::spoken(m_story.verdict));
    m_question->setText(lines.join(u'\n'));
    m_question->setVisible(!lines.isEmpty());
}

void StoriesPage::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    setPlaying(false);
}

} // namespace latchkey::ui::stories
