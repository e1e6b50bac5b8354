#pragma once

#include <QFont>
#include <QRawFont>

class QPainter;
class QRect;

namespace latchkey::ui::keytable {

/// Paints short texts whose characters are all as wide, such as a countdown's figures.
///
/// Laying a text out costs most of a frame where a screenful of them changes sixty times a second; in a monospaced font
/// each character's place is known without. A text that the font has no glyphs for is laid out as any other.
/// Owned by the delegate that paints.
class FigureFont final
{
public:
    /// In the middle of the rectangle from top to bottom, and at its left or right end; in the painter's font and pen.
    /// The text is read from left to right.
    void paint(QPainter &painter, const QRect &rect, Qt::Alignment alignment, const QString &text);

private:
    QFont m_font;
    QRawFont m_raw; ///< Of m_font.
};

} // namespace latchkey::ui::keytable
