#pragma once

#include <span>
#include <vector>

// Row ranges for model notifications. All code that announces rows computes them here.

namespace latchkey::rows {

/// Consecutive rows.
struct RowRange
{
    int first = 0;
    int count = 0;

    [[nodiscard]] int last() const { return first + count - 1; }
    friend bool operator==(const RowRange &, const RowRange &) = default;
};

/// Returns the smallest number of ranges that cover exactly these rows, ascending.
/// `rows`: ascending, without duplicates. To remove the rows, announce the ranges from the last to the first, so that
/// earlier ranges keep their numbers.
[[nodiscard]] std::vector<RowRange> rangesOf(std::span<const int> rows);

/// Returns the positions of new rows, numbered as after all insertions.
/// `before`: for each new row the old row before which it is inserted (the old row count: at the end), ascending. Equal
/// values keep their order. Announce the ranges from the first to the last.
[[nodiscard]] std::vector<RowRange> insertionRanges(std::span<const int> before);

} // namespace latchkey::rows
