#pragma once

#include "core/base/error.h"
#include "ui/diagram/diagrampainter.h"

namespace latchkey::ui::diagram {

/// The whole of a diagram as a file: SVG, which keeps its letters as letters, or PNG, in twice its size on screen.
///
/// It has the heading and the legend, and says when it was taken by its events alone: a picture of the same sequence is
/// the same picture. Error (Local): the file cannot be written; (Usage): a PNG would be higher than mostPngPixels.
struct Picture
{
    static constexpr int mostPngPixels = 30'000;

    const DiagramPainter::Subject &subject; // Not owned.

    [[nodiscard]] QSizeF size() const;
    [[nodiscard]] base::Result<void> saveSvg(const QString &path) const;
    [[nodiscard]] base::Result<void> savePng(const QString &path) const;

private:
    void paint(QPainter &painter) const;
};

/// Error: Local.
[[nodiscard]] base::Result<void> saveBytes(const QByteArray &contents, const QString &path);
/// The sequence as lines of text, in a file. Error: Local.
[[nodiscard]] base::Result<void> saveText(const sequence::Sequence &sequence, const QString &path);

} // namespace latchkey::ui::diagram
