#pragma once

#include "core/inspect/history/history.h"
#include "ui/kit/widgets/followingscrollarea.h"
#include "ui/views/timeline/holdselection.h"
#include "ui/views/timeline/timelinelanes.h"

#include <QTimer>

namespace latchkey::ui::timeline {

/// A view of a history: a lane for each lock, with a bar for each hold.
///
/// Mouse: the wheel scrolls the lanes; with Shift it scrolls the time, and with Ctrl it zooms at the pointer. A click
/// selects a hold. Keyboard: Left and Right move between holds, Up and Down between lanes; Enter selects a hold. Page
/// Up and Page Down scroll the time; + and - zoom. Home scrolls to the start; End scrolls to the current moment and
/// follows it. Only the visible part is painted. Owned by its parent. History, clock and appearance are not owned.
class TimelineView final : public widgets::FollowingScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TimelineView)

public:
    TimelineView(const history::History &history, const base::Clock &clock, theme::Appearance &appearance,
                 QWidget *parent = nullptr);
    ~TimelineView() override;

    [[nodiscard]] const TimeScale &scale() const { return m_scale; }
    /// Shows the whole history.
    void showAll();
    void zoom(double factor) override;
    /// Highlights the locks of a key and scrolls to the first of them, now or when it appears. Absent: no highlight.
    void setChosenKey(const std::optional<QByteArray> &key);
    /// Returns the hold that the user has selected. Null if there is none.
    [[nodiscard]] const history::Hold *current() const { return m_selection.current(); }

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    /// Emitted after a click or Enter.
    void holdChosen(const latchkey::history::Hold &hold);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    static constexpr int rightMargin = 24; ///< Distance of the current moment from the right edge, in pixels.

    void updateFollowing() override;
    void zoomAt(double factor, QPointF position) override;
    void scrollAcross(int pixels) override { scrollTime(pixels); }
    void drag(QPoint moved) override { scrollTime(moved.x()); }
    void press(QPoint position) override;
    [[nodiscard]] QString toolTipAt(QPoint position) override;

    void laneChanged(const history::History::LockId &lockId);
    void collectLanes();
    void updateBars();
    void scrollToSelection();
    [[nodiscard]] QRect timeArea() const;
    [[nodiscard]] int laneAt(int y) const;
    [[nodiscard]] QRectF stripOf(int lane) const;
    [[nodiscard]] const history::Hold *holdAt(QPoint position);

    void paintLanes(QPainter &painter, const QRect &area, base::MonotonicTime now);
    void paintNames(QPainter &painter, int first, int last) const;
    void paintNothing(QPainter &painter) const;

    void showCurrentTime();
    void scrollTime(double pixels);
    void goToBeginning();
    void moveToLane(int by);
    void moveToHold(int by);
    void makeCurrent(const history::Hold &hold);
    void moveTo(const history::Hold *hold);
    void bringIntoView(const history::Hold &hold);
    void describe();

    const history::History &m_history; // Not owned.
    const base::Clock &m_clock;        // Not owned.
    TimeScale m_scale;
    base::MonotonicTime m_paintedFor; ///< Time for which the view was painted last.
    TimelineLanes m_lanes;
    HoldSelection m_selection;
    std::optional<QByteArray> m_chosenKey;
    bool m_isChosenToBeShown = false; ///< Whether the view has not scrolled to the lane of the key yet.
    QTimer m_repaint;                 ///< Limits the rate of repaints.
    QTimer m_follow;
};

} // namespace latchkey::ui::timeline
