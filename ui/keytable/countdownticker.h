#pragma once

#include "ui/keytable/showntime.h"

#include <QObject>
#include <QTimer>

class QAbstractItemView;

namespace latchkey::ui::keytable {

/// Keeps the countdown column moving without telling the model anything.
///
/// How long a key has left is derived while painting, so all it takes is to repaint the cells that can be seen: sixty
/// times a second while milliseconds are shown, a few times a second otherwise, and not at all while nobody can see
/// them or the shown time is frozen.
/// Owned by the KeyTableView. It does not change keys and does not know the server.
class CountdownTicker final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CountdownTicker)

public:
    /// columns: those that show the time. View and time are not owned.
    CountdownTicker(QAbstractItemView &view, QList<int> columns, const ShownTime &time);

    /// Looks again at what is on screen: rows have changed, or the view has.
    void refresh();
    /// How often the column is repainted at present; zero while it is not.
    [[nodiscard]] std::chrono::milliseconds rhythm() const;

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
    base::MonotonicTime m_looked;  ///< When it was looked what is on screen.
    base::MonotonicTime m_painted; ///< The moment that is shown.
};

} // namespace latchkey::ui::keytable
