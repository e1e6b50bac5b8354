#pragma once

#include "core/history/history.h"
#include "ui/theme/appearance.h"
#include "ui/timeline/lanelayout.h"
#include "ui/timeline/timescale.h"

#include <QAbstractScrollArea>
#include <QTimer>

namespace latchkey::ui::timeline {

/// The picture of a history: a lane for each lock, a bar for each time that it was held.
///
/// The wheel scrolls the lanes, with Shift the time, and with Ctrl it zooms about the pointer. Left and right go from
/// hold to hold, up and down from lane to lane, Page Up and Page Down scroll the time, + and - zoom, Home goes to the
/// beginning, End to now, which is then followed. A click or Enter chooses a hold. Only what is on screen is painted,
/// from a layout that is made anew when its lane changes or the zoom does.
/// Owned by its parent; history, clock and appearance are not owned.
class TimelineView final : public QAbstractScrollArea
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TimelineView)

public:
    TimelineView(const history::History &history, const base::Clock &clock, theme::Appearance &appearance,
                 QWidget *parent = nullptr);
    ~TimelineView() override;

    /// Whether the right edge keeps to now.
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }
    void setFollowing(bool isFollowing);
    [[nodiscard]] const TimeScale &scale() const { return m_scale; }
    /// All of the history, from its beginning to now.
    void showAll();
    /// Above 1: what is seen grows; about the middle, or while following about now.
    void zoom(double factor);
    /// The locks of this key stand out from the others, and the first of them is scrolled to, now or once there is one.
    /// Without a key none does.
    void setChosenKey(const std::optional<QByteArray> &key);
    /// The hold that the keyboard is at; null where there is none.
    [[nodiscard]] const history::Hold *current() const;

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void followingChanged(bool isFollowing);
    /// By a click or Enter.
    void holdChosen(const latchkey::history::Hold &hold);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    static constexpr int rightMargin = 24; ///< From now to the right edge, in pixels.

    struct Lane
    {
        std::vector<LaneBox> boxes;
        std::chrono::nanoseconds perPixel {}; ///< For which they were laid out; zero: not, or not any more.
    };
    /// A hold by what stays: its lane, and when it began.
    struct Current
    {
        history::History::Place place;
        base::MonotonicTime from;
    };

    void laneChanged(const history::History::Place &place);
    void collectLanes();
    void updateBars();
    void bringChosenIntoView();
    [[nodiscard]] QRect timeArea() const;
    [[nodiscard]] int laneAt(int y) const;
    [[nodiscard]] QRectF stripOf(int lane) const;
    [[nodiscard]] const std::vector<LaneBox> &boxesOf(int lane);
    [[nodiscard]] const history::Hold *holdAt(QPoint position);
    [[nodiscard]] const history::Hold *find(const Current &wanted) const;

    void paintLanes(QPainter &painter, const QRect &area, base::MonotonicTime now);
    void paintNames(QPainter &painter, int first, int last) const;
    void paintAxis(QPainter &painter, base::MonotonicTime now) const;
    void paintLegend(QPainter &painter) const;
    void paintNothing(QPainter &painter) const;

    void follow();
    void scrollTime(double pixels);
    void goToBeginning();
    void moveToLane(int by);
    void moveToHold(int by);
    void makeCurrent(const history::Hold *hold);
    void bringIntoView(const history::Hold &hold);
    void describe();
    [[nodiscard]] QString tipFor(const history::Hold &hold) const;

    const history::History &m_history; // Not owned.
    const base::Clock &m_clock;        // Not owned.
    theme::Appearance &m_appearance;   // Not owned.
    TimeScale m_scale;
    bool m_isFollowing = true;
    base::MonotonicTime m_paintedFor;
    QList<history::History::Place> m_places;
    QHash<history::History::Place, Lane> m_lanes;
    bool m_arePlacesOld = true;
    std::optional<Current> m_current;
    std::optional<QByteArray> m_chosenKey;
    bool m_isChosenToBeShown = false; ///< It has been chosen, and its lane has not been scrolled to yet.
    std::optional<QPoint> m_draggedFrom;
    QTimer m_repaint; ///< At most so often.
    QTimer m_follow;
};

} // namespace latchkey::ui::timeline
