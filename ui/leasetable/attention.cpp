#include "ui/leasetable/attention.h"

#include <QTableView>

namespace latchkey::ui::leasetable {

std::vector<leases::LeaseId> leasesOnScreen(const QTableView &view, const leases::LeaseStore &store)
{
    std::vector<leases::LeaseId> ids;
    if (!view.isVisible() || view.window()->isMinimized() || store.rowCount() == 0)
        return ids;
    const int first = std::max(0, view.rowAt(1));
    const int below = view.rowAt(view.viewport()->height() - 1);
    const int last = below < 0 ? store.rowCount() - 1 : below;
    for (int row = first; row <= std::min(last, store.rowCount() - 1); ++row)
        ids.push_back(store.idAt(row));
    return ids;
}

} // namespace latchkey::ui::leasetable
