#pragma once

#include "core/recording/recorder.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/pill.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>

class QAction;
class QDialog;
class QPushButton;

namespace latchkey::ui::inspector {

/// Records what is seen of the server, and says so as long as it does: for how long, and how large the file is. And
/// asks for a recording to look at.
///
/// The recording ends when it is stopped, and when another server comes. Owned by the header's page; appearance,
/// messages and server are not owned.
class RecordControl final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordControl)

public:
    RecordControl(theme::Appearance &appearance, widgets::Messages &messages, QWidget *parent = nullptr);
    ~RecordControl() override;

    /// Of a recording nothing is recorded: then there is nothing to see of this.
    void setServer(inspection::InspectedServer *server);
    /// Into that file, which is replaced if it is there. What is wrong with it is said among the messages.
    /// It ends automatically at mostBytes, which is said among the messages as well.
    void record(const QString &path, bool hasValues, qint64 mostBytes = latchkey::recording::Recorder::usualMostBytes);
    void stop();
    [[nodiscard]] bool isRecording() const { return m_recorder != nullptr; }

Q_SIGNALS:
    /// The user has chosen a recording to look at.
    void openWanted(const QString &path);

private:
    void arrange();
    void askWhat();
    void askWhere(bool hasValues, qint64 mostBytes);
    void askWhich();
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
    QPointer<QDialog> m_question; ///< About this server.
    QTimer m_refresh;
    QString m_path;
    std::unique_ptr<latchkey::recording::Recorder> m_recorder;
};

} // namespace latchkey::ui::inspector
