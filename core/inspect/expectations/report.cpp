#include "core/inspect/expectations/report.h"

#include "core/foundation/base/csv.h"
#include "core/foundation/files/json.h"
#include "core/foundation/files/junitreport.h"
#include "core/inspect/expectations/expectationtexts.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>

namespace latchkey::expectations {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Outcome = Verdict::Outcome;
using Why = Verdict::Why;
using namespace std::chrono_literals;

namespace {

/// Rounds outwards, so that the interval stays covered.
qint64 lowerBoundOf(const Verdict &verdict)
{
    return std::chrono::floor<milliseconds>(verdict.lowerBound).count();
}

qint64 upperBoundOf(const Verdict &verdict)
{
    return std::chrono::ceil<milliseconds>(verdict.upperBound).count();
}

bool hasTimes(const Verdict &verdict)
{
    switch (verdict.why) {
    case Why::Ended:
    case Why::StillExists:
    case Why::WatchedTooShort:
    case Why::Renewed:
    case Why::NotRenewed:
    case Why::AlwaysExpiring:
    case Why::WithoutExpiry:
        return true;
    case Why::None:
    case Why::NeverExisted:
    case Why::NeverSeen:
    case Why::TooShortLived:
    case Why::WritingNotSeen:
    case Why::MayHaveComeBack:
    case Why::MayHaveBeenWritten:
        return false;
    }
    Q_UNREACHABLE();
}

QLatin1String sinceName(const Verdict &verdict)
{
    return QLatin1String(verdict.isSinceWriting ? "writing" : "first-look");
}

QLatin1String endingName(events::Ending ending)
{
    using events::Ending;
    switch (ending) {
    case Ending::None:
        return {};
    case Ending::Expired:
        return QLatin1String("expired");
    case Ending::Deleted:
        return QLatin1String("deleted");
    case Ending::Evicted:
        return QLatin1String("evicted");
    case Ending::Flushed:
        return QLatin1String("flushed");
    case Ending::Removed:
        return QLatin1String("removed");
    case Ending::Lost:
        return QLatin1String("lost");
    case Ending::Unknown:
        return QLatin1String("unknown");
    }
    Q_UNREACHABLE();
}

QLatin1String mechanismName(watching::EventSource::Mechanism mechanism)
{
    using Mechanism = watching::EventSource::Mechanism;
    switch (mechanism) {
    case Mechanism::None:
        return QLatin1String("polling");
    case Mechanism::Notifications:
        return QLatin1String("notifications");
    case Mechanism::Tracking:
        return QLatin1String("tracking");
    }
    Q_UNREACHABLE();
}

QJsonObject toJson(const KeyResult &result)
{
    const Verdict &verdict = result.verdict;
    QJsonObject object;
    files::insertBytes(object, QStringLiteral("key"), result.key);
    object[QStringLiteral("outcome")] = outcomeName(verdict.outcome);
    object[QStringLiteral("why")] = whyName(verdict.why);
    object[QStringLiteral("text")] = groundsText(verdict);
    if (hasTimes(verdict)) {
        object[QStringLiteral("least_ms")] = lowerBoundOf(verdict);
        object[QStringLiteral("most_ms")] = upperBoundOf(verdict);
        object[QStringLiteral("since")] = sinceName(verdict);
    }
    if (verdict.ending != events::Ending::None)
        object[QStringLiteral("ending")] = endingName(verdict.ending);
    if (verdict.count > 0)
        object[QStringLiteral("count")] = verdict.count;
    return object;
}

files::JUnitCase::Outcome junitOutcome(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Holds:
        return files::JUnitCase::Outcome::Passed;
    case Outcome::Fails:
        return files::JUnitCase::Outcome::Failed;
    case Outcome::Open:
    case Outcome::Unknown:
        return files::JUnitCase::Outcome::Errored;
    }
    Q_UNREACHABLE();
}

/// Returns the patterns that are unknown although no verdict on a key is: keys may be missing.
std::vector<std::size_t> patternsWithMissingKeys(const Report &report)
{
    std::vector<std::size_t> patterns;
    for (std::size_t i = 0; i < report.expectations.size(); ++i) {
        const bool isExplained = std::ranges::any_of(report.results, [i](const KeyResult &result) {
            return result.expectation == i && result.verdict.outcome == Outcome::Unknown;
        });
        if (!isExplained && report.outcomeOf(i) == Outcome::Unknown)
            patterns.push_back(i);
    }
    return patterns;
}

/// Returns the sentences about the missing parts of a coverage; empty if it is complete.
QString missingText(const events::Coverage &coverage)
{
    QStringList sentences;
    for (const base::Text &sentence : coverage.sentences())
        sentences += sentence.toString();
    return sentences.join(QStringLiteral("; "));
}

/// Returns why keys of a pattern may be missing.
QString missingKeysText(const Report &report)
{
    QStringList reasons;
    if (const QString missing = missingText(report.coverage); !missing.isEmpty())
        reasons += missing;
    if (report.leftOut > 0)
        reasons += QCoreApplication::translate("core", "keys that were not judged: %1").arg(report.leftOut);
    return QCoreApplication::translate("core", "keys may be missing: %1").arg(reasons.join(QStringLiteral("; ")));
}

files::JUnitCase junitCase(const Report &report, const KeyResult &result)
{
    const Expectation &expectation = report.expectations[result.expectation];
    const QString key = base::printable(result.key);
    const QString grounds = key + QStringLiteral(": ") + groundsText(result.verdict);
    // Missing keys of a pattern do not affect the verdicts on the keys that were found. A change that was not seen may
    // contradict the verdict, so the command does not exit with 0 either.
    const QString missing = missingText(report.coverage.narrowedTo(events::KeyRequest::Expiry));
    const bool isDoubtful = result.verdict.outcome == Outcome::Holds && !missing.isEmpty();
    const bool isKnown = result.verdict.outcome == Outcome::Fails || missing.isEmpty();
    return {
        .className = QStringLiteral("latchkey.expect"),
        .name = expectation.isPattern ? QStringLiteral("%1 (%2)").arg(expectation.text, key) : expectation.text,
        .time = hasTimes(result.verdict) ? result.verdict.upperBound : nanoseconds(0),
        .outcome = junitOutcome(isDoubtful ? Outcome::Unknown : result.verdict.outcome),
        .type = isDoubtful ? QStringLiteral("incomplete") : QString(whyName(result.verdict.why)),
        .message = isKnown ? grounds : grounds + QStringLiteral("; ") + missing,
    };
}

} // namespace

