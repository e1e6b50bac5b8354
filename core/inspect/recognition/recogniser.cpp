#include "core/inspect/recognition/recogniser.h"

#include "core/inspect/recognition/formmatcher.h"

#include <algorithm>

namespace latchkey::recognition {

namespace {

struct Found
{
    FormMatcher::FormMatch match;
    bool isGeneric = false;
};

/// Examines a dialect. The candidate is its best form; the requests come from all possible forms.
std::optional<Found> examine(FormMatcher &examination, const Dialect &dialect)
{
    std::optional<Found> best;
    std::vector<ReadRequest> requests;
    for (const Form &form : dialect.forms) {
        auto match = examination.match(dialect, form);
        if (!match)
            continue;
        std::ranges::copy(match->requests, std::back_inserter(requests));
        const bool isBetter = !best || (match->isCandidate && !best->match.isCandidate)
                           || (match->isCandidate && match->candidate.confidence > best->match.candidate.confidence);
        if (isBetter)
            best = Found {std::move(*match), dialect.isGeneric};
    }
    if (best)
        best->match.requests = std::move(requests);
    return best;
}

/// Removes weaker candidates: a certain candidate excludes the others, a likely one the unlikely ones, and a library a
/// common pattern.
void removeOutranked(std::vector<Found> &candidates)
{
    if (candidates.empty())
        return;
    const Confidence best = candidates.front().match.candidate.confidence;
    const auto least = best == Confidence::Certain ? Confidence::Certain
                     : best == Confidence::High    ? Confidence::Medium
                                                   : Confidence::Low;
    const bool isLibrary = std::ranges::any_of(
        candidates, [&](const Found &found) { return !found.isGeneric && found.match.candidate.confidence == best; });
    std::erase_if(candidates, [&](const Found &found) {
        return found.match.candidate.confidence < least || (found.isGeneric && isLibrary);
    });
}

void addNew(std::vector<ReadRequest> &requests, const std::vector<ReadRequest> &more)
{
    for (const ReadRequest &request : more) {
        if (std::ranges::find(requests, request) == requests.end())
            requests.push_back(request);
    }
}

} // namespace

Recogniser::Recogniser(Dialects dialects)
    : m_dialects(std::move(dialects))
{}

Recognition Recogniser::recognise(const KeySample &sample, const ServerContext &serverContext) const
{
    if (sample.value && sample.value->isLeftOut)
        return m_recordedRecognition ? m_recordedRecognition(sample) : Recognition();
    Recognition recognition;
    FormMatcher examination(sample, serverContext, m_dialects.nameClassifier());
    const auto isThis = [&](const NotLock &notLock) { return notLock.name.match(examination.text()).hasMatch(); };
    if (std::ranges::any_of(m_dialects.notLocks(), isThis))
        return recognition;
    if (!sample.value) {
        if (examination.name().lockLikelihood() != LockLikelihood::None)
            recognition.requests.push_back({ReadRequest::Kind::Value, {}});
        return recognition;
    }

    std::vector<Found> candidates;
    std::vector<ReadRequest> others; // Requests of forms that may still become candidates.
    for (const Dialect &dialect : m_dialects.all()) {
        auto found = examine(examination, dialect);
        if (found && found->match.isCandidate)
            candidates.push_back(std::move(*found));
        else if (found)
            std::ranges::move(found->match.requests, std::back_inserter(others));
    }
    std::ranges::stable_sort(candidates, std::greater {},
                             [](const Found &found) { return found.match.candidate.confidence; });
    removeOutranked(candidates);
    for (const Found &found : candidates)
        addNew(recognition.requests, found.match.requests);
    if (candidates.empty() || candidates.front().match.candidate.confidence < Confidence::Certain)
        addNew(recognition.requests, others);
    if (!candidates.empty())
        recognition.decoded = std::move(candidates.front().match.decoded);
    for (Found &found : candidates)
        recognition.candidates.push_back(std::move(found.match.candidate));
    return recognition;
}

QString confidenceId(Confidence confidence)
{
    switch (confidence) {
    case Confidence::Low:
        return QStringLiteral("low");
    case Confidence::Medium:
        return QStringLiteral("medium");
    case Confidence::High:
        return QStringLiteral("high");
    case Confidence::Certain:
        return QStringLiteral("certain");
    }
    Q_UNREACHABLE();
}

} // namespace latchkey::recognition
