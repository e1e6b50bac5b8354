#pragma once

#include <chrono>
#include <vector>

namespace latchkey::lab {

/// A collection of delays. A value.
///
/// The collection stores every delay, so its percentiles are exact. Each delay is sorted in only once, so repeated
/// queries during a measurement of hundreds of thousands of delays take only a few milliseconds.
class DelayStatistics final
{
public:
    /// Adds a delay. A negative delay, within the accuracy of the measurement, counts as zero.
    void add(std::chrono::nanoseconds late);

    [[nodiscard]] std::size_t count() const { return m_all.size(); }
    /// Returns the smallest delay that is not exceeded by at least this share; `share` is 0 to 1. Zero if there are no
    /// delays.
    [[nodiscard]] std::chrono::nanoseconds quantile(double share) const;

    /// A histogram with bars of equal width, starting at zero.
    struct Histogram
    {
        std::chrono::nanoseconds width {};
        std::vector<int> bars;
        int beyond = 0; ///< Number of delays above the last bar.
    };
    /// Returns a histogram with at most this many bars, up to the 99.9th percentile, so that outliers do not compress
    /// the rest. The bar width is 1, 2 or 5 times a power of ten, at least 0.1 ms.
    [[nodiscard]] Histogram histogram(int maxBars) const;

private:
    void sort() const;

    mutable std::vector<std::chrono::nanoseconds> m_all; ///< Sorted on demand; the first m_sorted entries are sorted.
    mutable std::ptrdiff_t m_sorted = 0;
};

} // namespace latchkey::lab
