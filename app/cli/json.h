#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"

#include <QJsonArray>
#include <QJsonObject>

namespace latchkey::cli {

/// Prints one JSON value on a line of its own.
void printJson(const QJsonObject &object);
void printJson(const QJsonArray &array);

/// Puts bytes under a name: as text, and where they are not UTF-8 also as base64 under `<name>_base64`.
void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes);

/// Whole milliseconds from now until then, nothing (null) for a time that never comes.
[[nodiscard]] QJsonValue millisecondsUntil(base::MonotonicTime then, base::MonotonicTime now);

} // namespace latchkey::cli
