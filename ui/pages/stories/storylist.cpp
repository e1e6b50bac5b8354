#include "ui/pages/stories/storylist.h"

#include "core/playground/scenarios/builtin.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "core/playground/scenarios/scenariotexts.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/kit/widgets/wrappingdelegate.h"
#include "ui/pages/stories/makebutton.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

namespace latchkey::ui::stories {

StoryList::StoryList(theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_appearance(appearance)
    , m_list(new QListWidget(this))
    , m_explore(makeButton("exploreProgram", tr("Check a program for races…"), "", this))
    , m_open(makeButton("openStory", tr("Open a file…"), "", this))
    , m_problem(widgets::makePlainLabel(QStringLiteral("storyProblem"), QString(), this))
{
    setUpLayout();
    connect(m_list, &QListWidget::currentRowChanged, this, &StoryList::select);
    connect(m_list, &QListWidget::itemClicked, this, &StoryList::clicked);
    connect(m_list, &QListWidget::itemActivated, this, &StoryList::activated);
    connect(m_explore, &QPushButton::clicked, this, &StoryList::explorationRequested);
    connect(m_open, &QPushButton::clicked, this, &StoryList::askForFile);
    connect(&m_appearance, &theme::Appearance::changed, this, &StoryList::applyAppearance);
    applyAppearance();
}

void StoryList::setUpLayout()
{
    m_list->setObjectName(QStringLiteral("stories"));
    m_list->setAccessibleName(tr("Stories"));
    m_list->setWordWrap(true);
    m_list->setItemDelegate(new widgets::WrappingDelegate(m_list));
    m_list->setResizeMode(QListView::Adjust); // The texts are wrapped again.
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(widgets::makePlainLabel(QStringLiteral("pageTitle"), tr("Stories"), this));
    layout->addWidget(m_list, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_explore);
    layout->addWidget(m_open);
}

void StoryList::applyAppearance()
{
    m_explore->setIcon(m_appearance.icon(QStringLiteral("search")));
    m_open->setIcon(m_appearance.icon(QStringLiteral("plus")));
}

void StoryList::addBuiltIn()
{
    for (const scenarios::BuiltInScenario &builtIn : scenarios::builtInScenarios()) {
        auto scenario = scenarios::readScenario(builtIn.name, builtIn.contents);
        if (!scenario)
            continue; // Cannot happen: a test reads all built-in stories.
        add({{std::move(*scenario), builtIn.contents}, {}});
    }
    m_list->setCurrentRow(0);
}

void StoryList::add(Story story)
{
    const QString title = scenarios::translated(story.opened.scenario.title);
    const bool isBuiltIn = story.origin.isEmpty();
    const QString text = isBuiltIn ? title : title + u'\n' + story.origin;
    const auto same = m_list->findItems(text, Qt::MatchExactly);
    const int row = isBuiltIn || same.isEmpty() ? m_list->count() : m_list->row(same.front());
    if (row == m_list->count())
        m_list->addItem(text);
    m_stories.resize(static_cast<std::size_t>(m_list->count()));
    m_stories[static_cast<std::size_t>(row)] = std::move(story);
    if (!isBuiltIn && row == m_list->currentRow())
        select(row);
    else if (!isBuiltIn)
        m_list->setCurrentRow(row);
}

void StoryList::select(int row)
{
    if (row >= 0)
        Q_EMIT selected(m_stories[static_cast<std::size_t>(row)]);
}

void StoryList::askForFile()
{
    auto *dialog = new QFileDialog(this, tr("Open a story"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Stories (*.json)"));
    connect(dialog, &QFileDialog::fileSelected, this, &StoryList::openFile);
    dialog->open();
}

void StoryList::openFile(const QString &path)
{
    auto opened = openScenario(path);
    m_problem->setText(opened ? QString() : widgets::sentence(opened.error().message()));
    m_problem->setVisible(!opened);
    if (!opened)
        return;
    add({std::move(*opened), tr("file %1").arg(QFileInfo(path).fileName())});
}

void StoryList::clickExplore()
{
    m_explore->click();
}

void StoryList::clickOpen()
{
    m_open->click();
}

} // namespace latchkey::ui::stories
