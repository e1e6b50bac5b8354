#pragma once

#include "core/foundation/base/error.h"

class QFile;

namespace latchkey::files {

/// Opens a regular file for reading. Any other kind of file is refused, because opening or reading a pipe or a device
/// may block forever. Errors: it is not a regular file (Usage); it cannot be opened (Local). The error has the reason
/// only, without the path.
[[nodiscard]] base::Result<void> openForReading(QFile &file);

/// Returns the contents of a regular file. Of a larger file than `maxSize` bytes, at most one byte more is read.
/// Errors: those of openForReading(); it is larger (Usage); it cannot be read (Local). The error has the reason only.
[[nodiscard]] base::Result<QByteArray> contentsOf(const QString &path, qint64 maxSize);

} // namespace latchkey::files
