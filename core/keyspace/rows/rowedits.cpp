#include "core/keyspace/rows/rowedits.h"

#include <QtGlobal>

#include <algorithm>

namespace latchkey::rows {

std::vector<RowRange> rangesOf(std::span<const int> rows)
{
    Q_ASSERT(std::ranges::is_sorted(rows));
    std::vector<RowRange> ranges;
    for (const int row : rows) {
        if (!ranges.empty() && ranges.back().last() + 1 == row)
            ++ranges.back().count;
        else
            ranges.push_back({row, 1});
    }
    return ranges;
}

std::vector<RowRange> insertionRanges(std::span<const int> before)
{
    Q_ASSERT(std::ranges::is_sorted(before));
    std::vector<RowRange> ranges;
    for (std::size_t i = 0; i < before.size(); ++i) {
        // All i rows that were inserted earlier are before this one.
        if (i > 0 && before[i] == before[i - 1])
            ++ranges.back().count;
        else
            ranges.push_back({before[i] + static_cast<int>(i), 1});
    }
    return ranges;
}

} // namespace latchkey::rows
