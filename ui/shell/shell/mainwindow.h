#pragma once

#include "ui/kit/actions/actionregistry.h"
#include "ui/kit/i18n/languageswitcher.h"
#include "ui/kit/widgets/messagearea.h"
#include "ui/shell/help/helpcontrol.h"
#include "ui/shell/shell/connectionbar.h"
#include "ui/shell/shell/navigationrail.h"
#include "ui/shell/shell/pagestack.h"
#include "ui/shell/shell/serverquestions.h"
#include "ui/shell/shell/workspace.h"

#include <QMainWindow>

class QShortcut;

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
    using Page = PageStack::Page;
    using enum PageStack::Page;

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
    /// Presents the current page full screen in large type. A page without a presentation is shown full screen as it
    /// is.
    void togglePresenting();
    /// Adapts the window to the start or the end of a presentation. At its end, the window returns to its former state.
    void frame(bool isPresenting);
    void setFullScreen(bool isFullScreen);
    void setTextScale(double scale);
    /// Applies the wanted text scale, or the largest one at which the current page fits the window.
    void fitText();
    [[nodiscard]] bool isRoomForText() const;
    void nameSavedConnection();

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
    inspector::InspectorPage *m_inspector;
    PageStack *m_pages; ///< It contains the Inspector.
};

} // namespace latchkey::ui::shell
