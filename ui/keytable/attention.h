#pragma once

#include "core/rows/rowstore.h"

#include <vector>

class QTableView;

namespace latchkey::ui::keytable {

/// The leases whose rows can be seen in the view at the moment, from the top; none while it is hidden.
[[nodiscard]] std::vector<keys::KeyId> keysOnScreen(const QTableView &view, const rows::RowStore &store);

} // namespace latchkey::ui::keytable