Report Report::of(const ExpectationRun &run, inspection::InspectedServer &server)
{
    const base::Clock &clock = server.clock();
    Report report(run.coverage());
    report.expectations = run.expectations();
    report.results = run.results();
    report.leftOut = run.leftOut();
    report.watched = clock.now() - run.begun().value_or(clock.now());
    report.roundTrip = server.session().roundTrip();
    report.mechanism = server.events().mechanism();
    report.began = clock.wallNow() - std::chrono::floor<milliseconds>(report.watched);
    report.server = server.endpoint().display();
    return report;
}

Outcome Report::outcomeOf(std::size_t expectation) const
{
    bool isKnown = true;
    bool isOpen = false;
    for (const KeyResult &result : results) {
        if (result.expectation != expectation)
            continue;
        if (result.verdict.outcome == Outcome::Fails)
            return Outcome::Fails;
        isKnown = isKnown && result.verdict.outcome != Outcome::Unknown;
        isOpen = isOpen || result.verdict.outcome == Outcome::Open;
    }
    // Omitted keys, or keys that were not found, are unknown. So are keys that existed only during a gap.
    const bool mayMissKeys = leftOut > 0 || !coverage.isScanComplete() || coverage.unobservedDuration() > 0ns
                          || coverage.unreportedDuration() > 0ns;
    if (!isKnown || (expectations[expectation].isPattern && mayMissKeys))
        return Outcome::Unknown;
    return isOpen ? Outcome::Open : Outcome::Holds;
}

