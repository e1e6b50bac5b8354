#pragma once

#include "core/keyspace/events/knownkeystate.h"

namespace latchkey::events {

/// Returns the ending of the known key, which the reading has not found, if no notification has reported the end.
[[nodiscard]] Ending endingOf(const KnownKeyState &state, const KeyReading &reading,
                              const EventCoverage &eventCoverage);

} // namespace latchkey::events
