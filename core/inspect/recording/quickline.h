#pragma once

#include "core/inspect/recording/entry.h"

#include <QByteArrayView>
#include <QList>

#include <optional>

namespace latchkey::recording {

/// Reads the most frequent lines of a recording (`seen`, `heard`, `shown`) as an Encoder writes them, without a JSON
/// document per line. A JSON document would take ten times as long as all other work on the line.
///
/// Absent, without a change, if the line has other content or another notation, or contains data that needs a full
/// parser. The Decoder then reads it as general JSON. `keys`: the numbered keys, see observationsFrom().
[[nodiscard]] std::optional<Entry> parseFrequentEntry(QByteArrayView line, QList<QByteArray> &keys, bool isLeftOut);

/// The content of a `watch` line that contains only the duration of a round trip.
struct RoundTripLine
{
    base::MonotonicTime at;
    std::chrono::nanoseconds roundTrip {};
};
/// Reads such a line; absent for any other line.
[[nodiscard]] std::optional<RoundTripLine> quickRoundTrip(QByteArrayView line);

} // namespace latchkey::recording
