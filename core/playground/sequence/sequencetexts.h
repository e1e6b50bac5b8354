#pragma once

#include "core/playground/sequence/sequence.h"

namespace latchkey::sequence {

/// Formats a line for users: `client 1: SET lock:demo … NX PX 10000 → OK`, `client 1 has crashed`.
[[nodiscard]] base::Text rowText(const Row &row);
/// Formats a conflict: `client 1 and client 2 both believe that they hold lock:demo`.
[[nodiscard]] base::Text overlapText(const Overlap &overlap);
/// Returns the label of a mark: `crashed`, `paused`; for Started, the name of the client.
[[nodiscard]] base::Text markText(const Mark &mark);

/// Returns the sequence as lines, for screen readers and the clipboard: `+0.120 s  client 1: …`.
[[nodiscard]] QStringList textLines(const Sequence &sequence);

/// Formats a time since the beginning of the sequence: `+12.345 s`.
[[nodiscard]] QString elapsedText(const Sequence &sequence, base::MonotonicTime time);

} // namespace latchkey::sequence
