#pragma once

#include "core/keys/key.h"

#include <QDateTime>
#include <QString>

// The words for leases: the one place that turns times, states and values into text for people.

namespace latchkey::ui::keytable {

/// How long a lease lasts: milliseconds below ten seconds ("7.342 s"), then seconds, then two units. "due" once its
/// deadline has passed and the server has not confirmed that it is gone.
[[nodiscard]] QString timeLeftText(const base::Deadline &deadline, keys::KeyState state, base::MonotonicTime now);

/// The same for a duration that is not negative.
[[nodiscard]] QString durationText(std::chrono::nanoseconds duration);

/// When a lease ends, as a local time; with milliseconds where it is today. Empty without expiry.
[[nodiscard]] QString endText(const base::Deadline &deadline, base::MonotonicTime now, const QDateTime &wallNow);

[[nodiscard]] QString typeText(keys::KeyType type);

/// A value in one line; collections with their number of elements in front.
[[nodiscard]] QString valueText(const keys::ValuePreview &value, keys::KeyType type);

/// Bytes of a value: "41 B", "12.4 KiB".
[[nodiscard]] QString sizeText(qint64 bytes);

} // namespace latchkey::ui::keytable
