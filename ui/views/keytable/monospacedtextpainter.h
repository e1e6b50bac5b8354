#pragma once

#include <QFont>
#include <QRawFont>

class QPainter;
class QRect;

namespace latchkey::ui::keytable {

/// A painter of short texts in a monospaced font, such as the figures of a countdown.
///
/// Text layout takes most of a frame if a screen of texts changes 60 times a second. In a monospaced font, the position
/// of each character is known without layout. A text with characters that the font lacks gets the usual layout. Owned
/// by the delegate that paints.
class MonospacedTextPainter final
{
public:
    /// Paints `text` in the painter's font and pen, vertically centred, at the left or right end of `rect`. The text
    /// runs from left to right.
    void paint(QPainter &painter, const QRect &rect, Qt::Alignment alignment, const QString &text);

private:
    QFont m_font;
    QRawFont m_raw; ///< Raw font of `m_font`.
};

} // namespace latchkey::ui::keytable
