#pragma once

#include "tests/support/outcome.h"

#include <QString>
#include <QStringList>

namespace latchkey::test {

/// An interpreter with somebody else's lock libraries; the programs that use them are in tests/integration/peers.
struct ForeignLibraries
{
    QString program;
    QString absence; ///< Why they cannot be had here; empty: they can.
};

/// Python with Debian's redis-py.
[[nodiscard]] ForeignLibraries redisPy();
/// Node.js with what peers/npm/package-lock.json names, which is installed once per build folder and found through
/// NODE_PATH, which this sets.
[[nodiscard]] ForeignLibraries npmPackages();

/// Runs the program to its end, for at most two minutes; folder: where, if not here.
[[nodiscard]] Outcome outcomeOf(const QString &program, const QStringList &arguments, const QString &folder = {});

} // namespace latchkey::test
