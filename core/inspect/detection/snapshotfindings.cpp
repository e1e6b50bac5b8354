#include "core/inspect/detection/snapshotfindings.h"

#include "core/inspect/detection/findingsevaluator.h"

#include <algorithm>

namespace latchkey::detection {

using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using findings::LockEvidence;
using findings::ServerProperties;

Exchange<ServerProperties> readServerProperties()
{
    Batch requests;
    for (const resp::Command &request : settingsRequest())
        requests.add(request);
    const Answers answers = co_await std::move(requests);
    const auto lost = std::ranges::find_if(answers, [](const exchange::Answer &answer) {
        return !answer
            && (answer.error().kind == base::ErrorKind::TimedOut
                || answer.error().kind == base::ErrorKind::ConnectionLost);
    });
    if (lost != answers.end())
        throw base::Failure(lost->error());
    std::vector<resp::Reply> settings;
    for (std::size_t i = 1; i < answers.size(); ++i) {
        if (answers[i])
            settings.insert(settings.end(), answers[i]->elements().begin(), answers[i]->elements().end());
    }
    co_return serverPropertiesFrom(answers[0] ? answers[0]->bytes() : QByteArray(), settings);
}

std::vector<findings::Finding> snapshotFindings(const recognition::Recognition &recognition,
                                                const recognition::KeySample &sample,
                                                const recognition::Dialects &dialects, const ServerProperties &server)
{
    const recognition::Dialect *dialect = recognition.isLock() ? dialects.find(recognition.best().dialect) : nullptr;
    if (dialect == nullptr)
        return {};
    return findings::findingsOf(
        LockEvidence {recognition, *dialect, sample, server, {}, {}, {}, {}, {}, {}, {}, {}, {}});
}

} // namespace latchkey::detection
