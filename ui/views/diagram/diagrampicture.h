#pragma once

#include "core/foundation/base/error.h"
#include "ui/views/diagram/diagramsubject.h"

namespace latchkey::ui::diagram {

/// A picture of a whole diagram as a file: SVG with text as text, or PNG at double size.
///
/// The picture has heading and legend. It contains no creation time, so the same sequence gives the same picture.
/// Errors: Local if the file cannot be written; Usage if a PNG would be higher than maxPngPixels.
struct Picture
{
    static constexpr int maxPngPixels = 30'000;

    const DiagramSubject &subject; // Not owned.

    [[nodiscard]] QSizeF size() const;
    [[nodiscard]] base::Result<void> saveSvg(const QString &path) const;
    [[nodiscard]] base::Result<void> savePng(const QString &path) const;

private:
    void paint(QPainter &painter) const;
};

/// Writes bytes to a file. Error: Local.
[[nodiscard]] base::Result<void> saveBytes(const QByteArray &contents, const QString &path);
/// Writes the sequence to a file as lines of text. Error: Local.
[[nodiscard]] base::Result<void> saveText(const sequence::Sequence &sequence, const QString &path);

} // namespace latchkey::ui::diagram
