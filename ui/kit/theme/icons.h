#pragma once

#include <QColor>
#include <QHash>
#include <QIcon>
#include <QPixmap>

namespace latchkey::ui::theme {

/// The icons of the program: SVG files in one colour, which the caller chooses. Rendered icons are cached. Owned by the
/// Appearance.
class Icons final
{
public:
    /// Returns an icon. `name`: file name in resources/icons, without its suffix. A missing file is a defect.
    [[nodiscard]] QIcon icon(const QString &name, const QColor &colour, const QColor &disabled);
    /// Returns a pixmap. `size`: in device-independent pixels.
    [[nodiscard]] QPixmap pixmap(const QString &name, const QColor &colour, int size, qreal pixelRatio);

private:
    QHash<QString, QPixmap> m_rendered;
};

} // namespace latchkey::ui::theme
