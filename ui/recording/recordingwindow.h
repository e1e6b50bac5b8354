#pragma once

#include "ui/inspector/inspectorpage.h"
#include "ui/recording/playback.h"
#include "ui/recording/transportbar.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/pill.h"

#include <QMainWindow>

namespace latchkey::ui::recording {

/// A recording, inspected: a window of its own, so that it is never taken for a server, with the Inspector's page over
/// what was observed, and below it what it is played with.
///
/// Another recording that is dropped on it takes the place of the one that is shown. It is connected to nothing, and
/// writes nothing but, where the user says what a lock is, that. Owns what it shows. Its owner is the code that opens
/// it; the appearance is not owned.
class RecordingWindow final : public QMainWindow
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordingWindow)

public:
    explicit RecordingWindow(theme::Appearance &appearance, QWidget *parent = nullptr);
    ~RecordingWindow() override;

    /// Shows it from its start, playing. Error: as Playback::open(); then it shows what it showed before, if anything.
    [[nodiscard]] base::Result<void> open(const QString &path);

    [[nodiscard]] Playback &playback() { return m_playback; }

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void arrange();
    void setUpShortcuts();
    void connectParts();
    void letGo();
    void showServer();
    void refresh();
    void nameIt();
    void openDropped(const QString &path);
    void tellProblem();
    void complain(const base::Error &error);

    recognition::OwnDialects m_own;
    Playback m_playback;
    widgets::Messages m_messages;
    widgets::Pill *m_sign;
    QLabel *m_name;
    widgets::Pill *m_leftOut;
    inspector::InspectorPage *m_page;
    TransportBar *m_transport;
    QString m_file;                        ///< Its name.
    keytable::KeyTableView::Place m_place; ///< Where the table was when its server went.
    bool m_wasShown = false;
    std::optional<base::Error> m_told; ///< Said already.
};

} // namespace latchkey::ui::recording
