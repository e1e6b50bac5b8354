// The user input of a DiagramView. The painting is in diagramview.cpp.

#include "core/playground/sequence/sequencetexts.h"
#include "ui/views/diagram/diagramview.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace latchkey::ui::diagram {

namespace {

constexpr double smallest = 0.5;
constexpr double largest = 4;

} // namespace

void DiagramView::setScale(double scale)
{
    const double wanted = std::clamp(scale, smallest, largest);
    if (wanted == m_scale)
        return;
    // Keeps the middle row in place.
    layOut();
    const double middle = verticalScrollBar()->value() + body().height() / 2.0;
    const auto row = m_layout.rowAt(middle);
    m_scale = wanted;
    m_textLayouts.clear();
    m_isLayoutOld = true;
    updateBars();
    if (row && !isFollowing())
        verticalScrollBar()->setValue(static_cast<int>(m_layout.topOf(*row) - body().height() / 2.0));
    viewport()->update();
    Q_EMIT scaleChanged(m_scale);
}

/// Stops following when the user scrolls up, and follows again at the bottom.
void DiagramView::wheelEvent(QWheelEvent *event)
{
    const QPoint turned = event->angleDelta();
    if (turned.x() != 0 || (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)) != 0)
        return FollowingScrollArea::wheelEvent(event);
    if (turned.y() > 0)
        setFollowing(false);
    verticalScrollBar()->setValue(verticalScrollBar()->value() - turned.y());
    if (turned.y() < 0 && verticalScrollBar()->value() == verticalScrollBar()->maximum())
        setFollowing(true);
    event->accept();
}

void DiagramView::keyPressEvent(QKeyEvent *event)
{
    QScrollBar *down = verticalScrollBar();
    switch (event->key()) {
    case Qt::Key_Up:
        return moveCurrent(-1);
    case Qt::Key_Down:
        return moveCurrent(1);
    case Qt::Key_Left:
        return scrollAcross(-horizontalScrollBar()->singleStep());
    case Qt::Key_Right:
        return scrollAcross(horizontalScrollBar()->singleStep());
    case Qt::Key_PageUp:
        setFollowing(false);
        return down->setValue(down->value() - down->pageStep() * 4 / 5);
    case Qt::Key_PageDown:
        return down->setValue(down->value() + down->pageStep() * 4 / 5);
    case Qt::Key_Home:
        setFollowing(false);
        return down->setValue(0);
    case Qt::Key_Space:
        return setFollowing(!isFollowing());
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto row = current())
            Q_EMIT rowActivated(*row);
        return;
    default:
        FollowingScrollArea::keyPressEvent(event);
    }
}

void DiagramView::press(QPoint position)
{
    const auto row = rowAt(position);
    choose(row);
    if (row)
        Q_EMIT rowActivated(*row);
}

QString DiagramView::toolTipAt(QPoint position)
{
    const auto row = rowAt(position);
    return row ? rowText(m_sequence->rows()[*row]).toString() : QString();
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
