#pragma once

#include "core/foundation/base/random.h"

#include <chrono>

namespace latchkey::net {

/// The wait before the next connection attempt: doubling, limited, and randomised, so that clients do not all connect
/// at once when a server returns. A value type; owned by the code that retries.
class Backoff final
{
public:
    explicit Backoff(std::chrono::milliseconds first = std::chrono::milliseconds(250),
                     std::chrono::milliseconds longest = std::chrono::seconds(10));

    /// Returns the next wait: between half and all of 1, 2, 4 … times the first wait, and at most the longest.
    [[nodiscard]] std::chrono::milliseconds next(base::RandomSource &random);
    /// Restarts with the first wait. Call it after a success.
    void reset();

private:
    std::chrono::milliseconds m_first;
    std::chrono::milliseconds m_longest;
    std::chrono::milliseconds m_ceiling;
};

} // namespace latchkey::net
