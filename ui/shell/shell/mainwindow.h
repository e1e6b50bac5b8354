#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/kit/widgets/messagearea.h"
#include "ui/pages/group/grouppage.h"
#include "ui/pages/inspector/inspectorpage.h"
#include "ui/pages/lab/labpage.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/stories/storiespage.h"
#include "ui/shell/help/helpcontrol.h"
#include "ui/shell/shell/connectionbar.h"
#include "ui/shell/shell/navigationrail.h"
#include "ui/shell/shell/serverquestions.h"
#include "ui/shell/shell/workspace.h"

#include <QMainWindow>

class QShortcut;
class QStackedWidget;

namespace latchkey::ui::shell {

class LayoutSaver;

/// The main window: rail, connection bar, pages, and messages above the pages. It composes them and forwards their
/// requests. The data belongs to the Workspace. Owned by main(). Workspace, appearance and language switcher are not
/// owned and outlive it.
class MainWindow final : public QMainWindow
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(MainWindow)

public:
    enum Page : int { InspectorIndex, PlaygroundIndex, StoriesIndex, LabIndex, GroupIndex, PageCount };

    MainWindow(Workspace &workspace, theme::Appearance &appearance, i18n::LanguageSwitcher &languageSwitcher);
    ~MainWindow() override;

    void showPage(int page);
    /// Shows the page of stories with this file; see stories::StoriesPage::openFile().
    void openStory(const QString &path);
    /// Shows a hint about the pages, once for each user.
    void welcome();
    [[nodiscard]] actions::ActionRegistry &actionRegistry() { return m_actions; }

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    /// Sets the size: as large as fits on the screen, or the geometry of the last run.
    void choosePlace();
    void setUpLayout();
    void setUpActions();
    void addViewActions();
    void addPresentedShortcuts();
    void connectParts();
    [[nodiscard]] inspection::InspectedServer *shownServer() const;
    void nameServer();
    void showInspected();
    void showNotice(const Workspace::Notice &notice);
    void showIncident(const inspection::Incident &incident);
    void showSettingsError(const std::optional<base::Error> &error);
    void enterPage();
    /// Presents the current page full screen in large type. A page without a presentation is shown full screen as it
    /// is.
    void togglePresenting();
    /// Ends a presentation. Has no effect without one.
    void leavePresenting();
    /// Adapts the window to the start or the end of a presentation. At its end, the window returns to its former state.
    void frame(bool isPresenting);
    void setFullScreen(bool isFullScreen);
    void setTextScale(double scale);
    /// Applies the wanted text scale, or the largest one at which the current page fits the window.
    void fitText();
    [[nodiscard]] bool isRoomForText() const;
    void nameSavedConnection();
    /// Creates a page when it is shown for the first time. The Inspector is always created.
    void makePlayground();
    void makeStories();
    void makeLab();
    void makeGroup();
    void showGroup();
    /// Creates the page if it is not there yet.
    void makePage(int page);
    /// Inserts a page at the position of its placeholder.
    void putPage(int index, QWidget *page);

    Workspace &m_workspace;
    theme::Appearance &m_appearance;
    NavigationRail *m_rail;
    ConnectionBar *m_bar;
    ServerQuestions *m_questions;
    actions::ActionRegistry m_actions;
    help::HelpControl *m_help;
    widgets::Messages m_messages;
    LayoutSaver *m_layout = nullptr;
    double m_textScale = 1;                  ///< As wanted by the user.
    QString m_settingsError;                 ///< The last error of saving; empty while settings are saved.
    QList<QShortcut *> m_presentedShortcuts; ///< Shortcuts of the rail during a presentation, when it is hidden.
    bool m_wasFullScreen = false;            ///< Whether the window was full screen before the presentation.
    QStackedWidget *m_pages;
    inspector::InspectorPage *m_inspector;
    playground::PlaygroundPage *m_playground = nullptr;
    stories::StoriesPage *m_stories = nullptr;
    lab::LabPage *m_lab = nullptr;
    group::GroupPage *m_group = nullptr;
};

} // namespace latchkey::ui::shell
