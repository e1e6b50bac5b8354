#include "ui/views/diagram/diagrampainter.h"

#include <QPainter>

namespace latchkey::ui::diagram {

using sequence::Lane;
using theme::Theme;
using theme::tint;

DiagramPainter::DiagramPainter(QPainter &painter, const DiagramSubject &subject)
    : m_painter(painter)
    , m_subject(subject)
    , m_primitives(painter, m_subject)
    , m_spans(painter, m_primitives, m_subject)
    , m_rows(painter, m_primitives, m_subject)
    , m_legend(painter, m_subject)
{
    m_painter.setLayoutDirection(Qt::LeftToRight); // Diagrams run from left to right in every language.
}

void DiagramPainter::paint(const QRectF &part) const
{
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setFont(m_subject.text);
    m_spans.paint(part);
    m_rows.paint(part);
    m_spans.paintNotes(part);
    m_painter.restore();
}

void DiagramPainter::paintHeading(const QRectF &rect, double x) const
{
    const Theme &theme = m_subject.theme;
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.fillRect(rect, theme.surface);
    QFont bold = m_subject.text;
    bold.setBold(true);
    m_painter.setFont(bold);
    const auto &lanes = m_subject.sequence.lanes();
    int index = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const bool isServer = lanes[i].kind == Lane::Kind::Server;
        const QColor colour = isServer ? theme.muted : lanes[i].isVacant ? theme.disabled : laneColour(i, theme);
        const QString name = m_painter.fontMetrics().elidedText(lanes[i].name, Qt::ElideRight,
                                                                static_cast<int>(6 * m_primitives.line()));
        QRectF box(0, 0, QFontMetricsF(bold).horizontalAdvance(name) + 1.2 * m_primitives.line(),
                   1.6 * m_primitives.line());
        double y = rect.center().y();
        if (m_subject.layout.areNamesStaggered()) // Alternates between two rows.
            y = rect.top() + (index++ % 2 == 0 ? 1.0 : 2.8) * m_primitives.line();
        box.moveCenter({rect.left() + m_subject.layout.xOf(i) - x, y});
        if (box.right() < rect.left() || box.left() > rect.right())
            continue;
        m_painter.setPen(QPen(colour, 1.5, lanes[i].isVacant ? Qt::DashLine : Qt::SolidLine));
        m_painter.setBrush(tint(colour, theme.surface, 0.14));
        m_painter.drawRoundedRect(box, isServer ? 3 : box.height() / 2, isServer ? 3 : box.height() / 2);
        m_painter.setPen(lanes[i].isVacant ? theme.faint : theme.text);
        m_painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, name);
    }
    m_painter.setPen(theme.border);
    m_painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    m_painter.restore();
}

} // namespace latchkey::ui::diagram
