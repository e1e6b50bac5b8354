#include "ui/views/keytable/visiblekeys.h"

#include "ui/views/keytable/keytableview.h"

namespace latchkey::ui::keytable {

std::vector<keys::KeyId> keysOnScreen(const KeyTableView &view)
{
    std::vector<keys::KeyId> ids;
    const KeyTableModel *model = view.keyModel();
    if (!view.isVisible() || view.window()->isMinimized() || model == nullptr || model->rowCount() == 0)
        return ids;
    const int first = std::max(0, view.rowAt(1));
    const int below = view.rowAt(view.viewport()->height() - 1);
    const int last = below < 0 ? model->rowCount() - 1 : below;
    for (int row = first; row <= std::min(last, model->rowCount() - 1); ++row) {
        if (const auto id = model->idAt(row))
            ids.push_back(*id);
    }
    return ids;
}

} // namespace latchkey::ui::keytable
