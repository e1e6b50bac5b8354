#pragma once

#include "core/inspect/inspection/inspectedserver.h"

namespace latchkey::inspection {

// Functions that tell whether the displayed state of a server or of a key is the present one. They use the coverage of
// the watcher, so that only replies about keys count.

/// Returns the last known state of a key that the server no longer permits reading. Absent if the key is readable,
/// unknown or known to have ended.
[[nodiscard]] std::optional<keys::UnreadableKey> unreadableKey(InspectedServer &server, const QByteArray &key);
/// Returns the number of keys for which unreadableKey() is present.
[[nodiscard]] qint64 unreadableCount(InspectedServer &server, const QList<QByteArray> &keys);

} // namespace latchkey::inspection
