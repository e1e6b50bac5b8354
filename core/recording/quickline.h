#pragma once

#include "core/recording/entry.h"

#include <QByteArrayView>
#include <QList>

#include <optional>

namespace latchkey::recording {

/// Reads the lines that a recording consists of for the most part (`seen`, `heard`, `shown`) as an Encoder writes them,
/// without making a JSON document of each: which takes ten times as long as all that is done with it.
///
/// Absent: it is another line, or is written another way, or holds what has to be looked at more closely; then nothing
/// has changed, and it is for the Decoder to read it as any JSON.
/// keys: those that have numbers, see observationsFrom().
[[nodiscard]] std::optional<Entry> quickEntry(QByteArrayView line, QList<QByteArray> &keys, bool isLeftOut);

/// Of a `watch` that says no more than how long a round trip has taken: when, and that; absent: it is another line.
struct RoundTripSaid
{
    base::MonotonicTime at;
    std::chrono::nanoseconds roundTrip {};
};
[[nodiscard]] std::optional<RoundTripSaid> quickRoundTrip(QByteArrayView line);

} // namespace latchkey::recording
