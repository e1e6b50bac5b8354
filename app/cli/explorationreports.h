#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exploration.h"
#include "core/explore/reports/explorationreport.h"
#include "core/foundation/files/savedfile.h"

#include <functional>

namespace latchkey::cli {

/// Returns the verdict on a promise as text, with its bounds.
using VerdictText = std::function<QString(const races::PromiseResult &)>;

/// The report files that `explore` writes for continuous integration: --junit and --sarif.
///
/// The files are opened before the search, so that errors appear early, and replaced after it. Owned by the command.
class ExplorationReports final
{
public:
    /// Opens the files. Errors: Usage (an empty name), Local (a file cannot be written).
    [[nodiscard]] static base::Result<ExplorationReports> from(const Arguments &arguments);

    /// Adds a report with the verdicts of a search. `report`: has the subject and the bounds.
    void add(reports::ExplorationReport report, const races::Finder &finder, const Exploration &exploration,
             const VerdictText &verdictText);
    /// Adds a report of a search that failed before it had any verdict.
    void addFailure(reports::ExplorationReport report, const base::Error &error);
    /// Writes all files. Error (Local): a file cannot be written; its old contents stay.
    [[nodiscard]] base::Result<void> save();

private:
    /// A file with the function that makes its contents.
    struct Target
    {
        files::SavedFile file;
        QByteArray (*make)(const std::vector<reports::ExplorationReport> &reports) = nullptr;
    };

    std::vector<Target> m_targets;
    std::vector<reports::ExplorationReport> m_reports;
};

/// Writes the files. Returns the exit code of the search, or prints the error and returns its exit code.
[[nodiscard]] ExitCode savedWith(ExplorationReports &reports, ExitCode exitCode, const Arguments &arguments);

} // namespace latchkey::cli
