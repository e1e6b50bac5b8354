#pragma once

#include <algorithm>
#include <vector>

namespace bench {

/// Returns the smallest sample that at least this share of the samples does not exceed; 0 if there are no samples.
/// Sorts the samples.
inline double quantile(std::vector<double> &samples, double share)
{
    std::sort(samples.begin(), samples.end());
    const auto last = static_cast<double>(samples.size()) - 1;
    return samples.empty() ? 0 : samples[static_cast<std::size_t>(share * last)];
}

} // namespace bench
