#pragma once

#include "core/inspect/recognition/dialects.h"
#include "core/inspect/recognition/recognition.h"

#include <QJsonObject>

namespace latchkey::recognition {

/// Inserts the recognition into the JSON of a key: `kind` (null if it is no lock), `candidates` if several kinds are
/// possible, `holder`, `count`, `waiters`, `fencing`. Unknown members are null.
void insertRecognition(QJsonObject &row, const Recognition &recognised, const Dialects &dialects);

/// Returns the bytes of the first holder. Absent if none is recorded.
[[nodiscard]] std::optional<QByteArray> firstHolder(const Recognition &recognised);

/// Returns the number of waiters. Absent if unknown.
[[nodiscard]] std::optional<qint64> waiterCount(const Recognition &recognised);

/// Returns the title of a dialect, or its id if it is unknown.
[[nodiscard]] QString titleOf(const QString &dialect, const Dialects &dialects);

} // namespace latchkey::recognition
