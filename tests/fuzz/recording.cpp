#include "core/inspect/recording/reader.h"
#include "core/inspect/recording/replayclock.h"
#include "tests/fuzz/target.h"

#include <QBuffer>

namespace latchkey::fuzz {

namespace {

const QByteArray headingOfNone = R"({"latchkey_recording":1,"program":"0","server":"s","started_ms":0,"values":true})";

std::unique_ptr<recording::Reader> readerOf(const QByteArray &bytes)
{
    auto buffer = std::make_unique<QBuffer>();
    buffer->setData(bytes);
    buffer->open(QIODevice::ReadOnly);
    auto reader = recording::Reader::open(std::move(buffer));
    return reader ? std::move(*reader) : nullptr;
}

/// Reads each line with both decoders and writes it again. All three results must be equal.
void compareWays(QByteArrayView bytes)
{
    recording::Decoder quick;
    recording::Decoder any;
    recording::Encoder ofQuick(recording::ReplayClock::zero);
    recording::Encoder ofAny(recording::ReplayClock::zero);
    const QList<QByteArray> lines = bytes.toByteArray().split('\n');
    const bool hasHeading = quick.heading(lines.front()).has_value();
    require(any.heading(hasHeading ? lines.front() : headingOfNone).has_value(), "a heading is read twice");
    if (!hasHeading)
        require(quick.heading(headingOfNone).has_value(), "a good heading is read after a bad one");
    for (const QByteArray &line : lines) {
        const auto first = quick.entry(line);
        const auto second = any.anyEntry(line);
        require(first.has_value() == second.has_value(), "both ways of reading read the same lines");
        if (!first)
            break;
        require(ofQuick.line(*first) == ofAny.line(*second), "both ways of reading read the same");
    }
}

} // namespace

/// Checks that the fast reader of lines gives the same result as the general one. A recording has fewer entries than
/// lines.
void fuzzRecording(QByteArrayView bytes)
{
    compareWays(bytes);
    const QByteArray contents = bytes.toByteArray();
    const auto reader = readerOf(contents);
    if (!reader)
        return;
    const qsizetype lines = contents.count('\n') + 1;
    qsizetype entries = 0;
    while (reader->next())
        require(++entries < lines, "a recording has no more entries than lines");
    require(reader->position() <= contents.size(), "no more is read than there is");
    (void)reader->lastTime();
}

} // namespace latchkey::fuzz
