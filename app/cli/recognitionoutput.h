#pragma once

#include "core/inspect/recognition/recogniser.h"

#include <QJsonObject>

namespace latchkey::cli {

/// Inserts the recognition into the JSON of a key: `kind` (null if it is no lock), `candidates` if several kinds are
/// possible, `holder`, `count`, `waiters`, `fencing`; null if unknown.
void insertRecognition(QJsonObject &row, const recognition::Recognition &recognised,
                       const recognition::Dialects &dialects);

/// Returns the bytes of the first holder. Absent if none is recorded.
[[nodiscard]] std::optional<QByteArray> firstHolder(const recognition::Recognition &recognised);

/// Returns the number of waiters, if it is known.
[[nodiscard]] std::optional<qint64> waiterCount(const recognition::Recognition &recognised);

/// Returns an error (Usage) if LATCHKEY_DIALECTS names a file that does not exist. Commands check it before they
/// connect.
[[nodiscard]] base::Result<void> checkUserDialects();

/// Returns all dialects, with the user's own first. An invalid file of the user is reported once and ignored.
[[nodiscard]] const recognition::Dialects &userDialects();

/// Returns the title of a dialect, or its id if it is unknown.
[[nodiscard]] QString titleOf(const QString &dialect, const recognition::Dialects &dialects);

} // namespace latchkey::cli
