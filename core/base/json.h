#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <optional>

namespace latchkey::base {

/// Puts bytes under a name: as text, and where they are not UTF-8 also as base64 under `<name>_base64`.
void insertBytes(QJsonObject &object, const QString &name, const QByteArray &bytes);

/// The bytes that insertBytes() put there; nothing where there are none. Error (Usage): not text, or not base64.
[[nodiscard]] Result<std::optional<QByteArray>> takeBytes(const QJsonObject &object, const QString &name);

/// An object as one line, without its end. What a terminal would act upon, or a reader could take for the end of the
/// line, is written as \uNNNN.
[[nodiscard]] QByteArray toLine(const QJsonObject &object);
[[nodiscard]] QByteArray toLine(const QJsonDocument &document);

} // namespace latchkey::base
