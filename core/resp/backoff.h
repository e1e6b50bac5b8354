#pragma once

#include "core/base/random.h"

#include <chrono>

namespace latchkey::resp {

/// How long to wait before the next attempt to connect: doubling, capped, and spread by chance so that many clients of
/// a server that comes back do not all knock at once.
/// A value type; owned by the code that retries.
class Backoff final
{
public:
    explicit Backoff(std::chrono::milliseconds first = std::chrono::milliseconds(250),
                     std::chrono::milliseconds longest = std::chrono::seconds(10));

    /// The next wait: between half and all of 1, 2, 4 … times the first, and never above the longest.
    [[nodiscard]] std::chrono::milliseconds next(base::RandomSource &random);
    /// After a success: starts again from the first.
    void reset();

private:
    std::chrono::milliseconds m_first;
    std::chrono::milliseconds m_longest;
    std::chrono::milliseconds m_ceiling;
};

} // namespace latchkey::resp
