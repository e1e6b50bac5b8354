#include "ui/views/keytable/countdownticker.h"

#include "ui/views/keytable/keytablemodel.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QTableView>

#include <utility>

namespace latchkey::ui::keytable {

using namespace std::chrono_literals;

namespace {

constexpr auto urgent = 16ms;
constexpr auto calm = 200ms;
/// Interval of the checks of the required repaint rate.
constexpr auto pollInterval = 200ms;
/// Milliseconds are displayed below 10 s. The margin starts the fast rate before the first of them is due.
constexpr auto millisecondsFrom = 10s + 300ms;

} // namespace

CountdownTicker::CountdownTicker(QAbstractItemView &view, QList<int> columns, const ShownTime &time)
    : QObject(&view)
    , m_view(view)
    , m_columns(std::move(columns))
    , m_time(time)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &CountdownTicker::tick);
    m_view.installEventFilter(this);
}

std::chrono::milliseconds CountdownTicker::interval() const
{
    return m_timer.isActive() ? m_timer.intervalAsDuration() : 0ms;
}

bool CountdownTicker::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Show)
        refresh();
    else if (event->type() == QEvent::Hide)
        m_timer.stop();
    return QObject::eventFilter(watched, event);
}

void CountdownTicker::refresh()
{
    m_checkedAt = m_time.clock().now();
    const bool isSeen = m_view.isVisible() && !m_view.window()->isMinimized() && m_view.model() != nullptr
                     && m_view.model()->rowCount() > 0;
    if (!isSeen) {
        // Nothing is visible; the slow timer checks again.
        m_timer.start(calm);
        return;
    }
    const auto wanted =
        !m_time.isFrozen() && showsMilliseconds() ? std::chrono::milliseconds(urgent) : std::chrono::milliseconds(calm);
    if (interval() != wanted)
        m_timer.start(wanted);
}

bool CountdownTicker::showsMilliseconds() const
{
    const QAbstractItemModel *model = m_view.model();
    const int first = std::max(0, m_view.indexAt(QPoint(1, 1)).row());
    const QModelIndex lastIndex = m_view.indexAt(QPoint(1, m_view.viewport()->height() - 2));
    const int last = lastIndex.isValid() ? lastIndex.row() : model->rowCount() - 1;
    const auto now = m_time.now();
    for (int row = first; row <= last; ++row) {
        const QModelIndex index = model->index(row, KeyTableModel::TimeLeftColumn);
        auto left = index.data(KeyTableModel::DeadlineRole).value<base::Deadline>().remaining(now);
        if (const QVariant field = left ? QVariant() : index.data(KeyTableModel::FieldEndRole); field.isValid())
            left = field.value<base::Deadline>().remaining(now);
        if (left && *left < millisecondsFrom && *left > -1s)
            return true;
    }
    return false;
}

void CountdownTicker::tick()
{
    const base::MonotonicTime now = m_time.clock().now();
    if (now >= m_checkedAt + pollInterval || now < m_checkedAt) // The time of a recording can also go back.
        refresh();
    // While a recording is paused, the displayed times do not change.
    if (!m_time.isFrozen() && std::exchange(m_painted, now) != now)
        repaint();
}

void CountdownTicker::repaint()
{
    const auto *table = qobject_cast<QTableView *>(&m_view);
    if (table == nullptr || table->model() == nullptr || !table->isVisible())
        return;
    for (const int column : m_columns) {
        const QRect cells(table->columnViewportPosition(column), 0, table->columnWidth(column),
                          table->viewport()->height());
        table->viewport()->update(cells);
    }
}

} // namespace latchkey::ui::keytable
