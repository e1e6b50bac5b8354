#pragma once

#include "tests/support/mainwindowfixture.h"

#include <QDir>
#include <QImage>
#include <QTimer>

#include <vector>

namespace latchkey::test {

/// A screen recorder of the real window: five pictures per second, with a mark at mouse clicks.
///
/// write() saves the pictures as numbered files with their durations; apngasm combines them into one file.
class ScreenRecorder final
{
public:
    explicit ScreenRecorder(MainWindowFixture &fixture);
    Q_DISABLE_COPY_MOVE(ScreenRecorder)
    ~ScreenRecorder() = default;

    /// Clicks the button, and marks the place.
    void click(QPushButton &button);

    /// Ends the recording. `last`: duration of the last picture.
    void write(const QDir &folder, std::chrono::milliseconds last);

private:
    /// A picture with its duration in fifths of a second, until the next different picture.
    struct Frame
    {
        QImage picture;
        int ticks = 1;
    };

    void take();

    MainWindowFixture &m_fixture; // Not owned.
    QTimer m_shutter;
    std::vector<Frame> m_frames;
    QPoint m_clicked;
    int m_markTicks = 0; ///< Remaining time of the mark, in fifths of a second.
};

/// Reduces a picture to 256 colours, which are enough for a window: the file is a third as large. `colours`: colour
/// table of another picture; empty: the picture's own.
[[nodiscard]] QImage reduced(const QImage &picture, const QList<QRgb> &colours = {});

} // namespace latchkey::test
