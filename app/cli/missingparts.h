#pragma once

#include "app/cli/exitcode.h"

namespace latchkey::cli {

/// The parts that an answer of `ls` lacks, and why. It may be the answer about one of several databases or
/// servers. A value.
struct MissingParts
{
    QString command; ///< Operation, for messages.
    events::Coverage coverage;
    std::optional<base::Error> failure; ///< Error that ended the command early. Absent: none.
    std::optional<int> database {};
    QString server {}; ///< Address; empty for a single server.
};

/// Prints the missing parts to standard error, and returns the exit code. In the JSON form, that is one object: the
/// coverage, with `error` after a failure. In the form of sentences, each refusal is printed once.
[[nodiscard]] ExitCode printMissing(const MissingParts &missing, CoverageForm form);

} // namespace latchkey::cli
