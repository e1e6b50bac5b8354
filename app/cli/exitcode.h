#pragma once

#include "core/foundation/base/error.h"
#include "core/keyspace/events/coverage.h"

#include <QString>

namespace latchkey::cli {

/// The exit codes of the program, documented in --help.
enum class ExitCode : int {
    Yes = 0,
    No = 1,    ///< A negative answer: busy, not the owner, gone, miss.
    Usage = 2, ///< The command line is invalid; no command was sent.
    Error = 3, ///< An error of server or connection, an unknown outcome, or an answer with incomplete coverage.
    Lost = 4,  ///< `run` only: the program was ended because the lock was lost. Other codes are the program's own.
};

[[nodiscard]] ExitCode exitCodeFor(const base::Error &error);

/// Prints a line to standard error, after the name of the program. Control characters of any origin are
/// escaped. Returns false if the line could not be written.
bool printError(const QString &message);

/// Sets whether note() prints nothing (--quiet).
void setQuiet(bool isQuiet);
[[nodiscard]] bool isQuiet();
/// Prints a line as printError() does, unless the program is quiet. Used for messages that repeat the exit code and for
/// progress; never for errors or missing coverage.
void note(const QString &message);

/// Prints an error and returns its exit code.
[[nodiscard]] ExitCode printError(const base::Error &error);

/// The format of an incomplete coverage on standard error.
enum class CoverageForm : quint8 {
    Sentences, ///< One line per gap.
    Json,      ///< One JSON object.
};

/// Returns the exit code of an answer with this coverage; it may be the coverage of one of several databases. Prints an
/// incomplete coverage, and then returns Error instead of Yes. `command`: such as `ls`.
[[nodiscard]] ExitCode exitCodeFor(const QString &command, const events::Coverage &coverage, CoverageForm form,
                                   ExitCode answer = ExitCode::Yes, std::optional<int> database = {});

} // namespace latchkey::cli
