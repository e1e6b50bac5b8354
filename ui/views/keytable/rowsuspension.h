#pragma once

#include <QTimer>

namespace latchkey::rows {
class RowList;
}

namespace latchkey::ui::keytable {

/// A suspension of row changes while a mouse button is down: no row moves, so that a click is for the pressed row.
///
/// The suspension ends after some seconds, because then current rows matter more than stable ones. Owned by the
/// KeyTableView, for one row list. The row list is not owned.
class RowSuspension final
{
    Q_DISABLE_COPY_MOVE(RowSuspension)

public:
    explicit RowSuspension(rows::RowList &rows);

    void begin();
    /// Permits changes of the rows again, from the next commit of the store on.
    void end();

private:
    rows::RowList &m_rows;
    QTimer m_timer; ///< Active while the rows are held.
};

} // namespace latchkey::ui::keytable
