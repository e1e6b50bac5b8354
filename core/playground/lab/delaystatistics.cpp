#include "core/playground/lab/delaystatistics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace latchkey::lab {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

void DelayStatistics::add(nanoseconds late)
{
    m_all.push_back(std::max(late, nanoseconds(0)));
}

void DelayStatistics::sort() const
{
    const auto middle = m_all.begin() + m_sorted;
    std::sort(middle, m_all.end());
    std::inplace_merge(m_all.begin(), middle, m_all.end());
    m_sorted = std::ssize(m_all);
}

nanoseconds DelayStatistics::quantile(double share) const
{
    if (m_all.empty())
        return {};
    sort();
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(m_all.size())));
    return m_all[std::clamp<std::size_t>(rank, 1, m_all.size()) - 1];
}

DelayStatistics::Histogram DelayStatistics::histogram(int maxBars) const
{
    constexpr double upTo = 0.999;
    const nanoseconds range = std::max(quantile(upTo), nanoseconds(1));
    nanoseconds decade = 100us;
    nanoseconds width = decade;
    for (int step = 0; range / width >= maxBars; ++step) {
        constexpr std::array multiples {2, 5, 10};
        width = decade * multiples[static_cast<std::size_t>(step % 3)];
        decade = step % 3 == 2 ? width : decade;
    }
    Histogram histogram {width, std::vector<int>(static_cast<std::size_t>(range / width + 1)), 0};
    for (const nanoseconds late : m_all) {
        const auto bar = static_cast<std::size_t>(late / width);
        if (bar < histogram.bars.size())
            ++histogram.bars[bar];
        else
            ++histogram.beyond;
    }
    return histogram;
}

} // namespace latchkey::lab
