#pragma once

#include "core/explore/reports/explorationreport.h"

namespace latchkey::reports {

/// Writes SARIF 2.1.0, the format of results of analysis tools (OASIS): a run per exploration, a rule per promise, and
/// a result per broken promise with the steps of its counterexample. A promise without a verdict is a notification.
///
/// The fingerprint of a result is made of subject and promise, so it stays the same for another counterexample.
[[nodiscard]] QByteArray toSarif(const std::vector<ExplorationReport> &reports);

} // namespace latchkey::reports
