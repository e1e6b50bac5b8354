#include "ui/views/keytable/monospacedtextpainter.h"

#include <QGlyphRun>
#include <QPainter>

#include <cmath>

namespace latchkey::ui::keytable {

void MonospacedTextPainter::paint(QPainter &painter, const QRect &rect, Qt::Alignment alignment, const QString &text)
{
    if (!m_raw.isValid() || m_font != painter.font()) {
        m_font = painter.font();
        m_raw = QRawFont::fromFont(m_font);
    }
    const QList<quint32> glyphs = m_raw.glyphIndexesForString(text);
    // Glyphs and characters do not correspond. A character outside the first plane has two units and one glyph; a
    // character that the font lacks has glyph 0.
    if (glyphs.size() != text.size() || glyphs.contains(0)) {
        const int flags = static_cast<int>((alignment | Qt::AlignVCenter).toInt()) | Qt::TextSingleLine;
        painter.drawText(rect, flags, text);
        return;
    }
    const QList<QPointF> advances = m_raw.advancesForGlyphIndexes(glyphs);
    QList<QPointF> places;
    places.reserve(glyphs.size());
    QPointF next;
    for (const QPointF &advance : advances) {
        places.append(next);
        next += advance;
    }
    QGlyphRun run;
    run.setRawFont(m_raw);
    run.setGlyphIndexes(glyphs);
    run.setPositions(places);
    const qreal left = alignment.testFlag(Qt::AlignRight) ? rect.left() + rect.width() - next.x() : rect.left();
    const qreal height = m_raw.ascent() + m_raw.descent();
    painter.drawGlyphRun({left, std::round(rect.top() + (rect.height() - height) / 2 + m_raw.ascent())}, run);
}

} // namespace latchkey::ui::keytable
