#pragma once

#include <QColor>
#include <QHash>
#include <QPixmap>

class QPainter;
class QRect;

namespace latchkey::ui::keytable {

/// Round bars, painted from pictures that are drawn once.
///
/// A bar of any length is the front of a long picture and its round end: a table of countdowns paints the same few
/// pictures sixty times a second, where filling round shapes anew would cost most of the frame.
/// Owned by the delegate that paints.
class BarPictures final
{
public:
    /// A bar of one colour, its ends half circles. Nothing for an empty rectangle.
    void paint(QPainter &painter, const QRect &rect, const QColor &colour);
    /// One with slanted lines over it; they begin where the bar does, so that all look alike.
    void paintHatched(QPainter &painter, const QRect &rect, const QColor &colour, const QColor &lines);

private:
    struct Kind
    {
        QRgb colour = 0;
        QRgb lines = 0; ///< Transparent: none.
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
