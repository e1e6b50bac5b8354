#include "ui/shell/shell/pagestack.h"

namespace latchkey::ui::shell {

using playground::PlaygroundPage;
using stories::StoriesPage;

PageStack::PageStack(Workspace &workspace, theme::Appearance &appearance, inspector::InspectorPage *inspector,
                     QWidget *parent)
    : QStackedWidget(parent)
    , m_workspace(workspace)
    , m_appearance(appearance)
    , m_inspector(inspector)
{
    setObjectName(QStringLiteral("pages"));
    addWidget(inspector);
    for (int page = PlaygroundIndex; page < PageCount; ++page)
        addWidget(new QWidget); // A placeholder until the page is created.
    connect(m_inspector, &inspector::InspectorPage::privateServerRequested, &m_workspace, &Workspace::openPrivate);
    connect(&m_workspace, &Workspace::playgroundServerChanged, this, [this] {
        if (m_playground != nullptr)
            m_playground->setServer(m_workspace.playgroundServer());
    });
}

PageStack::~PageStack() = default;

PlaygroundPage &PageStack::playground()
{
    if (m_playground == nullptr) {
        m_playground = new PlaygroundPage(m_workspace.clientPool(), m_workspace.serverPool(), m_appearance,
                                          m_workspace.clock(), this);
        putPage(PlaygroundIndex, m_playground);
        connect(m_playground, &PlaygroundPage::presentingChanged, this, &PageStack::presentingChanged);
        m_playground->setServer(m_workspace.playgroundServer());
        m_workspace.preparePlayground();
    }
    return *m_playground;
}

StoriesPage &PageStack::stories()
{
    if (m_stories == nullptr) {
        m_stories = new StoriesPage(m_workspace.clientPool().program(), m_workspace.clock(), m_workspace.random(),
                                    m_appearance, this);
        m_stories->restoreProgramForm(m_workspace.settings().programForm());
        connect(m_stories, &StoriesPage::programFormSaved, this,
                [this](const QVariantMap &state) { m_workspace.settings().setProgramForm(state); });
        connect(m_stories, &StoriesPage::presentingChanged, this, &PageStack::presentingChanged);
        putPage(StoriesIndex, m_stories);
    }
    return *m_stories;
}

lab::LabPage &PageStack::lab()
{
    if (m_lab == nullptr) {
        m_lab = new lab::LabPage(m_workspace.clientProgram(), m_appearance, m_workspace.clock(), this);
        m_lab->setServer(m_workspace.inspected());
        putPage(LabIndex, m_lab);
    }
    return *m_lab;
}

group::GroupPage &PageStack::group()
{
    if (m_group == nullptr) {
        m_group = new group::GroupPage(m_appearance, m_workspace.clock(), this);
        putPage(GroupIndex, m_group);
        connect(m_group, &group::GroupPage::groupsRequested, this, &PageStack::groupsRequested);
        connect(&m_workspace, &Workspace::groupChanged, this, &PageStack::showGroup);
        showGroup();
    }
    return *m_group;
}

void PageStack::putPage(int index, QWidget *page)
{
    page->addActions(widget(index)->actions());
    delete widget(index);
    insertWidget(index, page);
}

void PageStack::showGroup()
{
    m_group->setGroup({m_workspace.group().name(), m_workspace.group().serverNames(), m_workspace.groupServers()});
}

void PageStack::showPage(int page)
{
    switch (page) {
    case PlaygroundIndex:
        playground();
        break;
    case StoriesIndex:
        stories();
        break;
    case LabIndex:
        lab();
        break;
    case GroupIndex:
        group();
        break;
    default:
        break;
    }
    setCurrentIndex(page);
}

void PageStack::enterPage()
{
    switch (currentIndex()) {
    case PlaygroundIndex:
        return m_playground->takeFocus();
    case StoriesIndex:
        return m_stories->takeFocus();
    case LabIndex:
        return m_lab->takeFocus();
    case GroupIndex:
        return m_group->takeFocus();
    case InspectorIndex:
        return m_inspector->enterTable();
    default:
        Q_UNREACHABLE();
    }
}

void PageStack::updateInspected()
{
    if (m_lab != nullptr)
        m_lab->setServer(m_workspace.inspected());
}

bool PageStack::togglePresenting()
{
    switch (currentIndex()) {
    case PlaygroundIndex:
        m_playground->setPresenting(!m_playground->isPresenting());
        return true;
    case StoriesIndex:
        m_stories->setPresenting(!m_stories->isPresenting());
        return true;
    default:
        return false;
    }
}

void PageStack::leavePresenting()
{
    if (m_playground != nullptr)
        m_playground->setPresenting(false);
    if (m_stories != nullptr)
        m_stories->setPresenting(false);
}

} // namespace latchkey::ui::shell
