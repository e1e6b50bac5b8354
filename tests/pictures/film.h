#pragma once

#include "tests/support/windowbench.h"

#include <QDir>
#include <QImage>
#include <QTimer>

#include <vector>

namespace latchkey::test {

/// A film of the real window: a picture five times a second for as long as it runs, and a mark where the mouse clicks.
///
/// write() leaves the pictures as numbered files, with the time that each is shown for; apngasm makes one file of them.
class Film final
{
public:
    explicit Film(WindowBench &bench);
    Q_DISABLE_COPY_MOVE(Film)
    ~Film() = default;

    /// Clicks the button, and shows where.
    void click(QPushButton &button);

    /// Ends the film. last: for how long its last picture is shown.
    void write(const QDir &folder, std::chrono::milliseconds last);

private:
    /// A picture, and how many fifths of a second it lasts: until the next that differs.
    struct Frame
    {
        QImage picture;
        int ticks = 1;
    };

    void take();

    WindowBench &m_bench; // Not owned.
    QTimer m_shutter;
    std::vector<Frame> m_frames;
    QPoint m_clicked;
    int m_markTicks = 0; ///< For how much longer the mark is shown.
};

/// The picture in 256 colours, which a window hardly has more of: the file is a third as large. colours: the table to
/// use, as those of another picture; empty: the picture's own.
[[nodiscard]] QImage reduced(const QImage &picture, const QList<QRgb> &colours = {});

} // namespace latchkey::test
