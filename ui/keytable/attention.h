#pragma once

#include "core/rows/rowlist.h"

#include <vector>

namespace latchkey::ui::keytable {

class KeyTableView;

/// The keys whose rows can be seen in the view at the moment, from the top; none while it is hidden.
[[nodiscard]] std::vector<keys::KeyId> keysOnScreen(const KeyTableView &view);

} // namespace latchkey::ui::keytable
