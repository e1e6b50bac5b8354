#pragma once

#include "core/rows/rowlist.h"

#include <vector>

class QTableView;

namespace latchkey::ui::keytable {

/// The keys whose rows can be seen in the view at the moment, from the top; none while it is hidden.
[[nodiscard]] std::vector<keys::KeyId> keysOnScreen(const QTableView &view, const rows::RowList &rows);

} // namespace latchkey::ui::keytable
