#pragma once

#include <span>
#include <vector>

// The one piece of row arithmetic: the code that announces rows to a view takes the numbers from here.

namespace latchkey::rows {

/// Consecutive rows.
struct RowRange
{
    int first = 0;
    int count = 0;

    [[nodiscard]] int last() const { return first + count - 1; }
    friend bool operator==(const RowRange &, const RowRange &) = default;
};

/// The fewest ranges that hold exactly these rows, ascending.
/// rows: ascending, each once. To remove them, announce the ranges from the last to the first: then the earlier ones
/// keep their numbers.
[[nodiscard]] std::vector<RowRange> rangesOf(std::span<const int> rows);

/// Where new rows stand, in the numbering after all of them have been inserted.
/// before: for each new row the old row in front of which it goes (the old row count: at the end), ascending; equal
/// ones keep their order. Announce the ranges from the first to the last.
[[nodiscard]] std::vector<RowRange> insertionRanges(std::span<const int> before);

} // namespace latchkey::rows
