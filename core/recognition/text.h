#pragma once

#include "core/base/clock.h"

#include <QByteArrayView>

#include <optional>

/// What several shapes ask of bytes. None of it depends on a locale.
namespace latchkey::recognition {

[[nodiscard]] bool isDigits(QByteArrayView bytes);   ///< At least one, nothing else.
[[nodiscard]] bool isLowerHex(QByteArrayView bytes); ///< Likewise.
[[nodiscard]] bool isAlphanumeric(QByteArrayView bytes);
[[nodiscard]] bool isPrintableText(QByteArrayView bytes); ///< UTF-8 without control characters.
/// With dashes, lower case; version 0: any.
[[nodiscard]] bool isUuid(QByteArrayView bytes, int version = 0);

/// A whole number that fits; nothing for anything else, a leading + or blanks included.
[[nodiscard]] std::optional<qint64> wholeNumber(QByteArrayView bytes);
/// What hexadecimal digits say; nothing beyond 64 bits.
[[nodiscard]] std::optional<quint64> hexNumber(QByteArrayView bytes);

/// Unix seconds (whole or with a fraction) or milliseconds, by their size, from 2010 to 2100; nothing for other
/// numbers.
[[nodiscard]] std::optional<base::WallTime> unixTime(QByteArrayView number);
/// An instant as ISO 8601 in UTC writes it: `2026-11-22T04:24:34.074Z`.
[[nodiscard]] std::optional<base::WallTime> isoTime(QByteArrayView text);
/// From 2010 to 2100: what a clock may say and a random number hardly does.
[[nodiscard]] bool isPlausible(base::WallTime time);

} // namespace latchkey::recognition
