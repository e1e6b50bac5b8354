#pragma once

#include <QColor>
#include <QHash>
#include <QIcon>
#include <QPixmap>

namespace latchkey::ui::theme {

/// The program's icons: SVG files drawn in one colour, which is given when one is asked for.
/// Owned by the Appearance; keeps what it has rendered.
class Icons final
{
public:
    /// name: the file's in resources/icons, without its ending. A missing one is a defect.
    [[nodiscard]] QIcon icon(const QString &name, const QColor &colour, const QColor &disabled);
    /// size: in device-independent pixels.
    [[nodiscard]] QPixmap pixmap(const QString &name, const QColor &colour, int size, qreal pixelRatio);

private:
    QHash<QString, QPixmap> m_rendered;
};

} // namespace latchkey::ui::theme
