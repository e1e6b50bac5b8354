#include "app/cli/explorationreports.h"

#include "app/cli/promisetexts.h"
#include "app/help/commandline.h"
#include "core/explore/reports/sarif.h"
#include "core/foundation/language/catalogue.h"

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using reports::CheckedPromise;
using reports::ExplorationReport;

Result<ExplorationReports> ExplorationReports::from(const Arguments &arguments)
{
    ExplorationReports reports;
    for (const auto &[option, make] : {std::pair("junit", &reports::toJUnit), std::pair("sarif", &reports::toSarif)}) {
        if (!arguments.isSet(option))
            continue;
        if (arguments.text(option).isEmpty())
            return failure(ErrorKind::Usage, CommandLine::tr("--%1: the file is missing").arg(QLatin1String(option)));
        auto file = files::SavedFile::open(arguments.text(option));
        if (!file)
            return failure(file.error().during(QStringLiteral("--") + QLatin1String(option)));
        reports.m_targets.push_back({std::move(*file), make});
    }
    return reports;
}

void ExplorationReports::add(ExplorationReport report, const races::Finder &finder, const Exploration &exploration,
                             const VerdictText &verdictText)
{
    const language::InEnglish forPrograms;
    report.seconds = exploration.seconds();
    report.began = base::SystemClock::instance().wallNow()
                 - std::chrono::milliseconds(static_cast<qint64>(exploration.seconds() * 1000));
    if (exploration.error())
        report.failure = exploration.error()->message();
    const auto &results = finder.results();
    for (const QString &promise : finder.promises()) {
        const auto result = std::ranges::find(results, promise, &races::PromiseResult::promise);
        CheckedPromise checked;
        checked.isAnswered = result != results.end();
        checked.result.promise = promise;
        if (checked.isAnswered) {
            checked.result = *result;
            checked.summary = verdictText(*result);
        }
        checked.definition = promiseDefinition(promise);
        report.promises.push_back(std::move(checked));
    }
    m_reports.push_back(std::move(report));
}

void ExplorationReports::addFailure(ExplorationReport report, const base::Error &error)
{
    const language::InEnglish forPrograms;
    report.began = base::SystemClock::instance().wallNow();
    report.failure = error.message();
    m_reports.push_back(std::move(report));
}

Result<void> ExplorationReports::save()
{
    if (m_reports.empty())
        return {}; // The command line was wrong: old reports stay.
    const language::InEnglish forPrograms;
    for (Target &target : m_targets) {
        if (auto saved = target.file.save(target.make(m_reports)); !saved)
            return saved;
    }
    return {};
}

ExitCode savedWith(ExplorationReports &reports, ExitCode exitCode, const Arguments &arguments)
{
    const auto saved = reports.save();
    return saved ? exitCode : complainAbout(saved.error().during(QStringLiteral("explore")), arguments);
}

} // namespace latchkey::cli
