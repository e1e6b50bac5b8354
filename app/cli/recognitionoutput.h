#pragma once

#include "core/recognition/recogniser.h"

#include <QJsonObject>

namespace latchkey::cli {

/// Puts what was recognised into a key's JSON: `kind` (null where it is no lock), `candidates` where it may be several
/// kinds, `holder`, `count`, `waiters`, `fencing`; null where nothing is known.
void insertRecognition(QJsonObject &row, const recognition::Recognition &recognised,
                       const recognition::Dialects &dialects);

/// The first holder's bytes; absent where none is recorded.
[[nodiscard]] std::optional<QByteArray> firstHolder(const recognition::Recognition &recognised);

/// How many wait for the lock, as far as that is known.
[[nodiscard]] std::optional<qint64> waiterCount(const recognition::Recognition &recognised);

/// All dialects, those of the user's own file first; where that is broken it is complained of, once, and left out.
[[nodiscard]] const recognition::Dialects &userDialects();

/// A dialect's name; its id where it is none that is known.
[[nodiscard]] QString titleOf(const QString &dialect, const recognition::Dialects &dialects);

} // namespace latchkey::cli
