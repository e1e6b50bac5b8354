#include "core/inspect/recognition/recogniser.h"
#include "core/inspect/recognition/recognitiontexts.h"
#include "tests/fuzz/target.h"

#include <array>

namespace latchkey::fuzz {

namespace {

/// Returns the next line of the bytes, without its end, and removes the line from the bytes.
QByteArray takeLine(QByteArrayView &bytes)
{
    const qsizetype end = bytes.indexOf('\n');
    const QByteArray line = (end < 0 ? bytes : bytes.first(end)).toByteArray();
    bytes = end < 0 ? QByteArrayView() : bytes.sliced(end + 1);
    return line;
}

/// Reads the key, the type and the milliseconds left from one line each, then the parts of the value, one per line. For
/// a string, the value is all remaining bytes.
recognition::KeySample sampleOf(QByteArrayView bytes)
{
    static constexpr std::array types {keys::KeyType::String, keys::KeyType::List, keys::KeyType::Set,
                                       keys::KeyType::Hash, keys::KeyType::SortedSet};
    recognition::KeySample sample;
    sample.key = takeLine(bytes);
    const QByteArray type = takeLine(bytes);
    sample.type = types[type.isEmpty() ? 0 : static_cast<unsigned char>(type.front()) % types.size()];
    const QByteArray left = takeLine(bytes);
    sample.isExpiryKnown = true;
    if (!left.isEmpty())
        sample.left = std::chrono::milliseconds(left.left(9).toInt());
    sample.now = base::WallTime(std::chrono::milliseconds(1'764'000'000'000));
    keys::RawValue value {sample.type, bytes.size(), {}};
    if (sample.type == keys::KeyType::String) {
        value.parts += bytes.toByteArray();
    } else {
        while (!bytes.isEmpty() && value.parts.size() < 64)
            value.parts += takeLine(bytes);
        if (value.parts.size() % value.partsPerElement() != 0)
            value.parts.removeLast();
        value.size = value.elementsRead();
    }
    sample.value = value;
    return sample;
}

} // namespace

/// Checks that recognition is deterministic and names only known dialects. Recognition must work with answers to its
/// questions, and terminals must show every character of its texts.
void fuzzRecogniser(QByteArrayView bytes)
{
    static const recognition::Recogniser recogniser;
    recognition::KeySample sample = sampleOf(bytes);
    recognition::Recognition found = recogniser.recognise(sample);
    require(found == recogniser.recognise(sample), "the same is recognised of the same key");
    recognition::ServerContext serverContext;
    serverContext.scripts.emplace();
    serverContext.areChannelsComplete = true;
    sample.sameValue.emplace();
    for (int round = 0; round < 8 && !found.requests.empty(); ++round) {
        for (const recognition::ReadRequest &question : found.requests) {
            if (question.kind == recognition::ReadRequest::Kind::Companion)
                sample.companions[question.subject] = {true, *sample.value, sample.left};
        }
        found = recogniser.recognise(sample, serverContext);
    }
    for (const recognition::Candidate &candidate : found.candidates) {
        const recognition::Dialect *dialect = recogniser.dialects().find(candidate.dialect);
        require(dialect != nullptr, "a candidate is a known dialect");
        for (const recognition::Evidence &evidence : candidate.evidence)
            requireShown(recognition::RecognitionTexts::evidence(evidence, dialect->title),
                         "evidence has no control characters");
    }
    for (const recognition::Holder &holder : found.decoded.holders) {
        requireShown(recognition::RecognitionTexts::holder(holder), "a holder's text has no control characters");
        for (const QString &part : recognition::RecognitionTexts::parts(holder))
            requireShown(part, "a part of a holder has no control characters");
    }
}

} // namespace latchkey::fuzz
