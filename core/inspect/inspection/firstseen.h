#pragma once

#include "core/inspect/inspection/inspectedserver.h"

namespace latchkey::inspection {

/// Returns a time at which the observed key did not exist yet: the start of the last scan or, for a notification of a
/// later change, the start of the event coverage. Absent if the key may have existed at any earlier time. The result is
/// meant for KeyEventTracker::follow(), so that the first appearance of the key is reported.
[[nodiscard]] std::optional<base::MonotonicTime> absentBefore(InspectedServer &server,
                                                              const events::Observation &observation);

/// Makes the tracker follow a key that the store contains, from the read that found the key. See
/// KeyEventTracker::followFound().
void followFound(InspectedServer &server, const QByteArray &key, keys::KeyId id);

} // namespace latchkey::inspection
