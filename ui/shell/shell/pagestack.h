#pragma once

#include "ui/pages/group/grouppage.h"
#include "ui/pages/inspector/inspectorpage.h"
#include "ui/pages/lab/labpage.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/stories/storiespage.h"
#include "ui/shell/shell/workspace.h"

#include <QStackedWidget>

namespace latchkey::ui::shell {

/// The pages of the main window, of which one is shown.
///
/// Every page but the Inspector is created when it is needed for the first time. The pages get the servers, the
/// settings and the group from the Workspace. Owned by the MainWindow. The workspace and the appearance are not owned.
class PageStack final : public QStackedWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PageStack)

public:
    enum Page : int { InspectorIndex, PlaygroundIndex, StoriesIndex, LabIndex, GroupIndex, PageCount };

    PageStack(Workspace &workspace, theme::Appearance &appearance, inspector::InspectorPage *inspector,
              QWidget *parent = nullptr);
    ~PageStack() override;

    // The following functions create the page if it does not exist yet.
    playground::PlaygroundPage &playground();
    stories::StoriesPage &stories();
    lab::LabPage &lab();
    group::GroupPage &group();

    void showPage(int page);
    /// Moves the keyboard focus to the current page.
    void enterPage();
    /// Passes the inspected server to the expiry lab. The owner passes it to the Inspector.
    void updateInspected();
    /// Starts or ends the presentation of the current page. Returns false if it has none.
    bool togglePresenting();
    /// Ends all presentations.
    void leavePresenting();

Q_SIGNALS:
    void presentingChanged(bool isPresenting);
    /// Emitted when the user wants to choose a redlock group.
    void groupsRequested();

private:
    /// Inserts a page at the position of its placeholder.
    void putPage(int index, QWidget *page);
    void showGroup();

    Workspace &m_workspace;
    theme::Appearance &m_appearance;
    inspector::InspectorPage *m_inspector;
    playground::PlaygroundPage *m_playground = nullptr;
    stories::StoriesPage *m_stories = nullptr;
    lab::LabPage *m_lab = nullptr;
    group::GroupPage *m_group = nullptr;
};

} // namespace latchkey::ui::shell
