#include "core/explore/reports/explorationreport.h"

#include "core/foundation/files/junitreport.h"

namespace latchkey::reports {

using Status = CheckedPromise::Status;

namespace {

files::JUnitCase::Outcome junitOutcome(const CheckedPromise &promise)
{
    using Outcome = files::JUnitCase::Outcome;
    switch (promise.status()) {
    case Status::Holds:
        return Outcome::Passed;
    case Status::Broken:
        return Outcome::Failed;
    case Status::Known:
    case Status::Unclaimed:
    case Status::NotApplicable:
        return Outcome::Skipped;
    case Status::Unknown:
        return Outcome::Errored;
    }
    Q_UNREACHABLE();
}

QString junitMessage(const ExplorationReport &report, const CheckedPromise &promise)
{
    switch (promise.status()) {
    case Status::Holds:
    case Status::Broken:
    case Status::NotApplicable:
        return promise.summary;
    case Status::Known:
        return QStringLiteral("known: ") + promise.summary;
    case Status::Unclaimed:
        return QStringLiteral("not claimed: ") + promise.summary;
    case Status::Unknown:
        return report.reasonFor(promise);
    }
    Q_UNREACHABLE();
}

files::JUnitSuite suiteOf(const ExplorationReport &report)
{
    const auto time =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(report.seconds));
    files::JUnitSuite suite {
        .name = QStringLiteral("latchkey.explore.") + report.displayName(),
        .hostname = {},
        .began = report.began,
        .time = time,
        .cases = {},
    };
    for (const CheckedPromise &promise : report.promises) {
        const auto &schedule = promise.result.counterexample;
        suite.cases.push_back({
            .className = report.displayName(),
            .name = promise.result.promise,
            .outcome = junitOutcome(promise),
            .type = statusId(promise.status()),
            .message = junitMessage(report, promise),
            .details = schedule ? stepLines(*schedule).join(u'\n') : QString(),
        });
    }
    // A failure must be visible even if no promise is known.
    if (report.promises.empty() && !report.failure.isEmpty())
        suite.cases.push_back({
            .className = report.displayName(),
            .name = QStringLiteral("exploration"),
            .outcome = files::JUnitCase::Outcome::Errored,
            .type = statusId(Status::Unknown),
            .message = report.failure,
        });
    return suite;
}

} // namespace

Status CheckedPromise::status() const
{
    if (!isAnswered)
        return Status::Unknown;
    switch (result.verdict) {
    case races::Verdict::NotApplicable:
        return Status::NotApplicable;
    case races::Verdict::Broken:
        if (!result.claimed)
            return Status::Unclaimed;
        return isListed ? Status::Known : Status::Broken;
    case races::Verdict::Holds:
        return result.complete && !result.isRandom ? Status::Holds : Status::Unknown;
    }
    Q_UNREACHABLE();
}

QString statusId(Status status)
{
    switch (status) {
    case Status::Holds:
        return QStringLiteral("holds");
    case Status::Broken:
    case Status::Known:
    case Status::Unclaimed:
        return QStringLiteral("broken");
    case Status::NotApplicable:
        return QStringLiteral("not-applicable");
    case Status::Unknown:
        return QStringLiteral("unknown");
    }
    Q_UNREACHABLE();
}

QString ExplorationReport::displayName() const
{
    return form.isEmpty() ? subject : QStringLiteral("%1 (%2)").arg(subject, form);
}

QString ExplorationReport::reasonFor(const CheckedPromise &promise) const
{
    if (promise.isAnswered)
        return promise.summary;
    return failure.isEmpty() ? QStringLiteral("the search was stopped before this promise") : failure;
}

QStringList stepLines(const schedules::RecordedSchedule &schedule)
{
    QStringList lines;
    for (const resp::Command &command : schedule.setupCommands)
        lines += QStringLiteral(" -  -  %1    — beforehand").arg(command.toText());
    for (std::size_t i = 0; i < schedule.steps.size(); ++i)
        lines += QStringLiteral("%1  %2").arg(i + 1, 2).arg(schedule.steps[i].toText(schedule.servers).english());
    return lines;
}

QByteArray toJUnit(const std::vector<ExplorationReport> &reports)
{
    std::vector<files::JUnitSuite> suites;
    for (const ExplorationReport &report : reports)
        suites.push_back(suiteOf(report));
    return files::toJUnit(suites);
}

} // namespace latchkey::reports
