#pragma once

#include <QColor>
#include <QHash>
#include <QPixmap>

class QPainter;
class QRect;

namespace latchkey::ui::keytable {

/// A cache of pictures for painting rounded bars.
///
/// A bar of any length is the start of a long picture plus its rounded end. A table of countdowns paints the same few
/// pictures 60 times a second; filling rounded shapes each time would take most of the frame. Owned by the delegate
/// that paints.
class BarPixmapCache final
{
public:
    /// Paints a bar of one colour with semicircular ends. Paints nothing if the rectangle is empty.
    void paint(QPainter &painter, const QRect &rect, const QColor &colour);
    /// Paints a bar with slanted lines over it. The lines start at the start of the bar, so that all bars have the same
    /// pattern.
    void paintHatched(QPainter &painter, const QRect &rect, const QColor &colour, const QColor &lines);

private:
    struct Kind
    {
        QRgb colour = 0;
        QRgb lines = 0; ///< Transparent for a bar without lines.
        int height = 0;
        qreal pixelRatio = 1;

        friend bool operator==(const Kind &, const Kind &) = default;
        friend size_t qHash(const Kind &kind, size_t seed = 0)
        {
            return qHashMulti(seed, kind.colour, kind.lines, kind.height, kind.pixelRatio);
        }
    };

    void paint(QPainter &painter, const QRect &rect, const Kind &kind);
    [[nodiscard]] const QPixmap &picture(const Kind &kind, int width);

    QHash<Kind, QPixmap> m_pictures;
};

} // namespace latchkey::ui::keytable
