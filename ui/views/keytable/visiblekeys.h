#pragma once

#include "core/keyspace/rows/rowlist.h"

#include <vector>

namespace latchkey::ui::keytable {

class KeyTableView;

/// Returns the keys of the visible rows, from top to bottom. Empty while the view is hidden.
[[nodiscard]] std::vector<keys::KeyId> keysOnScreen(const KeyTableView &view);

} // namespace latchkey::ui::keytable
