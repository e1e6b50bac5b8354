#pragma once

#include "core/leases/leasestore.h"

#include <vector>

class QTableView;

namespace latchkey::ui::leasetable {

/// The leases whose rows can be seen in the view at the moment, from the top; none while it is hidden.
[[nodiscard]] std::vector<leases::LeaseId> leasesOnScreen(const QTableView &view, const leases::LeaseStore &store);

} // namespace latchkey::ui::leasetable
