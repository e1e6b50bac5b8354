#pragma once

#include "app/cli/arguments.h"
#include "app/cli/exploration.h"
#include "core/explore/reports/baseline.h"
#include "core/foundation/files/savedfile.h"

#include <QJsonArray>

#include <functional>

namespace latchkey::cli {

/// A function that returns the verdict on a promise as text, with its bounds.
using VerdictText = std::function<QString(const races::PromiseResult &)>;

/// The files of `explore` for continuous integration: the reports of --junit, --sarif and --html, and the
/// baseline.
///
/// The files are opened before the search, so that errors appear early, and replaced after it. Owned by the command.
class ExplorationReports final
{
public:
    /// Reads the baselines and opens the other files. `baselines`: paths beside that of --baseline. Errors: Usage (an
    /// empty name, a malformed baseline), Local (a file cannot be read or written).
    [[nodiscard]] static base::Result<ExplorationReports> from(const Arguments &arguments,
                                                               const QStringList &baselines = {});

    /// Adds a report with the verdicts of a search. `report`: has the subject and the bounds.
    void add(reports::ExplorationReport report, const races::Finder &finder, const Exploration &exploration,
             const VerdictText &verdictText);
    /// Adds a report of a search that failed before its first verdict.
    void addFailure(reports::ExplorationReport report, const base::Error &error);
    /// Returns whether the last added search has broken a promise that is claimed and not in the baseline.
    [[nodiscard]] bool isBroken() const;
    /// Returns the remark of the baseline on a promise of the last added search: known to be broken, or fixed. Empty if
    /// there is none.
    [[nodiscard]] QString remarkOn(const QString &promise) const;
    /// Returns the promises of explore --json with the members `known` and `mended`.
    [[nodiscard]] QJsonArray marked(const QJsonArray &promises) const;
    /// Writes all files. Error (Local): a file cannot be written; its old contents stay.
    [[nodiscard]] base::Result<void> save();

private:
    /// A file with the function that makes its contents.
    struct Target
    {
        files::SavedFile file;
        std::function<QByteArray(const std::vector<reports::ExplorationReport> &)> make;
    };

    /// Returns a promise of the last added search; null: unknown.
    [[nodiscard]] const reports::CheckedPromise *find(const QString &promise) const;

    [[nodiscard]] base::Result<void> savePages() const;

    std::vector<Target> m_targets;
    QString m_pageFolder; ///< Folder of --html; empty: no pages.
    reports::Baseline m_baseline;
    std::vector<reports::ExplorationReport> m_reports;
};

/// Writes the files. Returns the exit code of the search, or prints the error and returns its exit code.
[[nodiscard]] ExitCode saveReports(ExplorationReports &reports, ExitCode exitCode, const Arguments &arguments);

} // namespace latchkey::cli
