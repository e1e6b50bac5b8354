#pragma once

#include "core/inspect/recording/recorder.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/messages.h"
#include "ui/kit/widgets/pill.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>

class QAction;
class QDialog;
class QPushButton;

namespace latchkey::ui::inspector {

/// The controls that record a server and open a recording. While a recording runs, they show its duration and the size
/// of the file.
///
/// The recording ends when the user stops it, when another server is set, or when the file has reached its limit. Owned
/// by its parent. Appearance, messages and server are not owned.
class RecordControl final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordControl)

public:
    RecordControl(theme::Appearance &appearance, widgets::Messages &messages, QWidget *parent = nullptr);
    ~RecordControl() override;

    /// Sets the server. The controls are hidden if the server is a recording.
    void setServer(inspection::InspectedServer *server);
    /// Starts a recording into the file, which is replaced if it exists. The recording ends automatically when the file
    /// has `maxBytes` bytes. Errors and the automatic end are shown as messages.
    void record(const QString &path, bool hasValues, qint64 maxBytes = latchkey::recording::Recorder::defaultMaxBytes);
    void stop();
    [[nodiscard]] bool isRecording() const { return m_recorder != nullptr; }

Q_SIGNALS:
    /// Emitted when the user has chosen a recording to open.
    void openRequested(const QString &path);

private:
    void setUpLayout();
    void askContent();
    void askFile(bool hasValues, qint64 maxBytes);
    void askRecording();
    void refresh();
    void end();
    void failed(const base::Error &error);
    void applyAppearance();

    theme::Appearance &m_appearance;
    widgets::Messages &m_messages;
    QPointer<inspection::InspectedServer> m_server;
    QPushButton *m_begin;
    QAction *m_record;
    widgets::Pill *m_state;
    QPushButton *m_stop;
    QPointer<QDialog> m_question; ///< Open question about the current server.
    QTimer m_refresh;
    QString m_path;
    std::unique_ptr<latchkey::recording::Recorder> m_recorder;
};

} // namespace latchkey::ui::inspector
