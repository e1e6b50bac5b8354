#pragma once

#include "tests/support/outcome.h"

#include <QString>
#include <QStringList>

namespace latchkey::test {

/// An interpreter with lock libraries of other projects. The programs that use the libraries are in
/// tests/integration/peers.
struct ForeignLibraries
{
    QString program;
    QString absence; ///< Reason why the libraries are not available here; empty if they are.
};

/// Returns Python with Debian's redis-py.
[[nodiscard]] ForeignLibraries redisPy();
/// Returns Node.js with the packages of peers/npm/package-lock.json. Installs the packages once per build folder and
/// sets NODE_PATH so that Node.js finds them.
[[nodiscard]] ForeignLibraries npmPackages();

/// Runs the program to its end, for at most two minutes. `folder` is the working directory; empty: the current one.
[[nodiscard]] Outcome outcomeOf(const QString &program, const QStringList &arguments, const QString &folder = {});

} // namespace latchkey::test
