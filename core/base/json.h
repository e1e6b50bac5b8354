#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QJsonObject>

#include <optional>

namespace latchkey::base {

/// Puts bytes under a name: as text, and where they are not UTF-8 also as base64 under `<name>_base64`.
void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes);

/// The bytes that insertBytes() put there; nothing where there are none. Error (Usage): not text, or not base64.
[[nodiscard]] Result<std::optional<QByteArray>> takeBytes(const QJsonObject &object, const QString &name);

/// An object as one line, without its end.
[[nodiscard]] QByteArray toLine(const QJsonObject &object);

} // namespace latchkey::base
