// The user input of a DiagramView. The painting is in diagramview.cpp.

#include "core/playground/sequence/sequencetexts.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/diagram/diagramview.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace latchkey::ui::diagram {

namespace {

constexpr double wheelZoomStep = 1.15;
constexpr double smallest = 0.5;
constexpr double largest = 4;

} // namespace

void DiagramView::setFollowing(bool isFollowing)
{
    if (m_isFollowing == isFollowing)
        return;
    m_isFollowing = isFollowing;
    updateBars();
    Q_EMIT followingChanged(isFollowing);
}

void DiagramView::setScale(double scale)
{
    const double wanted = std::clamp(scale, smallest, largest);
    if (wanted == m_scale)
        return;
    // Keeps the row in the middle in place.
    layOut();
    const double middle = verticalScrollBar()->value() + body().height() / 2.0;
    const auto row = m_layout.rowAt(middle);
    m_scale = wanted;
    m_textLayouts.clear();
    m_isLayoutOld = true;
    updateBars();
    if (row && !m_isFollowing)
        verticalScrollBar()->setValue(static_cast<int>(m_layout.topOf(*row) - body().height() / 2.0));
    viewport()->update();
    Q_EMIT scaleChanged(m_scale);
}

void DiagramView::wheelEvent(QWheelEvent *event)
{
    const QPoint turned = event->angleDelta();
    // A mouse with two wheels scrolls in both directions without Shift. With Alt, Qt swaps the two directions.
    const int sideways = event->modifiers().testFlag(Qt::ShiftModifier) && turned.x() == 0 ? turned.y() : turned.x();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom(std::pow(wheelZoomStep, turned.y() / 120.0));
    } else if (sideways != 0) {
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - sideways);
    } else {
        if (turned.y() > 0)
            setFollowing(false);
        verticalScrollBar()->setValue(verticalScrollBar()->value() - turned.y());
        if (turned.y() < 0 && verticalScrollBar()->value() == verticalScrollBar()->maximum())
            setFollowing(true);
    }
    event->accept();
}

void DiagramView::keyPressEvent(QKeyEvent *event)
{
    const auto scroll = [](QScrollBar *bar, int by) { bar->setValue(bar->value() + by); };
    switch (event->key()) {
    case Qt::Key_Up:
        return moveCurrent(-1);
    case Qt::Key_Down:
        return moveCurrent(1);
    case Qt::Key_Left:
        return scroll(horizontalScrollBar(), -horizontalScrollBar()->singleStep());
    case Qt::Key_Right:
        return scroll(horizontalScrollBar(), horizontalScrollBar()->singleStep());
    case Qt::Key_PageUp:
        setFollowing(false);
        return scroll(verticalScrollBar(), -verticalScrollBar()->pageStep() * 4 / 5);
    case Qt::Key_PageDown:
        return scroll(verticalScrollBar(), verticalScrollBar()->pageStep() * 4 / 5);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(wheelZoomStep);
    case Qt::Key_Minus:
        return zoom(1 / wheelZoomStep);
    case Qt::Key_Home:
        setFollowing(false);
        return verticalScrollBar()->setValue(0);
    case Qt::Key_End:
        return setFollowing(true);
    case Qt::Key_Space:
        return setFollowing(!m_isFollowing);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto row = current())
            Q_EMIT rowActivated(*row);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void DiagramView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_draggedFrom = event->position().toPoint();
    const auto row = rowAt(*m_draggedFrom);
    choose(row);
    if (row)
        Q_EMIT rowActivated(*row);
}

void DiagramView::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_draggedFrom || !event->buttons().testFlag(Qt::LeftButton))
        return;
    const QPoint moved = *m_draggedFrom - event->position().toPoint();
    if (moved.manhattanLength() < QApplication::startDragDistance())
        return;
    setFollowing(false);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + moved.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + moved.y());
    m_draggedFrom = event->position().toPoint();
}

bool DiagramView::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const auto row = rowAt(help->pos()))
        QToolTip::showText(help->globalPos(), widgets::toolTipText(rowText(m_sequence->rows()[*row]).toString()),
                           viewport());
    else
        QToolTip::hideText();
    return true;
}

std::optional<std::size_t> DiagramView::rowAt(QPoint position)
{
    layOut();
    if (m_sequence == nullptr || !body().contains(position))
        return std::nullopt;
    return m_layout.rowAt(position.y() - body().top() + verticalScrollBar()->value());
}

std::optional<std::size_t> DiagramView::current() const
{
    if (m_sequence == nullptr || !m_current || *m_current < m_sequence->dropped())
        return std::nullopt;
    const auto row = static_cast<std::size_t>(*m_current - m_sequence->dropped());
    return row < m_sequence->rows().size() ? std::optional(row) : std::nullopt;
}

void DiagramView::choose(std::optional<std::size_t> row)
{
    const auto before = m_current;
    m_current = row && m_sequence != nullptr ? std::optional(m_sequence->dropped() + *row) : std::nullopt;
    if (m_current == before)
        return;
    describe();
    viewport()->update();
    Q_EMIT currentChanged();
}

void DiagramView::moveCurrent(int by)
{
    if (m_sequence == nullptr || m_sequence->rows().empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(m_sequence->rows().size());
    const auto at = current();
    const auto next = at ? static_cast<std::ptrdiff_t>(*at) + by : count - 1;
    const auto row = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1));
    choose(row);
    bringIntoView(row);
}

void DiagramView::bringIntoView(std::size_t row)
{
    layOut();
    QScrollBar *bar = verticalScrollBar();
    const double top = m_layout.topOf(row);
    const double bottom = top + m_layout.heightOf(row);
    if (top >= bar->value() && bottom <= bar->value() + body().height())
        return;
    setFollowing(false);
    bar->setValue(static_cast<int>(top - body().height() / 3.0));
}

/// Sets the description for screen readers: the current row, or an introduction.
void DiagramView::describe()
{
    const auto row = current();
    setAccessibleDescription(
        row ? sequence::timeText(*m_sequence, timeOf(m_sequence->rows()[*row])) + u' '
                  + rowText(m_sequence->rows()[*row]).toString()
            : tr("A lane for each client and server, time from top to bottom. Up and Down select a line, Enter shows "
                 "the complete message, plus and minus zoom, Home goes to the beginning, End to now."));
}

} // namespace latchkey::ui::diagram
