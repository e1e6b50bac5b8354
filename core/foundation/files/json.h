#pragma once

#include "core/foundation/base/error.h"

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <optional>

namespace latchkey::files {

/// Returns bytes in the form that the files of this program use: a text or, if they are not valid UTF-8, `{"base64":
/// …}`.
[[nodiscard]] QJsonValue bytesJson(const QByteArray &bytes);
/// Returns the bytes of a value of bytesJson(). Absent for any other value.
[[nodiscard]] std::optional<QByteArray> bytesFrom(const QJsonValue &json);

/// Inserts bytes under a name: as text and, if they are not valid UTF-8, also as base64 under `<name>_base64`.
void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes);

/// Returns the bytes that insertBytes() inserted; absent if the member is missing or null. The object is not changed.
/// Error (Usage): not text, or not base64.
[[nodiscard]] base::Result<std::optional<QByteArray>> readBytes(const QJsonObject &object, const QString &name);

/// Returns an object as one line, without a line end. Characters that a terminal would interpret, or that could be read
/// as a line end, are written as \uNNNN.
[[nodiscard]] QByteArray toLine(const QJsonObject &object);
[[nodiscard]] QByteArray toLine(const QJsonDocument &document);

} // namespace latchkey::files
