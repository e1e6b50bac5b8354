#include "app/cli/missingparts.h"

#include "core/foundation/files/json.h"

#include <algorithm>
#include <cstdio>

namespace latchkey::cli {

using events::Coverage;

namespace {

/// Returns the coverage without repetitions: the server may refuse several requests for the same reason, and a scan
/// that was refused or has failed has read no key.
Coverage withoutRepetitions(const Coverage &coverage, bool hasFailed)
{
    Coverage::Parts parts = coverage.parts();
    std::vector<Coverage::Denial> denied;
    for (const Coverage::Denial &denial : parts.denied) {
        if (std::ranges::none_of(denied, [&](const Coverage::Denial &other) {
                return other.why == denial.why && other.isOfSomeKeys == denial.isOfSomeKeys;
            }))
            denied.push_back(denial);
    }
    parts.denied = std::move(denied);
    const bool isAnyLookedAt =
        parts.scannedKeys > 0 && (!parts.databaseSize || parts.scannedKeys < *parts.databaseSize);
    if (isAnyLookedAt || parts.isScanComplete)
        return Coverage(std::move(parts));
    Coverage::Parts withoutCount = parts;
    withoutCount.isScanComplete = true;
    Coverage others(std::move(withoutCount));
    return others.isComplete() && !hasFailed ? Coverage(std::move(parts)) : others;
}

void printSentences(const MissingParts &missing)
{
    if (missing.failure)
        printError(missing.failure->during(missing.command).message());
    for (const base::Text &sentence : withoutRepetitions(missing.coverage, missing.failure.has_value()).sentences()) {
        const QString text = sentence.toString();
        if (!missing.failure || !text.contains(missing.failure->message()))
            printError(missing.command + QStringLiteral(": ") + text);
    }
}

void printObject(const MissingParts &missing)
{
    QJsonObject json = events::toJson(missing.coverage);
    if (missing.database)
        json[QStringLiteral("db")] = *missing.database;
    if (!missing.server.isEmpty())
        json[QStringLiteral("server")] = missing.server;
    if (missing.failure) {
        json[QStringLiteral("complete")] = false;
        json[QStringLiteral("error")] = missing.failure->message();
    }
    std::fprintf(stderr, "%s\n", files::toLine(json).constData());
}

} // namespace

ExitCode printMissing(const MissingParts &missing, CoverageForm form)
{
    if (!missing.failure && missing.coverage.isComplete())
        return ExitCode::Yes;
    if (form == CoverageForm::Json)
        printObject(missing);
    else
        printSentences(missing);
    return missing.failure ? exitCodeFor(*missing.failure) : ExitCode::Error;
}

} // namespace latchkey::cli
