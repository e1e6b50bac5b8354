// What stands around a diagram: the names above it, and below it what the signs mean.

#include "ui/diagram/diagrampainter.h"

#include <QCoreApplication>
#include <QPainter>

namespace latchkey::ui::diagram {

using sequence::Lane;
using theme::Theme;
using theme::tint;

namespace {

/// Only so that the texts below belong to a context that can be translated.
struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Diagram)
};

} // namespace

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
    int place = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const bool isServer = lanes[i].kind == Lane::Kind::Server;
        const QColor colour = isServer ? theme.muted : lanes[i].isVacant ? theme.disabled : laneColour(i, theme);
        const QString name =
            m_painter.fontMetrics().elidedText(lanes[i].name, Qt::ElideRight, static_cast<int>(6 * line()));
        QRectF box(0, 0, QFontMetricsF(bold).horizontalAdvance(name) + 1.2 * line(), 1.6 * line());
        double y = rect.center().y();
        if (m_subject.layout.areNamesStaggered()) // Every other one below.
            y = rect.top() + (place++ % 2 == 0 ? 1.0 : 2.8) * line();
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

void DiagramPainter::paintLegend(const QRectF &rect) const
{
    const Theme &theme = m_subject.theme;
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.fillRect(rect, theme.surface);
    m_painter.setPen(theme.border);
    m_painter.drawLine(rect.topLeft(), rect.topRight());
    m_painter.setFont(m_subject.text);
    double x = rect.left() + 0.6 * line();
    const auto put = [&](const QString &text, const auto &sign) {
        const double width = 1.1 * line() + m_painter.fontMetrics().horizontalAdvance(text);
        if (x + width > rect.right())
            return;
        sign(QRectF(x, rect.center().y() - 0.4 * line(), 0.7 * line(), 0.8 * line()));
        m_painter.setPen(theme.muted);
        m_painter.drawText(QRectF(x + 1.0 * line(), rect.top(), width, rect.height()), Qt::AlignVCenter | Qt::AlignLeft,
                           text);
        x += width + 1.2 * line();
    };
    put(Words::tr("believes that it holds"), [&](const QRectF &box) { m_painter.fillRect(box, laneColour(0, theme)); });
    put(Words::tr("the server has its lock"), [&](const QRectF &box) {
        m_painter.setPen(QPen(theme.good, 1.5));
        m_painter.setBrush(tint(theme.good, theme.surface, 0.3));
        m_painter.drawRect(box);
    });
    put(Words::tr("past its lease"), [&](const QRectF &box) {
        m_painter.fillRect(box, QBrush(theme.critical, Qt::Dense4Pattern));
        m_painter.setPen(QPen(theme.critical, 1.5));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
    });
    put(Words::tr("two inside at once"), [&](const QRectF &box) {
        m_painter.fillRect(box, tint(theme.critical, theme.surface, 0.16));
        m_painter.fillRect(QRectF(box.left(), box.top(), 4, box.height()), theme.critical);
    });
    m_painter.restore();
}

void DiagramPainter::paintCross(QPointF middle, double size) const
{
    m_painter.setPen(QPen(m_subject.theme.critical, 0.28 * line(), Qt::SolidLine, Qt::RoundCap));
    m_painter.drawLine(middle - QPointF(size, size), middle + QPointF(size, size));
    m_painter.drawLine(middle + QPointF(size, -size), middle + QPointF(-size, size));
}

} // namespace latchkey::ui::diagram
