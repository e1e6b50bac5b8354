#pragma once

#include "ui/pages/recording/recordingwindow.h"

#include <QPointer>

#include <vector>

namespace latchkey::ui::recording {

/// An opener of recordings, each in its own window. It opens the recordings that the Inspector requests and the files
/// that are dropped on the window. Errors appear as messages of the window. Owned by the window; the recordings'
/// windows close with it. Messages and appearance are not owned.
class RecordingOpener final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecordingOpener)

public:
    RecordingOpener(const inspector::InspectorPage &page, widgets::Messages &messages, theme::Appearance &appearance,
                    QWidget &window);
    ~RecordingOpener() override;

    void open(const QString &path);

private:
    widgets::Messages &m_messages;   // Not owned.
    theme::Appearance &m_appearance; // Not owned.
    /// Each is destroyed when it is closed, or with this object.
    std::vector<QPointer<RecordingWindow>> m_windows;
};

} // namespace latchkey::ui::recording
