#include "app/cli/explorationreports.h"

#include "app/cli/explorationtexts.h"
#include "app/help/commandline.h"
#include "core/explore/races/noprogressschedules.h"
#include "core/explore/reports/page.h"
#include "core/explore/reports/sarif.h"
#include "core/explore/schedules/searchtexts.h"
#include "core/explore/schedules/violationtext.h"
#include "core/foundation/files/inputfile.h"
#include "core/foundation/language/catalogue.h"

#include <QDir>

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using base::failure;
using base::Result;
using help::CommandLine;
using reports::Baseline;
using reports::CheckedPromise;
using reports::ExplorationReport;

namespace {

/// Size limit in bytes. A useful baseline is smaller, and larger files should not be read completely.
constexpr qint64 maxBaselineSize = 1 << 20;

Result<Baseline> baselineFrom(const QString &path)
{
    const auto contents = files::contentsOf(path, maxBaselineSize);
    if (!contents) {
        const base::Error &error = contents.error();
        return failure(error.kind, CommandLine::tr("cannot read %1: %2").arg(path, error.message()));
    }
    return Baseline::fromFile(path, *contents);
}

/// Returns the baseline after the searches.
QByteArray updated(Baseline baseline, const std::vector<ExplorationReport> &reports)
{
    for (const ExplorationReport &report : reports)
        baseline.update(report);
    return baseline.toFile();
}

/// Returns a broken promise for each schedule in which clients block each other.
std::vector<CheckedPromise> mutualBlocks(const races::Finder &finder)
{
    std::vector<CheckedPromise> blocks;
    for (const auto &[id, schedule] :
         {std::pair(deadlockId, &finder.deadlock()), std::pair(livelockId, &finder.livelock())}) {
        if (!*schedule || !races::isMutualBlock(finder.subject().program.get(), **schedule))
            continue;
        CheckedPromise &block = blocks.emplace_back();
        block.result.promise = id;
        block.result.clients = finder.subject().clients;
        block.result.claimed = true;
        block.result.verdict = races::Verdict::Broken;
        block.result.violation = (*schedule)->verdict;
        block.result.counterexample = *schedule;
        block.definition = CommandLine::tr("clients do not block each other for ever");
        block.summary = CommandLine::tr("BROKEN: %1").arg(schedules::translatedViolation(block.result.violation));
    }
    return blocks;
}

} // namespace

Result<ExplorationReports> ExplorationReports::from(const Arguments &arguments, const QStringList &baselines)
{
    for (const char *option : {"junit", "sarif", "html", "baseline", "write-baseline"}) {
        if (arguments.isSet(option) && arguments.text(option).isEmpty())
            return failure(ErrorKind::Usage, CommandLine::tr("--%1: the path is missing").arg(QLatin1String(option)));
    }
    ExplorationReports reports;
    if (arguments.isSet("html")) {
        reports.m_pageFolder = arguments.text("html");
        if (!QDir().mkpath(reports.m_pageFolder))
            return failure(ErrorKind::Local, CommandLine::tr("--html: %1 cannot be made").arg(reports.m_pageFolder));
    }
    for (const QString &path :
         baselines + (arguments.isSet("baseline") ? QStringList {arguments.text("baseline")} : QStringList())) {
        const auto baseline = baselineFrom(path);
        if (!baseline)
            return failure(baseline.error().during(QStringLiteral("--baseline")));
        reports.m_baseline.add(*baseline);
    }
    using Make = std::function<QByteArray(const std::vector<ExplorationReport> &)>;
    const Make makeBaseline = [baseline = reports.m_baseline](const auto &all) { return updated(baseline, all); };
    for (const auto &[option, make] :
         {std::pair("junit", Make(&reports::toJUnit)), std::pair("sarif", Make(&reports::toSarif)),
          std::pair("write-baseline", makeBaseline)}) {
        if (!arguments.isSet(option))
            continue;
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
    const language::EnglishScope forPrograms;
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
        checked.definition = schedules::promiseDefinition(promise);
        checked.isListed = m_baseline.contains(report, promise);
        report.promises.push_back(std::move(checked));
    }
    for (CheckedPromise &block : mutualBlocks(finder)) {
        block.isListed = m_baseline.contains(report, block.result.promise);
        report.promises.push_back(std::move(block));
    }
    m_reports.push_back(std::move(report));
}

void ExplorationReports::addFailure(ExplorationReport report, const base::Error &error)
{
    const language::EnglishScope forPrograms;
    report.began = base::SystemClock::instance().wallNow();
    report.failure = error.message();
    m_reports.push_back(std::move(report));
}

bool ExplorationReports::isBroken() const
{
    return !m_reports.empty() && std::ranges::any_of(m_reports.back().promises, [](const CheckedPromise &promise) {
        return promise.status() == CheckedPromise::Status::Broken;
    });
}

const CheckedPromise *ExplorationReports::find(const QString &promise) const
{
    if (m_reports.empty())
        return nullptr;
    const auto &promises = m_reports.back().promises;
    const auto found =
        std::ranges::find(promises, promise, [](const CheckedPromise &one) { return one.result.promise; });
    return found == promises.end() ? nullptr : &*found;
}

QString ExplorationReports::remarkOn(const QString &promise) const
{
    const CheckedPromise *known = find(promise);
    if (known != nullptr && known->status() == CheckedPromise::Status::Known)
        return CommandLine::tr("known: it is listed in the baseline");
    if (known != nullptr && known->isFixed())
        return CommandLine::tr("mended: it can be removed from the baseline");
    return {};
}

QJsonArray ExplorationReports::marked(const QJsonArray &promises) const
{
    QJsonArray all;
    for (const QJsonValue &promise : promises) {
        QJsonObject object = promise.toObject();
        const CheckedPromise *known = find(object[QStringLiteral("id")].toString());
        if (known != nullptr && known->status() == CheckedPromise::Status::Known)
            object[QStringLiteral("known")] = true;
        if (known != nullptr && known->isFixed())
            object[QStringLiteral("mended")] = true;
        all += object;
    }
    return all;
}

Result<void> ExplorationReports::save()
{
    if (m_reports.empty())
        return {}; // The command line was wrong: old reports stay.
    const language::EnglishScope forPrograms;
    for (Target &target : m_targets) {
        if (auto saved = target.file.save(target.make(m_reports)); !saved)
            return saved;
    }
    return savePages();
}

Result<void> ExplorationReports::savePages() const
{
    if (m_pageFolder.isEmpty())
        return {};
    for (const ExplorationReport &report : m_reports) {
        for (const CheckedPromise &promise : report.promises) {
            if (!promise.result.counterexample)
                continue;
            QStringList name {report.subject, promise.result.promise, QStringLiteral("html")};
            if (!report.form.isEmpty())
                name.insert(1, report.form);
            if (auto saved =
                    files::saveFile(QDir(m_pageFolder).filePath(name.join(u'.')), reports::toHtml(report, promise));
                !saved)
                return saved;
        }
    }
    return {};
}

ExitCode saveReports(ExplorationReports &reports, ExitCode exitCode, const Arguments &arguments)
{
    const auto saved = reports.save();
    return saved ? exitCode : printErrorReport(saved.error().during(QStringLiteral("explore")), arguments);
}

} // namespace latchkey::cli
