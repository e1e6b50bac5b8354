#pragma once

#include "core/inspect/recognition/dialect.h"
#include "core/inspect/recognition/nameclassifier.h"

namespace latchkey::recognition {

/// The content of a dialect file. A value type.
struct DialectFile
{
    std::vector<Dialect> dialects;
    std::vector<NotLock> notLocks;
};

/// Reads a file in the format of resources/dialects/README.md. `hints`: the known hints, shared by several files; new
/// ones are appended. Throws a base::Failure (Usage) with file, line and fault.
[[nodiscard]] DialectFile readDialects(const QString &name, const QByteArray &contents, QByteArrayList &hints);

/// Reads names.json. Throws like readDialects().
[[nodiscard]] NameWords readNameWords(const QString &name, const QByteArray &contents);

} // namespace latchkey::recognition
