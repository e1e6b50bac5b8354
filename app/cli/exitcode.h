#pragma once

#include "core/base/error.h"

#include <QString>

namespace latchkey::cli {

/// What the shell is told; documented in --help.
enum class ExitCode : int {
    Yes = 0,
    No = 1,    ///< A clear no: busy, not the owner, gone, miss.
    Usage = 2, ///< The command line is wrong; nothing was sent.
    Error = 3, ///< The server, the connection, or an outcome that cannot be known.
    Lost =
        4, ///< Of `run`: the lock was lost, and the program ended for it. What else `run` gives is the program's own.
};

[[nodiscard]] ExitCode exitCodeFor(const base::Error &error);

/// One line on standard error, after the program's name. What a terminal would act upon is escaped, wherever it came
/// from.
void complain(const QString &message);

/// complain(), and the exit code that goes with it.
[[nodiscard]] ExitCode complain(const base::Error &error);

} // namespace latchkey::cli
