#pragma once

#include "core/recognition/dialect.h"
#include "core/recognition/namescreen.h"

namespace latchkey::recognition {

/// What a file of dialects has in it. A value type.
struct DialectFile
{
    std::vector<Dialect> dialects;
    std::vector<NotLock> notLocks;
};

/// Reads a file as resources/dialects/README.md describes it. hints: those that are known already; new ones are added,
/// so that several files count them together. Throws a base::Failure (Usage) that names file, line and what is wrong.
[[nodiscard]] DialectFile readDialects(const QString &name, const QByteArray &contents, QByteArrayList &hints);

/// Reads names.json. Throws likewise.
[[nodiscard]] NameWords readNameWords(const QString &name, const QByteArray &contents);

} // namespace latchkey::recognition
