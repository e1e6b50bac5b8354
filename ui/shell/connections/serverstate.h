#pragma once

#include "core/inspect/inspection/inspectedserver.h"

#include <QString>

#include <vector>

namespace latchkey::ui::connections {

/// Returns the state of a watched server as a short text, for a cell. `server`: null for a server that is not watched.
[[nodiscard]] QString stateTextOf(inspection::InspectedServer *server, base::MonotonicTime now);
/// Returns the number of servers of a group that are connected and reply. Null for a server that is not watched.
[[nodiscard]] QString stateTextOf(const std::vector<inspection::InspectedServer *> &servers, base::MonotonicTime now);

} // namespace latchkey::ui::connections
