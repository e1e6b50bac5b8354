#pragma once

#include "ui/kit/theme/appearance.h"

#include <QAbstractScrollArea>

#include <optional>

namespace latchkey::ui::widgets {

/// Base class of a painted view over time that can follow the current moment.
///
/// It converts mouse input, and the keys for zoom and following, into scrolling, zooming and following; the view
/// handles all other keys. The appearance is not owned.
class FollowingScrollArea : public QAbstractScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FollowingScrollArea)

public:
    ~FollowingScrollArea() override;

    /// Returns whether the view scrolls to the current moment.
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }
    void setFollowing(bool isFollowing);
    /// Zooms in if `factor` is above 1. The centre stays in place, or the current moment while following.
    virtual void zoom(double factor) = 0;

Q_SIGNALS:
    void followingChanged(bool isFollowing);

protected:
    /// Creates the view. `zoomStep`: factor of a key press, and of a notch of the wheel.
    FollowingScrollArea(double zoomStep, theme::Appearance &appearance, QWidget *parent);

    [[nodiscard]] theme::Appearance &appearance() const { return m_appearance; }

    /// Applies a change of isFollowing().
    virtual void updateFollowing() = 0;
    /// Zooms at the position of the pointer.
    virtual void zoomAt(double factor, QPointF position);
    /// Scrolls to the right by that number of pixels; to the left if it is negative.
    virtual void scrollAcross(int pixels);
    /// Scrolls by a movement of the mouse, and stops following.
    virtual void drag(QPoint moved);
    /// Handles a click: selects and opens the item at the position.
    virtual void press(QPoint position) = 0;
    /// Returns the tool tip at a position. Empty: no tool tip.
    [[nodiscard]] virtual QString toolTipAt(QPoint position) = 0;

    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    double m_zoomStep;
    theme::Appearance &m_appearance; // Not owned.
    bool m_isFollowing = true;
    std::optional<QPoint> m_draggedFrom;
};

} // namespace latchkey::ui::widgets
