#pragma once

#include "core/foundation/base/clock.h"

#include <QByteArrayView>

#include <optional>

/// Tests and conversions of bytes for several shapes, independent of the locale.
namespace latchkey::recognition {

[[nodiscard]] bool isDigits(QByteArrayView bytes);   ///< Digits only, at least one.
[[nodiscard]] bool isLowerHex(QByteArrayView bytes); ///< Lower-case hexadecimal digits only, at least one.
[[nodiscard]] bool isAlphanumeric(QByteArrayView bytes);
[[nodiscard]] bool isPrintableText(QByteArrayView bytes); ///< UTF-8 without control characters.
/// Returns whether this is a UUID with dashes in lower case; version 0: any version.
[[nodiscard]] bool isUuid(QByteArrayView bytes, int version = 0);

/// Parses a 64-bit whole number; absent for any other text, such as one with a leading + or blanks.
[[nodiscard]] std::optional<qint64> wholeNumber(QByteArrayView bytes);
/// Parses hexadecimal digits; absent beyond 64 bits.
[[nodiscard]] std::optional<quint64> hexNumber(QByteArrayView bytes);

/// Parses Unix seconds (whole or with a fraction) or milliseconds, distinguished by size, from 2010 to 2100. Absent for
/// other numbers.
[[nodiscard]] std::optional<base::WallTime> unixTime(QByteArrayView number);
/// Parses a time in ISO 8601, UTC: `2026-11-22T04:24:34.074Z`.
[[nodiscard]] std::optional<base::WallTime> isoTime(QByteArrayView text);
/// Returns whether the time is from 2010 to 2100, which a random number rarely is.
[[nodiscard]] bool isPlausible(base::WallTime time);

} // namespace latchkey::recognition
