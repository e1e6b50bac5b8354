#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/rows/rowlist.h"
#include "ui/inspector/statustext.h"

namespace latchkey::ui::inspector {

/// How many keys there are, as far as is known, and how many of them are rows.
[[nodiscard]] KeyCounts countsOf(inspection::InspectedServer &server, const rows::RowList &rows);

/// How the server tells of changes; absent while there is no connection to it.
[[nodiscard]] std::optional<Telling> tellingOf(inspection::InspectedServer &server);

} // namespace latchkey::ui::inspector
