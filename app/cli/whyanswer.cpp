#include "app/cli/whyanswer.h"

#include "app/cli/fieldexpiryreader.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/stalereplica.h"
#include "app/help/commandline.h"
#include "core/inspect/detection/snapshotfindings.h"
#include "core/redis/exchange/blockingdriver.h"

namespace latchkey::cli {

using base::SystemClock;
using detection::KeyExamination;
using help::CommandLine;
using recognition::ReadRequest;

namespace {

/// Returns the refused data, as a limit of the answer.
QString refusedText(const ReadRequest &request)
{
    switch (request.kind) {
    case ReadRequest::Kind::Value:
        return CommandLine::tr("more of the value than is read");
    case ReadRequest::Kind::Companion:
        return CommandLine::tr("the key \"%1\"").arg(base::printable(request.subject, 100));
    case ReadRequest::Kind::Subscribers:
        return CommandLine::tr("the subscribers of the channel \"%1\"").arg(base::printable(request.subject, 100));
    case ReadRequest::Kind::Scripts:
        return CommandLine::tr("which scripts the server knows");
    }
    Q_UNREACHABLE();
}

FieldEnds fieldsOf(const base::Key &key, const KeyExamination &found, exchange::BlockingDriver &driver)
{
    if (found.type != keys::KeyType::Hash)
        return {};
    FieldExpiryReader reader([&driver](auto exchange) { return driver.run(std::move(exchange)); });
    const auto asked = reader.read({key});
    return {asked.empty() ? keys::FieldDeadlines() : asked.front().ends, reader.whyNotKnown()};
}

} // namespace

base::Result<WhyAnswer> read(const WhyRequest &request, std::chrono::milliseconds timeout)
{
    exchange::BlockingDriver driver({request.endpoint}, timeout, SystemClock::instance(),
                                    base::SystemRandom::instance());
    if (const auto connected = driver.connect(); !connected)
        return base::failure(connected.error());
    using detection::AskIdleTime;
    const resp::ServerInfo server = driver.serverInfo(0).value_or(resp::ServerInfo());
    const bool isTrue = events::areIdleTimesTrue(server);
    auto found =
        driver.run(detection::examine(request.key, request.recogniser, isTrue ? AskIdleTime::Yes : AskIdleTime::No));
    if (!found)
        return base::failure(found.error());
    WhyAnswer answer {std::move(*found), {}, {}, driver.endpointOf(request.key), server, {}, {}};
    answer.staleness = readStaleness(driver);
    if (!answer.found.exists)
        return answer;
    answer.fields = fieldsOf(request.key, answer.found, driver);
    answer.found.sample.endsWithFields = answer.found.deadline.isNever() && !answer.fields.ends.wholeEnd().isNever();
    if (answer.found.recognition.isLock()) {
        const auto properties = driver.run(detection::readServerProperties());
        if (!properties) // The key was read. Findings that do not depend on the settings are known.
            answer.unchecked = properties.error();
        answer.wrong =
            detection::snapshotFindings(answer.found.recognition, answer.found.sample, request.recogniser.dialects(),
                                        properties.value_or(findings::ServerProperties()));
    }
    return answer;
}

QStringList deniedTexts(const WhyAnswer &answer)
{
    QStringList denied;
    for (const ReadRequest &request : answer.found.refused) {
        if (request.kind != ReadRequest::Kind::Value)
            denied += refusedText(request);
    }
    if (answer.fields.refusal)
        denied += CommandLine::tr("expiry of its fields: %1").arg(answer.fields.refusal->message());
    if (answer.unchecked)
        denied += CommandLine::tr("settings of the server: %1").arg(answer.unchecked->message());
    return denied;
}

events::Coverage coverageOf(const WhyAnswer &answer)
{
    events::Coverage::Parts parts;
    parts.isScanComplete = true;
    parts.scannedKeys = 1;
    parts.databaseSize = 1;
    parts.now = SystemClock::instance().now();
    if (answer.staleness)
        parts.gaps.push_back({parts.now, {}, *answer.staleness, {}});
    for (const ReadRequest &request : answer.found.refused) {
        if (request.kind == ReadRequest::Kind::Companion)
            parts.denied.push_back({events::KeyRequest::Value,
                                    {base::ErrorKind::PermissionDenied, base::Text(refusedText(request))},
                                    true});
    }
    return events::Coverage(std::move(parts));
}

} // namespace latchkey::cli
