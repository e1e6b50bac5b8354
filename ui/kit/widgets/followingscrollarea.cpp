#include "ui/kit/widgets/followingscrollarea.h"

#include "ui/kit/widgets/plaintext.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>

#include <cmath>

namespace latchkey::ui::widgets {

FollowingScrollArea::FollowingScrollArea(double zoomStep, theme::Appearance &appearance, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_zoomStep(zoomStep)
    , m_appearance(appearance)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    connect(&m_appearance, &theme::Appearance::changed, viewport(), qOverload<>(&QWidget::update));
}

FollowingScrollArea::~FollowingScrollArea() = default;

void FollowingScrollArea::setFollowing(bool isFollowing)
{
    if (m_isFollowing == isFollowing)
        return;
    m_isFollowing = isFollowing;
    updateFollowing();
    Q_EMIT followingChanged(isFollowing);
}

void FollowingScrollArea::zoomAt(double factor, QPointF /*position*/)
{
    zoom(factor);
}

void FollowingScrollArea::scrollAcross(int pixels)
{
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + pixels);
}

void FollowingScrollArea::drag(QPoint moved)
{
    setFollowing(false);
    scrollAcross(moved.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + moved.y());
}

void FollowingScrollArea::wheelEvent(QWheelEvent *event)
{
    const QPoint turned = event->angleDelta();
    // A mouse with two wheels scrolls in both directions without Shift. With Alt, Qt swaps the two directions.
    const int sideways = event->modifiers().testFlag(Qt::ShiftModifier) && turned.x() == 0 ? turned.y() : turned.x();
    if (event->modifiers().testFlag(Qt::ControlModifier))
        zoomAt(std::pow(m_zoomStep, turned.y() / 120.0), event->position());
    else if (sideways != 0)
        scrollAcross(-sideways);
    else
        QAbstractScrollArea::wheelEvent(event);
    event->accept();
}

void FollowingScrollArea::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoom(m_zoomStep);
    case Qt::Key_Minus:
        return zoom(1 / m_zoomStep);
    case Qt::Key_End:
        return setFollowing(true);
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void FollowingScrollArea::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_draggedFrom = event->position().toPoint();
    press(*m_draggedFrom);
}

void FollowingScrollArea::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_draggedFrom || !event->buttons().testFlag(Qt::LeftButton))
        return;
    const QPoint position = event->position().toPoint();
    const QPoint moved = *m_draggedFrom - position;
    if (moved.manhattanLength() < QApplication::startDragDistance())
        return;
    drag(moved);
    m_draggedFrom = position;
}

bool FollowingScrollArea::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    if (const QString text = toolTipAt(help->pos()); !text.isEmpty())
        QToolTip::showText(help->globalPos(), toolTipText(text), viewport());
    else
        QToolTip::hideText();
    return true;
}

} // namespace latchkey::ui::widgets
