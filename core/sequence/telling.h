#pragma once

#include "core/sequence/sequence.h"

namespace latchkey::sequence {

/// A line for people: `client 1: SET lock:demo … NX PX 10000 → OK`, `client 1 has crashed`.
[[nodiscard]] base::Text told(const Row &row);
/// `client 1 and client 2 believe that they hold lock:demo`
[[nodiscard]] base::Text told(const Overlap &overlap);
/// What of a mark is written beside it: `crashed`, `asleep`.
[[nodiscard]] base::Text markText(const Mark &mark);

/// All of it as lines, for those who cannot see the picture, and for the clipboard: `+0.120 s  client 1: …`.
[[nodiscard]] QStringList tellAll(const Sequence &sequence);

/// `+12.345 s`, since the sequence's beginning.
[[nodiscard]] QString timeText(const Sequence &sequence, base::MonotonicTime time);

} // namespace latchkey::sequence
