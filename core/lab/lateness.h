#pragma once

#include <chrono>
#include <vector>

namespace latchkey::lab {

/// How late some things were, put together. A value.
///
/// It keeps every one of them, so that its percentiles are those of what was seen and not of a model of it. What was
/// sorted once is not sorted again: while more comes in, looking at it again and again takes a few milliseconds of
/// hundreds of thousands.
class Lateness final
{
public:
    /// What came before it was due, within what cannot be told apart, was not late.
    void add(std::chrono::nanoseconds late);

    [[nodiscard]] std::size_t count() const { return m_all.size(); }
    /// The smallest of them that at least this share is not above; \a share from 0 to 1. Zero where there are none.
    [[nodiscard]] std::chrono::nanoseconds quantile(double share) const;

    /// A histogram: bars of equal width, from zero on.
    struct Histogram
    {
        std::chrono::nanoseconds width {};
        std::vector<int> bars;
        int beyond = 0; ///< Those above the last bar.
    };
    /// With at most so many bars, of a width of 1, 2 or 5 times a power of ten from 0.1 ms on, up to the 99.9th
    /// percentile: one that is far out does not press all others into one bar.
    [[nodiscard]] Histogram histogram(int mostBars) const;

private:
    void sort() const;

    mutable std::vector<std::chrono::nanoseconds> m_all; ///< Sorted when that is needed, and so far:
    mutable std::ptrdiff_t m_sorted = 0;
};

} // namespace latchkey::lab
