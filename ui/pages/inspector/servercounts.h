#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/keyspace/rows/rowlist.h"
#include "ui/pages/inspector/statustext.h"

namespace latchkey::ui::inspector {

/// Returns the known number of keys, and how many of them are rows.
[[nodiscard]] KeyCounts countsOf(inspection::InspectedServer &server, const rows::RowList &rows);

/// Returns how the server reports changes. Absent without a connection.
[[nodiscard]] std::optional<ChangeNotificationStatus> changeNotificationOf(inspection::InspectedServer &server);

} // namespace latchkey::ui::inspector
