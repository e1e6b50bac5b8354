#pragma once

#include "core/inspect/inspection/inspectedserver.h"

namespace latchkey::inspection {

/// Returns a time at which the observed key did not exist yet, if it is unknown and a scan would have found it earlier.
/// With it, code that follows the key from now on can report its first appearance. Absent: the key may have existed
/// before.
[[nodiscard]] std::optional<base::MonotonicTime> absentBefore(InspectedServer &server,
                                                              const events::Observation &observation);

} // namespace latchkey::inspection
