#include "core/recording/reader.h"
#include "core/recording/replayclock.h"
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

/// Each line is read by both ways of reading and written again: all three must say the same.
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

/// The quick way of reading lines says the same as the general one, and a recording ends after no more entries than it
/// has lines.
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
