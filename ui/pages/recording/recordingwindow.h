#pragma once

#include "ui/kit/widgets/messages.h"
#include "ui/kit/widgets/pill.h"
#include "ui/pages/inspector/inspectorpage.h"
#include "ui/pages/recording/playback.h"
#include "ui/pages/recording/transportbar.h"

#include <QMainWindow>

namespace latchkey::ui::recording {

/// A window for a recording: the Inspector page with the recorded observations, and the player below. It is a separate
/// window, so that a recording is not mistaken for a live server.
///
/// A recording that is dropped on the window replaces the shown one. The window has no connection. It writes only the
/// user's lock patterns. It owns its content. Owned by the code that opens it. The appearance is not owned.
class RecordingWindow final : public QMainWindow
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordingWindow)

public:
    explicit RecordingWindow(theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RecordingWindow() override;

    /// Opens a recording and plays it from its start. Errors: as Playback::open(); the previous recording stays open.
    [[nodiscard]] base::Result<void> open(const QString &path);

    [[nodiscard]] Playback &playback() { return m_playback; }

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void setUpLayout();
    void setUpShortcuts();
    void connectParts();
    void release();
    void showServer();
    void refresh();
    void updateTitle();
    void openDropped(const QString &path);
    void showProblem();
    void printError(const base::Error &error);

    recognition::UserDialects m_own;
    Playback m_playback;
    widgets::Messages m_messages;
    widgets::Pill *m_statePill;
    QLabel *m_name;
    widgets::Pill *m_leftOut;
    widgets::Pill *m_noCoverage;
    inspector::InspectorPage *m_page;
    TransportBar *m_transport;
    QString m_file;                                ///< File name.
    keytable::KeyTableView::ViewState m_viewState; ///< Selection and order of the table when its server was released.
    bool m_wasShown = false;
    std::optional<base::Error> m_reportedProblem; ///< Last problem that was reported.
};

} // namespace latchkey::ui::recording