Outcome Report::outcome() const
{
    bool isKnown = true;
    bool isOpen = false;
    for (std::size_t i = 0; i < expectations.size(); ++i) {
        const Outcome one = outcomeOf(i);
        if (one == Outcome::Fails)
            return one;
        isKnown = isKnown && one != Outcome::Unknown;
        isOpen = isOpen || one == Outcome::Open;
    }
    if (!isKnown)
        return Outcome::Unknown;
    return isOpen ? Outcome::Open : Outcome::Holds;
}

QJsonObject toJson(const Report &report)
{
    QJsonArray expectations;
    std::size_t next = 0; // Findings are in the order of the expectations.
    for (std::size_t i = 0; i < report.expectations.size(); ++i) {
        QJsonArray keys;
        for (; next < report.results.size() && report.results[next].expectation == i; ++next)
            keys += toJson(report.results[next]);
        expectations += QJsonObject {
            {QStringLiteral("expectation"), report.expectations[i].text},
            {QStringLiteral("outcome"), outcomeName(report.outcomeOf(i))},
            {QStringLiteral("keys"), keys},
        };
    }
    return {
        {QStringLiteral("outcome"), outcomeName(report.outcome())},
        {QStringLiteral("watched_ms"), qint64(std::chrono::round<milliseconds>(report.watched).count())},
        {QStringLiteral("unseen_ms"),
         qint64(std::chrono::ceil<milliseconds>(report.coverage.unobservedDuration()).count())},
        {QStringLiteral("round_trip_ms"),
         report.roundTrip ? QJsonValue(std::chrono::duration<double, std::milli>(*report.roundTrip).count())
                          : QJsonValue()},
        {QStringLiteral("means"), mechanismName(report.mechanism)},
        {QStringLiteral("left_out"), report.leftOut},
        {QStringLiteral("coverage"), events::toJson(report.coverage)},
        {QStringLiteral("expectations"), expectations},
    };
}

QByteArray toCsv(const Report &report)
{
    QByteArray csv = base::csvLine({QStringLiteral("expectation"), QStringLiteral("key"), QStringLiteral("outcome"),
                                    QStringLiteral("why"), QStringLiteral("least_ms"), QStringLiteral("most_ms"),
                                    QStringLiteral("since"), QStringLiteral("ending"), QStringLiteral("count"),
                                    QStringLiteral("text")});
    for (const KeyResult &result : report.results) {
        const Verdict &verdict = result.verdict;
        const bool isTimed = hasTimes(verdict);
        csv += base::csvLine({report.expectations[result.expectation].text, base::printable(result.key),
                              outcomeName(verdict.outcome), whyName(verdict.why),
                              isTimed ? QString::number(lowerBoundOf(verdict)) : QString(),
                              isTimed ? QString::number(upperBoundOf(verdict)) : QString(),
                              isTimed ? QString(sinceName(verdict)) : QString(), endingName(verdict.ending),
                              verdict.count > 0 ? QString::number(verdict.count) : QString(), groundsText(verdict)});
    }
    for (const std::size_t i : patternsWithMissingKeys(report))
        csv += base::csvLine({report.expectations[i].text,
                              base::printable(report.expectations[i].key),
                              outcomeName(Outcome::Unknown),
                              QStringLiteral("incomplete"),
                              {},
                              {},
                              {},
                              {},
                              {},
                              missingKeysText(report)});
    return csv;
}

QByteArray toJUnit(const Report &report)
{
    files::JUnitSuite suite {
        .name = QStringLiteral("latchkey.expect"),
        .hostname = report.server,
        .began = report.began,
        .time = report.watched,
        .cases = {},
    };
    for (const KeyResult &result : report.results)
        suite.cases.push_back(junitCase(report, result));
    for (const std::size_t i : patternsWithMissingKeys(report))
        suite.cases.push_back({.className = QStringLiteral("latchkey.expect"),
                               .name = report.expectations[i].text,
                               .time = nanoseconds(0),
                               .outcome = junitOutcome(Outcome::Unknown),
                               .type = QStringLiteral("incomplete"),
                               .message = missingKeysText(report)});
    return files::toJUnit({std::move(suite)});
}

} // namespace latchkey::expectations
