#pragma once

#include "core/keyspace/events/knownkeystate.h"

namespace latchkey::events {

// Functions that build the key events of a change from the state before it, with the interval that contains the change.

/// Returns the appearance of the key. The state contains the notification of the appearance, or `reading` has found the
/// key. `reading`: null if only the notification is known.
[[nodiscard]] KeyEvent appeared(const KnownKeyState &state, const KeyReading *reading);

/// Returns the appearance of a key that has ended before a reading has found it. The server reports the write of a key
/// whose expiry is in the past (`SET … PXAT`), and its expiry, but no client can have held that key. Only the deletion
/// of a key shows that it existed; otherwise the appearance is inferred.
[[nodiscard]] KeyEvent unreadAppeared(const KnownKeyState &state, Ending ending);

/// Returns a write of a key whose former or new value was not read, so that the holder may have changed. `reading`: may
/// be null.
[[nodiscard]] KeyEvent overwritten(const KnownKeyState &state, const KeyReading *reading, base::MonotonicTime notAfter);

/// Returns the end of a key that was never read.
[[nodiscard]] KeyEvent unknownEnded(const Notification &notification);
/// Returns the end of the key that the notification reports.
[[nodiscard]] KeyEvent ended(const KnownKeyState &state, Ending ending, const Notification &notification);
/// Returns the end of a key that a reading no longer finds.
[[nodiscard]] KeyEvent ended(const KnownKeyState &state, Ending ending, const KeyReading &reading);

/// Limits the time of a change to the interval of its notifications. The change precedes the last notification, even if
/// the reading is much later.
void narrow(KeyEvent &event, const KnownKeyState &state, const EventCoverage &eventCoverage);

} // namespace latchkey::events
