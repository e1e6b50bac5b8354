#pragma once

#include "core/inspect/inspection/inspectedserver.h"

namespace latchkey::inspection {

// Functions that return whether the displayed state of a server or of a key is up to date. They use the coverage of the
// watcher, so that only replies about keys count.

/// Returns the interval in which no key has been read: there is no connection, the server does not reply, or it refuses
/// all commands. It starts at the last read of a key. Absent while keys are read, even if some requests are refused or
/// the data of a replica may be out of date.
[[nodiscard]] std::optional<events::Coverage::Gap> unreadInterval(const watching::WatchStatus &watcher);

/// Returns the start of the last interval without reads if it is over, but the key was not read again. Absent if the
/// key was read since, or is unknown.
[[nodiscard]] std::optional<base::MonotonicTime> unreadSince(InspectedServer &server, const QByteArray &key);

/// Returns the last known state of a key that the server no longer permits reading. Absent if the key is readable,
/// unknown or known to have ended.
[[nodiscard]] std::optional<keys::UnreadableKey> unreadableKey(InspectedServer &server, const QByteArray &key);
/// Returns the number of keys for which unreadableKey() is present.
[[nodiscard]] qint64 unreadableCount(InspectedServer &server, const QList<QByteArray> &keys);

} // namespace latchkey::inspection
