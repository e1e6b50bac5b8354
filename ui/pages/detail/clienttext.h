#pragma once

#include "core/inspect/detection/holderclients.h"

#include <QString>

namespace latchkey::ui::detail {

/// Returns the client that matches a holder, and the basis of the match: `127.0.0.1:52314, worker-7, redis-py 5.0,
/// connected 3 min (inferred from its name)`.
[[nodiscard]] QString clientText(const detection::HolderClients::HolderClient &matched);

} // namespace latchkey::ui::detail
