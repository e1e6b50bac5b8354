#pragma once

#include <QAbstractScrollArea>
#include <QPainter>

namespace latchkey::ui::widgets {

/// Paints a frame around the content of the view if it has the keyboard focus. `painter`: for the viewport.
inline void paintFocusFrame(QPainter &painter, const QAbstractScrollArea &view, const QColor &colour)
{
    if (!view.hasFocus())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1));
    painter.drawRect(view.viewport()->rect().adjusted(0, 0, -1, -1));
}

} // namespace latchkey::ui::widgets
