#pragma once

#include "core/inspection/inspectedserver.h"

namespace latchkey::inspection {

/// Where what was observed is of a key that nobody has met, and a scan would have: the time at which it was not there.
/// For those who follow a key from then on, so that its first appearance is told. Absent: it may have been there.
[[nodiscard]] std::optional<base::MonotonicTime> absentBefore(InspectedServer &server,
                                                              const keyspace::Observation &observation);

} // namespace latchkey::inspection
