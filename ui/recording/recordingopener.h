#pragma once

#include "ui/recording/recordingwindow.h"

#include <QPointer>

#include <vector>

namespace latchkey::ui::recording {

/// Opens recordings for a window, each in a window of its own: those that its Inspector asks for, and those that are
/// dropped there. What is none is said among the window's messages.
/// Owned by the window, with which the others go; messages and appearance are not owned.
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
    /// Each goes when it is closed, and with this at the latest.
    std::vector<QPointer<RecordingWindow>> m_windows;
};

} // namespace latchkey::ui::recording
