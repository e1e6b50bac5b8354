#pragma once

#include "core/base/error.h"
#include "core/keyspace/coverage.h"

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
/// from. False if it could not be written.
bool complain(const QString &message);

/// complain(), and the exit code that goes with it.
[[nodiscard]] ExitCode complain(const base::Error &error);

/// How an incomplete coverage is told on standard error.
enum class CoverageForm : quint8 {
    Sentences, ///< A line for each thing that is missing.
    Json,      ///< One JSON object.
};

/// The exit code of an answer with this coverage: Yes becomes Error unless the coverage is complete, and then the
/// coverage is told. command: `ls`.
[[nodiscard]] ExitCode exitCodeFor(const QString &command, const keyspace::Coverage &coverage, CoverageForm form,
                                   ExitCode answer = ExitCode::Yes);

} // namespace latchkey::cli
