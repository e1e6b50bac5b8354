#pragma once

#include "core/base/clock.h"

#include <QJsonArray>
#include <QJsonObject>

namespace latchkey::cli {

/// Prints one JSON value on a line of its own.
void printJson(const QJsonObject &object);
void printJson(const QJsonArray &array);

/// Prints bytes as they are: keys and tokens are for other programs to read.
void printBytes(const QByteArray &bytes);

/// Prints a value as it is, byte for byte. Only where a person reads it does it end the line.
void printValue(const QByteArray &value);

/// Whole milliseconds from now until then, nothing (null) for a time that never comes.
[[nodiscard]] QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now);

} // namespace latchkey::cli
