#pragma once

#include "core/keyspace/events/knownkeystate.h"

namespace latchkey::events {

/// Returns how the known key has ended, which the reading did not find. Only for an end that no notification reported.
[[nodiscard]] Ending endingOf(const KnownKeyState &state, const KeyReading &reading,
                              const EventCoverage &eventCoverage);

} // namespace latchkey::events
