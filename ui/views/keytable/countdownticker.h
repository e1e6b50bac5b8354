#pragma once

#include "ui/views/keytable/showntime.h"

#include <QObject>
#include <QTimer>

class QAbstractItemView;

namespace latchkey::ui::keytable {

/// A timer that repaints the countdown column without changes of the model.
///
/// The remaining time of a key is computed while painting, so only the visible cells need a repaint. The rate is 60
/// times a second while milliseconds are displayed, and 5 times a second otherwise. Nothing is repainted while the view
/// is hidden or the displayed time is frozen. Owned by the KeyTableView. The ticker does not change keys and does not
/// know the server.
class CountdownTicker final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountdownTicker)

public:
    /// `columns`: columns that display the time. View and time are not owned.
    CountdownTicker(QAbstractItemView &view, QList<int> columns, const ShownTime &time);

    /// Adapts the repaint rate after a change of the rows or the view.
    void refresh();
    /// Returns the interval of the timer. Zero if the timer is stopped because the view was hidden.
    [[nodiscard]] std::chrono::milliseconds interval() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void tick();
    [[nodiscard]] bool showsMilliseconds() const;
    void repaint();

    QAbstractItemView &m_view;
    const QList<int> m_columns;
    const ShownTime &m_time;
    QTimer m_timer;
    base::MonotonicTime m_checkedAt; ///< Time of the last check of the visible rows.
    base::MonotonicTime m_painted;   ///< Time that is displayed.
};

} // namespace latchkey::ui::keytable
