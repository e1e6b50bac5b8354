#include "ui/keytable/attention.h"

#include <QTableView>

namespace latchkey::ui::keytable {

std::vector<keys::KeyId> keysOnScreen(const QTableView &view, const rows::RowList &rows)
{
    std::vector<keys::KeyId> ids;
    if (!view.isVisible() || view.window()->isMinimized() || rows.rowCount() == 0)
        return ids;
    const int first = std::max(0, view.rowAt(1));
    const int below = view.rowAt(view.viewport()->height() - 1);
    const int last = below < 0 ? rows.rowCount() - 1 : below;
    for (int row = first; row <= std::min(last, rows.rowCount() - 1); ++row)
        ids.push_back(rows.idAt(row));
    return ids;
}

} // namespace latchkey::ui::keytable
