#include "core/inspect/recognition/recogniser.h"

#include "core/inspect/recognition/formmatcher.h"

#include <algorithm>

namespace latchkey::recognition {

namespace {

struct Found
{
    FormMatcher::FormMatch fit;
    bool isGeneric = false;
};

/// Examines a dialect. The candidate is its best form; the questions come from all possible forms.
std::optional<Found> examine(FormMatcher &examination, const Dialect &dialect)
{
    std::optional<Found> best;
    std::vector<Question> questions;
    for (const Form &form : dialect.forms) {
        auto fit = examination.fit(dialect, form);
        if (!fit)
            continue;
        std::ranges::copy(fit->questions, std::back_inserter(questions));
        const bool isBetter = !best || (fit->isCandidate && !best->fit.isCandidate)
                           || (fit->isCandidate && fit->candidate.confidence > best->fit.candidate.confidence);
        if (isBetter)
            best = Found {std::move(*fit), dialect.isGeneric};
    }
    if (best)
        best->fit.questions = std::move(questions);
    return best;
}

/// Removes weaker candidates: a certain candidate excludes the others, a likely one the unlikely ones, and a library a
/// common pattern.
void removeOutranked(std::vector<Found> &candidates)
{
    if (candidates.empty())
        return;
    const Confidence best = candidates.front().fit.candidate.confidence;
    const auto least = best == Confidence::Certain ? Confidence::Certain
                     : best == Confidence::High    ? Confidence::Medium
                                                   : Confidence::Low;
    const bool isLibrary = std::ranges::any_of(
        candidates, [&](const Found &found) { return !found.isGeneric && found.fit.candidate.confidence == best; });
    std::erase_if(candidates, [&](const Found &found) {
        return found.fit.candidate.confidence < least || (found.isGeneric && isLibrary);
    });
}

void addNew(std::vector<Question> &questions, const std::vector<Question> &more)
{
    for (const Question &question : more) {
        if (std::ranges::find(questions, question) == questions.end())
            questions.push_back(question);
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
    FormMatcher examination(sample, serverContext, m_dialects.screen());
    const auto isThis = [&](const NotLock &notLock) { return notLock.name.match(examination.text()).hasMatch(); };
    if (std::ranges::any_of(m_dialects.notLocks(), isThis))
        return recognition;
    if (!sample.value) {
        if (examination.name().interest() != Interest::None)
            recognition.questions.push_back({Question::Kind::Value, {}});
        return recognition;
    }

    std::vector<Found> candidates;
    std::vector<Question> others; // Questions of forms that may still become candidates.
    for (const Dialect &dialect : m_dialects.all()) {
        auto found = examine(examination, dialect);
        if (found && found->fit.isCandidate)
            candidates.push_back(std::move(*found));
        else if (found)
            std::ranges::move(found->fit.questions, std::back_inserter(others));
    }
    std::ranges::stable_sort(candidates, std::greater {},
                             [](const Found &found) { return found.fit.candidate.confidence; });
    removeOutranked(candidates);
    for (const Found &found : candidates)
        addNew(recognition.questions, found.fit.questions);
    if (candidates.empty() || candidates.front().fit.candidate.confidence < Confidence::Certain)
        addNew(recognition.questions, others);
    if (!candidates.empty())
        recognition.decoded = std::move(candidates.front().fit.decoded);
    for (Found &found : candidates)
        recognition.candidates.push_back(std::move(found.fit.candidate));
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
