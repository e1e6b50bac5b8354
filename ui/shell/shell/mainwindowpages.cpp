// The pages of the MainWindow, which are created when they are shown for the first time.

#include "ui/shell/shell/mainwindow.h"

#include <QStackedWidget>

namespace latchkey::ui::shell {

using playground::PlaygroundPage;

void MainWindow::makePage(int page)
{
    switch (page) {
    case PlaygroundIndex:
        return makePlayground();
    case StoriesIndex:
        return makeStories();
    case LabIndex:
        return makeLab();
    case GroupIndex:
        return makeGroup();
    default:
        break;
    }
}

void MainWindow::makePlayground()
{
    if (m_playground != nullptr)
        return;
    m_playground =
        new PlaygroundPage(m_workspace.clientPool(), m_workspace.serverPool(), m_appearance, m_workspace.clock(), this);
    putPage(PlaygroundIndex, m_playground);
    connect(m_playground, &PlaygroundPage::presentingChanged, this, &MainWindow::frame);
    m_playground->setServer(m_workspace.playgroundServer());
    m_workspace.preparePlayground();
}

void MainWindow::makeStories()
{
    if (m_stories != nullptr)
        return;
    m_stories = new stories::StoriesPage(m_workspace.clientPool().program(), m_workspace.clock(), m_workspace.random(),
                                         m_appearance, this);
    m_stories->restoreProgramForm(m_workspace.settings().programForm());
    connect(m_stories, &stories::StoriesPage::programFormSaved, this,
            [this](const QVariantMap &state) { m_workspace.settings().setProgramForm(state); });
    connect(m_stories, &stories::StoriesPage::presentingChanged, this, &MainWindow::frame);
    putPage(StoriesIndex, m_stories);
}

void MainWindow::makeLab()
{
    if (m_lab != nullptr)
        return;
    m_lab = new lab::LabPage(m_workspace.clientProgram(), m_appearance, m_workspace.clock(), this);
    m_lab->setServer(m_workspace.inspected());
    putPage(LabIndex, m_lab);
}

void MainWindow::putPage(int index, QWidget *page)
{
    page->addActions(m_pages->widget(index)->actions());
    delete m_pages->widget(index);
    m_pages->insertWidget(index, page);
}

void MainWindow::makeGroup()
{
    if (m_group != nullptr)
        return;
    m_group = new group::GroupPage(m_appearance, m_workspace.clock(), this);
    putPage(GroupIndex, m_group);
    connect(m_group, &group::GroupPage::groupsRequested, m_questions, &ServerQuestions::offerServers);
    connect(&m_workspace, &Workspace::groupChanged, this, &MainWindow::showGroup);
    showGroup();
}

void MainWindow::showGroup()
{
    m_group->setGroup({m_workspace.group().name(), m_workspace.group().serverNames(), m_workspace.groupServers()});
    if (m_pages->currentIndex() == GroupIndex)
        nameServer();
}

} // namespace latchkey::ui::shell
